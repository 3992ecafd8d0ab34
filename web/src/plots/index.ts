/** Time histories: the channel list for the left, the plots for the centre. */

import "./plots.css";
import type { App } from "../app";
import { h } from "../core/dom";
import { computed, effect } from "../core/signal";
import { alarmBar } from "./alarm_bar";
import { Alarms } from "./alarms";
import { restoreDerived } from "./derive";
import { Exporter } from "./export";
import { Grid } from "./grid";
import { bindKeys } from "./keys";
import type { Data } from "./layer";
import { ChannelList } from "./list";
import { Meter } from "./meter";
import type { Marker } from "./marks";
import type { PlotView } from "./plot";
import { readout } from "./readout";
import { Source } from "./source";
import { PlotsState } from "./state";
import { theme } from "./theme";
import { toolbar } from "./toolbar";
import { turned } from "./view";

const CURSOR_MS = 50; // between values in the legends while a cursor moves

export function plots(app: App): { list: HTMLElement; area: HTMLElement } {
  const state = new PlotsState(app);
  app.layout.register("plots", state);
  const source = new Source(app, state);
  const alarms = new Alarms(app, state);
  const list = new ChannelList(app, state);
  restoreDerived(app, state);
  const actions = {
    seek: (t: number) => app.seek?.(t),
    exportMenu: (plot: PlotView, button: HTMLElement) => exporter.menu(button, [plot]),
  };
  const grid = new Grid(app, state, actions);
  const exporter = new Exporter(app, state, source, () => grid.views());
  const area = h(
    "div",
    { class: "plots" },
    toolbar(app, state, source, exporter),
    alarmBar(state, alarms),
    grid.element,
    emptyState(state),
    readout(app, state, source, (name) => grid.views().map((view) => view.spanOf(name)).find((span) => span > 0) ?? NaN),
  );
  bindKeys(app, state, source, area);
  offer(app, state);
  animate(app, state, source, alarms, list, grid);
  return { list: list.element, area };
}

function animate(app: App, state: PlotsState, source: Source, alarms: Alarms, list: ChannelList, grid: Grid): void {
  const meter = new Meter(app);
  app.meter = meter;
  const markers = computed(() => markersOf(app, state));
  let isDirty = true;
  let drawn: Data | null = null;
  let drawnEpoch = 0;
  let version = -1;
  let toldAt = 0;
  let waits = 0; // frames until live plots are drawn again
  effect(() => {
    state.view.now();
    state.hover();
    state.a();
    state.b();
    state.span();
    markers();
    theme();
    app.clock.epoch();
    grid.built();
    grid.element.classList.toggle("is-reading", state.hover() !== null);
    for (const guest of state.guests()) guest.names();
    app.file();
    app.playhead();
    isDirty = true;
  });
  new ResizeObserver(() => (isDirty = true)).observe(grid.element);
  app.onFrame((now) => {
    const began = performance.now();
    if (app.isBeat && !app.file.peek()) for (const channel of state.byName.peek().values()) state.forms.note(channel, app.live.newest[channel.place] ?? NaN);
    follow(app, state);
    const shown = state.shown();
    source.update(now, shown);
    alarms.judge();
    list.showValues();
    const data = source.data(shown);
    const views = grid.views();
    const common = { shown, data, markers: markers.peek(), playhead: app.file.peek() && app.playhead.peek() };
    if (app.isBeat || (state.hover.peek() !== null && now - toldAt > CURSOR_MS)) {
      toldAt = now;
      for (const view of views) view.showValues(common);
      for (const guest of state.guests.peek()) guest.showValues(common);
    }
    const hasMoved = app.live.version !== version && data.isLive;
    if (!isDirty && data === drawn && data.epoch === drawnEpoch && !hasMoved) return;
    waits -= 1;
    if (!isDirty && data.isLive && waits > 0) return;
    waits = app.besideEvery;
    version = app.live.version;
    [drawn, drawnEpoch, isDirty] = [data, data.epoch, false];
    for (const view of views) view.draw(common);
    for (const guest of state.guests.peek()) guest.draw(common);
    source.pixels.set(Math.max(100, ...views.map((view) => Math.round(view.pixels))));
    meter.drawn(began);
  });
}

/** Zoomed plots of a recording turn the page when the playhead comes to their edge, and go to it when it begins to play. */
let played: { t: number | null; plays: boolean } = { t: null, plays: false };
function follow(app: App, state: PlotsState): void {
  const { time } = state.view.now.peek();
  const t = app.file.peek() ? app.playhead.peek() : null;
  const plays = app.plays?.() ?? false;
  const page = time && turned(time, played.t, t);
  if (page) state.view.slide(page);
  else if (time && t !== null && plays && !played.plays) app.goTo?.(t);
  played = { t, plays };
}

function markersOf(app: App, state: PlotsState): readonly Marker[] {
  if (!state.showsEvents()) return [];
  if (app.file()) return app.happened().map(({ t, text, kind, is_bad }) => ({ t, text, kind, isBad: is_bad }));
  const ring = app.session.ring();
  const found = app.session.events().flatMap(({ source, generation, t, text, what, is_bad }) => {
    const isOfRing = source === ring?.source && generation === ring.generation;
    return isOfRing && t !== null ? { t, text, kind: what, isBad: is_bad } : [];
  });
  return found.sort((one, other) => one.t - other.t);
}

/** What to do where there are no plots; missing records are reported by the shell. */
function emptyState(state: PlotsState): HTMLElement {
  const text = "No plots yet. Double-click a channel on the left, or add a plot above.";
  const element = h("p", { class: "plots-empty empty", "data-test": "plots-empty" }, text);
  effect(() => {
    element.hidden = state.plots().length > 0;
  });
  return element;
}

/** What other parts may ask of the plots. */
function offer(app: App, state: PlotsState): void {
  app.plots = state;
  app.visibleRange = () => {
    const { from, to } = state.shown();
    return [from, to];
  };
  app.markedRange = () => {
    const [a, b] = [state.a.peek(), state.b.peek()];
    return a === null || b === null ? null : [Math.min(a, b), Math.max(a, b)];
  };
  app.goTo = (t, marks = false) => {
    if (marks) state.a.set(t); // the cursor says where it is, also where it was in sight already
    const { from, to, slides } = state.shown();
    if (!slides && t >= from && t <= to) return;
    state.view.setTime([t - (to - from) / 2, t + (to - from) / 2], "go to");
  };
}
