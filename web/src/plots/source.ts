/** Where the buckets come from: the live store while time slides, else windows that the server was asked for. */

import type { App } from "../app";
import { computed, effect, signal, type Signal } from "../core/signal";
import type { Band, WindowFrame } from "../net/frames";
import type { Data, Shown } from "./layer";
import type { PlotsState } from "./state";

const MARGIN = 0.25; // of the window on either side, so that panning has something to show at once
const PAUSE_MS = 60;
const STALE_MS = 400; // a window that reaches into what is still to come is asked for anew
const MOST_PIXELS = 8192;
const MOST_CURVE_PIXELS = 1 << 19;
const MOST_FILE_CHANNELS = 64;
const FILE_BATCH = 6;
const SUBSCRIBE_MS = 50;

/** A window as it came. */
export class Piece implements Data {
  readonly isLive = false;
  readonly first = 0;
  readonly time: Float64Array;

  constructor(
    readonly frame: WindowFrame,
    readonly epoch: number,
    readonly step: number,
  ) {
    this.time = frame.time;
  }

  band(place: number): Band | undefined {
    return this.frame.bands[this.frame.head.channels.indexOf(place)];
  }
}

export class Source {
  /** A short note on what cannot be shown; "" where everything can. */
  readonly note = signal("");
  /** Device pixels of the widest plot. */
  readonly pixels = signal(600);
  /** Places of all that is drawn or watched. */
  readonly places: Signal<readonly number[]>;
  #piece: Piece | null = null;
  #epoch = 0; // of pieces, counted downwards: never that of the live store
  #asking = false;
  #asked = "";
  #askedAt = -Infinity;
  #generation = -1;
  #timer = 0;
  readonly #live: LiveData;

  constructor(
    readonly app: App,
    readonly state: PlotsState,
  ) {
    this.#live = new LiveData(app);
    this.places = computed(() => this.#places());
    effect(() => {
      const [places, span, pixels] = [this.places(), state.span(), this.pixels()];
      clearTimeout(this.#timer);
      const ask = (): void => {
        app.span = span;
        app.socket.subscribe([...places], span, fitting(pixels, places.length));
      };
      // before the connection is open this costs nothing and is sent with the greeting, so the first curves need no second request
      if (app.socket.link.peek() === "connecting") ask();
      else this.#timer = window.setTimeout(ask, SUBSCRIBE_MS);
    });
    effect(() => {
      app.file();
      app.session.source();
      this.#forget();
    });
  }

  /** Records a second of what is shown. */
  rate(): number {
    return this.app.file.peek()?.rate_hz ?? this.app.session.ring.peek()?.rate_hz ?? 0;
  }

  /** The best there is for this stretch, right now. */
  data(shown: Shown): Data {
    this.#live.refresh(this.rate());
    const piece = this.#piece;
    if (shown.slides || (!piece && !this.app.file.peek())) return this.#live;
    if (!piece) return NOTHING;
    const { head } = piece.frame;
    const isInside = head.from <= shown.from && head.to >= shown.to;
    if (!isInside && !this.app.file.peek() && this.#live.covers(shown)) return this.#live;
    return piece;
  }

  /** Called for every animation frame: requests data where what is there does not suffice. */
  update(now: number, shown: Shown): void {
    if (!this.app.file.peek() && this.app.live.generation !== this.#generation) {
      this.#generation = this.app.live.generation;
      this.#forget();
      if (this.state.view.now.peek().time) this.state.view.restart({ ...this.state.view.now.peek(), time: null });
    }
    if (shown.slides) return this.note.set("");
    this.#say(shown);
    if (this.#asking || now - this.#askedAt < PAUSE_MS || !this.#isPoor(now, shown)) return;
    void this.#ask(now, shown);
  }

  #isPoor(now: number, shown: Shown): boolean {
    const places = this.places.peek();
    if (places.length === 0) return false;
    const piece = this.#piece;
    if (!piece) return true;
    const { head } = piece.frame;
    if (head.from > shown.from || head.to < shown.to || places.some((place) => !head.channels.includes(place))) return true;
    const pixel = (shown.to - shown.from) / this.pixels.peek();
    if (head.bucket > 1 && piece.step > 1.01 * pixel && this.#asked !== this.#question(shown)) return true;
    const isGrowing = !this.app.file.peek() && (head.last_t ?? -Infinity) < shown.to && this.app.live.t > (head.last_t ?? -Infinity);
    return isGrowing && now - this.#askedAt > STALE_MS;
  }

  #question(shown: Shown): string {
    return `${shown.from} ${shown.to} ${this.pixels.peek()}`;
  }

  async #ask(now: number, shown: Shown): Promise<void> {
    this.#asking = true;
    this.#asked = this.#question(shown);
    this.#askedAt = now;
    const margin = MARGIN * (shown.to - shown.from);
    const places = this.places.peek();
    const { file } = this.app;
    const asked = file.peek();
    // a recording that is opened shows what is there; a page that is turned has all its traces, or those of before
    const batch = asked && !this.#piece ? FILE_BATCH : Math.max(1, places.length);
    let whole: WindowFrame | null = null;
    try {
      for (let k = 0; k < places.length && this.#isWanted(asked, shown, k); k += batch) {
        const pixels = (1 + 2 * MARGIN) * this.pixels.peek();
        const frame = await this.window(places.slice(k, k + batch), shown.from - margin, shown.to + margin, pixels);
        if (file.peek() !== asked) return;
        whole = whole ? joined(whole, frame) : frame;
        this.#piece = new Piece(whole, (this.#epoch -= 1), whole.head.bucket / (this.rate() || 1e-9));
      }
    } catch (error) {
      this.note.set(error instanceof Error ? error.message : String(error));
      this.#askedAt = now + 1000;
    } finally {
      this.#asking = false;
    }
  }

  /** Whether the rest of a question still matters: the recording is the same, and what was asked for is in sight. */
  #isWanted(asked: unknown, shown: Shown, done: number): boolean {
    if (this.app.file.peek() !== asked) return false;
    const now = this.state.shown();
    return done === 0 || (now.from < shown.to && now.to > shown.from);
  }

  /** One window of the recording or ring that is shown. */
  async window(places: readonly number[], from: number, to: number, pixels: number): Promise<WindowFrame> {
    const file = this.app.file.peek();
    const wanted = fitting(pixels, places.length);
    if (!file) return this.app.socket.window([...places], from, to, wanted);
    const parts: WindowFrame[] = [];
    for (let k = 0; k < places.length; k += MOST_FILE_CHANNELS) {
      parts.push(await this.#ofFile(file.file, places.slice(k, k + MOST_FILE_CHANNELS), from, to, wanted));
    }
    const [first] = parts;
    if (!first) throw new Error("no channel was requested");
    const found = parts.slice(1).reduce(joined, first);
    return { ...found, head: { ...found.head, from, to } };
  }

  /** Channels by formula are asked for by that: the recording has no place for them. */
  async #ofFile(file: string, places: readonly number[], from: number, to: number, pixels: number): Promise<WindowFrame> {
    const formulas = new Map(this.state.derivedOfFile.peek().map((channel) => [channel.place, channel.formula ?? ""]));
    const [own, made] = [places.filter((place) => !formulas.has(place)), places.filter((place) => formulas.has(place))];
    const formula = made.map((place) => formulas.get(place) ?? "");
    const found = await this.app.api.window({ file, channels: own.join(","), formula, from, to, pixels });
    return { ...found, head: { ...found.head, channels: [...own, ...made] } };
  }

  #say(shown: Shown): void {
    const head = this.#piece?.frame.head;
    if (this.#asking && this.app.file.peek() && !this.#piece) return this.note.set("reading the recording …");
    if (!head || head.first_t === null || head.last_t === null) return;
    const step = (shown.to - shown.from) / 10;
    const whose = this.app.file.peek() ? "the recording" : "the history";
    if (shown.from < head.first_t - step / 10) this.note.set(`${whose} begins at ${this.app.clock.text(head.first_t, 0.01)}`);
    else if (shown.to > head.last_t + step && this.app.file.peek()) this.note.set(`${whose} ends at ${this.app.clock.text(head.last_t, 0.01)}`);
    else this.note.set("");
  }

  /** How far back and forth there is anything [s]. */
  async extent(): Promise<readonly [number, number] | null> {
    const file = this.app.file.peek();
    if (file) return [file.start, file.end];
    const { head } = await this.window([0], this.app.live.t - 1, this.app.live.t, 1);
    return head.first_t === null || head.last_t === null ? null : [head.first_t, head.last_t];
  }

  #forget(): void {
    this.#piece = null;
    this.#asked = "";
    this.#askedAt = -Infinity;
    this.note.set("");
  }

  #places(): number[] {
    const byName = this.state.byName();
    const names = new Set(this.state.plots().flatMap((plot) => plot.traces.map((trace) => trace.name)));
    for (const name of Object.keys(this.state.limits())) names.add(name);
    for (const guest of this.state.guests()) for (const name of guest.names()) names.add(name);
    return [...names].flatMap((name) => byName.get(name)?.place ?? []).sort((one, other) => one - other);
  }
}

class LiveData implements Data {
  readonly isLive = true;
  epoch = 0;
  first = 0;
  time = new Float64Array(0);
  step = Infinity;
  #version = -1;

  constructor(private readonly app: App) {}

  refresh(rate: number): void {
    const { live } = this.app;
    if (live.version === this.#version) return;
    this.#version = live.version;
    this.epoch = live.resets;
    this.first = live.first;
    this.time = live.time() as Float64Array<ArrayBuffer>;
    this.step = rate > 0 ? live.bucket / rate : Infinity;
  }

  band(place: number): Band | undefined {
    return this.app.live.band(place);
  }

  covers(shown: Shown): boolean {
    return (this.time[0] ?? Infinity) <= shown.from && (this.time[this.time.length - 1] ?? -Infinity) >= shown.to;
  }
}

const NOTHING: Data = { epoch: 0, isLive: false, first: 0, time: new Float64Array(0), step: 1, band: () => undefined };

/** More channels of the same stretch; a stretch of other buckets cannot be joined and stands for itself. */
function joined(one: WindowFrame, other: WindowFrame): WindowFrame {
  if (other.time.length !== one.time.length) return one;
  const head = { ...one.head, channels: [...one.head.channels, ...other.head.channels] };
  return { head, time: one.time, bands: [...one.bands, ...other.bands] };
}

function fitting(pixels: number, channels: number): number {
  return Math.max(1, Math.min(MOST_PIXELS, Math.floor(MOST_CURVE_PIXELS / Math.max(1, channels)), Math.ceil(pixels)));
}
