/** Which parameters of a model's controller are set points of joints, which is friction, and what is left. */

import type { ModelJoint, Parameter } from "../../net/types";

/** The set point of a joint. */
export interface SetPoint {
  readonly joint: string;
  /** Of the joint's position; its set point in use is in CHANNEL_ref. */
  readonly channel: string;
  readonly parameter: Parameter;
  readonly isAngle: boolean;
}

export interface Settings {
  readonly setPoints: readonly SetPoint[];
  readonly friction: Parameter | null;
  /** 1 while the controller's torques are used. */
  readonly control: Parameter | null;
  /** Gains, and whatever else there is. */
  readonly others: readonly Parameter[];
}

/** @param joints with their coordinates, in order */
export function settingsOf(parameters: readonly Parameter[], joints: readonly ModelJoint[]): Settings {
  const single = new Map(parameters.filter(({ value, tunable }) => tunable && value.length === 1).map((one) => [one.name, one]));
  const setPoints = joints.flatMap(({ name, channel, unit }) => {
    const parameter = single.get(`set_${name}`);
    return parameter && channel !== null ? [{ joint: name, channel, parameter, isAngle: unit === "rad" }] : [];
  });
  const [friction, control] = [single.get("friction") ?? null, single.get("control") ?? null];
  const shown = new Set([friction, control, ...setPoints.map(({ parameter }) => parameter)]);
  return { setPoints, friction, control, others: parameters.filter((one) => !shown.has(one)) };
}

const DEGREES = 180 / Math.PI;

/** What people read and type: degrees of angles, everything else as it is. */
export function shownOf(value: number, isAngle: boolean): number {
  return isAngle ? DEGREES * value : value;
}

/** What is sent, between the bounds: a bound that is typed in degrees must not miss its radians by a rounding. */
export function sentOf(shown: number, isAngle: boolean, least: number, most: number): number {
  const value = isAngle ? shown / DEGREES : shown;
  const slack = 1e-9 * Math.max(Math.abs(least), Math.abs(most));
  if (value < least && value > least - slack) return least;
  return value > most && value < most + slack ? most : value;
}

/** Set points of a small tour: every joint in turn a little to either side of where it is, then all back. */
export function tour(setPoints: readonly SetPoint[], share = 0.12): number[][] {
  const at = setPoints.map(({ parameter }) => parameter.goal[0] ?? 0);
  const bounds = setPoints.map(({ parameter }) => [parameter.least[0] ?? 0, parameter.most[0] ?? 0] as const);
  const moved = (n: number, by: number): number[] =>
    at.map((value, k) => {
      const [least, most] = bounds[k] ?? [value, value];
      return k === n ? Math.min(most, Math.max(least, value + by * (most - least))) : value;
    });
  return [...at.flatMap((_, n) => [moved(n, share / 2), moved(n, -share / 2)]), at];
}
