/** A button with a small menu below it; a click elsewhere or Esc closes it. */

import { h, type Child } from "../core/dom";

export function menuButton(
  content: Child[], body: HTMLElement, test: string, label: string,
): { element: HTMLElement; button: HTMLButtonElement; close(): void } {
  const button = h(
    "button",
    {
      type: "button",
      class: "menu-button",
      "aria-haspopup": "true",
      "aria-expanded": "false",
      "aria-label": label,
      "data-test": test,
    },
    ...content,
  );
  const sheet = h("div", { class: "menu", hidden: true }, body);
  const element = h("div", { class: "menu-anchor" }, button, sheet);
  const show = (on: boolean): void => {
    sheet.hidden = !on;
    button.setAttribute("aria-expanded", String(on));
    if (on) place(button, sheet);
  };
  button.addEventListener("click", () => show(sheet.hidden !== false));
  window.addEventListener("pointerdown", (pressed) => {
    if (sheet.hidden === false && !element.contains(pressed.target as Node)) show(false);
  });
  element.addEventListener("keydown", (key) => {
    if (key.key !== "Escape" || sheet.hidden) return;
    key.stopPropagation();
    show(false);
    button.focus();
  });
  return { element, button, close: () => show(false) };
}

/** Below the button, inside the window; never over the title bar, which has the emergency stop. */
function place(button: HTMLElement, sheet: HTMLElement): void {
  const box = button.getBoundingClientRect();
  const bottom = Math.max(box.bottom + 2, button.closest(".title-bar")?.getBoundingClientRect().bottom ?? 0);
  const room = document.documentElement.clientWidth - sheet.offsetWidth - 8;
  sheet.style.left = `${Math.max(8, Math.min(box.left, room))}px`;
  sheet.style.top = `${bottom + 4}px`;
}
