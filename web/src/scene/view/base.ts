/** What stands still: the frame on the floor, the pedestals and forks that carry the base joints. */

import type { BufferGeometry } from "three";
import type { Scene as Platform } from "../../net/types";
import { meanRadius, NEUTRAL, placement, vec, type Vec } from "../kinematics";
import { Build } from "./build";
import type { Theme } from "./theme";

/** Height of the floor in W [m]: the base joints stand on pedestals of a plausible height. */
export function floorHeight(platform: Platform): number {
  const lowest = Math.min(...platform.base.map((point) => point[2] ?? 0));
  return lowest - Math.max(0.15 * meanRadius(platform.base), 3.5 * platform.cylinder_radius);
}

/** Half the thickness of a joint's fork [m]: that of the leg, and no less than the eye finds plausible. */
export function forkSize(platform: Platform): number {
  return Math.max(1.1 * platform.cylinder_radius, 0.032 * meanRadius(platform.base));
}

export function baseFrame(platform: Platform, colours: Theme): BufferGeometry {
  const build = new Build();
  const floor = floorHeight(platform);
  const size = meanRadius(platform.base);
  const thick = 0.045 * size;
  const feet = platform.base.map((point) => vec(point));
  const legs = placement(platform, NEUTRAL).legs;
  feet.forEach((foot, k) => {
    const next = feet[(k + 1) % feet.length] ?? foot;
    build.beam(low(foot, floor, thick), low(next, floor, thick), 2.2 * thick, 2 * thick, colours.frame);
    build.bar([foot[0], foot[1], floor], [foot[0], foot[1], floor + 0.025 * size], 0.13 * size, colours.dark, 16);
    const axis = legs[k]?.axis ?? [0, 0, 1];
    pedestal(build, foot, floor, Math.atan2(axis[1], axis[0]), forkSize(platform), colours);
  });
  return build.done();
}

function low(foot: Vec, floor: number, thick: number): Vec {
  return [foot[0], foot[1], floor + thick];
}

/** A tapered block with two cheeks; the pin lies level, across the leg. */
function pedestal(build: Build, foot: Vec, floor: number, heading: number, r: number, colours: Theme): void {
  const [x, y, z] = foot;
  const top = z - 0.95 * r;
  build.bar([x, y, floor], [x, y, top], 2.5 * r, colours.dark, 14, 1.7 * r);
  const across: Vec = [-Math.sin(heading), Math.cos(heading), 0];
  for (const side of [-1, 1]) {
    const at: Vec = [x + side * 1.25 * r * across[0], y + side * 1.25 * r * across[1], z - 0.25 * r];
    build.box([1.5 * r, 0.4 * r, 1.9 * r], at, colours.frame, heading);
  }
  const pin = (side: number): Vec => [x + side * 1.65 * r * across[0], y + side * 1.65 * r * across[1], z];
  build.bar(pin(-1), pin(1), 0.42 * r, colours.steel, 12);
}
