/** What a pilot sees outside: a horizon with a mark every ten degrees, and balls where named points are. */

import { BufferGeometry, Color, Float32BufferAttribute, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial } from "three";
import type { Vec } from "../kinematics";
import { Build } from "./build";
import type { Theme } from "./theme";

const PIECES = 72;
const RINGS = [0.08, 0.16, 0.32, 0.64]; // of the horizon's distance: circles on the ground that give it depth

/** @param floor height of the ground in W [m] */
export function horizon(radius: number, floor: number, colours: Theme): LineSegments {
  const [points, inks]: [number[], number[]] = [[], []];
  const at = (k: number, share: number, z: number): Vec => {
    const turn = (2 * Math.PI * k) / PIECES;
    return [share * radius * Math.cos(turn), share * radius * Math.sin(turn), z];
  };
  const line = (from: Vec, to: Vec, ink: Color): void => {
    points.push(...from, ...to);
    inks.push(ink.r, ink.g, ink.b, ink.r, ink.g, ink.b);
  };
  const text = new Color(colours.text);
  for (let k = 0; k < PIECES; k += 1) {
    line(at(k, 1, floor), at(k + 1, 1, floor), text);
    for (const ring of RINGS) line(at(k, ring, floor), at(k + 1, ring, floor), colours.grid);
    if (k % 2 === 0) line(at(k, 1, floor), at(k, 1, floor + radius * (k % 6 === 0 ? 0.06 : 0.025)), text);
    if (k % 2 === 0) line(at(k, RINGS[0] ?? 0, floor), at(k, 1, floor), colours.grid);
  }
  const geometry = new BufferGeometry()
    .setAttribute("position", new Float32BufferAttribute(points, 3))
    .setAttribute("color", new Float32BufferAttribute(inks, 3));
  const lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, toneMapped: false }));
  lines.frustumCulled = false;
  return lines;
}

/** One mesh for all points, seen through the cabin. */
export function markers(points: readonly Vec[], radius: number, colours: Theme): Mesh[] {
  if (points.length === 0) return [];
  const build = new Build();
  for (const point of points) build.ball(point, radius, colours.trail);
  const through = new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, toneMapped: false });
  const mesh = new Mesh(build.done(), through);
  mesh.renderOrder = 6;
  return [mesh];
}
