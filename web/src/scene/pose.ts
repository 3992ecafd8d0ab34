/** Poses and leg lengths out of the newest record. */

import type { App } from "../app";
import { DOFS } from "../net/words";
import type { Pose } from "./kinematics";

export const POSE_SOURCES = ["measured", "estimated", "command", "host"] as const;
export type PoseSource = (typeof POSE_SOURCES)[number];

interface Described {
  prefix: string;
  title: string;
  about: string;
}

export const POSE_OF: Record<PoseSource, Described> = {
  measured: { prefix: "pose_meas", title: "Measured", about: "forward kinematics of the measured leg lengths" },
  estimated: { prefix: "pose_hat", title: "Estimated", about: "the estimator's pose" },
  command: { prefix: "cmd", title: "Command", about: "the demand after propagation and generators" },
  host: { prefix: "host", title: "Host demand", about: "the host's demand" },
};

const NAMES = Object.fromEntries(
  POSE_SOURCES.map((source) => [source, DOFS.map((dof) => `${POSE_OF[source].prefix}_${dof}`)]),
) as Record<PoseSource, string[]>;

const LEG_NAMES = [1, 2, 3, 4, 5, 6].map((leg) => `leg${leg}_l_meas`);

export function hasPose(app: App, source: PoseSource): boolean {
  const known = app.session.byName();
  return NAMES[source].every((name) => known.has(name));
}

/** Of the newest record; null where one of the six is missing or no number. */
export function newestPose(app: App, source: PoseSource): Pose | null {
  const [surge, sway, heave, roll, pitch, yaw] = NAMES[source].map((name) => app.value(name));
  const pose: Pose = [surge ?? NaN, sway ?? NaN, heave ?? NaN, roll ?? NaN, pitch ?? NaN, yaw ?? NaN];
  return pose.every(Number.isFinite) ? pose : null;
}

/** Unit quaternion w, x, y, z. */
export type Turn = readonly [number, number, number, number];

export const UPRIGHT: Turn = [1, 0, 0, 0];
const TURN_NAMES = ["w", "x", "y", "z"].map((part) => `sphere_q_${part}`);

/** Of a sphere in the newest record; upright where there is none. */
export function newestTurn(app: App): Turn {
  const [w, x, y, z] = TURN_NAMES.map((name) => app.value(name));
  const turn: Turn = [w ?? NaN, x ?? NaN, y ?? NaN, z ?? NaN];
  return turn.every(Number.isFinite) ? turn : UPRIGHT;
}

/** Measured lengths of the legs [m], NaN where there is none. */
export function measuredLengths(app: App): number[] {
  return LEG_NAMES.map((name) => app.value(name));
}

export function samePose(a: Pose | null, b: Pose | null): boolean {
  return a === b || (a !== null && b !== null && a.every((value, k) => value === b[k]));
}
