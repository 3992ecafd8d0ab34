/** How fast the page draws, for people and for measurements: `window.motionbaseMeter`. */

import type { App } from "../app";

declare global {
  interface Window {
    motionbaseMeter?: { fps(): number; latencyMs(): number; drawMs(): number };
  }
}

const KEPT = 240;
const OVER_MS = 2000;

export class Meter {
  readonly #at = new Float64Array(KEPT); // when frames were drawn [ms]
  readonly #took = new Float64Array(KEPT);
  readonly #late = new Float64Array(KEPT);
  #count = 0;

  constructor(private readonly app: App) {
    window.motionbaseMeter = {
      fps: () => this.#over((_, n, span) => (span > 0 ? ((n - 1) * 1000) / span : 0)),
      latencyMs: () => this.#over((late) => median(late)),
      drawMs: () => this.#over(() => median(this.#recent(this.#took))),
    };
  }

  /** @param began when drawing began [ms of the page] */
  drawn(began: number): void {
    const now = performance.now();
    const at = this.#count % KEPT;
    this.#at[at] = now;
    this.#took[at] = now - began;
    this.#late[at] = this.#latency();
    this.#count += 1;
  }

  /** From the stamp of the newest record to now; NaN where the ring's time is not the clock's. */
  #latency(): number {
    const ring = this.app.session.ring.peek();
    return ring ? performance.timeOrigin + performance.now() - 1000 * (ring.epoch_utc + this.app.live.t) : NaN;
  }

  #recent(values: Float64Array): Float64Array {
    const oldest = performance.now() - OVER_MS;
    return values.slice(0, Math.min(KEPT, this.#count)).filter((_, k) => this.#at[k]! > oldest);
  }

  #over(of: (late: Float64Array, n: number, span: number) => number): number {
    const at = this.#recent(this.#at).sort();
    return at.length === 0 ? 0 : of(this.#recent(this.#late), at.length, at[at.length - 1]! - at[0]!);
  }
}

function median(values: Float64Array): number {
  return values.sort()[values.length >> 1] ?? NaN;
}
