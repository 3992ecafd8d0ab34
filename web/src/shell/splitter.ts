/** A line between two parts that can be dragged, or moved with the arrow keys. */

import { h } from "../core/dom";

interface Options {
  label: string;
  test: string;
  /** Whether the parts stand side by side now. */
  isSideways(): boolean;
  /** Where the line is, 0 to 1. */
  get(): number;
  set(share: number): void;
  /** The box that the share is of. */
  box(): DOMRect;
  /** Double click. */
  reset(): void;
}

const STEP = 0.02;

export function splitter(options: Options): HTMLElement {
  const element = h("div", {
    class: "splitter", role: "separator", tabindex: 0, title: `${options.label}: drag, or the arrow keys; double click resets`,
    "aria-label": options.label, "aria-valuemin": 0, "aria-valuemax": 100, "data-test": options.test,
  });
  const put = (share: number): void => {
    options.set(share);
    element.setAttribute("aria-valuenow", String(Math.round(100 * options.get())));
  };
  element.addEventListener("pointerdown", (pressed) => {
    if (pressed.button !== 0) return;
    pressed.preventDefault();
    element.setPointerCapture(pressed.pointerId);
    element.classList.add("dragged");
  });
  element.addEventListener("pointermove", (moved) => {
    if (!element.hasPointerCapture(moved.pointerId)) return;
    const box = options.box();
    put(options.isSideways() ? (moved.clientX - box.left) / box.width : (moved.clientY - box.top) / box.height);
  });
  const end = (): void => element.classList.remove("dragged");
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  element.addEventListener("dblclick", () => options.reset());
  element.addEventListener("keydown", (key) => {
    const [less, more] = options.isSideways() ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    if (key.key !== less && key.key !== more) return;
    key.preventDefault();
    key.stopPropagation();
    put(options.get() + (key.key === more ? STEP : -STEP));
  });
  return element;
}
