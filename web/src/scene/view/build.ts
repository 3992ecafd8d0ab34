/** Many small solids, merged into one geometry with a colour for each: one draw call. */

import {
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Matrix4,
  Quaternion,
  SphereGeometry,
  Vector3,
  type Color,
} from "three";
import type { Vec } from "../kinematics";

export type Outline = readonly (readonly [number, number])[];

const Z = new Vector3(0, 0, 1);

export class Build {
  #parts: { geometry: BufferGeometry; colour: Color }[] = [];

  add(geometry: BufferGeometry, colour: Color, at?: Matrix4): this {
    if (at) geometry.applyMatrix4(at);
    this.#parts.push({ geometry, colour });
    return this;
  }

  box(size: Vec, at: Vec, colour: Color, turn = 0): this {
    return this.add(new BoxGeometry(...size), colour, new Matrix4().makeRotationZ(turn).setPosition(...at));
  }

  /** A round bar between two places, thinner or thicker at its end. */
  bar(from: Vec, to: Vec, radius: number, colour: Color, sides = 12, endRadius = radius): this {
    const along = new Vector3(...to).sub(new Vector3(...from));
    const solid = new CylinderGeometry(endRadius, radius, along.length(), sides).rotateX(Math.PI / 2);
    const middle = new Vector3(...from).addScaledVector(along, 0.5);
    const turn = new Quaternion().setFromUnitVectors(Z, along.normalize());
    return this.add(solid, colour, new Matrix4().compose(middle, turn, new Vector3(1, 1, 1)));
  }

  /** A square beam between two places, its sides level and upright. */
  beam(from: Vec, to: Vec, width: number, height: number, colour: Color): this {
    const along = new Vector3(...to).sub(new Vector3(...from));
    const length = along.length();
    const x = along.normalize();
    const y = new Vector3().crossVectors(Z, x).normalize();
    const middle = new Vector3(...from).addScaledVector(x, length / 2);
    const turn = new Matrix4().makeBasis(x, y, new Vector3().crossVectors(x, y)).setPosition(middle);
    return this.add(new BoxGeometry(length, width, height), colour, turn);
  }

  ball(at: Vec, radius: number, colour: Color): this {
    return this.add(new SphereGeometry(radius, 10, 7), colour, new Matrix4().setPosition(...at));
  }

  /** An outline in x and y, raised from z to z + height, with chamfered edges. */
  plate(outline: Outline, z: number, height: number, chamfer: number, colour: Color): this {
    return this.add(extruded(outline, height, chamfer), colour, new Matrix4().makeTranslation(0, 0, z));
  }

  /** An outline in x (forward) and z (up), as wide as it is said, about y = 0. */
  across(outline: Outline, width: number, chamfer: number, colour: Color): this {
    const turn = new Matrix4().makeRotationX(Math.PI / 2).setPosition(0, width / 2, 0);
    return this.add(extruded(outline, width, chamfer), colour, turn);
  }

  /** Corners are shared by index: a processor that draws works on each but once. */
  done(): BufferGeometry {
    const [position, normal, colour, index]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (const part of this.#parts) {
      const places = part.geometry.getAttribute("position");
      const own = part.geometry.index?.array ?? Array.from({ length: places.count }, (_, k) => k);
      const before = position.length / 3;
      for (const corner of own) index.push(before + corner);
      for (const number of places.array) position.push(number);
      for (const number of part.geometry.getAttribute("normal").array) normal.push(number);
      for (let k = 0; k < places.count; k += 1) colour.push(part.colour.r, part.colour.g, part.colour.b);
      part.geometry.dispose();
    }
    return new BufferGeometry()
      .setAttribute("position", new Float32BufferAttribute(position, 3))
      .setAttribute("normal", new Float32BufferAttribute(normal, 3))
      .setAttribute("color", new Float32BufferAttribute(colour, 3))
      .setIndex(index);
  }
}

/** A convex outline, counter-clockwise, raised along z from 0 to the height; its edges are cut by the chamfer. */
function extruded(outline: Outline, height: number, chamfer: number): BufferGeometry {
  const inner = chamfer > 0 ? shrunk(outline, chamfer) : outline;
  const rings = [
    inner.map(([x, y]): Vec => [x, y, 0]),
    ...(chamfer > 0 ? [outline.map(([x, y]): Vec => [x, y, chamfer]), outline.map(([x, y]): Vec => [x, y, height - chamfer])] : []),
    inner.map(([x, y]): Vec => [x, y, height]),
  ];
  const corners: number[] = [];
  const face = (...points: (Vec | undefined)[]): void => {
    for (let k = 1; k + 1 < points.length; k += 1)
      for (const point of [points[0], points[k], points[k + 1]]) corners.push(...(point ?? [0, 0, 0]));
  };
  face(...[...(rings[0] ?? [])].reverse());
  face(...(rings.at(-1) ?? []));
  for (let level = 0; level + 1 < rings.length; level += 1)
    outline.forEach((_, k) => {
      const next = (k + 1) % outline.length;
      face(rings[level]?.[k], rings[level]?.[next], rings[level + 1]?.[next], rings[level + 1]?.[k]);
    });
  const solid = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(corners, 3));
  solid.computeVertexNormals();
  return solid;
}

/** Every edge moved inwards by the same distance. */
function shrunk(outline: Outline, by: number): Outline {
  return outline.map(([x, y], k) => {
    const [before, after] = [outline.at(k - 1) ?? [x, y], outline[(k + 1) % outline.length] ?? [x, y]];
    const [a, b] = [unit(x - before[0], y - before[1]), unit(after[0] - x, after[1] - y)];
    // inward normals (-uy, ux); the corner goes along their sum, further the sharper it is
    const sharp = by / (1 + a[0] * b[0] + a[1] * b[1]);
    return [x - sharp * (a[1] + b[1]), y + sharp * (a[0] + b[0])] as const;
  });
}

function unit(x: number, y: number): readonly [number, number] {
  const length = Math.hypot(x, y);
  return [x / length, y / length];
}
