/** The ground: level, or hills as the sum of cosines that the vehicle drives on. */

import type { WorldGround } from "../../../net/types";
import { turnTo } from "../../maths";

export const MOST_HILLS = 16;

export class Hills {
  readonly waves: WorldGround["waves"];
  readonly elevation: number;

  constructor(ground: WorldGround | null) {
    this.elevation = ground?.elevation ?? 0;
    this.waves = [...(ground?.waves ?? [])].sort((one, other) => Math.abs(other[0]) - Math.abs(one[0])).slice(0, MOST_HILLS);
  }

  get isLevel(): boolean {
    return this.waves.length === 0;
  }

  heightAt = (x: number, y: number): number => this.waves.reduce((z, [a, kx, ky, phase]) => z + a * Math.cos(kx * x + ky * y + phase), this.elevation);

  /** Phases at a place that becomes the origin, -pi to pi: a graphics card counts in single precision. */
  phasesAt(x: number, y: number): number[] {
    return this.waves.map(([, kx, ky, phase]) => turnTo(0, kx * x + ky * y + phase));
  }
}
