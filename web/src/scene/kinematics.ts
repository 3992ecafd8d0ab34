/** Where the parts of a hexapod stand for a pose: drawing geometry, in the world W, z up, [m]. */

import type { Scene as Platform } from "../net/types";

export type Vec = readonly [number, number, number];
/** Surge, sway, heave from neutral [m]; roll, pitch, yaw [rad], ZYX. */
export type Pose = readonly [number, number, number, number, number, number];
/** Rows of R_WP. */
export type Rotation = readonly [Vec, Vec, Vec];

export interface Leg {
  /** Base joint. */
  foot: Vec;
  /** Platform joint. */
  head: Vec;
  /** Unit vector from foot to head. */
  axis: Vec;
  length: number;
}

export interface Placement {
  R: Rotation;
  p: Vec;
  legs: readonly Leg[];
}

export const NEUTRAL: Pose = [0, 0, 0, 0, 0, 0];

export function vec(numbers: readonly number[] | undefined): Vec {
  return [numbers?.[0] ?? 0, numbers?.[1] ?? 0, numbers?.[2] ?? 0];
}

export function rotation(roll: number, pitch: number, yaw: number): Rotation {
  const [cr, sr, cp, sp, cy, sy] = [
    Math.cos(roll), Math.sin(roll), Math.cos(pitch), Math.sin(pitch), Math.cos(yaw), Math.sin(yaw),
  ]; // prettier-ignore
  return [
    [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
    [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
    [-sp, cp * sr, cp * cr],
  ];
}

/** A point of P, in W. */
export function inWorld(place: Pick<Placement, "R" | "p">, point: Vec): Vec {
  const along = (row: Vec): number => row[0] * point[0] + row[1] * point[1] + row[2] * point[2];
  const { R, p } = place;
  return [p[0] + along(R[0]), p[1] + along(R[1]), p[2] + along(R[2])];
}

export function placement(platform: Platform, pose: Pose): Placement {
  const neutral = vec(platform.p_neutral);
  const p: Vec = [neutral[0] + pose[0], neutral[1] + pose[1], neutral[2] + pose[2]];
  const R = rotation(pose[3], pose[4], pose[5]);
  const legs = platform.base.map((base, k) => leg(vec(base), inWorld({ R, p }, vec(platform.joints[k]))));
  return { R, p, legs };
}

function leg(foot: Vec, head: Vec): Leg {
  const along: Vec = [head[0] - foot[0], head[1] - foot[1], head[2] - foot[2]];
  const length = Math.hypot(...along);
  return { foot, head, length, axis: [along[0] / length, along[1] / length, along[2] / length] };
}

export type Level = "free" | "near" | "end" | "unknown";

/** How much of the stroke is used, 0 at the shortest and 1 at the longest; outside of that at the hard ends. */
export function strokeShare(platform: Platform, length: number): number {
  return (length - platform.l_min) / (platform.l_max - platform.l_min);
}

const NEAR_SHARE = 0.1;
const END_SHARE = 0.03;

export function level(share: number): Level {
  if (!Number.isFinite(share)) return "unknown";
  const left = Math.min(share, 1 - share);
  return left < END_SHARE ? "end" : left < NEAR_SHARE ? "near" : "free";
}

/** Mean distance of the joints from the z axis: what everything drawn around them is measured by [m]. */
export function meanRadius(points: readonly (readonly number[])[]): number {
  const sum = points.reduce((total, point) => total + Math.hypot(point[0] ?? 0, point[1] ?? 0), 0);
  return sum / Math.max(1, points.length);
}
