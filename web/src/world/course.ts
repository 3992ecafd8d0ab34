/** Where another craft is: straight on from its place, or along its course. docs/worlds.md has the equations. */

import type { WorldCourse, WorldObject } from "../net/types";

export interface Whereabouts {
  readonly x: number;
  readonly y: number;
  /** [rad] */
  readonly heading: number;
}

/** @param t of the world [s] */
export function whereabouts({ p, heading, v, course }: Pick<WorldObject, "p" | "heading" | "v" | "course">, t: number): Whereabouts {
  return course ? along(course, course.start + course.speed * t) : { x: p[0] + v[0] * t, y: p[1] + v[1] * t, heading };
}

/** @param s along the course [m] */
export function along({ segments, length }: Pick<WorldCourse, "segments" | "length">, s: number): Whereabouts {
  const at = length ? s - length * Math.floor(s / length) : s;
  const next = segments.findIndex(([from]) => from > at);
  const [from, x, y, heading, curvature] = segments[next < 0 ? segments.length - 1 : Math.max(0, next - 1)] ?? [0, 0, 0, 0, 0];
  const half = (curvature * (at - from)) / 2;
  const chord = Math.abs(half) < 1e-9 ? at - from : ((at - from) * Math.sin(half)) / half;
  return { x: x + chord * Math.cos(heading + half), y: y + chord * Math.sin(heading + half), heading: heading + 2 * half };
}

/** How fast it goes [m/s]. */
export function speedOf({ v, course }: Pick<WorldObject, "v" | "course">): number {
  return course ? course.speed : Math.hypot(v[0], v[1]);
}
