/**
 * Checks incoming data against limits: every bucket by its extremes; an exceeded limit stays until acknowledged.
 * Data that came while the page was hidden is fetched afterwards; what has left the history by then is reported as unwatched.
 */

import type { App } from "../app";
import { effect, signal } from "../core/signal";
import type { Band } from "../net/frames";
import type { AlarmChange } from "../net/types";
import { lowerBound } from "./layer";
import type { Limits, Range } from "./spec";
import type { PlotsState } from "./state";

export type Level = "warn" | "alarm";

/** The worst since it was last acknowledged. `isActive`: the newest bucket still exceeds it. */
export interface Alarm {
  readonly name: string;
  readonly level: Level;
  readonly value: number;
  readonly limit: number;
  readonly t: number;
  readonly isActive: boolean;
  readonly isSeen: boolean;
}

interface Exceeded {
  level: Level;
  value: number;
  limit: number;
}

type Worst = Exceeded & { t: number };

const HIDDEN_MS = 2000; // between looks while the page is out of sight
const CATCH_UP_PIXELS = 2000;
const WHOLE_STEPS = 2; // buckets may be so far apart and yet follow each other

/** What a bucket from lo to hi exceeds; null where it is within everything. */
export function exceeded(limits: Limits, lo: number, hi: number): Exceeded | null {
  if (limits.alarmHigh !== null && hi > limits.alarmHigh) return { level: "alarm", value: hi, limit: limits.alarmHigh };
  if (limits.alarmLow !== null && lo < limits.alarmLow) return { level: "alarm", value: lo, limit: limits.alarmLow };
  if (limits.warnHigh !== null && hi > limits.warnHigh) return { level: "warn", value: hi, limit: limits.warnHigh };
  if (limits.warnLow !== null && lo < limits.warnLow) return { level: "warn", value: lo, limit: limits.warnLow };
  return null;
}

/** The worst of the buckets from `start` on, what the last one exceeds, and the worst since it came back from within. */
export function worstOf(limits: Limits, time: Float64Array, { lo, hi }: Band, start: number): { worst: Worst | null; last: Exceeded | null; back: Worst | null } {
  let worst: Worst | null = null;
  let last: Exceeded | null = null;
  let back: Worst | null = null;
  let wasWithin = false;
  for (let k = start; k < time.length; k += 1) {
    last = exceeded(limits, lo[k]!, hi[k]!);
    if (!last) {
      if (!Number.isNaN(lo[k]!)) [wasWithin, back] = [true, null]; // a gap tells nothing
      continue;
    }
    if (!worst || isWorse(last, worst)) worst = { ...last, t: time[k]! };
    if (wasWithin && (!back || isWorse(last, back))) back = { ...last, t: time[k]! };
  }
  return { worst, last, back };
}

export class Alarms {
  readonly raised = signal<ReadonlyMap<string, Alarm>>(new Map());
  /** From when to when [s] limits were not watched and can no longer be checked; null where there is no such time. */
  readonly unwatched = signal<Range | null>(null);
  #judgedTo = new WeakMap<Limits, number>(); // time of the last bucket that was judged, which may not have been whole
  #watchedTo = NaN; // all limits were judged up to here [s]
  #liveTo = -Infinity; // of these, by what came by itself
  #askedTo = -Infinity; // and by what is being asked for
  #isAsking = false;
  #version = -1;
  #generation = -1;
  #source = "";
  #left: { generation: number; t: number } | null = null; // the live run, and up to where it was judged

  constructor(
    private readonly app: App,
    private readonly state: PlotsState,
  ) {
    effect(() => {
      const limits = state.liveLimits(); // what stands of the base stays while a recording of another platform is shown
      const kept = [...this.raised.peek()].filter(([name]) => name in limits);
      this.raised.set(new Map(kept));
      if (Object.keys(limits).length === 0) this.unwatched.set(null);
    });
    effect(() => void (state.limits(), (this.#version = -1)));
    setInterval(() => document.hidden && this.#follow() && void this.#catchUp(app.live.t), HIDDEN_MS);
  }

  /** Called for every animation frame. */
  judge(): void {
    const { live } = this.app;
    if (live.version === this.#version || live.count === 0 || !this.#follow()) return;
    const time = live.time();
    const step = live.count > 1 ? time[1]! - time[0]! : 0;
    const covered = Math.max(this.#watchedTo, this.#liveTo, this.#askedTo);
    if (time[0]! > covered + WHOLE_STEPS * step) {
      if (this.#isAsking) return; // one question at a time: this one next
      void this.#catchUp(time[0]!);
    }
    this.#version = live.version;
    for (const [name, limits] of Object.entries(this.state.limits.peek())) this.#judgeOne(name, limits, time);
    this.#liveTo = time[time.length - 1]!;
    if (!this.#isAsking) this.#watchedTo = this.#liveTo;
  }

  /** A new run of the base is judged from its beginning, the one behind a replay from where it was left. False where there is nothing to judge. */
  #follow(): boolean {
    if (Object.keys(this.state.limits.peek()).length === 0) {
      this.#watchedTo = NaN;
      return false;
    }
    const [source, generation] = [this.app.session.source.peek(), this.app.live.generation];
    if (source === this.#source && generation === this.#generation) return true;
    if (generation !== this.app.session.ring.peek()?.generation) return false; // of the ring that was shown before
    if (this.#source === "live" && !Number.isNaN(this.#watchedTo)) this.#left = { generation: this.#generation, t: this.#watchedTo };
    [this.#source, this.#generation] = [source, generation];
    this.#judgedTo = new WeakMap();
    this.#liveTo = this.#askedTo = -Infinity;
    this.#watchedTo = source !== "live" || !this.#left ? NaN : this.#left.generation === generation ? this.#left.t : 0;
    return true;
  }

  #judgeOne(name: string, limits: Limits, time: Float64Array): void {
    const band = this.app.live.band(this.#place(name));
    if (!band) return;
    const start = lowerBound(time, this.#judgedTo.get(limits) ?? -Infinity);
    this.#judgedTo.set(limits, time[time.length - 1] ?? -Infinity);
    const { worst, last, back } = worstOf(limits, time, band, start);
    const before = this.raised.peek().get(name);
    const isActive = last !== null;
    if (!worst) {
      if (before && before.isActive !== isActive) this.#set(name, before.isSeen ? null : { ...before, isActive });
      return;
    }
    this.#raise(name, worst, isActive, back);
    const now = this.raised.peek().get(name);
    // what was acknowledged and is less bad by now raises again when it is as bad as it was
    if (now?.isSeen && last && last.level === "warn" && now.level === "alarm") this.#set(name, { ...now, ...last, t: time[time.length - 1]! });
  }

  /** @param back the worst since it came back, where it was within the limits meanwhile */
  #raise(name: string, worst: Worst, isActive: boolean, back: Worst | null = null): void {
    const before = this.raised.peek().get(name);
    if (before?.isSeen && back) return this.#set(name, { name, ...back, isActive, isSeen: false });
    if (before && !isWorse(worst, before)) {
      if (before.isActive !== isActive) this.#set(name, { ...before, isActive });
      return;
    }
    const isSeen = before?.isSeen === true && before.isActive && before.level === worst.level;
    this.#set(name, { name, ...worst, isActive, isSeen });
  }

  /** Judge what came since the limits were last judged, up to a time [s]. */
  async #catchUp(to: number): Promise<void> {
    const from = this.#watchedTo;
    if (this.#isAsking || !(to > from)) {
      if (Number.isNaN(from)) this.#watchedTo = to;
      return;
    }
    const generation = this.#generation;
    const limits = Object.entries(this.state.limits.peek());
    const places = [...new Set(limits.map(([name]) => this.#place(name)))].filter((place) => place >= 0);
    this.#isAsking = true;
    this.#askedTo = to;
    try {
      const { head, time, bands } = await this.app.socket.window(places, from, to, CATCH_UP_PIXELS);
      if (generation !== this.#generation) return;
      for (const [name, own] of limits) {
        const band = bands[head.channels.indexOf(this.#place(name))];
        const { worst } = band ? worstOf(own, time, band, lowerBound(time, from)) : { worst: null };
        if (worst) this.#raise(name, worst, this.raised.peek().get(name)?.isActive ?? false);
      }
      const begin = head.first_t ?? to;
      if (places.length && begin > from + (time.length > 1 ? time[1]! - time[0]! : 0)) this.#missed([from, Math.min(begin, to)]);
    } catch {
      if (generation === this.#generation) this.#missed([from, to]);
    } finally {
      this.#isAsking = false;
      if (generation === this.#generation) this.#watchedTo = Math.max(to, this.#liveTo);
    }
  }

  #missed([from, to]: Range): void {
    const [begin, end] = this.unwatched.peek() ?? [from, to];
    this.unwatched.set([Math.min(begin, from), Math.max(end, to)]);
  }

  /** Events of the live base, by who has the operator token; the server tells each once, however many pages watch. */
  #tell(change: Change, { name, level, value, limit, t }: Alarm): void {
    const { app } = this;
    if (this.#source !== "live" || !app.session.mayOperate.peek() || ![value, limit, t].every(Number.isFinite)) return;
    const body: AlarmChange = { channel: name, change, level, value, limit, t };
    void app.api.post("/api/alarms", body).catch(() => undefined); // the pill stands all the same
  }

  #place(name: string): number {
    return this.state.byName.peek().get(name)?.place ?? -1;
  }

  /** How many nobody has seen yet. */
  unseen(): number {
    return [...this.raised().values()].filter((alarm) => !alarm.isSeen).length;
  }

  acknowledge(name: string): void {
    const alarm = this.raised.peek().get(name);
    if (alarm) this.#set(name, alarm.isActive ? { ...alarm, isSeen: true } : null);
  }

  #set(name: string, alarm: Alarm | null): void {
    for (const [change, told] of changes(this.raised.peek().get(name), alarm)) this.#tell(change, told);
    const raised = new Map(this.raised.peek());
    if (alarm) raised.set(name, alarm);
    else raised.delete(name);
    this.raised.set(raised);
  }
}

type Change = AlarmChange["change"];

/** What is worth an event when an alarm is another one than before. */
export function changes(before: Alarm | undefined, after: Alarm | null): [Change, Alarm][] {
  const found: [Change, Alarm][] = [];
  if (before && !before.isSeen && (after === null || after.isSeen) && !(after && after.t !== before.t)) found.push(["acknowledged", before]);
  if (before?.isActive && !after?.isActive) found.push(["over", before]);
  const isNew = after && (!before || (before.isSeen && !after.isSeen) || (after.level === "alarm" && before.level === "warn"));
  if (isNew && !after.isSeen) found.push(["raised", after]);
  return found;
}

function isWorse(one: Exceeded, other: Exceeded): boolean {
  if (one.level !== other.level) return one.level === "alarm";
  return Math.abs(one.value - one.limit) > Math.abs(other.value - other.limit);
}
