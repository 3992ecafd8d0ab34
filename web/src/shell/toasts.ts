/** Sentences in the line at the bottom: a short queue, each goes by itself unless the pointer rests on it; Esc takes the newest. */

import type { App, Toast } from "../app";
import { h, setText } from "../core/dom";
import { icon } from "../core/icon";
import { effect } from "../core/signal";
import { isTyping } from "./keys";

const SHOWN_MS = { info: 5000, error: 10_000 } as const;
const MOST = 3;
const CLOSE = "M6 6l12 12|M18 6 6 18";
const OPEN = 'dialog[open], [role="menu"], [popover]:popover-open, [aria-haspopup][aria-expanded="true"]';

interface Shown {
  text: string;
  element: HTMLElement;
  again(): void;
  leave(): void;
}

export function toasts(app: App): HTMLElement {
  const element = h("div", { class: "toasts", role: "log", "aria-label": "Messages", "aria-live": "polite" });
  let shown: Shown[] = [];
  effect(() => {
    const toast = app.toast();
    if (!toast) return;
    const same = shown.find((one) => one.text === toast.text);
    if (same) return same.again();
    const made = build(toast, () => {
      shown = shown.filter((one) => one !== made);
      made.element.remove();
    });
    shown.push(made);
    element.append(made.element);
    while (shown.length > MOST) shown[0]?.leave();
  });
  // before all other uses of Esc, except dialogs and menus that are open
  window.addEventListener("keydown", (key) => {
    const newest = shown.at(-1);
    if (key.key !== "Escape" || !newest || isTyping(key.target) || document.querySelector(OPEN)) return;
    key.preventDefault();
    key.stopPropagation();
    newest.leave();
  }, { capture: true });
  return element;
}

function build(toast: Toast, leave: () => void): Shown {
  let count = 1;
  let timer = 0;
  const times = h("span", { class: "num faint", hidden: true });
  const close = h(
    "button",
    { class: "quiet only-icon", type: "button", title: "Dismiss (Esc)", "aria-label": "Dismiss", onclick: leave },
    icon(CLOSE, 14),
  );
  const element = h(
    "div", { class: `toast ${toast.kind}`, role: toast.kind === "error" ? "alert" : "status", "data-test": "toast" },
    h("span", { class: "grow" }, toast.text), times, close,
  );
  const wait = (): void => {
    clearTimeout(timer);
    timer = window.setTimeout(leave, SHOWN_MS[toast.kind]);
  };
  element.addEventListener("pointerenter", () => clearTimeout(timer));
  element.addEventListener("pointerleave", wait);
  wait();
  const again = (): void => {
    count += 1;
    times.hidden = false;
    setText(times, `×${count}`);
    wait();
  };
  return { text: toast.text, element, again, leave };
}
