/** A rotor in axes that turn with its shaft and go with its hub: blades stand still but for flap, lag and bending. */

import type { Vec } from "../kinematics";
import type { Turn } from "../pose";
import type { BodyPose } from "./bodies";

/**
 * All poses turned back about the hub's z by the angle that the hub has turned about it, with the hub at the origin, so
 * that a helicopter stays in view; null where the hub has no pose. The hub stands as its shaft is tilted.
 */
export function backOf(hub: BodyPose | null | undefined): BodyPose | null {
  if (!hub) return null;
  const [w, , , z] = hub.q;
  const length = Math.hypot(w, z);
  if (length < 1e-9) return null; // upside down: which angle is not defined
  const back: Turn = [w / length, 0, 0, -z / length];
  const turn = times(times(hub.q, back), inverse(hub.q)); // about the hub's z as it stands in the world
  const moved = rotated(turn, hub.p);
  return { p: [-moved[0], -moved[1], -moved[2]], q: turn };
}

/** A pose in the axes that `back` leads to. */
export function seen(back: BodyPose, pose: BodyPose): BodyPose {
  const p = rotated(back.q, pose.p);
  return { p: [p[0] + back.p[0], p[1] + back.p[1], p[2] + back.p[2]], q: times(back.q, pose.q) };
}

function times([a, b, c, d]: Turn, [e, f, g, h]: Turn): Turn {
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
}

function inverse([w, x, y, z]: Turn): Turn {
  return [w, -x, -y, -z];
}

function rotated(q: Turn, [x, y, z]: Vec): Vec {
  const [, a, b, c] = times(times(q, [0, x, y, z]), inverse(q));
  return [a, b, c];
}
