/** How fast the page draws, for people and for measurements: `window.motionbaseMeter`. */

import type { App, Meter as Measured } from "../app";

declare global {
  interface Window {
    motionbaseMeter?: Measured;
  }
}

const KEPT = 240;
const OVER_MS = 2000;
const MOST_LATE_MS = 1000; // a ring that is further behind the clock is not late but slow: its stamps tell no latency

export class Meter implements Measured {
  readonly #at = new Float64Array(KEPT); // when frames were drawn [ms]
  readonly #took = new Float64Array(KEPT);
  readonly #late = new Float64Array(KEPT);
  readonly #held = new Float64Array(KEPT); // by the page, since the newest record arrived
  #version = -1;
  #count = 0;

  constructor(private readonly app: App) {
    window.motionbaseMeter = this;
  }

  latencyMs(): number {
    return median(this.#recent(this.#late));
  }

  pageMs(): number {
    return median(this.#recent(this.#held));
  }

  drawMs(): number {
    return median(this.#recent(this.#took));
  }

  /** @param began when drawing began [ms of the page] */
  drawn(began: number): void {
    const now = performance.now();
    const at = this.#count % KEPT;
    this.#at[at] = now;
    this.#took[at] = now - began;
    const { live } = this.app;
    const isNew = live.version !== this.#version; // the same record drawn again has not become later
    this.#version = live.version;
    this.#held[at] = isNew ? now - live.arrivedAt : NaN;
    this.#late[at] = isNew ? this.#latency(now) : NaN;
    this.#count += 1;
  }

  /** Judged by when the record arrived: drawing it late is latency, a writer behind real time is not. */
  #latency(now: number): number {
    const ring = this.app.session.ring.peek();
    if (!ring || this.app.session.source.peek() !== "live") return NaN;
    const stamp = 1000 * (ring.epoch_utc + this.app.live.t) - performance.timeOrigin;
    const lag = this.app.live.arrivedAt - stamp;
    return lag >= 0 && lag <= MOST_LATE_MS ? now - stamp : NaN;
  }

  #recent(values: Float64Array): Float64Array {
    const oldest = performance.now() - OVER_MS;
    return values.slice(0, Math.min(KEPT, this.#count)).filter((_, k) => this.#at[k]! > oldest);
  }

  fps(): number {
    const at = this.#recent(this.#at).sort();
    const span = at.length > 1 ? at[at.length - 1]! - at[0]! : 0;
    return span > 0 ? ((at.length - 1) * 1000) / span : 0;
  }
}

function median(values: Float64Array): number {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  return known[known.length >> 1] ?? NaN;
}
