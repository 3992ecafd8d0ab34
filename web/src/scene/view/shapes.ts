/** Solids of a scene, each in the frame of its body. */

import { BoxGeometry, BufferGeometry, Color, CylinderGeometry, Float32BufferAttribute, Matrix4, Quaternion, SphereGeometry, Vector3 } from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { ModelShape } from "../../net/types";
import { vec } from "../kinematics";
import { Build } from "./build";

const ROUND = 28; // sides of what is round
const CREASE = Math.PI / 6;
const MOST_CREASED = 20_000; // triangles: finding the edges of more takes too long
const ONE = new Vector3(1, 1, 1);

/** Merged, a colour for each. @param colourOf where a shape has none */
export function solids(shapes: readonly ModelShape[], colourOf: (shape: ModelShape) => Color): BufferGeometry | null {
  const build = new Build();
  for (const shape of shapes) {
    const colour = shape.color === null ? colourOf(shape) : new Color(shape.color);
    for (const [geometry, up] of parts(shape)) build.add(geometry, colour, matrixOf(shape).multiply(new Matrix4().makeTranslation(0, 0, up)));
  }
  return shapes.length ? build.done() : null;
}

function matrixOf({ p, q }: Pick<ModelShape, "p" | "q">): Matrix4 {
  return new Matrix4().compose(new Vector3(...p), new Quaternion(q[1], q[2], q[3], q[0]), ONE);
}

/** Geometries about their own origin, z along their length, each with its height above the shape's middle. */
function parts({ type, size, vertices, faces }: ModelShape): [BufferGeometry, number][] {
  const [a = 0, b = 0, c = 0] = size;
  if (type === "box") return [[new BoxGeometry(a, b, c), 0]];
  if (type === "sphere") return [[new SphereGeometry(a, ROUND, ROUND / 2), 0]];
  if (type === "mesh") return [[mesh(vertices, faces), 0]];
  const rod = new CylinderGeometry(b, a, c, ROUND).rotateX(Math.PI / 2); // its axis is y at first
  const caps: [BufferGeometry, number][] = type === "capsule" ? [[new SphereGeometry(a, ROUND, ROUND / 2), -c / 2], [new SphereGeometry(b, ROUND, ROUND / 2), c / 2]] : [];
  return [[rod, 0], ...caps];
}

function mesh(vertices: ModelShape["vertices"], faces: ModelShape["faces"]): BufferGeometry {
  const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(vertices.flat(), 3)).setIndex(faces.flat());
  geometry.computeVertexNormals();
  return faces.length > MOST_CREASED ? geometry : toCreasedNormals(geometry, CREASE);
}

/** A ball about a shape's middle that holds it: how far it reaches, in the frame of its body. */
export function reachOf({ type, size, p, vertices }: ModelShape): { centre: Vector3; radius: number } {
  const [a = 0, b = 0, c = 0] = size;
  const around = {
    box: () => Math.hypot(a, b, c) / 2,
    sphere: () => a,
    cylinder: () => Math.hypot(Math.max(a, b), c / 2),
    capsule: () => Math.max(a, b) + c / 2,
    mesh: () => vertices.reduce((most, vertex) => Math.max(most, Math.hypot(...vertex)), 0),
  };
  return { centre: new Vector3(...vec(p)), radius: around[type]() };
}
