/** What moves as one: the frame that ties the six platform joints together, and its deck. */

import type { BufferGeometry } from "three";
import type { Scene as Platform } from "../../net/types";
import { meanRadius, NEUTRAL, placement, vec, type Vec } from "../kinematics";
import { forkSize } from "./base";
import { Build } from "./build";
import type { Theme } from "./theme";

/** Height of the deck's upper side above the joints, in P [m]. */
export function deckHeight(platform: Platform): number {
  return 0.13 * meanRadius(platform.joints) + highest(platform);
}

function highest(platform: Platform): number {
  return Math.max(...platform.joints.map((point) => point[2] ?? 0));
}

export function platformFrame(platform: Platform, colours: Theme): BufferGeometry {
  const build = new Build();
  const size = meanRadius(platform.joints);
  const r = 0.7 * forkSize(platform);
  const deck = deckHeight(platform);
  const joints = platform.joints.map((point) => vec(point));
  const middle = deck - 0.075 * size;
  const legs = placement(platform, NEUTRAL);
  joints.forEach((joint, k) => {
    const next = joints[(k + 1) % joints.length] ?? joint;
    build.beam(level(joint, middle), level(next, middle), 0.07 * size, 0.085 * size, colours.frame);
    build.beam([0, 0, middle], level(joint, middle), 0.05 * size, 0.07 * size, colours.frame);
    build.bar(level(joint, middle - 0.05 * size), level(joint, middle + 0.05 * size), 0.075 * size, colours.frame, 16);
    const axis = legs.legs[k]?.axis ?? [0, 0, 1];
    hanger(build, joint, middle, Math.atan2(axis[1], axis[0]), r, colours);
  });
  build.bar([0, 0, middle - 0.045 * size], [0, 0, middle + 0.045 * size], 0.16 * size, colours.frame, 14);
  build.plate(outline(joints, 1.09), deck - 0.035 * size, 0.035 * size, 0.008 * size, colours.dark);
  return build.done();
}

/** The deck alone: enough to see where a demand wants it. */
export function deckPlate(platform: Platform, colours: Theme): BufferGeometry {
  const size = meanRadius(platform.joints);
  const joints = platform.joints.map((point) => vec(point));
  return new Build().plate(outline(joints, 1.09), deckHeight(platform) - 0.16 * size, 0.16 * size, 0, colours.dark).done();
}

/** The joints seen from above, a little further out. */
function outline(joints: readonly Vec[], out: number): (readonly [number, number])[] {
  return joints.map(([x, y]) => [out * x, out * y] as const);
}

function level(point: Vec, z: number): Vec {
  return [point[0], point[1], z];
}

/** Two cheeks that hang from the frame, and the pin between them. */
function hanger(build: Build, joint: Vec, top: number, heading: number, r: number, colours: Theme): void {
  const [x, y, z] = joint;
  const across: Vec = [-Math.sin(heading), Math.cos(heading), 0];
  const height = Math.max(top - z + 0.9 * r, 1.8 * r);
  for (const side of [-1, 1]) {
    const at: Vec = [x + side * 1.7 * r * across[0], y + side * 1.7 * r * across[1], z - 0.9 * r + height / 2];
    build.box([2.2 * r, 0.5 * r, height], at, colours.frame, heading);
  }
  const pin = (side: number): Vec => [x + side * 2.2 * r * across[0], y + side * 2.2 * r * across[1], z];
  build.bar(pin(-1), pin(1), 0.6 * r, colours.steel, 12);
}
