/** What the user chose to see; everything that draws or asks follows these signals. */

import type { App } from "../app";
import { batch, computed, effect, signal, type Signal } from "../core/signal";
import { isPiece, type Piece } from "../data/layout";
import type { Channel, RecordingFile, RecordingInfo, Schema } from "../net/types";
import { Forms } from "./forms";
import type { Shown } from "./layer";
import type { Common } from "./plot";
import { defaultPlots, parseLimits, parsePlots, parseRange, plotOf, withTraces, MOST_COLUMNS } from "./spec";
import type { Limits, PlotSpec, Range, Side, Trace } from "./spec";
import { ViewHistory, type View } from "./view";

export const SPANS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600];
/** What a plot needs to know of what is around it. */
export type Viewing = Pick<PlotsState, "byName" | "limits" | "forms" | "selected" | "hover" | "a" | "b" | "view" | "shown" | "timeAt">;

/** Curves elsewhere on the page, at the time of the plots: in a panel, say. */
export interface Guest {
  /** Channels that are drawn now; none while nobody sees them. */
  readonly names: Signal<readonly string[]>;
  draw(common: Common): void;
  showValues(common: Common): void;
}

const SCHEMA_KEY = "motionbase.schema";
const NO_LIMITS: Readonly<Record<string, Limits>> = {};
const UNKNOWN = "?"; // a platform

export class PlotsState {
  readonly plots = signal<readonly PlotSpec[]>([]);
  readonly columns = signal(2);
  /** How many there is room for. */
  readonly fits = signal(MOST_COLUMNS);
  /** Heights of the rows, relative to each other. */
  readonly rows = signal<readonly number[]>([]);
  /** Seconds that slide along. */
  readonly span = signal(10);
  readonly selected = signal<string | null>(null);
  readonly showsEvents = signal(true);
  /** Of the platform that is shown: what is too much for one is nothing for another. */
  readonly limits: Signal<Readonly<Record<string, Limits>>>;
  /** Of the platform of the live base, whatever is shown. */
  readonly liveLimits: Signal<Readonly<Record<string, Limits>>>;
  readonly #limitsOf = signal<Readonly<Record<string, Readonly<Record<string, Limits>>>>>({});
  readonly #platform: Signal<string>;
  /** Where the pointer is, as a share of the width; the time beneath it follows. */
  readonly hover = signal<number | null>(null);
  readonly a = signal<number | null>(null);
  readonly b = signal<number | null>(null);
  readonly view = new ViewHistory();
  /** How values are written. */
  readonly forms = new Forms();
  readonly guests = signal<readonly Guest[]>([]);
  /** Channels by formula that the recording which is shown has no records of. */
  readonly derivedOfFile = signal<readonly Channel[]>([]);
  readonly #kept = signal<Schema | null>(keptSchema());
  /** Of the recording or ring that is shown, or the one last seen. */
  readonly schema: Signal<Schema | null>;
  readonly byName: Signal<ReadonlyMap<string, Channel>>;
  #isBorrowing = false;
  #isChosen = false; // by the user, so that no default replaces it

  constructor(readonly app: App) {
    this.schema = computed(() => this.#schemaOfFile() ?? app.session.schema() ?? this.#kept());
    this.byName = computed(() => new Map(this.schema()?.channels.map((channel) => [channel.name, channel]) ?? []));
    this.#platform = computed(() => app.file()?.platform ?? app.session.ring()?.platform ?? "");
    this.limits = computed(() => this.#limitsOf()[this.#platform()] ?? NO_LIMITS);
    const live = computed(() => app.session.status()?.sources.find(({ source }) => source === "live")?.platform ?? "");
    this.liveLimits = computed(() => this.#limitsOf()[live()] ?? NO_LIMITS);
    effect(() => {
      const all = this.#limitsOf();
      const platform = this.#platform();
      const adopted = all[UNKNOWN]; // of a layout that did not say for which platform
      if (!adopted || !platform) return;
      const { [UNKNOWN]: _, ...others } = all;
      this.#limitsOf.set({ ...others, [platform]: { ...adopted, ...others[platform] } });
    });
    effect(() => {
      const schema = app.session.schema();
      if (!schema) return;
      this.#kept.set(schema);
      localStorage.setItem(SCHEMA_KEY, JSON.stringify(schema));
    });
    let hash: string | undefined;
    effect(() => {
      const schema = this.schema();
      if (schema?.hash !== hash) this.forms.forget();
      hash = schema?.hash;
      if (schema && !this.#isChosen && this.plots.peek().length === 0) this.#put(defaultPlots(schema.channels));
    });
    effect(() => {
      if (app.socket.link() === "open" && app.session.ring()?.state === "none" && !this.schema()) void this.#borrow();
    });
    effect(() => {
      app.file();
      batch(() => {
        this.view.restart({ time: null, y: this.view.now.peek().y });
        this.a.set(null);
        this.b.set(null);
      });
    });
  }

  #schemaOfFile(): Schema | null {
    const own = this.app.file()?.recording_schema;
    return own ? { ...own, channels: [...own.channels, ...this.derivedOfFile()] } : null;
  }

  /** Where no base has ever been seen, channels can be chosen as the newest recording has them. */
  async #borrow(): Promise<void> {
    if (this.#isBorrowing) return;
    this.#isBorrowing = true;
    try {
      const files = await this.app.api.get<RecordingFile[]>("/api/recordings");
      const file = files.find((one) => one.format !== "csv" && !one.is_written)?.file;
      if (!file) return;
      const { recording_schema } = await this.app.api.get<RecordingInfo>("/api/recordings/info", { file });
      if (!this.schema.peek()) this.#kept.set(recording_schema);
    } catch {
      // opening a recording by hand says what is wrong with it
    }
  }

  /** What the plots show now [s]. */
  shown(): Shown {
    const { time } = this.view.now.peek();
    if (time) return { from: time[0], to: time[1], slides: false };
    const file = this.app.file.peek();
    if (file) return { from: file.start, to: Math.max(file.end, file.start + 1e-3), slides: false };
    const to = Number.isNaN(this.app.live.t) ? 0 : this.app.live.t;
    return { from: to - this.span.peek(), to, slides: true };
  }

  timeAt(share: number): number {
    const { from, to } = this.shown();
    return from + share * (to - from);
  }

  isLive(): boolean {
    return this.view.now().time === null && this.app.file() === null;
  }

  change(plots: readonly PlotSpec[]): void {
    this.#isChosen = true;
    this.#put(plots);
    this.app.layout.changed();
  }

  #put(plots: readonly PlotSpec[]): void {
    batch(() => {
      this.plots.set(plots);
      if (!plots.some((plot) => plot.id === this.selected.peek())) this.selected.set(plots[0]?.id ?? null);
    });
  }

  /** To the plot given, or the selected one, or a new one where there is none. */
  add(names: readonly string[], id: string | null = this.selected.peek()): void {
    const plots = this.plots.peek();
    if (!plots.some((plot) => plot.id === id)) return this.insert(names, plots.length);
    this.change(plots.map((plot) => (plot.id === id ? withTraces(plot, names) : plot)));
  }

  insert(names: readonly string[], at: number): void {
    const made = plotOf(names);
    const plots = this.plots.peek();
    this.change([...plots.slice(0, at), made, ...plots.slice(at)]);
    this.selected.set(made.id);
  }

  remove(id: string): void {
    this.change(this.plots.peek().filter((plot) => plot.id !== id));
  }

  move(id: string, at: number): void {
    const plots = this.plots.peek();
    const from = plots.findIndex((plot) => plot.id === id);
    const moved = plots[from];
    if (!moved) return;
    const others = plots.filter((plot) => plot.id !== id);
    const to = at > from ? at - 1 : at;
    this.change([...others.slice(0, to), moved, ...others.slice(to)]);
  }

  changeTrace(id: string, name: string, change: Partial<Trace> | null): void {
    this.change(
      this.plots.peek().map((plot) => {
        if (plot.id !== id) return plot;
        const traces = plot.traces.flatMap((trace) =>
          trace.name !== name ? trace : change === null ? [] : { ...trace, ...change },
        );
        return { ...plot, traces };
      }),
    );
  }

  /** A channel is called otherwise from now on. */
  rename(from: string, to: string): void {
    const renamed = (trace: Trace): Trace => (trace.name === from ? { ...trace, name: to } : trace);
    this.change(this.plots.peek().map((plot) => ({ ...plot, traces: plot.traces.map(renamed) })));
  }

  setLimits(name: string, limits: Limits | null): void {
    const { [name]: _, ...others } = this.limits.peek();
    const own = limits ? { ...others, [name]: limits } : others;
    this.#limitsOf.set({ ...this.#limitsOf.peek(), [this.#platform.peek()]: own });
    this.app.layout.changed();
  }

  save(): Piece {
    const y = this.view.now.peek().y;
    return {
      columns: this.columns.peek(),
      rows: this.rows.peek(),
      span: this.span.peek(),
      events: this.showsEvents.peek(),
      angles: this.forms.angles.peek(),
      limitsOf: this.#limitsOf.peek(),
      plots: this.plots.peek().map(({ id, traces }) => ({ traces, y: y[id] ?? {} })),
    };
  }

  load(piece: Piece): void {
    const plots = parsePlots(piece["plots"]);
    const { columns, rows, span, events, angles } = piece;
    batch(() => {
      if (plots) {
        this.#isChosen = true;
        this.#put(plots);
        const given = Array.isArray(piece["plots"]) ? (piece["plots"] as { y?: Record<Side, unknown> }[]) : [];
        const y = Object.fromEntries(plots.map((plot, k) => [plot.id, parseY(given[k]?.y)]));
        this.view.restart({ time: this.view.now.peek().time, y });
      }
      if (typeof columns === "number" && columns >= 1 && columns <= MOST_COLUMNS) this.columns.set(Math.floor(columns));
      if (Array.isArray(rows)) this.rows.set(rows.filter((row) => typeof row === "number" && row > 0));
      if (typeof span === "number" && SPANS.includes(span)) this.span.set(span);
      if (typeof events === "boolean") this.showsEvents.set(events);
      if (angles === "deg" || angles === "rad") this.forms.tellAngles(angles);
      this.#limitsOf.set(parseLimitsOf(piece));
    });
  }
}

/** By platform; those of an older layout belong to the platform that is seen next. */
function parseLimitsOf(piece: Piece): Record<string, Record<string, Limits>> {
  const given = piece["limitsOf"];
  if (isPiece(given)) return Object.fromEntries(Object.entries(given).map(([platform, own]) => [platform, parseLimits(own)]));
  const older = parseLimits(piece["limits"]);
  return Object.keys(older).length ? { [UNKNOWN]: older } : {};
}

function parseY(value: Record<Side, unknown> | undefined): View["y"][string] {
  const found: Partial<Record<Side, Range>> = {};
  for (const side of ["left", "right"] as const) {
    const range = parseRange(value?.[side]);
    if (range) found[side] = range;
  }
  return found;
}

function keptSchema(): Schema | null {
  try {
    const found = JSON.parse(localStorage.getItem(SCHEMA_KEY) ?? "null") as Schema | null;
    return Array.isArray(found?.channels) ? found : null;
  } catch {
    return null;
  }
}
