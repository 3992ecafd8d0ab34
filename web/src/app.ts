/** Everything the parts of the page share. */

import { randomName } from "./core/random";
import { effect, signal, type Signal } from "./core/signal";
import { Clock } from "./data/clock";
import { LayoutStore } from "./data/layout";
import { LiveStore } from "./data/live";
import { Session } from "./data/session";
import { KinematicsStore } from "./kinematics/store";
import { Api } from "./net/api";
import { LiveSocket, type SourceName } from "./net/socket";
import { tokenOf } from "./net/token";
import type { Event, RecordingEvent, RecordingInfo } from "./net/types";
import type { PlotsState } from "./plots/state";

const TOKEN_KEY = "motionbase.token";
const CLIENT_KEY = "motionbase.client";
const CURVES_MS = 1500; // without a writer
const LATE_CURVES_MS = 8000; // with a writer, on a busy machine
const BEAT_MS = 250; // faster than people read numbers
const UNDRAWN_MS = 1000; // a covered page may get no animation frames although the browser does not call it hidden

/** Of the last two seconds. */
export interface Meter {
  /** frames per second */
  fps(): number;
  /** median from a record's time stamp to its display; NaN where the ring does not run on clock time */
  latencyMs(): number;
  /** median of the page's own share: from the arrival of a record to its display */
  pageMs(): number;
  /** median time that drawing takes */
  drawMs(): number;
}

/** A sentence that goes away by itself; errors stay a little longer. */
export interface Toast {
  text: string;
  kind: "info" | "error";
}

export class App {
  readonly client = takeClient();
  readonly session = new Session();
  readonly live = new LiveStore();
  readonly layout = new LayoutStore();
  readonly kinematics = new KinematicsStore();
  readonly api: Api;
  readonly socket: LiveSocket;
  readonly toast: Signal<Toast | null> = signal<Toast | null>(null);
  /** The recording that the plots show; null while they show a ring. */
  readonly file: Signal<RecordingInfo | null> = signal<RecordingInfo | null>(null);
  readonly clock: Clock = new Clock(this.session, this.file, this.layout);
  /** What happened in it, in order of time: as its file has it at first, then with all that its records show. */
  readonly happened: Signal<readonly RecordingEvent[]> = signal<readonly RecordingEvent[]>([]);
  /** Time [s] of the record that a replay shows, smooth while it plays; null where none is shown. */
  readonly playhead: Signal<number | null> = signal<number | null>(null);
  /** Why what this page's devices say does not reach the vehicle of a world, as the console answers; "" where it does. */
  readonly whyNotSteered: Signal<string> = signal("");
  /** Limits that were exceeded and not yet acknowledged; the plots count them. */
  readonly alarms: Signal<number> = signal(0);
  /** How fast the page draws; set by the plots. */
  meter?: Meter;
  /** What the plots show, and how; set by them. */
  plots?: PlotsState;
  /** Animation frames from one drawing of live plots and instruments to the next: more than 1 while a processor also draws the view outside. */
  besideEvery = 1;
  /** Seconds of the live window; the plots set it. */
  span = 10;
  /** Move the replay to a time [s] of the recording; set by the recordings. */
  seek?: (t: number) => void;
  /** Whether the replay shown is playing, including a replay of this page alone; set by the recordings. */
  plays?: () => boolean;
  /** Make the plots show a time [s], and put cursor A there if it is to be marked; set by the plots. */
  goTo?: (t: number, marks?: boolean) => void;
  /** From and to [s] of what the plots show; set by them. */
  visibleRange?: () => readonly [number, number];
  /** The times [s] of the cursors A and B, the earlier first, null where one is missing; set by the plots. */
  markedRange?: () => readonly [number, number] | null;
  /**
   * Whether texts that follow values are written in this animation frame: all at once, a few times a second. Everything
   * between changed texts is repainted, so texts that took turns would repaint the whole page all the time.
   */
  isBeat = false;
  /** Resolves when the first curves are on the screen, or it is clear that none will come: work that can wait starts then. */
  readonly firstCurves: Promise<void>;
  #curvesShown: () => void = () => undefined;
  #hasCurves = false;
  #isNew = true; // a connection that has not been told of anything
  #onFrame: ((now: number) => void)[] = [];
  #frames: number[] = [];

  constructor() {
    this.firstCurves = new Promise((shown) => (this.#curvesShown = shown));
    this.api = new Api(this.client, takeToken());
    this.socket = new LiveSocket(this.client, () => this.api.token, {
      me: (me) => {
        this.session.me.set(me);
        if (this.#isNew) void this.#catchUp(); // it also comes whenever the seat changes hands
      },
      status: (status) => this.session.status.set(status),
      event: (event) => event.source === "live" && this.session.happened(event), // what somebody replays did not happen now
      schema: (source, schema) => {
        if (source === "replay" && this.session.played.peek()) return; // of a replay that is not the page's own
        this.session.schemas.set({ ...this.session.schemas.peek(), [source]: schema });
      },
      live: (frame) => {
        if (this.session.shows(this.session.source.peek())) this.live.take(frame, 1.05 * this.span);
        this.#hasCurves ||= frame.head.count > 0 && frame.head.channels.length > 0;
        this.#frames.push(frame.head.frame);
        if (document.hidden) this.#acknowledge(); // hidden, so nothing is drawn; acknowledging keeps it connected
      },
      kinematics: (found) => this.session.shows(found.source) && this.kinematics.live.set(found),
      clearance: (alarm) => this.kinematics.told(alarm),
      steered: ({ why_not }) => this.whyNotSteered.set(why_not),
      error: (text) => this.say(text, "error"),
    });
    effect(() => void (this.socket.link() !== "open" && (this.#isNew = true)));
  }

  start(): void {
    let drawnAt = 0;
    let beatAt = -Infinity;
    const draw = (now: number): void => {
      requestAnimationFrame(draw);
      drawnAt = now;
      this.isBeat = now - beatAt >= BEAT_MS;
      if (this.isBeat) beatAt = now;
      for (const part of this.#onFrame) part(now);
      if (this.#hasCurves) setTimeout(this.#curvesShown); // after this frame, not within it
      this.#acknowledge();
    };
    requestAnimationFrame(draw);
    // what follows blocks the page for long, WebGL above all: it must not overtake curves that are under way
    setTimeout(() => this.session.ring.peek()?.state === "live" || this.#curvesShown(), CURVES_MS);
    setTimeout(this.#curvesShown, LATE_CURVES_MS);
    const look = (): void => {
      this.socket.rest(document.hidden);
      if (document.hidden) this.#acknowledge();
    };
    document.addEventListener("visibilitychange", look);
    look();
    setInterval(() => performance.now() - drawnAt > UNDRAWN_MS && this.#acknowledge(), UNDRAWN_MS);
  }

  #acknowledge(): void {
    for (const frame of this.#frames.splice(0)) this.socket.acknowledge(frame);
  }

  /** Events before this connection; a restarted console sends them again, with new numbers. */
  async #catchUp(): Promise<void> {
    this.#isNew = false;
    const mine = this.session.connected();
    const events = await this.api.get<Event[]>("/api/events", { source: "live" }).catch(() => null); // the socket says that nobody answers
    if (events) this.session.caughtUp(events, mine);
  }

  /** Called once per animation frame, after received data was taken. */
  onFrame(part: (now: number) => void): () => void {
    this.#onFrame.push(part);
    return () => {
      this.#onFrame = this.#onFrame.filter((other) => other !== part);
    };
  }

  /** The value of a channel in the newest record; NaN where there is none. */
  value(name: string): number {
    const place = this.session.byName.peek().get(name)?.place;
    return place === undefined ? NaN : (this.live.newest[place] ?? NaN);
  }

  show(source: SourceName): void {
    this.session.source.set(source);
    this.socket.source(source);
  }

  say(text: string, kind: Toast["kind"] = "info"): void {
    this.toast.set({ text, kind });
  }

  /** Do something that may be refused: a refusal is shown, and the result is undefined. */
  async attempt<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), "error");
      return undefined;
    }
  }

  /** Another token, kept for this tab. */
  signIn(token: string): void {
    this.keepToken(token);
    this.api.token = token;
    this.socket.again();
  }

  keepToken(token: string): void {
    sessionStorage.setItem(TOKEN_KEY, token);
  }
}

/**
 * The page's own name. A reload keeps it, and with it the seat; it is stored only while the page unloads, so that a
 * duplicate of the tab gets a name of its own.
 */
function takeClient(): string {
  const client = sessionStorage.getItem(CLIENT_KEY) ?? randomName(16);
  sessionStorage.removeItem(CLIENT_KEY);
  window.addEventListener("pagehide", () => sessionStorage.setItem(CLIENT_KEY, client));
  window.addEventListener("pageshow", (shown) => shown.persisted && sessionStorage.removeItem(CLIENT_KEY));
  return client;
}

/** From the address that the server printed, once: it is removed from the address bar and kept for this tab. */
function takeToken(): string {
  const given = location.hash.startsWith("#token=") ? tokenOf(location.hash) : "";
  if (given) {
    sessionStorage.setItem(TOKEN_KEY, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(TOKEN_KEY) ?? "";
}
