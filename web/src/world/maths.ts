/** Vectors and turns as plain numbers: places in a world need double precision. */

export type Vec3 = readonly [number, number, number];
/** w, x, y, z; of the vehicle in its world. */
export type Quaternion = readonly [number, number, number, number];

/** A place between two, with the velocities at both. @param share 0 to 1, or a little more */
export function hermite(a: Vec3, va: Vec3, b: Vec3, vb: Vec3, span: number, share: number): Vec3 {
  if (share > 1) {
    const ahead = (share - 1) * span;
    return [b[0] + ahead * vb[0], b[1] + ahead * vb[1], b[2] + ahead * vb[2]];
  }
  const s2 = share * share;
  const s3 = s2 * share;
  const at = (k: 0 | 1 | 2): number =>
    (2 * s3 - 3 * s2 + 1) * a[k] + (s3 - 2 * s2 + share) * span * va[k] + (3 * s2 - 2 * s3) * b[k] + (s3 - s2) * span * vb[k];
  return [at(0), at(1), at(2)];
}

/** A turn between two that are near each other, the short way. */
export function blended(a: Quaternion, b: Quaternion, share: number): Quaternion {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  const at = (k: 0 | 1 | 2 | 3): number => a[k] + share * (sign * b[k] - a[k]);
  return unit([at(0), at(1), at(2), at(3)]);
}

export function unit(q: Quaternion): Quaternion {
  const size = Math.hypot(...q) || 1;
  return [q[0] / size, q[1] / size, q[2] / size, q[3] / size];
}

/** A vector in axes of the vehicle, in those of the world. */
export function rotated([w, x, y, z]: Quaternion, [a, b, c]: Vec3): Vec3 {
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}

export function plus(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function minus(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** Where it points to, from x towards y [rad]. */
export function headingOf([w, x, y, z]: Quaternion): number {
  return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

/** The smallest turn from one angle to another [rad]. */
export function turnTo(from: number, to: number): number {
  const turn = to - from;
  return turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Evenly spread over 0 to 1, the same for the same numbers. */
export function scattered(a: number, b: number, c = 0): number {
  let n = Math.imul(Math.trunc(a), 374761393) + Math.imul(Math.trunc(b), 668265263) + Math.imul(Math.trunc(c), 2147483647);
  n = Math.imul(n ^ (n >>> 13), 1274126177);
  return ((n ^ (n >>> 16)) >>> 0) / 4294967296;
}
