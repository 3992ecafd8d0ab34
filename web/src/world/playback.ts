/**
 * The vehicle between records: they come thirty times a second or less, unevenly, and the picture is to move evenly.
 *
 * What is shown runs a record behind, at the pace at which the time of the world comes in, whatever that is: a replay
 * may be slow, fast or stand still.
 */

import { blended, hermite, type Quaternion, type Vec3 } from "./maths";

/** The vehicle at a time of its world. */
export interface State {
  /** [s] */
  readonly t: number;
  readonly p: Vec3;
  readonly q: Quaternion;
  readonly v: Vec3;
  /** Other numbers that go along, such as those that move parts. */
  readonly values: readonly number[];
}

interface Sample {
  readonly state: State;
  /** [ms of the page] */
  readonly at: number;
}

const MOST = 16;
const WINDOW_MS = 600; // in which the pace is judged
const LONGEST_DELAY_MS = 90;
const AHEAD_MS = 25; // beyond the newest record at most
const SETTLED_MS = 250; // without a record from which on the newest is shown
const JUMP_S = 2; // further than this is another place in time
const CATCH_UP_MS = 160;
const LOST_MS = 400;

export class Playback {
  #samples: Sample[] = [];
  #t = NaN;
  #now = NaN;

  /** @param periods after which values begin again, 0 for never; in their order */
  constructor(private readonly periods: readonly number[] = []) {}

  clear(): void {
    this.#samples = [];
    this.#t = NaN;
  }

  /** A record has come. @param at [ms of the page] */
  push(state: State, at: number): void {
    const last = this.#samples.at(-1);
    if (last && (state.t < last.state.t || state.t > last.state.t + JUMP_S)) this.clear();
    if (last && state.t === last.state.t) this.#samples.pop(); // the world stands still
    this.#samples.push({ state, at: last && state.t === last.state.t ? last.at : at });
    while (this.#samples.length > 2 && (this.#samples.length > MOST || (this.#samples[0]?.at ?? 0) < at - WINDOW_MS)) this.#samples.shift();
  }

  /** The vehicle at a time [ms of the page]; null before the first record. */
  at(now: number): State | null {
    const newest = this.#samples.at(-1);
    const oldest = this.#samples[0];
    if (!newest || !oldest) return null;
    const passed = Number.isFinite(this.#now) ? Math.max(0, now - this.#now) : 0;
    this.#now = now;
    const taken = newest.at - oldest.at;
    const age = now - newest.at;
    const interval = taken / Math.max(1, this.#samples.length - 1);
    if (taken <= 0 || age > Math.max(SETTLED_MS, 4 * interval)) return this.#settled(newest.state);
    const pace = (newest.state.t - oldest.state.t) / taken; // world seconds for a millisecond
    const goal = newest.state.t + pace * (age - Math.min(LONGEST_DELAY_MS, 1.2 * interval));
    const expected = this.#t + pace * passed;
    const error = goal - expected;
    this.#t = !(Math.abs(error) < pace * LOST_MS) ? goal : expected + error * Math.min(1, passed / CATCH_UP_MS);
    this.#t = Math.min(this.#t, newest.state.t + pace * AHEAD_MS);
    return this.#between();
  }

  #settled(state: State): State {
    this.#t = state.t;
    return state;
  }

  #between(): State {
    const after = this.#samples.findIndex(({ state }) => state.t >= this.#t);
    const k = after < 0 ? this.#samples.length - 1 : Math.max(1, after);
    const [a, b] = [this.#samples[k - 1] as Sample, this.#samples[k] as Sample];
    return mixed(a.state, b.state, this.#t, this.periods);
  }
}

/** Between two states, or a little beyond the second. */
export function mixed(a: State, b: State, t: number, periods: readonly number[] = []): State {
  const span = b.t - a.t;
  const share = span > 0 ? (t - a.t) / span : 1;
  if (share <= 0) return a;
  const mix = (x: number, y: number): number => x + share * (y - x);
  const around = (x: number, y: number, period: number): number => x + share * (y - x - period * Math.round((y - x) / period));
  return {
    t,
    p: hermite(a.p, a.v, b.p, b.v, span, share),
    q: blended(a.q, b.q, share),
    v: [mix(a.v[0], b.v[0]), mix(a.v[1], b.v[1]), mix(a.v[2], b.v[2])],
    values: b.values.map((value, k) => (periods[k] ? around : mix)(a.values[k] ?? value, value, periods[k] ?? 0)),
  };
}
