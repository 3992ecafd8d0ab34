/** A hand on the platform, for poses that are only studied: it moves in the plane of the view, or turns about its axes. */

import { Euler, Quaternion, Vector3, type Camera } from "three";
import type { Pose } from "../kinematics";

const RADIANS_PER_HEIGHT = 2;

/**
 * @param size of the view's height at the platform [m]
 * @param dx @param dy way of the hand, in heights of the view, down is positive
 */
export function dragged(pose: Pose, camera: Camera, size: number, dx: number, dy: number, isTurn: boolean): Pose {
  const [right, up] = [new Vector3(), new Vector3()];
  camera.matrixWorld.extractBasis(right, up, new Vector3());
  if (!isTurn) {
    const way = right.multiplyScalar(size * dx).addScaledVector(up, -size * dy);
    return [pose[0] + way.x, pose[1] + way.y, pose[2] + way.z, pose[3], pose[4], pose[5]];
  }
  const turn = new Quaternion().setFromAxisAngle(up, RADIANS_PER_HEIGHT * dx);
  turn.multiply(new Quaternion().setFromAxisAngle(right, RADIANS_PER_HEIGHT * dy));
  const angles = new Euler().setFromQuaternion(turn.multiply(new Quaternion().setFromEuler(new Euler(pose[3], pose[4], pose[5], "ZYX"))), "ZYX");
  return [pose[0], pose[1], pose[2], angles.x, angles.y, angles.z];
}
