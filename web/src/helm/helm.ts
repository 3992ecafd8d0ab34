/** The helm of a page: its devices, whether they may steer, and what becomes of it. */

import type { App } from "../app";
import { computed, effect, signal, type Signal } from "../core/signal";
import type { DeviceSays, WorldControl } from "../net/types";
import { sitAgain } from "../panels/common/access";
import { baseOf } from "../panels/common/base";
import { sentence } from "../panels/common/ui";
import { worldOf } from "../world/source";
import { learnLayout } from "./caps";
import { isButton, Keyboard, placeOf, type Place } from "./keyboard";
import { PadWatch } from "./pad_watch";
import { keysOf, ofKeys, usedBy, type Pad } from "./says";
import { Speaker, type Device } from "./speaker";
import { handOf, isSteered, keysInWords, passes, speaks, whatToDo, whoSteers, whyNot, type WhyNot } from "./words";

/** Gives back to the script; no key that moves a control. */
export const BACK_KEY = "Backspace";
const BEAT_MS = 50;
const PADS_MS = 16;
const TOLD_MS = 4000; // between two times that the same reason is told
const NO_CONTROLS: readonly WorldControl[] = [];
const made = new WeakMap<App, Helm>();

/** One for the page. */
export function helmOf(app: App): Helm {
  const known = made.get(app) ?? new Helm(app);
  made.set(app, known);
  return known;
}

/** Whether the host of the live base is a vehicle in a world. */
export function followsWorld(app: App): boolean {
  return app.session.schemas().live?.channels.some(({ name }) => name === "world_hand") ?? false;
}

export class Helm {
  /** The device of this page that leads; null where none does. */
  readonly leader: Signal<Device | null> = signal<Device | null>(null);
  /** Keys that are held and steer. */
  readonly held: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());
  readonly pads: Signal<readonly Pad[]> = signal<readonly Pad[]>([]);
  /** `world_hand` of the newest record shown; NaN where there is none. */
  readonly hand: Signal<number> = signal(NaN);
  readonly controls: Signal<readonly WorldControl[]>;
  /** Whether the letters of this keyboard are known, or are known not to be told. */
  readonly hasLetters: Signal<boolean> = signal(false);
  readonly whyNot: Signal<WhyNot>;
  /** Whether what leads here steers the vehicle. */
  readonly isMine: Signal<boolean>;
  /** Whether this page may ask that the script goes on. */
  readonly mayGiveBack: Signal<boolean>;
  /** Parts of the page in which all keys of the vehicle are its own. */
  readonly places: (() => Element | null)[] = [];
  readonly #keyboard = new Keyboard();
  readonly #watch = new PadWatch();
  readonly #speaker: Speaker;
  /** How long [s] what leads here has been without an answer, in whole seconds; null where nothing leads, or it steers. */
  readonly #takes: Signal<number | null> = signal<number | null>(null);
  #takesSince = NaN; // [ms]
  #says: DeviceSays["device"] = "nobody"; // of the leader
  #isAway = false; // another window has the focus
  #isSitting = false;
  #newest: { device: Device; says: DeviceSays } | null = null; // of a hand that waits for the seat
  #told = { text: "", at: -Infinity };

  constructor(readonly app: App) {
    const { session, socket } = app;
    const world = worldOf(app);
    this.#speaker = new Speaker((says, isAgain) => socket.steer(says, isAgain));
    this.controls = computed(() => world().scene?.controls ?? NO_CONTROLS);
    this.whyNot = computed(() => whyNot({
      shows: app.file() ? "recording" : session.source(),
      isConnected: socket.link() === "open",
      isSilent: socket.isSilent(),
      isRunning: baseOf(app).ring()?.state === "live",
      mayOperate: session.mayOperate(),
      operates: session.operates(),
      holder: session.status()?.seat?.name ?? null,
      refused: this.leader() === null ? "" : app.whyNotSteered(),
    }));
    this.isMine = computed(() => this.leader() !== null && this.whyNot().cause === "" && this.hand() === handOf(this.#says));
    this.mayGiveBack = computed(() => this.whyNot().cause === "" && isSteered(this.hand()));
    const cause = computed(() => this.whyNot().cause); // the sentences may change while it stays
    effect(() => {
      const now = cause();
      if (now === "free") this.#fallSilent(); // keys that are held may be what takes the seat
      else if (!speaks(now)) this.letGo(!passes(now));
    });
    void learnLayout().then(() => this.hasLetters.set(true));
    app.onFrame(() => this.hand.set(app.value("world_hand")));
    let stop: (() => void) | null = null;
    effect(() => {
      if (followsWorld(app)) stop ??= this.#listen();
      else {
        stop?.();
        stop = null;
      }
    });
  }

  /** Who steers what is shown. */
  who(): string {
    const { session } = this.app;
    const leader = this.leader();
    const mine = !this.isMine() ? "" : leader === "keyboard" || leader === "screen" ? leader : "pad";
    const holder = session.operates() ? "" : (session.status()?.seat?.name ?? "");
    const isLive = session.source() === "live" && this.app.file() === null;
    return whoSteers({ hand: this.hand(), mine, script: worldOf(this.app)().scene?.script ?? "", holder, isLive });
  }

  /** What to do about it from here. */
  toDo(): string {
    const script = worldOf(this.app)().scene?.script ?? "";
    return whatToDo({ whyNot: this.whyNot(), hand: this.hand(), isMine: this.isMine(), takes: this.#takes(), script, keys: keysInWords(keysOf(this.controls())) });
  }

  /** A device says something; the seat is taken for a hand that moves it, where it is free. */
  hear(device: Device, says: DeviceSays, isMoved: boolean, isTouched = isMoved): void {
    const { cause, text } = this.whyNot.peek();
    if (speaks(cause)) {
      this.#speaker.hear(device, says, isMoved, isTouched, performance.now());
      if (this.#speaker.leader === device) this.#says = says.device;
      this.leader.set(this.#speaker.leader);
      return;
    }
    if (isMoved || device === this.#newest?.device) this.#newest = { device, says };
    if (!isMoved) return;
    if (cause === "free") void this.#sit();
    else this.#tell(text);
  }

  /** Nobody steers from here, until a device is moved again. @param isSpent even keys that stay held */
  letGo(isSpent = true): void {
    this.#keyboard.clear(isSpent);
    this.held.set(new Set());
    this.#fallSilent();
  }

  #fallSilent(): void {
    this.#speaker.letGo();
    this.leader.set(null);
  }

  askScript(): void {
    this.letGo();
    this.#speaker.askScript();
  }

  async #sit(): Promise<void> {
    if (this.#isSitting) return;
    this.#isSitting = true;
    const isMine = await sitAgain(this.app);
    this.#isSitting = false;
    if (!isMine) return this.#tell(this.whyNot.peek().text || "the operator's seat was taken just now");
    this.app.say("The operator's seat was free: you have it now, and steer.");
    if (this.#newest) this.hear(this.#newest.device, this.#newest.says, true);
    this.#newest = null;
  }

  #tell(text: string): void {
    const now = performance.now();
    if (text === this.#told.text && now - this.#told.at < TOLD_MS) return;
    this.#told = { text, at: now };
    this.app.say(sentence(text));
  }

  #speak(isMoved: boolean): void {
    this.held.set(new Set(this.#keyboard.held));
    this.hear("keyboard", ofKeys(this.#keyboard.held), isMoved);
  }

  #pressed(key: KeyboardEvent): void {
    const place = this.#placeOf(key.target);
    if (key.code === BACK_KEY && place !== "taken" && this.mayGiveBack.peek() && !key.repeat) {
      key.preventDefault();
      key.stopPropagation();
      return this.askScript();
    }
    if (!this.#keyboard.takes(key, place, isButton(key.target), keysOf(this.controls.peek()))) return;
    const { cause } = this.whyNot.peek();
    if (cause === "shown" && place !== "helm") return; // keys of plots and of the replay
    const isNew = this.#keyboard.press(key);
    const isOurs = speaks(cause) || cause === "free";
    if (isOurs || place === "helm") {
      key.preventDefault(); // or the page scrolls
      key.stopPropagation();
    }
    if (isNew) this.#speak(true);
    if (!isOurs) this.#clear(!passes(cause));
  }

  #placeOf(target: EventTarget | null): Place {
    return placeOf(target, this.places.map((one) => one()));
  }

  /** Keys count as let go; the keyboard may go on leading. */
  #clear(isSpent = true): void {
    if (!this.#keyboard.clear(isSpent)) return;
    this.#speak(false);
  }

  #look(): void {
    if (this.#isAway || document.hidden) return;
    const pads = padsNow();
    const used = usedBy(this.controls.peek());
    for (const pad of pads) {
      const { says, isMoved, isTouched } = this.#watch.look(pad, used);
      this.hear(`pad ${pad.index}`, says, isMoved, isTouched);
    }
  }

  #plugged(): void {
    const pads = padsNow();
    for (const { index } of this.pads.peek()) {
      if (pads.some((one) => one.index === index)) continue;
      this.#watch.forget(index);
      if (this.#speaker.leader === `pad ${index}`) this.letGo();
    }
    this.pads.set(pads);
  }

  #beat(now: number): void {
    this.#speaker.beat(now);
    this.leader.set(this.#speaker.leader);
    if (this.#speaker.leader === null || this.isMine.peek()) this.#takesSince = NaN;
    else if (Number.isNaN(this.#takesSince)) this.#takesSince = now;
    this.#takes.set(Number.isNaN(this.#takesSince) ? null : Math.floor((now - this.#takesSince) / 1000));
  }

  /** Returns what ends it. */
  #listen(): () => void {
    const end = new AbortController();
    const on = (target: EventTarget, what: string, run: (event: Event) => void): void =>
      target.addEventListener(what, run, { capture: true, signal: end.signal });
    on(window, "keydown", (key) => this.#pressed(key as KeyboardEvent));
    on(window, "keyup", (key) => {
      // macOS says nothing of keys that are released while Meta is held
      if ((key as KeyboardEvent).key === "Meta") this.#clear();
      else if (this.#keyboard.release((key as KeyboardEvent).code)) this.#speak(false);
    });
    on(window, "focusin", (event) => this.#placeOf(event.target) === "taken" && this.#clear());
    const left = (): void => {
      this.#isAway = true;
      this.letGo();
    };
    on(window, "blur", (event) => event.target === window && left());
    on(window, "pagehide", left);
    on(document, "visibilitychange", () => document.hidden && this.letGo());
    for (const what of ["focus", "keydown", "pointerdown"]) on(window, what, () => (this.#isAway = false));
    for (const what of ["gamepadconnected", "gamepaddisconnected"]) on(window, what, () => this.#plugged());
    this.#plugged();
    const beats = setInterval(() => this.#beat(performance.now()), BEAT_MS);
    const looks = setInterval(() => this.pads.peek().length > 0 && this.#look(), PADS_MS);
    return () => {
      end.abort();
      clearInterval(beats);
      clearInterval(looks);
      this.letGo();
    };
  }
}

/** Gamepads that the browser shows: those of which a button was pressed. */
export function padsNow(): Pad[] {
  return (navigator.getGamepads?.() ?? []).filter((pad): pad is Gamepad => pad?.connected ?? false);
}
