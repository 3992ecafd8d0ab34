/** Between the cursors A and B: values, differences, and what lies between them. */

import type { App } from "../app";
import { fill, h } from "../core/dom";
import { icon } from "../core/icon";
import { effect, signal } from "../core/signal";
import type { StatisticsRow } from "../net/socket";
import { statisticsOf } from "./exact";
import type { Source } from "./source";
import type { PlotsState } from "./state";

const LATER_MS = 120;
const AGAIN_MS = 1000; // a stretch that is not over yet is asked for again
const UNKNOWN = { first: null, last: null, min: null, max: null, mean: null, rms: null };

/** @param spanOf how wide the axis of a channel is, in its own unit; NaN where it has none */
export function readout(app: App, state: PlotsState, source: Source, spanOf: (name: string) => number): HTMLElement {
  const places = signal<readonly number[]>([]);
  const rows = signal<readonly StatisticsRow[]>([]); // come later than the places, which have their lines from the start
  const trouble = signal("");
  const showsAll = signal(false);
  let timer = 0;
  let number = 0;

  const ask = async (from: number, to: number, asked: readonly number[]): Promise<void> => {
    const own = (number += 1);
    try {
      const found = app.file.peek()
        ? await statisticsOf(source, asked, from, to)
        : await app.socket.statistics([...asked], from, to);
      if (own !== number) return;
      rows.set(found);
      trouble.set("");
      if (!app.file.peek() && to > app.live.t) timer = window.setTimeout(() => void ask(from, to, asked), AGAIN_MS);
    } catch (error) {
      if (own === number) trouble.set(error instanceof Error ? error.message : String(error));
    }
  };

  let hadBoth = false;
  effect(() => {
    const [a, b] = [state.a(), state.b()];
    const hasBoth = a !== null && b !== null;
    if (hasBoth !== hadBoth) rows.set([]); // numbers of one record are no extremes of a stretch
    hadBoth = hasBoth;
    const wanted = chosen(state, showsAll());
    places.set(wanted);
    clearTimeout(timer);
    number += 1;
    if (a === null || wanted.length === 0) return rows.set([]);
    const one = 1 / (source.rate() || 100);
    const [from, to] = b === null ? [a - one, a] : [Math.min(a, b), Math.max(a, b)];
    timer = window.setTimeout(() => void ask(from, to, wanted), LATER_MS);
  });

  const spans = signal(""); // decades of the axes: another one has other digits
  app.onFrame(() => {
    if (!app.isBeat || element.hidden) return;
    spans.set([...new Set(state.plots.peek().flatMap((plot) => plot.traces.map(({ name }) => Math.floor(Math.log10(spanOf(name))))))].join());
  });
  const element = h("section", { class: "readout", "aria-label": "Cursors A and B", "data-test": "readout" });
  effect(() => {
    const [a, b] = [state.a(), state.b()];
    element.hidden = a === null && b === null;
    if (element.hidden) return;
    spans();
    fill(element, head(state, showsAll, a, b), body(state, places(), rows(), a, b, trouble(), spanOf));
  });
  return element;
}

function chosen(state: PlotsState, all: boolean): number[] {
  const selected = state.selected();
  const plots = state.plots().filter((plot) => all || plot.id === selected);
  const names = plots.flatMap((plot) => plot.traces.filter((trace) => !trace.hidden).map((trace) => trace.name));
  return [...new Set(names)].flatMap((name) => state.byName().get(name)?.place ?? []);
}

function head(state: PlotsState, showsAll: { (): boolean; set(value: boolean): void }, a: number | null, b: number | null): HTMLElement {
  const at = (label: string, t: number | null): HTMLElement =>
    h("span", { class: "pill" }, h("b", {}, label), h("span", { class: "num" }, t === null ? "Shift+click to set" : state.app.clock.text(t, 0.0001)));
  const clear = (): void => {
    state.a.set(null);
    state.b.set(null);
  };
  const apart = a !== null && b !== null ? Math.abs(b - a) : null;
  return h(
    "header",
    { class: "row readout-head" },
    at("A", a),
    at("B", b),
    apart ? h("span", { class: "pill" }, h("b", {}, "B − A"), h("span", { class: "num" }, `${apart.toFixed(4)} s`)) : null,
    apart ? h("span", { class: "pill" }, h("b", {}, "1/Δt"), h("span", { class: "num" }, `${(1 / apart).toPrecision(4)} Hz`)) : null,
    h("span", { class: "grow" }),
    h(
      "button",
      { class: "quiet", "aria-pressed": String(showsAll()), title: "Channels of all plots, or of the selected one", onclick: () => showsAll.set(!showsAll()) },
      "All plots",
    ),
    h("button", { class: "quiet only-icon", title: "Clear A and B (Esc)", "aria-label": "Clear A and B", onclick: clear }, icon("M6 6l12 12|M18 6 6 18", 14)),
  );
}

function body(state: PlotsState, places: readonly number[], rows: readonly StatisticsRow[], a: number | null, b: number | null, trouble: string, spanOf: (name: string) => number): HTMLElement {
  if (trouble) return h("p", { class: "empty bad" }, trouble);
  const byPlace = new Map(state.schema()?.channels.map((channel) => [channel.place, channel]) ?? []);
  const hasBoth = a !== null && b !== null;
  const isBack = hasBoth && b < a;
  const { forms } = state;
  const found = new Map(rows.map((row) => [row.place, row]));
  const lines = places.map((place) => {
    const row = found.get(place) ?? UNKNOWN;
    const channel = byPlace.get(place) ?? { name: "", unit: "" };
    for (const seen of [row.min, row.max]) if (seen !== null) forms.note(channel, seen);
    const cell = (value: number | null): HTMLElement => h("td", { class: "num" }, forms.text(channel, value ?? NaN, spanOf(channel.name)));
    const [atA, atB] = isBack ? [row.last, row.first] : [row.first, row.last];
    const difference = atA !== null && atB !== null ? atB - atA : null;
    const name = h("td", { class: "ellipsis" }, channel.name, " ", h("span", { class: "faint" }, forms.unit(channel.unit)));
    if (!hasBoth) return h("tr", {}, name, cell(row.last));
    return h("tr", {}, name, cell(atA), cell(atB), cell(difference), cell(row.min), cell(row.max), cell(row.mean), cell(row.rms));
  });
  const titles = hasBoth ? ["A", "B", "B − A", "min", "max", "mean", "rms"] : ["A"];
  return h(
    "div",
    { class: "readout-table" },
    h(
      "table",
      { class: hasBoth ? "wide" : "" },
      h("thead", {}, h("tr", {}, h("th", {}, "channel"), ...titles.map((title) => h("th", { class: "num" }, title)))),
      h("tbody", {}, ...lines),
    ),
  );
}
