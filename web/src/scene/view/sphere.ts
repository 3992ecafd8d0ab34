/** A sphere that turns on wheels: the capsule in panels, so that its turning is seen, and what holds it on the deck. */

import { SphereGeometry, type BufferGeometry, type Color } from "three";
import type { Scene as Platform, SphereShape, SphereWheel } from "../../net/types";
import { meanRadius, vec, type Vec } from "../kinematics";
import { Build } from "./build";
import { deckHeight } from "./platform";
import type { Theme } from "./theme";

const ROUND = 8; // panels about the vertical
const BANDS = 6; // from top to bottom
const SMOOTH = 5; // facets along a panel's edge
const WIDTH = 0.42; // of a driven wheel's radius, to each side
const ROLLERS = 9;

/** In S: forward has a window, the rest is a chequer of two shades, the top is marked. */
export function capsule(sphere: SphereShape, colours: Theme): BufferGeometry {
  const build = new Build();
  const [wide, high] = [(2 * Math.PI) / ROUND, Math.PI / BANDS];
  for (let k = 0; k < ROUND; k += 1)
    for (let band = 0; band < BANDS; band += 1) {
      const panel = new SphereGeometry(sphere.radius, SMOOTH, SMOOTH, (k - 0.5) * wide, wide, band * high, high);
      build.add(panel.rotateX(Math.PI / 2), shade(k, band, colours)); // its poles are along y; +x stays ahead
    }
  return build.done();
}

/** Forward is -x of three.js' sphere at phi = 0, which `rotateX` leaves where it is: panel ROUND / 2 looks ahead. */
function shade(k: number, band: number, colours: Theme): Color {
  const isAhead = k === ROUND / 2;
  if (isAhead && (band === 2 || band === 1)) return colours.glass;
  if (band === 0) return colours.accent;
  const plain = colours.body;
  return (k + band) % 2 ? plain : plain.clone().lerp(colours.frame, 0.45);
}

/** In P: wheels at their contacts, with an arm from each driven one down to the deck, and hoops through the others. */
export function support(platform: Platform, sphere: SphereShape, colours: Theme): BufferGeometry {
  const build = new Build();
  const deck = deckHeight(platform);
  const size = meanRadius(platform.joints);
  const thick = 0.03 * size;
  const driven = sphere.wheels.filter((wheel) => wheel.is_driven);
  for (const wheel of driven) {
    const middle = hub(sphere, wheel);
    rim(build, middle, wheel, colours);
    const side = out(middle, vec(wheel.axle), -1.6 * WIDTH * wheel.radius);
    build.bar(side, [side[0], side[1], deck], thick, colours.frame, 8);
    build.bar(side, out(middle, vec(wheel.axle), WIDTH * wheel.radius), 0.6 * thick, colours.steel, 8);
  }
  for (const level of rings(sphere)) hoop(build, sphere, level, deck, size, colours);
  return build.done();
}

/** Passive wheels, ring by ring: those at one height. */
function rings(sphere: SphereShape): SphereWheel[][] {
  const found = new Map<string, SphereWheel[]>();
  for (const wheel of sphere.wheels.filter((one) => !one.is_driven)) {
    const key = (wheel.outward[2] ?? 0).toFixed(3);
    found.set(key, [...(found.get(key) ?? []), wheel]);
  }
  return [...found.values()];
}

function hoop(build: Build, sphere: SphereShape, wheels: SphereWheel[], deck: number, size: number, colours: Theme): void {
  const thick = 0.03 * size;
  wheels.forEach((wheel, k) => {
    const [at, next] = [hub(sphere, wheel), hub(sphere, wheels[(k + 1) % wheels.length] ?? wheel)];
    const axle = vec(wheel.axle);
    build.bar(out(at, axle, -0.5 * wheel.radius), out(at, axle, 0.5 * wheel.radius), wheel.radius, colours.dark, 10);
    const beyond = (place: Vec): Vec => out(place, vec(wheel.outward), 1.4 * wheel.radius);
    build.bar(beyond(at), beyond(next), 0.6 * thick, colours.frame, 6);
    if (k % Math.max(1, Math.floor(wheels.length / 6))) return;
    const path = [beyond(at), ...around(sphere, at), foot(at, size, deck)];
    path.slice(1).forEach((to, n) => build.bar(path[n] ?? to, to, 0.45 * thick, colours.frame, 6));
  });
}

/** The way of a strut past the sphere, for a wheel above its equator. */
function around(sphere: SphereShape, at: Vec): Vec[] {
  const [centre, flat] = [vec(sphere.centre), Math.hypot(at[0], at[1])];
  if (at[2] < centre[2] || flat === 0) return [];
  const reach = (1.12 * sphere.radius) / flat;
  return [0.45, -0.3].map((share) => [reach * at[0], reach * at[1], centre[2] + share * sphere.radius]);
}

/** Below a place, at the deck's rim. */
function foot(at: Vec, size: number, deck: number): Vec {
  const scale = (1.03 * size) / Math.max(Math.hypot(at[0], at[1]), 1e-9);
  return [scale * at[0], scale * at[1], deck];
}

/** A driven wheel with the ends of its rollers about it. */
function rim(build: Build, middle: Vec, wheel: SphereWheel, colours: Theme): void {
  const axle = vec(wheel.axle);
  const half = WIDTH * wheel.radius;
  build.bar(out(middle, axle, -half), out(middle, axle, half), 0.72 * wheel.radius, colours.dark, 14);
  const [u, v] = across(axle);
  for (let k = 0; k < ROLLERS; k += 1) {
    const at = (turn: number, along: number): Vec => {
      const [c, s] = [Math.cos(turn), Math.sin(turn)].map((x) => 0.86 * wheel.radius * x);
      const rimmed: Vec = [
        middle[0] + (c ?? 0) * u[0] + (s ?? 0) * v[0],
        middle[1] + (c ?? 0) * u[1] + (s ?? 0) * v[1],
        middle[2] + (c ?? 0) * u[2] + (s ?? 0) * v[2],
      ];
      return out(rimmed, axle, along);
    };
    const turn = (2 * Math.PI * k) / ROLLERS;
    build.bar(at(turn - 0.3, -half), at(turn + 0.3, half), 0.14 * wheel.radius, colours.accent, 6);
  }
}

function hub(sphere: SphereShape, wheel: SphereWheel): Vec {
  return out(vec(sphere.centre), vec(wheel.outward), sphere.radius + wheel.radius);
}

function out(from: Vec, along: Vec, by: number): Vec {
  return [from[0] + by * along[0], from[1] + by * along[1], from[2] + by * along[2]];
}

/** Two unit vectors normal to a unit vector and to each other. */
function across(axis: Vec): [Vec, Vec] {
  const [x, y, z] = axis;
  const flat = Math.hypot(x, y);
  const u: Vec = flat > 1e-6 ? [-y / flat, x / flat, 0] : [1, 0, 0];
  return [u, [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]]];
}
