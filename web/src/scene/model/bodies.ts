/** Where the bodies of a model are in a record. */

import type { Channel, ModelScene } from "../../net/types";
import type { Vec } from "../kinematics";
import type { Turn } from "../pose";

/** Of a body's frame in W; unit quaternion w, x, y, z. */
export interface BodyPose {
  readonly p: Vec;
  readonly q: Turn;
}

const PARTS = ["x", "y", "z", "qw", "qx", "qy", "qz"];
const FAR = 1e6; // [m] a step that was not solved may be anywhere; graphics cards count in single precision
const UNIT = 0.05; // of a quaternion's length: what is further from 1 is no rotation

/** Finds bodies in records of one schema. */
export class BodyPlaces {
  /** Bodies without channels in the records. */
  readonly missing: readonly string[];
  readonly #places: readonly (readonly number[])[];
  readonly #names: readonly string[];

  constructor(scene: ModelScene, byName: ReadonlyMap<string, Pick<Channel, "place">>) {
    this.#names = scene.bodies.map((body) => body.name);
    this.#places = scene.bodies.map((body) => PARTS.map((part) => byName.get(`${body.channel}_${part}`)?.place ?? -1));
    this.missing = this.#names.filter((_, k) => this.#places[k]?.includes(-1));
  }

  /** Of every body in a record; null where one of its numbers is missing, not finite, too large, or no rotation. */
  read(record: ArrayLike<number>): (BodyPose | null)[] {
    return this.#places.map((places) => poseOf(places.map((place) => record[place] ?? NaN)));
  }

  /** What cannot be drawn, as a sentence; "" where all can. */
  trouble(poses: readonly (BodyPose | null)[]): string {
    if (this.missing.length) return `The records have no pose of ${listed(this.missing)}.`;
    const lost = this.#names.filter((_, k) => poses[k] === null);
    return lost.length ? `This record has no valid pose of ${listed(lost)}.` : "";
  }
}

function poseOf(numbers: readonly number[]): BodyPose | null {
  const [x = NaN, y = NaN, z = NaN, ...turn] = numbers;
  const [w = NaN, a = NaN, b = NaN, c = NaN] = turn;
  const length = Math.hypot(w, a, b, c);
  if (![x, y, z].every((value) => Math.abs(value) < FAR) || !(Math.abs(length - 1) < UNIT)) return null;
  return { p: [x, y, z], q: [w / length, a / length, b / length, c / length] };
}

function listed(names: readonly string[]): string {
  const some = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${some} and ${names.length - 3} more bodies` : some;
}

export function samePoses(a: readonly (BodyPose | null)[], b: readonly (BodyPose | null)[]): boolean {
  const same = (one: BodyPose | null, other: BodyPose | null | undefined): boolean =>
    one === other || (!!one && !!other && one.p.every((value, k) => value === other.p[k]) && one.q.every((value, k) => value === other.q[k]));
  return a.length === b.length && a.every((one, k) => same(one, b[k]));
}
