/** What records tell of blades: `b1_flap`, `b2_flap`, ... are the same quantity of all blades. */

import type { Channel } from "../../net/types";

export interface Quantity {
  /** `flap`. */
  readonly name: string;
  /** Shown over recorded. */
  readonly factor: number;
  readonly unit: string;
  /** Places in a record, blade by blade. */
  readonly places: readonly number[];
}

const OF_A_BLADE = /^b(\d+)_(.+)$/;
const FIRST = ["flap", "lag", "pitch"];
const LEFT_OUT = /_(x|y|z|q[wxyz]|speed|ref)$/; // of bodies, and rates
const DEGREES = 180 / Math.PI;

/** Flap, lag and pitch first, then the others as they come; only what all blades have, and there are two or more. */
export function quantitiesOf(channels: readonly Channel[]): Quantity[] {
  const found = new Map<string, { unit: string; places: Map<number, number> }>(FIRST.map((name) => [name, { unit: "", places: new Map() }]));
  for (const { name, unit, place } of channels) {
    const [, number = "", what = ""] = OF_A_BLADE.exec(name) ?? [];
    if (!what || LEFT_OUT.test(name)) continue;
    const one = found.get(what) ?? { unit, places: new Map<number, number>() };
    one.unit = unit;
    one.places.set(Number(number), place);
    found.set(what, one);
  }
  const blades = Math.max(0, ...[...found.values()].map(({ places }) => places.size));
  return [...found].filter(([, { places }]) => blades > 1 && places.size === blades).map(([name, { unit, places }]) => ({
    name, factor: unit === "rad" ? DEGREES : 1, unit: unit === "rad" ? "°" : unit,
    places: [...places].sort(([a], [b]) => a - b).map(([, place]) => place),
  })); // prettier-ignore
}

const TURN = 2 * Math.PI;

/** Azimuth of the first blade, 0 over the tail [rad]: as recorded, else by the hub's turn, with that blade along its x. */
export function azimuthOf(recorded: number, w: number, z: number): number {
  const psi = Number.isFinite(recorded) ? recorded : 2 * Math.atan2(z, w) + Math.PI;
  return ((psi % TURN) + TURN) % TURN;
}

/** Where blades were lately, and one quantity of each. */
export class Swept {
  readonly #most: number;
  #rows: { psi: number; values: readonly number[] }[] = [];

  /** @param most records that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get rows(): readonly { psi: number; values: readonly number[] }[] {
    return this.#rows;
  }

  clear(): void {
    this.#rows = [];
  }

  /** @param psi of the first blade [rad] */
  add(psi: number, values: readonly number[]): void {
    if (!Number.isFinite(psi) || !values.every(Number.isFinite)) return;
    this.#rows.push({ psi, values });
    if (this.#rows.length > this.#most) this.#rows.shift();
  }

  /** Least, mean and greatest of all values; NaN where there are none. */
  range(): { least: number; mean: number; most: number } {
    const all = this.#rows.flatMap(({ values }) => values);
    if (all.length === 0) return { least: NaN, mean: NaN, most: NaN };
    return { least: Math.min(...all), mean: all.reduce((sum, value) => sum + value, 0) / all.length, most: Math.max(...all) };
  }
}
