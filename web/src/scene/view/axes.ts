/** Three arrows: x forward in red, y left in green, z up in blue. */

import { Color, Mesh, MeshBasicMaterial, type BufferGeometry } from "three";
import type { Vec } from "../kinematics";
import { Build } from "./build";

const COLOURS = ["#e5484d", "#3fb950", "#4a8ff7"];
const DIRECTIONS: readonly Vec[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; // prettier-ignore

/** @param length of an arrow [m]; @param through whether it is seen through whatever stands before it */
export function axes(length: number, through: boolean): Mesh {
  const material = new MeshBasicMaterial({ vertexColors: true, toneMapped: false, depthTest: !through, transparent: through });
  const mesh = new Mesh(arrows(length), material);
  if (through) mesh.renderOrder = 5;
  return mesh;
}

/** Through a point, along a direction: the axis that something turns about. @param length on either side [m] */
export function arrow(direction: Vec, length: number, colour: Color): Mesh {
  const size = Math.hypot(...direction);
  const to = (share: number): Vec => [(share * length * direction[0]) / size, (share * length * direction[1]) / size, (share * length * direction[2]) / size];
  const build = new Build().bar(to(-1), to(0.85), 0.016 * length, colour, 8).bar(to(0.82), to(1), 0.06 * length, colour, 12, 0.001 * length);
  const mesh = new Mesh(build.done(), new MeshBasicMaterial({ vertexColors: true, toneMapped: false, depthTest: false, transparent: true }));
  mesh.renderOrder = 5;
  return mesh;
}

function arrows(length: number): BufferGeometry {
  const build = new Build();
  DIRECTIONS.forEach((direction, k) => {
    const to = (share: number): Vec => [share * length * direction[0], share * length * direction[1], share * length * direction[2]];
    const colour = new Color(COLOURS[k]);
    build.bar(to(0), to(0.82), 0.018 * length, colour, 8);
    build.bar(to(0.8), to(1), 0.055 * length, colour, 12, 0.001 * length);
  });
  return build.done();
}
