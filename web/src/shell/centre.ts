/** Plots and the 3D view, side by side or one of them alone; stacked where the page is narrow. */

import { h } from "../core/dom";
import { effect, signal } from "../core/signal";
import type { Frame } from "./frame";
import { splitter } from "./splitter";

const SIDE_BY_SIDE_PX = 640;

export function centre(frame: Frame, plots: HTMLElement, scene: HTMLElement): HTMLElement {
  const element: HTMLElement = h("main", { class: "centre", "data-test": "centre" });
  const isStacked = signal(false);
  const line = splitter({
    label: "Plots and 3D view",
    test: "splitter",
    isSideways: () => !isStacked.peek(),
    get: () => frame.share.peek(),
    set: (share) => frame.setShare(share),
    box: () => element.getBoundingClientRect(),
    reset: () => frame.resetShare(),
  });
  element.append(plots, line, scene);
  new ResizeObserver(([entry]) => entry && isStacked.set(entry.contentRect.width < SIDE_BY_SIDE_PX)).observe(element);
  effect(() => element.classList.toggle("is-stacked", isStacked()));
  effect(() => {
    const view = frame.view();
    plots.hidden = view === "scene";
    line.hidden = view !== "both";
    scene.hidden = view === "plots";
    element.dataset["view"] = view;
    plots.style.flex = `${view === "both" ? frame.share() : 1} 1 0`;
    scene.style.flex = `${view === "both" ? 1 - frame.share() : 1} 1 0`;
  });
  return element;
}
