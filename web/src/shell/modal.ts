/** Dialogs that leave the title bar alone: the emergency stop stays in sight and in reach whatever is being asked. */

import { h } from "../core/dom";

const BEHIND = ".channel-list, .centre, .drawer, .rail, .foot, .title-parts";
let open = 0;

/** Show a dialog above everything but the emergency stop; Esc closes it, the focus goes back where it was. */
export function openModal(dialog: HTMLDialogElement): void {
  const before = document.activeElement;
  const shade = h("div", { class: "shade", onclick: () => dialog.close("") });
  const keys = (key: KeyboardEvent): void => {
    if (key.key !== "Escape" || !isTopmost(dialog)) return;
    key.preventDefault();
    key.stopPropagation();
    dialog.close("");
  };
  dialog.classList.add("modal");
  dialog.setAttribute("aria-modal", "true");
  if (!dialog.isConnected) document.body.append(dialog);
  dialog.before(shade);
  hold(1);
  window.addEventListener("keydown", keys, { capture: true });
  dialog.addEventListener(
    "close",
    () => {
      window.removeEventListener("keydown", keys, { capture: true });
      shade.remove();
      hold(-1);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    },
    { once: true },
  );
  dialog.show();
}

/** A dialog with a heading and a way out, for what is shown rather than asked; it is gone once it is closed. */
export function sheet(title: string, test: string, ...children: Node[]): HTMLDialogElement {
  const away = h(
    "button",
    { type: "button", class: "quiet", "data-test": `${test}-close`, onclick: () => dialog.close("") },
    "Close",
  );
  const dialog: HTMLDialogElement = h(
    "dialog", { class: "sheet", "data-test": test, "aria-label": title },
    h("header", { class: "sheet-head" }, h("h2", { class: "grow ellipsis", title }, title), away),
    ...children,
  );
  dialog.addEventListener("close", () => dialog.remove());
  openModal(dialog);
  away.focus();
  return dialog;
}

/** Put away whatever is being asked, unanswered; whether there was anything. */
export function closeModals(): boolean {
  const all = [...document.querySelectorAll<HTMLDialogElement>("dialog.modal[open]")].reverse();
  for (const dialog of all) dialog.close("");
  return all.length > 0;
}

function isTopmost(dialog: HTMLDialogElement): boolean {
  return [...document.querySelectorAll("dialog[open]")].at(-1) === dialog;
}

/** While a dialog is open, nothing behind it takes keys or clicks. */
function hold(change: number): void {
  open += change;
  for (const part of document.querySelectorAll<HTMLElement>(BEHIND)) part.inert = open > 0;
}
