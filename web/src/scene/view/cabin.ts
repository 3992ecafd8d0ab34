/** What the platform carries, by what is known of it: a cabin, a seat, or a crate. Shapes are illustrative. */

import { BufferGeometry, Float32BufferAttribute, type Color } from "three";
import type { Scene as Platform } from "../../net/types";
import { meanRadius, vec, type Vec } from "../kinematics";
import { Build } from "./build";
import { deckHeight } from "./platform";
import type { Theme } from "./theme";

const EYES = ["eye", "design_eye", "eye_point", "pilot", "head", "rider"];
const SEATED_ABOVE = 0.75; // an eye point lower than this over the deck belongs to somebody who sits in the open [m]

/** The point that people look from; null where the platform names none. */
export function eyePoint(platform: Platform): { name: string; place: Vec } | null {
  const name = EYES.find((known) => known in platform.points);
  return name === undefined ? null : { name, place: vec(platform.points[name]) };
}

export function cabin(platform: Platform, colours: Theme): BufferGeometry {
  const deck = deckHeight(platform);
  const size = meanRadius(platform.joints);
  const eye = eyePoint(platform)?.place;
  const build = new Build();
  if (!eye) crate(build, deck, size, colours);
  else if (eye[2] - deck > SEATED_ABOVE) shell(build, deck, size, eye, colours);
  else seat(build, deck, eye, colours);
  return build.done();
}

/** A flight deck: sloped windscreen, side windows, a stripe. */
function shell(build: Build, deck: number, size: number, eye: Vec, colours: Theme): void {
  const [front, rear] = [eye[0] + 0.78 * size, eye[0] - 0.72 * size];
  const top = eye[2] + 0.42;
  const bottom = deck + 0.01;
  const sill = eye[2] - 0.28;
  const width = 1.25 * size;
  const brow = front - 0.36 * size;
  const cut = 0.12 * size;
  build.across(
    [[rear, bottom], [front - 0.06, bottom], [front, bottom + 0.1], [front, sill], [brow, top], [rear + cut, top], [rear, top - cut]],
    width, 0.05, colours.body,
  ); // prettier-ignore
  const half = width / 2;
  const out = 0.004;
  const slope = Math.hypot(top - sill, front - brow);
  const [nx, nz] = [(out * (top - sill)) / slope, (out * (front - brow)) / slope];
  const on = (share: number, y: number): Vec => [front + nx + share * (brow - front), y, sill + nz + share * (top - sill)];
  const pane = 0.46 * half;
  for (const side of [-1, 1]) {
    const [from, to] = side > 0 ? [0.03 * half, 2 * pane] : [-2 * pane, -0.03 * half];
    build.add(quad(on(0.12, from), on(0.12, to), on(0.86, to), on(0.86, from)), colours.glass);
  }
  const y = half + out;
  const lean = (share: number): number => front + share * (brow - front);
  const lower = sill + 0.12 * (top - sill);
  const upper = sill + 0.86 * (top - sill);
  const windows: [number, number][] = [[lean(0.12) - 0.12, lean(0.86) - 0.12], [brow - 0.3, brow - 0.3]];
  const ends: [number, number][] = [[brow - 0.24, brow - 0.24], [brow - 0.3 - 0.3 * size, brow - 0.3 - 0.3 * size]];
  windows.forEach((fore, k) => {
    const aft = ends[k] ?? fore;
    build.add(quad([fore[0], -y, lower], [fore[1], -y, upper], [aft[1], -y, upper], [aft[0], -y, lower]), colours.glass);
    build.add(quad([fore[0], y, lower], [aft[0], y, lower], [aft[1], y, upper], [fore[1], y, upper]), colours.glass);
  });
  stripe(build, rear + 0.06, front - 0.06, y, bottom + 0.32 * (sill - bottom), 0.05 * (top - bottom), colours.accent);
}

function stripe(build: Build, rear: number, front: number, y: number, z: number, high: number, colour: Color): void {
  build.add(quad([front, -y, z], [front, -y, z + high], [rear, -y, z + high], [rear, -y, z]), colour);
  build.add(quad([front, y, z], [rear, y, z], [rear, y, z + high], [front, y, z + high]), colour);
}

/** A seat under the eye, on a plinth, with a hoop behind it. */
function seat(build: Build, deck: number, eye: Vec, colours: Theme): void {
  const high = Math.max(eye[2] - deck, 0.45);
  const cushion = deck + 0.28 * high;
  const x = eye[0] - 0.06;
  build.box([0.34, 0.3, cushion - deck], [x, 0, (deck + cushion) / 2], colours.frame);
  build.box([0.46, 0.46, 0.09], [x + 0.02, 0, cushion + 0.045], colours.dark);
  const back: [number, number][] = [
    [x - 0.2, cushion + 0.06], [x - 0.1, cushion + 0.06], [x - 0.2, deck + 1.02 * high], [x - 0.29, deck + 1.02 * high],
  ]; // prettier-ignore
  build.across(back, 0.44, 0.02, colours.dark);
  for (const side of [-1, 1]) {
    const y = 0.27 * side;
    build.bar([x - 0.3, y, deck], [x - 0.36, y, deck + 1.14 * high], 0.018, colours.body, 10);
    build.bar([x + 0.3, y, deck], [x + 0.24, y, cushion + 0.2], 0.016, colours.body, 10);
    build.bar([x + 0.24, y, cushion + 0.2], [x - 0.34, y, cushion + 0.22], 0.016, colours.body, 10);
  }
  build.bar([x - 0.36, -0.27, deck + 1.14 * high], [x - 0.36, 0.27, deck + 1.14 * high], 0.018, colours.body, 10);
  build.box([0.3, 0.34, 0.03], [x + 0.42, 0, deck + 0.05], colours.frame);
  build.bar([x + 0.36, 0, deck + 0.05], [x + 0.3, 0, cushion + 0.16], 0.02, colours.steel, 10);
}

/** A closed box of equipment with a lid and corner posts. */
function crate(build: Build, deck: number, size: number, colours: Theme): void {
  const [long, wide, high] = [1.0 * size, 0.8 * size, 0.5 * size];
  const z = deck + 0.03 * size;
  build.box([long, wide, high], [0, 0, z + high / 2], colours.body);
  build.box([1.02 * long, 1.025 * wide, 0.05 * high], [0, 0, z + 0.72 * high], colours.accent);
  build.box([1.05 * long, 1.06 * wide, 0.08 * high], [0, 0, z + high], colours.dark);
  build.box([1.05 * long, 1.06 * wide, 0.08 * high], [0, 0, z + 0.02 * high], colours.dark);
  for (const x of [-1, 1])
    for (const y of [-1, 1])
      build.box([0.05 * long, 0.06 * wide, high], [0.5 * x * long, 0.5 * y * wide, z + high / 2], colours.dark);
}

function quad(a: Vec, b: Vec, c: Vec, d: Vec): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute([...a, ...b, ...c, ...a, ...c, ...d], 3));
  geometry.computeVertexNormals();
  return geometry;
}
