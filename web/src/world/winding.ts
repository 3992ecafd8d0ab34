/** Faces of meshes are seen from one side; some meshes have them the wrong way round. */

import type { ModelShape } from "../net/types";

type Solid = Pick<ModelShape, "type" | "vertices" | "faces">;

type Place = [number, number, number];

const CLEAR = 0.02; // of the box around it: what encloses less than that is no solid, and stays as it is

/** A mesh with its faces turned outwards, counter-clockwise as seen from there, where it encloses something. */
export function turnedOut<T extends Solid>(shape: T): T {
  if (shape.type !== "mesh" || enclosed(shape) >= 0) return shape;
  return { ...shape, faces: shape.faces.map(([a, b, c]): [number, number, number] => [a, c, b]) };
}

/** What the faces enclose over the box around them, negative where they are seen from within; 0 where it is little. */
export function enclosed({ vertices, faces }: Solid): number {
  const axis = (k: 0 | 1 | 2): readonly [number, number] => vertices.reduce<[number, number]>(([low, high], p) => [Math.min(low, p[k]), Math.max(high, p[k])], [Infinity, -Infinity]);
  const [x, y, z] = [axis(0), axis(1), axis(2)];
  const box = (x[1] - x[0]) * (y[1] - y[0]) * (z[1] - z[0]);
  const [mx, my, mz] = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2, (z[0] + z[1]) / 2]; // a mesh may be open: its middle is the best guess
  const sum = faces.reduce((volume, face) => {
    const [a, b, c] = face.map((n): Place => vertices[n] ?? [mx, my, mz]).map((p): Place => [p[0] - mx, p[1] - my, p[2] - mz]);
    if (!a || !b || !c) return volume;
    return volume + (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
  }, 0);
  const share = box > 0 ? sum / box : 0;
  return Math.abs(share) < CLEAR ? 0 : share;
}
