/** Solids of a scene, each in the frame of its body. */

import { Box3, BoxGeometry, BufferGeometry, Color, CylinderGeometry, Float32BufferAttribute, Matrix4, Quaternion, SphereGeometry, Vector3 } from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { ModelShape } from "../../net/types";
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

/** The box in W that holds a shape of a body whose frame is T_WB. */
export function boxOf(shape: ModelShape, T_WB: Matrix4): Box3 {
  const T = new Matrix4().multiplyMatrices(T_WB, matrixOf(shape));
  if (shape.type === "mesh") return boxOfPoints(shape.vertices).applyMatrix4(T);
  const [a = 0, b = 0, c = 0] = shape.size;
  const [x, y, z] = [new Vector3(), new Vector3(), new Vector3()];
  T.extractBasis(x, y, z);
  const thick = Math.max(a, b);
  const half = (k: "x" | "y" | "z"): number => {
    if (shape.type === "sphere") return a;
    if (shape.type === "box") return (Math.abs(x[k]) * a + Math.abs(y[k]) * b + Math.abs(z[k]) * c) / 2;
    const along = (Math.abs(z[k]) * c) / 2;
    return along + (shape.type === "capsule" ? thick : thick * Math.sqrt(Math.max(0, 1 - z[k] ** 2)));
  };
  const [middle, reach] = [new Vector3().setFromMatrixPosition(T), new Vector3(half("x"), half("y"), half("z"))];
  return new Box3(middle.clone().sub(reach), middle.clone().add(reach));
}

function boxOfPoints(points: ModelShape["vertices"]): Box3 {
  const box = new Box3();
  for (const point of points) box.expandByPoint(new Vector3(...point));
  return box;
}
