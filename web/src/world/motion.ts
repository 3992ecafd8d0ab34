/** The vehicle out of a record. */

import type { Channel, WorldScene } from "../net/types";
import { unit, type Quaternion } from "./maths";
import type { State } from "./playback";

const PLACES = ["world_t", "world_x", "world_y", "world_z", "world_qw", "world_qx", "world_qy", "world_qz", "world_vx", "world_vy", "world_vz"];
const FAR = 1e7; // [m] what is further away is no place
const UNIT = 0.05; // of a quaternion's length: what is further from 1 is no rotation
export const SEA_PROGRESS = "sea_progress";

/** Finds the vehicle in records of one schema. */
export class Reading {
  /** Channels that the scene asks for, in the order of `State.values`. */
  readonly names: readonly string[];
  /** After which they begin again, 0 for never: angles by a turn, the seed's progress by its units. */
  readonly periods: readonly number[];
  readonly #places: readonly number[];
  readonly #values: readonly number[];

  constructor(scene: WorldScene, byName: ReadonlyMap<string, Pick<Channel, "place">>) {
    const place = (name: string): number => byName.get(name)?.place ?? -1;
    const moved = scene.parts.flatMap(({ channel, slide }) => [channel, slide]).filter((name) => name !== null);
    const pushed = scene.objects.flatMap(({ moved }) => (moved ? [moved.channel, moved.x, moved.y] : []));
    this.names = [...new Set([...moved, ...pushed, ...(scene.sea?.seed ? [SEA_PROGRESS] : [])])];
    const turns = new Set(scene.parts.map(({ channel }) => channel));
    this.periods = this.names.map((name) => (name === SEA_PROGRESS ? (scene.sea?.seed?.units ?? 0) : turns.has(name) ? 2 * Math.PI : 0));
    this.#places = PLACES.map(place);
    this.#values = this.names.map(place);
  }

  /** Null where a number is missing, not finite, or no rotation. */
  read(record: ArrayLike<number>): State | null {
    const [t = NaN, x = NaN, y = NaN, z = NaN, qw = NaN, qx = NaN, qy = NaN, qz = NaN, vx = 0, vy = 0, vz = 0] = this.#places.map((at) => record[at] ?? NaN);
    const q: Quaternion = [qw, qx, qy, qz];
    const isRotation = Math.abs(Math.hypot(...q) - 1) < UNIT;
    if (!Number.isFinite(t) || !isRotation || ![x, y, z].every((value) => Math.abs(value) < FAR)) return null;
    const values = this.#values.map((at) => finite(record[at]));
    return { t, p: [x, y, z], q: unit(q), v: [finite(vx), finite(vy), finite(vz)], values };
  }
}

function finite(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) ? value : 0;
}
