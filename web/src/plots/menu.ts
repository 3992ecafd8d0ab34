/** Small menus at the pointer or beneath a button, by mouse and by keyboard. */

import { h, type Child } from "../core/dom";

export interface Item {
  label: string;
  run: () => void;
  /** shown at the right: a key, a mark */
  hint?: string;
  swatch?: string;
  isDisabled?: boolean;
  test?: string;
}

let close: (() => void) | null = null;

/** @param at where, or the element beneath which it opens; null among the items is a line */
export function openMenu(at: { x: number; y: number } | HTMLElement, items: readonly (Item | null | Child)[]): void {
  close?.();
  const before = document.activeElement;
  const menu = h("div", { class: "plot-menu", role: "menu", "data-test": "plot-menu" });
  const done = (): void => {
    menu.remove();
    removeEventListener("pointerdown", outside, true);
    close = null;
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
  const outside = (event: PointerEvent): void => {
    if (!(event.target instanceof Node && menu.contains(event.target))) done();
  };
  for (const item of items) {
    if (item === null) menu.append(h("hr"));
    else if (isItem(item)) menu.append(entry(item, done));
    else if (item instanceof Node) menu.append(item);
  }
  menu.addEventListener("keydown", (event) => onKey(event, menu, done));
  document.body.append(menu);
  place(menu, at);
  menu.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
  addEventListener("pointerdown", outside, true);
  close = done;
}

export function closeMenu(): void {
  close?.();
}

function isItem(item: Item | Child): item is Item {
  return typeof item === "object" && item !== null && "run" in item;
}

function entry(item: Item, done: () => void): HTMLElement {
  const swatch = item.swatch ? h("span", { class: "swatch" }) : null;
  if (swatch && item.swatch) swatch.style.background = item.swatch;
  const run = (): void => {
    done();
    item.run();
  };
  return h(
    "button",
    { role: "menuitem", disabled: item.isDisabled ?? false, onclick: run, "data-test": item.test },
    swatch,
    h("span", { class: "grow" }, item.label),
    item.hint ? h("span", { class: "faint" }, item.hint) : null,
  );
}

function onKey(event: KeyboardEvent, menu: HTMLElement, done: () => void): void {
  event.stopPropagation();
  if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    return done();
  }
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const entries = [...menu.querySelectorAll<HTMLElement>("button:not(:disabled)")];
  const at = entries.indexOf(document.activeElement as HTMLElement);
  entries[(at + step + entries.length) % entries.length]?.focus();
}

function place(menu: HTMLElement, at: { x: number; y: number } | HTMLElement): void {
  const box = at instanceof HTMLElement ? at.getBoundingClientRect() : null;
  const { x, y } = at instanceof HTMLElement ? { x: box?.left ?? 0, y: (box?.bottom ?? 0) + 4 } : at;
  const { offsetWidth, offsetHeight } = menu;
  menu.style.left = `${Math.max(4, Math.min(x, innerWidth - offsetWidth - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, innerHeight - offsetHeight - 4))}px`;
}
