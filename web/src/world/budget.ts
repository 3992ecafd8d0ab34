/** How finely the view may be drawn, so that it and the plots beside it keep their pace: fewer pixels come first. */

export interface Level {
  /** Of the screen's pixels, along an edge. */
  readonly scale: number;
  /** Of triangles and waves. */
  readonly detail: number;
}

export const LEVELS: readonly Level[] = [
  { scale: 1, detail: 1 },
  { scale: 0.85, detail: 0.85 },
  { scale: 0.72, detail: 0.65 },
  { scale: 0.6, detail: 0.5 },
  { scale: 0.5, detail: 0.35 },
  { scale: 0.42, detail: 0.22 },
];

const SLOW_MS = 1000 / 28; // an animation frame: longer than this is too slow
const QUICK_MS = 1000 / 42; // and shorter leaves room for more
const DOWN_MS = 500; // so long before fewer pixels are drawn
const UP_MS = 5000;
const LONGEST_UP_MS = 80_000; // a level that was too slow is tried again ever later
const PAUSE_MS = 500; // a gap of this length is a hidden tab, not a slow one
const SMOOTHING = 0.12;

export class Budget {
  #level: number;
  #frame = 20;
  #last = NaN;
  #drawn = -Infinity;
  #since = NaN;
  #patience = UP_MS;
  #wentUpTo = -1;

  /** @param shortest between two pictures [ms]; @param level it begins with */
  constructor(
    readonly shortest: number,
    level = 0,
  ) {
    this.#level = level;
  }

  get level(): number {
    return this.#level;
  }

  get now(): Level {
    return LEVELS[this.#level] as Level;
  }

  /** Call in every animation frame; true where a picture may be drawn now. */
  mayDraw(now: number): boolean {
    const passed = now - this.#last;
    this.#last = now;
    if (passed > 0 && passed < PAUSE_MS) this.#judge(passed, now);
    else this.#since = now;
    return now - this.#drawn >= this.shortest - this.#frame / 2; // animation frames come early as often as late
  }

  drew(now: number): void {
    this.#drawn = now;
  }

  #judge(passed: number, now: number): void {
    this.#frame += SMOOTHING * (passed - this.#frame);
    const isSlow = this.#frame > SLOW_MS && this.#level < LEVELS.length - 1;
    const isQuick = this.#frame < QUICK_MS && this.#level > 0;
    if (!isSlow && !isQuick) this.#since = now;
    else if (isSlow && now - this.#since > DOWN_MS) {
      if (this.#wentUpTo === this.#level) this.#patience = Math.min(LONGEST_UP_MS, 2 * this.#patience);
      this.#go(this.#level + 1, now);
    } else if (isQuick && now - this.#since > this.#patience) {
      this.#go(this.#level - 1, now);
      this.#wentUpTo = this.#level;
    }
  }

  #go(level: number, now: number): void {
    this.#level = level;
    this.#since = now;
    this.#frame = 20; // what was measured is of another level
  }
}
