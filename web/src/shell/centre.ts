/** Plots and the shaded view, side by side or one of them alone; below each other on a phone. */

import { h } from "../core/dom";
import { effect } from "../core/signal";
import { PHONE, type Frame } from "./frame";
import { splitter } from "./splitter";

export function centre(frame: Frame, plots: HTMLElement, scene: HTMLElement): HTMLElement {
  const element: HTMLElement = h("main", { class: "centre", "data-test": "centre" });
  const line = splitter({
    label: "Plots and shaded view",
    test: "splitter",
    isSideways: () => !PHONE.matches,
    get: () => frame.share.peek(),
    set: (share) => frame.setShare(share),
    box: () => element.getBoundingClientRect(),
    reset: () => frame.resetShare(),
  });
  element.append(plots, line, scene);
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
