/** Plots and the 3D view, side by side or one of them alone, stacked where the page is narrow; beside the view outside
 * where a vehicle moves in a world. */

import { h } from "../core/dom";
import { effect, signal } from "../core/signal";
import { outside } from "../world";
import type { Frame } from "./frame";
import { splitter } from "./splitter";

const SIDE_BY_SIDE_PX = 640;

export function centre(frame: Frame, plots: HTMLElement, scene: HTMLElement): HTMLElement {
  const element: HTMLElement = h("main", { class: "centre", "data-test": "centre" });
  const isStacked = signal(false);
  const world = outside(frame.app);
  const box = (): DOMRect => element.getBoundingClientRect();
  const line = splitter({
    label: "Plots and 3D view",
    test: "splitter",
    isSideways: () => !isStacked.peek(),
    get: () => frame.share.peek(),
    set: (share) => frame.setShare(share),
    box,
    reset: () => frame.resetShare(),
  });
  const between = (way: "across" | "down", label: string): HTMLElement =>
    splitter({
      label,
      test: `splitter-${way}`,
      isSideways: () => way === "across" && !isStacked.peek(),
      get: () => frame.worldShares.peek()[way],
      set: (share) => frame.setWorldShare(way, share),
      box,
      reset: () => frame.resetWorldShare(way),
    });
  const [across, down] = [between("across", "View outside"), between("down", "3D view and plots")];
  down.classList.add("rows");
  element.append(world, across, plots, line, scene, down);
  new ResizeObserver(([entry]) => entry && isStacked.set(entry.contentRect.width < SIDE_BY_SIDE_PX)).observe(element);
  effect(() => element.classList.toggle("is-stacked", isStacked()));
  effect(() => {
    const view = frame.view();
    const isWorld = view === "world";
    world.hidden = across.hidden = !isWorld;
    plots.hidden = view === "scene";
    line.hidden = view !== "both";
    down.hidden = !isWorld || isStacked();
    scene.hidden = view === "plots" || (isWorld && isStacked());
    element.dataset["view"] = view;
    plots.style.flex = `${view === "both" ? frame.share() : 1} 1 0`;
    scene.style.flex = `${view === "both" ? 1 - frame.share() : 1} 1 0`;
  });
  effect(() => {
    const { across, down } = frame.worldShares();
    for (const [name, share] of Object.entries({ across, down })) {
      element.style.setProperty(`--${name}`, `${share}fr`);
      element.style.setProperty(`--${name}-rest`, `${1 - share}fr`);
    }
  });
  return element;
}
