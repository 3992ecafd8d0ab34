/** Vehicle, platform and feelings on every axis, live or as a recording has them, at the time of the plots. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import { batch, computed, effect, signal } from "../../core/signal";
import type { Common } from "../../plots/plot";
import type { PlotsState } from "../../plots/state";
import { theme } from "../../plots/theme";
import { newId } from "../../plots/spec";
import { iconButton, section } from "../common/ui";
import { axisPlot, CURVES, ERROR, errorPlot, labelOf, ORDER } from "./axes";
import { SmallPlots } from "./small_plot";

const LARGE = "M4 9V4h5|M15 4h5v5|M20 15v5h-5|M9 20H4v-5";

export function curves(app: App): HTMLElement {
  const state = app.plots;
  if (!state) throw new Error("the plots come first");
  const hidden = signal<ReadonlySet<string>>(new Set<string>());
  const isSeen = signal(false);
  const plots = new SmallPlots(app, state, [
    ...ORDER.map((axis) => ({ spec: () => axisPlot(axis, hidden()), label: labelOf(axis), value: "", test: `cueing-plot-${axis}` })),
    { spec: errorPlot, label: "Perceived error [thresholds]", value: ERROR, test: "cueing-plot-error" },
  ]);
  const names = [...ORDER.flatMap((axis) => CURVES.map(({ row }) => `${row}_${axis}`)), ERROR];
  const guest = {
    names: computed<readonly string[]>(() => (isSeen() ? names : [])),
    draw: (common: Common) => void (isSeen.peek() && plots.draw({ ...common, markers: [] })), // events would hide small curves
    showValues: (common: Common) => void (isSeen.peek() && plots.showValues(common)),
  };
  state.guests.set([...state.guests.peek(), guest]);
  const large = iconButton(LARGE, "Show these axes as large plots", () => enlarge(state), "cueing-large");
  const element = section("Motion at the pilot's head", [large], legend(hidden), plots.element);
  app.onFrame(() => {
    if (app.isBeat) isSeen.set(element.checkVisibility());
  });
  return element;
}

/** Which curves are drawn: a click on one shows or hides it. */
function legend(hidden: { (): ReadonlySet<string>; peek(): ReadonlySet<string>; set(to: ReadonlySet<string>): void }): HTMLElement {
  const buttons = CURVES.map(({ row, label, about }) => {
    const toggled = (): void => {
      const now = new Set(hidden.peek());
      if (!now.delete(row)) now.add(row);
      hidden.set(now);
    };
    return h("button", { type: "button", class: "cue-curve", title: `${about}. Click to show or hide it`, "aria-label": about, "data-test": `cueing-curve-${row}`, onclick: toggled },
      h("span", { class: "swatch" }), label); // prettier-ignore
  });
  effect(() => {
    const colours = theme().traces;
    CURVES.forEach(({ row, colour }, k) => {
      const button = buttons[k];
      button?.setAttribute("aria-pressed", String(!hidden().has(row)));
      const swatch = button?.firstElementChild;
      if (swatch instanceof HTMLElement) swatch.style.background = colours[colour - 1] ?? "";
    });
  });
  const [demand, felt, cue, feltCue] = buttons;
  return h("div", { class: "cue-legend" },
    h("span", { role: "group", "aria-label": "Vehicle" }, h("span", { class: "faint" }, "Vehicle"), demand, felt),
    h("span", { role: "group", "aria-label": "Platform" }, h("span", { class: "faint" }, "Platform"), cue, feltCue)); // prettier-ignore
}

/** The same in the centre, before all other plots; once. */
function enlarge(state: PlotsState): void {
  const others = state.plots.peek().filter(({ traces }) => !traces.some(({ name }) => /^(demand|cue)_(f|omega)_[xyz]$/.test(name)));
  const made = ORDER.map((axis) => ({ ...axisPlot(axis, new Set()), id: newId() }));
  batch(() => state.change([...made, ...others]));
}
