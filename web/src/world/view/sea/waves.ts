/** The surface of the sea: the waves by which the vehicle moves, so that it lies in the water that is seen. */

import type { WorldSea } from "../../../net/types";
import { turnTo } from "../../maths";

/** z = sum a cos(kx x + ky y + phase). */
export interface Wave {
  readonly a: number;
  readonly kx: number;
  readonly ky: number;
}

export class Waves {
  /** The largest, the longest of them first: what is far away shows no others. */
  readonly shown: readonly Wave[];
  /** Standard deviation of the surface [m]. */
  readonly deviation: number;
  /** Standard deviation of wave number times height, of those that are shown. */
  readonly steepness: number;
  /** Of the shown waves, now [rad]. */
  readonly phases: Float64Array;
  readonly #rates: readonly number[]; // rad for a second, or for a unit of the seed's progress
  readonly #begins: readonly number[];

  /** @param most of them are shown */
  constructor(
    readonly sea: WorldSea,
    most: number,
  ) {
    const { seed } = sea;
    const rows = seed ? seed.waves : sea.waves;
    const factor = seed ? (2 * Math.PI) / seed.units : 1;
    const size = ([a, kx, ky]: (typeof rows)[number]): number => (kx === 0 && ky === 0 ? 0 : Math.abs(a));
    const kept = [...rows].filter((row) => size(row) > 0).sort((one, other) => size(other) - size(one)).slice(0, most);
    kept.sort((one, other) => Math.hypot(one[1], one[2]) - Math.hypot(other[1], other[2]));
    this.shown = kept.map(([a, kx, ky]) => ({ a, kx, ky }));
    this.#rates = kept.map((row) => factor * row[3]);
    this.#begins = kept.map((row) => row[4]);
    this.deviation = Math.sqrt(rows.reduce((sum, row) => sum + size(row) ** 2 / 2, 0));
    this.steepness = Math.sqrt(this.shown.reduce((sum, { a, kx, ky }) => sum + (a * Math.hypot(kx, ky)) ** 2 / 2, 0));
    this.phases = new Float64Array(kept.length);
  }

  /** @param time of the world [s], or of the seed its progress */
  move(time: number): void {
    this.#rates.forEach((rate, k) => (this.phases[k] = (this.#begins[k] ?? 0) - rate * time));
  }

  /** Phases at a place that becomes the origin, -pi to pi: a graphics card counts in single precision. */
  phasesAt(x: number, y: number, into: Float32Array): void {
    this.shown.forEach(({ kx, ky }, k) => (into[k] = turnTo(0, kx * x + ky * y + (this.phases[k] ?? 0))));
  }

  heightAt(x: number, y: number): number {
    return this.shown.reduce((sum, { a, kx, ky }, k) => sum + a * Math.cos(kx * x + ky * y + (this.phases[k] ?? 0)), 0);
  }
}
