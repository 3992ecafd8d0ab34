/** How the vehicle lies in the world, as an artificial horizon shows it. */

import type { App } from "../../app";

/** [rad] */
export interface Attitude {
  /** Positive with the right side down. */
  readonly roll: number;
  /** Positive with the nose up. */
  readonly pitch: number;
}

/** Of a rotation from axes of the vehicle (x forward, y left, z up) to the world. */
export function attitudeOf(w: number, x: number, y: number, z: number): Attitude | null {
  const n = w * w + x * x + y * y + z * z;
  if (!(Math.abs(n - 1) < 0.1)) return null;
  const up = (2 * (x * z - w * y)) / n; // the third row of its matrix: z of the vehicle's axes in the world
  const left = (2 * (y * z + w * x)) / n;
  const top = 1 - (2 * (x * x + y * y)) / n;
  return { roll: Math.atan2(left, top), pitch: Math.asin(Math.min(1, Math.max(-1, up))) };
}

export function attitudeNow(app: App): Attitude | null {
  return attitudeOf(app.value("world_qw"), app.value("world_qx"), app.value("world_qy"), app.value("world_qz"));
}
