/** Small plots beside each other, at one time: plots like those of the centre, with captions in place of legends. */

import type { App } from "../../app";
import { h, setText } from "../../core/dom";
import { effect } from "../../core/signal";
import type { Channel } from "../../net/types";
import { NARROW } from "../../plots/frame";
import { PlotView, type Common, type Head } from "../../plots/plot";
import type { PlotSpec } from "../../plots/spec";
import type { Viewing } from "../../plots/state";
import { theme } from "../../plots/theme";

const NONE = { name: "", unit: "" };

/** The name of the plot with the unit of its axis, and the value of one of its traces. */
class Caption implements Head {
  readonly title = h("h3", { hidden: true });
  readonly #unit = h("span", { class: "faint cue-unit" });
  readonly #value = h("span", { class: "num cue-value" });
  #plot: PlotView | null = null;

  constructor(
    private readonly text: string,
    private readonly state: Viewing,
    /** Whose value stands beside the name; "" for none. */
    private readonly of: string,
  ) {}

  mount(plot: PlotView): HTMLElement {
    this.#plot = plot;
    return h("header", { class: "cue-caption" }, h("span", { class: "ellipsis" }, this.text), this.#unit, this.#value);
  }

  update(): void {
    // the name stays, whatever is drawn
  }

  show(at: (name: string) => number): void {
    setText(this.#unit, this.#plot?.axisUnits()[0] ?? "");
    if (!this.of) return;
    const channel: Pick<Channel, "name" | "unit"> = this.state.byName.peek().get(this.of) ?? NONE;
    setText(this.#value, this.state.forms.quantity(channel, at(this.of)));
  }
}

export interface Small {
  readonly spec: () => PlotSpec;
  readonly label: string;
  readonly value: string;
  readonly test: string;
}

export class SmallPlots {
  readonly element: HTMLElement;
  readonly #views: PlotView[];

  constructor(app: App, state: Viewing, plots: readonly Small[]) {
    this.#views = plots.map(({ spec, label, value, test }) => {
      const view = new PlotView(app, state, spec(), new Caption(label, state, value), (t) => app.seek?.(t), NARROW);
      view.element.dataset["test"] = test;
      return view;
    });
    this.element = h("div", { class: "cue-grid" }, ...this.#views.map(({ element }) => element));
    // the wheel scrolls the panel; with Ctrl it zooms as in the plots
    this.element.addEventListener("wheel", (event) => !event.ctrlKey && event.stopPropagation(), { capture: true });
    effect(() => {
      state.byName();
      state.limits();
      state.forms.changes();
      state.forms.angles();
      theme();
      this.#views.forEach((view, k) => {
        const plot = plots[k];
        if (!plot) return;
        view.update(plot.spec());
        view.reserve(false);
        view.element.setAttribute("aria-label", `Plot of ${plot.label}`);
      });
    });
  }

  draw(common: Common): void {
    for (const view of this.#views) view.draw(common);
  }

  showValues(common: Common): void {
    for (const view of this.#views) view.showValues(common);
  }

  /** Device pixels of the widest. */
  get pixels(): number {
    return Math.max(...this.#views.map((view) => view.pixels));
  }
}
