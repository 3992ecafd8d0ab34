/** A comparison that is done: both sides beside each other, in figures and in curves. */

import type { App } from "../../../app";
import { fill, h, setText } from "../../../core/dom";
import { effect, signal } from "../../../core/signal";
import type { CueingFigures, CueingTrial } from "../../../net/types";
import { CUED_AXES } from "../../../net/words";
import type { PlotSpec } from "../../../plots/spec";
import { theme } from "../../../plots/theme";
import { choice, note } from "../../common/ui";
import { labelOf, ORDER } from "../axes";
import { SmallPlots, type Small } from "../small_plot";
import { TrialData } from "./data";
import { TrialView } from "./view";

export const COLOURS = { vehicle: 1, a: 2, b: 3 } as const;

type Shows = "cue" | "felt_cue";
const VEHICLE: Record<Shows, string> = { cue: "demand", felt_cue: "felt_vehicle" };

interface Line {
  readonly label: string;
  readonly title: string;
  readonly of: (figures: CueingFigures) => number | null;
  readonly text: (value: number) => string;
  /** Which is better: the smaller one, or the larger. */
  readonly wants: "less" | "more";
}

const FIXED = (decimals: number, unit = "") => (value: number): string => `${value.toFixed(decimals)}${unit}`.replace("-", "−");
const PERCENT = (value: number): string => `${(100 * value).toFixed(0)} %`;

const LINES: readonly Line[] = [
  { label: "Perceived error", title: "Root mean square over time and axes, in thresholds of perception", of: (f) => f.error, text: FIXED(2), wants: "less" },
  { label: "Of no motion at all", title: "The error as a share of that of a platform that stands still", of: (f) => f.error_share, text: PERCENT, wants: "less" },
  { label: "Largest error", title: "In thresholds of perception, all axes together", of: (f) => f.error_most, text: FIXED(2), wants: "less" },
  { label: "Least margin", title: "Least way of a leg to an end of its stroke; below 0 it would have to be beyond", of: (f) => f.stroke_left && 1e3 * f.stroke_left, text: FIXED(0, " mm"), wants: "more" },
  { label: "Stroke used", title: "Share of its stroke through which the leg goes that uses most", of: (f) => f.stroke_used, text: PERCENT, wants: "less" },
  { label: "Fastest leg", title: "Largest rate of a leg's length", of: (f) => f.leg_speed, text: FIXED(2, " m/s"), wants: "less" },
];

/** Errors by axis stand below the others, where they are asked for. */
const AXES: readonly Line[] = ORDER.map((axis) => ({
  label: labelOf(axis), title: `Perceived error of ${labelOf(axis).toLowerCase()}, in thresholds of perception`,
  of: (f) => f.axes[CUED_AXES.indexOf(axis)] ?? null, text: FIXED(2), wants: "less",
})); // prettier-ignore

/** The sides in the order in which they are shown. */
export function result(app: App, trial: CueingTrial): { element: HTMLElement; end(): void } {
  const view = new TrialView(app, trial);
  const data = new TrialData(app, view);
  const shows = signal<Shows>("cue");
  const ways = choice<Shows>("Curves", { cue: "Motion", felt_cue: "Felt" }, (one) => shows.set(one), "compare-curves");
  effect(() => ways.set(shows()));
  const plots = new SmallPlots(app, view, smallPlots(shows));
  const trouble = note("warn", "compare-trouble");
  const whole = h("button", { type: "button", class: "quiet", title: "Show the whole time again", "data-test": "compare-whole", onclick: () => view.view.setTime(null, "full") }, "Whole");
  const text = h("p", { class: "faint p-small", "data-test": "compare-what" }, `${trial.what}, on ${trial.platform}`);
  const element = h(
    "div", { class: "cue-result", "data-test": "compare-result" }, text, table(trial),
    h("div", { class: "row p-wrap" }, ways.element, legend(trial), h("span", { class: "grow" }), whole), plots.element, trouble.element,
  ); // prettier-ignore
  let [isDirty, drawn] = [true, data.now];
  const endings = [
    effect(() => {
      for (const one of [view.view.now, view.hover, view.a, view.b, view.forms.changes, view.forms.angles, shows, theme]) one();
      app.clock.epoch();
      whole.hidden = view.view.now().time === null;
      isDirty = true;
    }),
    effect(() => trouble.say(data.trouble())),
    app.onFrame((now) => {
      if (!element.checkVisibility()) return void (isDirty = true); // it may have another size when it is seen again
      data.update(now, plots.pixels);
      const common = { shown: view.shown(), data: data.now, markers: [], playhead: null };
      if (app.isBeat || view.hover.peek() !== null) plots.showValues(common);
      if (!isDirty && drawn === data.now && !app.isBeat) return;
      [isDirty, drawn] = [false, data.now];
      plots.draw(common);
    }),
    view.end,
  ];
  return { element, end: () => endings.forEach((one) => one()) };
}

function smallPlots(shows: () => Shows): Small[] {
  const both = (name: string): PlotSpec["traces"] => (["a", "b"] as const).map((side) => trace(`${name}_${side}`, COLOURS[side]));
  const axes = ORDER.map((axis): Small => ({
    spec: () => ({ id: `compare-${axis}`, traces: [trace(`${VEHICLE[shows()]}_${axis}`, COLOURS.vehicle), ...both(`${shows()}_${axis}`)] }),
    label: labelOf(axis), value: "", test: `compare-plot-${axis}`,
  })); // prettier-ignore
  const single = (name: string, label: string): Small => ({ spec: () => ({ id: `compare-${name}`, traces: both(name) }), label, value: "", test: `compare-plot-${name}` });
  return [...axes, single("cue_error", "Error [thresholds]"), single("stroke_left", "Least margin")];
}

function trace(name: string, colour: number): PlotSpec["traces"][number] {
  return { name, colour, axis: "left", hidden: false };
}

function named(trial: CueingTrial, k: 0 | 1): string {
  const side = trial.sides[k];
  return `${side.set}, ${side.algorithm}`;
}

function legend(trial: CueingTrial): HTMLElement {
  const items = ([["vehicle", "vehicle", ""], ["a", "A", named(trial, 0)], ["b", "B", named(trial, 1)]] as const).map(([key, label, title]) => {
    const swatch = h("span", { class: "swatch" });
    effect(() => void (swatch.style.background = theme().traces[COLOURS[key] - 1] ?? ""));
    return h("span", { class: "cue-key", title }, swatch, label);
  });
  return h("span", { class: "cue-keys" }, ...items);
}

function table(trial: CueingTrial): HTMLElement {
  const heads = ([0, 1] as const).map((k) => {
    const swatch = h("span", { class: "swatch" });
    effect(() => void (swatch.style.background = theme().traces[(k === 0 ? COLOURS.a : COLOURS.b) - 1] ?? ""));
    const { set, algorithm } = trial.sides[k];
    return h("th", { title: named(trial, k) }, h("span", { class: "cue-key" }, swatch, h("b", {}, k === 0 ? "A" : "B"), h("span", { class: "ellipsis" }, set)),
      h("span", { class: "faint ellipsis" }, algorithm)); // prettier-ignore
  });
  const body = h("tbody", {}, ...LINES.map((line) => row(trial, line)));
  const axes = h("tbody", { hidden: true }, ...AXES.map((line) => row(trial, line)));
  const more = h("button", { type: "button", class: "quiet p-link", "data-test": "compare-axes", "aria-expanded": "false" }, "Error by axis");
  more.addEventListener("click", () => {
    axes.hidden = !axes.hidden;
    more.setAttribute("aria-expanded", String(!axes.hidden));
    setText(more, axes.hidden ? "Error by axis" : "Less");
  });
  const element = h("table", { class: "cue-table", "data-test": "compare-table" });
  fill(element, h("thead", {}, h("tr", {}, h("th", {}), ...heads)), body, axes);
  return h("div", {}, element, more);
}

function row(trial: CueingTrial, { label, title, of, text, wants }: Line): HTMLElement {
  const values = trial.figures.map(of);
  const told = values.map((value) => (value === null ? "–" : text(value)));
  const [a = NaN, b = NaN] = told.map((one) => Number(one.replace("−", "-").replace(/[^\d.-]/g, "") || NaN)); // what reads alike is alike
  const cells = told.map((one, k) => {
    const isBetter = Number.isFinite(a - b) && a !== b && (wants === "less") === ((k === 0 ? a : b) < (k === 0 ? b : a));
    const isBeyond = label === "Least margin" && (values[k] ?? 0) < 0;
    return h("td", { class: `num${isBetter ? " better" : ""}${isBeyond ? " bad" : ""}` }, one);
  });
  return h("tr", { title, "data-test": `compare-${label.toLowerCase().replaceAll(" ", "-")}` }, h("th", { scope: "row" }, label), ...cells);
}
