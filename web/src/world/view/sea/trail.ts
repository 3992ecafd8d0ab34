/** Where a boat was: the wake follows it, wider and fainter the longer ago. */

import type { Vec3 } from "../../maths";

export interface Mark {
  readonly x: number;
  readonly y: number;
  /** Of the course [rad]. */
  readonly heading: number;
  readonly speed: number;
  readonly t: number;
}

const SPACING = 0.35; // of the vehicle's length between marks
const MOST = 72;
const LASTS_S = 45;
const JUMP_M = 60; // further in one step is another place

export class Trail {
  #marks: Mark[] = [];

  constructor(readonly length: number) {}

  /** Oldest first; the last is where the boat is now. */
  get marks(): readonly Mark[] {
    return this.#marks;
  }

  /** The vehicle is there now. */
  add(t: number, p: Vec3, v: Vec3): void {
    const speed = Math.hypot(v[0], v[1]);
    const last = this.#marks.at(-1);
    if (last && (t < last.t || t > last.t + 2 || Math.hypot(p[0] - last.x, p[1] - last.y) > JUMP_M)) this.#marks = [];
    const heading = speed > 0.05 ? Math.atan2(v[1], v[0]) : (last?.heading ?? 0);
    const now = { x: p[0], y: p[1], heading, speed, t };
    const before = this.#marks.at(-2);
    const isNear = before && Math.hypot(p[0] - before.x, p[1] - before.y) < SPACING * this.length && t - before.t < 1;
    if (isNear) this.#marks[this.#marks.length - 1] = now;
    else this.#marks.push(now);
    while (this.#marks.length > MOST || (this.#marks[0]?.t ?? t) < t - LASTS_S) this.#marks.shift();
  }
}
