/** Where the camera is: behind the vehicle, at its driver's eye, or beside it in axes that do not turn. */

import type { WorldScene } from "../../net/types";
import { AHEAD, type CameraName, type Turned } from "../choices";
import { clamp, headingOf, hermite, plus, rotated, turnTo, type Quaternion, type Vec3 } from "../maths";
import type { State } from "../playback";

/** @property q axes of the camera in the world: x where it looks, z up */
export interface Looking {
  readonly p: Vec3;
  readonly q: Quaternion;
  /** Vertical field [deg]. */
  readonly field: number;
  /** From the driver's eye, and no more on the way there. */
  readonly isDriver: boolean;
}

const FIELD: Record<CameraName, number> = { chase: 46, eye: 62, orbit: 42 };
const ORBIT = { azimuth: (140 * Math.PI) / 180, elevation: (13 * Math.PI) / 180, zoom: 1.15 }; // from the left behind, at first
const HEADING_S = 0.45; // time after which a camera behind follows a turn
const HEIGHT_S: Record<WorldScene["kind"], number> = { boat: 1.2, flight: 0.12, drive: 0.3 };
const BLEND_S = 0.45;
const JUMP_M = 100;
const LEAST_ABOVE_M = 0.6; // over the surface
const [LOWEST, HIGHEST] = [-0.3, 1.45];
const [NEAREST, FURTHEST] = [0.35, 12];
const MOST_COVERED = 0.4;

export class Cameras {
  #name: CameraName = "chase";
  #turned: Record<CameraName, Turned> = { chase: AHEAD, eye: AHEAD, orbit: ORBIT };
  #heading = NaN; // smooth
  #height = NaN;
  #last: Vec3 | null = null;
  #from: { offset: Vec3; q: Quaternion; field: number } | null = null;
  #share = 1; // of the way from there
  #shown: Looking | null = null;

  constructor(readonly scene: Pick<WorldScene, "kind" | "eye" | "chase">) {}

  get name(): CameraName {
    return this.#name;
  }

  choose(name: CameraName): void {
    if (name === this.#name) return;
    this.#name = name;
    if (this.#shown && this.#last) {
      const { p, q, field } = this.#shown;
      this.#from = { offset: [p[0] - this.#last[0], p[1] - this.#last[1], p[2] - this.#last[2]], q, field };
      this.#share = 0;
    }
  }

  /** By a hand [rad]. */
  turn(azimuth: number, elevation: number): void {
    const now = this.#turned[this.#name];
    const isEye = this.#name === "eye";
    this.#turned[this.#name] = {
      ...now,
      azimuth: isEye ? clamp(now.azimuth + 0.5 * azimuth, -2.6, 2.6) : now.azimuth + azimuth,
      elevation: clamp(now.elevation + (isEye ? -0.5 : 1) * elevation, isEye ? -1 : -0.6, isEye ? 1 : HIGHEST),
    };
  }

  zoom(factor: number): void {
    const now = this.#turned[this.#name];
    this.#turned[this.#name] = { ...now, zoom: clamp(now.zoom * factor, NEAREST, FURTHEST) };
  }

  /** As it was at first. */
  reset(): void {
    this.#turned[this.#name] = this.#name === "orbit" ? ORBIT : AHEAD;
  }

  /** @param passed since the picture before [s] @param heightAt of water or ground @param covered of the picture's height, at its lower edge */
  look(state: State, passed: number, heightAt: (x: number, y: number) => number, covered = 0): Looking {
    this.#follow(state, passed);
    const goal = this.#goal(state, covered);
    const shown = this.#blended(goal, state, passed);
    const least = heightAt(shown.p[0], shown.p[1]) + (this.#name === "eye" ? 0.15 : LEAST_ABOVE_M);
    this.#shown = { ...shown, p: [shown.p[0], shown.p[1], Math.max(shown.p[2], least)] };
    return this.#shown;
  }

  #follow({ p, q }: State, passed: number): void {
    const heading = headingOf(q);
    const last = this.#last;
    const isElsewhere = !last || Math.hypot(p[0] - last[0], p[1] - last[1], p[2] - last[2]) > JUMP_M || !Number.isFinite(this.#heading);
    this.#last = p;
    if (isElsewhere) {
      [this.#heading, this.#height] = [heading, p[2]];
      return;
    }
    this.#heading += turnTo(this.#heading, heading) * (1 - Math.exp(-passed / HEADING_S));
    this.#height += (p[2] - this.#height) * (1 - Math.exp(-passed / HEIGHT_S[this.scene.kind]));
  }

  #goal(state: State, covered: number): Looking {
    const { eye, chase } = this.scene;
    const { azimuth, elevation, zoom } = this.#turned[this.#name];
    if (this.#name === "eye") return { p: plus(state.p, rotated(state.q, eye)), q: times(state.q, facing(azimuth, -elevation)), field: FIELD.eye, isDriver: true };
    const over = Math.min(0.75 * Math.abs(eye[2]), 0.5 * Math.abs(chase[2])) || 0.4 * Math.abs(chase[2]);
    const target: Vec3 = [state.p[0], state.p[1], this.#height + over];
    const [back, up] = [Math.hypot(chase[0], chase[1]), chase[2] - over];
    const distance = Math.hypot(back, up) * zoom;
    const isBehind = this.#name === "chase";
    const around = azimuth + (isBehind ? this.#heading + Math.atan2(chase[1], chase[0]) : 0);
    const above = clamp(elevation + (isBehind ? Math.atan2(up, back) : 0), LOWEST, HIGHEST);
    const p: Vec3 = [
      target[0] + distance * Math.cos(above) * Math.cos(around),
      target[1] + distance * Math.cos(above) * Math.sin(around),
      target[2] + distance * Math.sin(above),
    ];
    // a little above the vehicle, so that it does not hide what it heads for
    const field = FIELD[this.#name];
    return { p, q: facing(around + Math.PI, above - (isBehind ? 0.09 : 0.03) + lift(covered, field)), field, isDriver: false };
  }

  #blended(goal: Looking, { p }: State, passed: number): Looking {
    const from = this.#from;
    if (!from) return goal;
    this.#share = Math.min(1, this.#share + passed / BLEND_S);
    if (this.#share >= 1) this.#from = null;
    const share = this.#share * this.#share * (3 - 2 * this.#share);
    const begin = plus(p, from.offset);
    const still: Vec3 = [0, 0, 0];
    return { p: hermite(begin, still, goal.p, still, 1, share), q: between(from.q, goal.q, share), field: from.field + share * (goal.field - from.field), isDriver: goal.isDriver && share > 0.6 };
  }
}

/** How much lower a camera looks so that its middle is in the middle of what is not covered [rad]. @param field [deg] */
export function lift(covered: number, field: number): number {
  return Math.atan(clamp(covered, 0, MOST_COVERED) * Math.tan((field * Math.PI) / 360));
}

/** Axes that look in a direction. @param down of the horizon [rad] */
export function facing(azimuth: number, down: number): Quaternion {
  const [c, s] = [Math.cos(azimuth / 2), Math.sin(azimuth / 2)];
  const [d, e] = [Math.cos(down / 2), Math.sin(down / 2)];
  return [c * d, -s * e, c * e, s * d]; // about z, then about y
}

export function times([a, b, c, d]: Quaternion, [w, x, y, z]: Quaternion): Quaternion {
  return [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w];
}

/** A turn between two, evenly, the short way. */
function between(a: Quaternion, b: Quaternion, share: number): Quaternion {
  const cos = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const angle = Math.acos(Math.min(1, Math.abs(cos)));
  const [u, v] = angle < 1e-4 ? [1 - share, share] : [Math.sin((1 - share) * angle) / Math.sin(angle), Math.sin(share * angle) / Math.sin(angle)];
  const sign = cos < 0 ? -v : v;
  const at = (k: 0 | 1 | 2 | 3): number => u * a[k] + sign * b[k];
  return [at(0), at(1), at(2), at(3)];
}

/** Roll, pitch (up) and heading of axes [rad]. */
export function anglesOf([w, x, y, z]: Quaternion): { roll: number; pitch: number; heading: number } {
  return {
    roll: Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    pitch: -Math.asin(clamp(2 * (w * y - x * z), -1, 1)),
    heading: Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  };
}
