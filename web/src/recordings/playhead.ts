/** Where a replay is, smoothly: its status comes a few times a second, records sixty times, wishes at once. */

import type { App } from "../app";
import { effect, type Signal } from "../core/signal";
import type { Replay } from "../net/types";

const HELD_MS = 5000; // a wish counts so long, unless the status says that it came true
const STATUS_S = 0.75; // how old a status may be

export class Playhead {
  #held: { t: number; until: number } | null = null;
  #toldAt = 0;

  constructor(
    private readonly app: App,
    private readonly replay: Signal<Replay | null>,
  ) {
    effect(() => {
      const found = replay();
      this.#toldAt = performance.now();
      if (found && this.#held && this.#isNear(found.time, this.#held.t, found)) this.#held = null;
    });
    app.onFrame((now) => app.playhead.set(app.file.peek() ? this.at(now) : null));
  }

  /** A wish: shown until it comes true. */
  hold(t: number): void {
    this.#held = { t, until: performance.now() + HELD_MS };
  }

  /** The wish was refused. */
  release(): void {
    this.#held = null;
  }

  /** [s] of the recording; null where nothing is replayed. */
  at(now: number): number | null {
    const found = this.replay.peek();
    if (!found) return null;
    if (this.#held && now < this.#held.until) return this.#held.t;
    this.#held = null;
    if (found.state !== "playing") return found.time;
    const { live, session } = this.app;
    // records are the best source, unless their clock is not the recording's
    if (session.source.peek() === found.source && Math.abs(live.t - found.time) <= STATUS_S * Math.max(1, 1.2 * found.speed)) return live.t;
    const ahead = found.time + (found.speed * Math.min(STATUS_S * 1000, now - this.#toldAt)) / 1000;
    return Math.min(found.loop?.[1] ?? found.end, ahead);
  }

  #isNear(t: number, wished: number, { records, begin, end, state, speed }: Replay): boolean {
    const period = records > 1 ? (end - begin) / (records - 1) : 0;
    return Math.abs(t - wished) <= 1.5 * period + (state === "playing" ? STATUS_S * speed : 0);
  }
}
