/** How often the picture may be drawn, so that the plots beside it keep their pace on slow machines. */

const SLOW_FRAME_MS = 1000 / 28;
const QUICK_FRAME_MS = 1000 / 32;
const LONGEST_MS = 150;
const SMOOTHING = 0.1;
const PAUSE_MS = 500; // a gap of this length is a hidden tab, not a slow one

export class Governor {
  #interval: number;
  #frame = 16;
  #last = NaN;
  #drawn = -Infinity;

  /** @param shortest between two pictures [ms]; 0 draws in every animation frame */
  constructor(readonly shortest: number) {
    this.#interval = shortest;
  }

  /** Call in every animation frame; true where a picture may be drawn now. */
  mayDraw(now: number): boolean {
    const passed = now - this.#last;
    this.#last = now;
    if (passed > 0 && passed < PAUSE_MS) this.#adapt(passed);
    // half a frame of slack: animation frames come early as often as late
    return now - this.#drawn >= this.#interval - this.#frame / 2;
  }

  drew(now: number): void {
    this.#drawn = now;
  }

  #adapt(passed: number): void {
    this.#frame += SMOOTHING * (passed - this.#frame);
    if (this.#frame > SLOW_FRAME_MS) this.#interval = Math.min(LONGEST_MS, Math.max(this.#interval, 16) * 1.05);
    else if (this.#frame < QUICK_FRAME_MS) this.#interval = Math.max(this.shortest, this.#interval * 0.98);
  }
}
