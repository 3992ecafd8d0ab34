/** What stands above a plot of the grid: its legend, the grip by which it is moved, and buttons that act on it. */

import type { App } from "../app";
import { h } from "../core/dom";
import { icon } from "../core/icon";
import { Legend } from "./legend";
import type { Actions, Head, PlotView } from "./plot";
import type { Sides } from "./sides";
import type { PlotSpec } from "./spec";
import type { PlotsState } from "./state";

export class PlotHead implements Head {
  readonly grip = h("span", { class: "plot-grip", draggable: "true", title: "Drag to move this plot", "aria-hidden": "true" }, "⠿");
  readonly title: HTMLElement;
  readonly #legend: Legend;
  #plot: PlotView | null = null;

  constructor(
    app: App,
    private readonly state: PlotsState,
    private readonly actions: Actions,
  ) {
    this.#legend = new Legend(app, state, (name) => this.#plot?.highlight(name));
    this.title = this.#legend.title;
  }

  update(spec: PlotSpec, sides: Sides): void {
    this.#legend.update(spec, sides);
  }

  show(at: (name: string) => number): void {
    this.#legend.show(at);
  }

  mount(plot: PlotView): HTMLElement {
    this.#plot = plot;
    const share = h(
      "button",
      { class: "quiet only-icon", title: "Export this plot", "aria-label": "Export this plot", "data-test": "plot-export" },
      icon("M12 3v12|m8 11 4 4 4-4|M4 19h16", 14),
    );
    share.addEventListener("click", () => this.actions.exportMenu(plot, share));
    const remove = h(
      "button",
      { class: "quiet only-icon", title: "Remove this plot", "aria-label": "Remove this plot", "data-test": "plot-remove", onclick: () => this.state.remove(plot.spec.id) },
      icon("M6 6l12 12|M18 6 6 18", 14),
    );
    return h("header", { class: "plot-header" }, this.grip, this.#legend.element, h("div", { class: "plot-tools" }, share, remove));
  }
}
