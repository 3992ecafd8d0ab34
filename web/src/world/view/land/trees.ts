/** Trees around the camera: the same at the same place, and none on roads and runways. */

import { BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DynamicDrawUsage, IcosahedronGeometry, InstancedMesh, Matrix4, Quaternion, Vector3, type ShaderMaterial } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { scattered } from "../../maths";
import type { HeightAt } from "../vehicle";

export interface Wood {
  /** Of a cell in which at most one tree stands [m]. */
  readonly cell: number;
  /** How far trees are seen [m]. */
  readonly reach: number;
  /** Of cells in a wood, and of the others, that have a tree. */
  readonly thick: number;
  readonly thin: number;
}

const COPSE_M = 210; // size of woods and of clearings
const STEP = 0.5; // of a cell: how far the camera goes until trees are looked for again
const KINDS = 2;

/** Whether something else is there. */
export type Taken = (x: number, y: number) => boolean;

export class Trees {
  readonly meshes: readonly InstancedMesh[];
  readonly #most: number;
  #at: [number, number] | null = null;

  constructor(
    surface: ShaderMaterial,
    readonly wood: Wood,
    readonly heightAt: HeightAt,
    readonly taken: Taken,
  ) {
    this.#most = Math.min(2600, Math.ceil((Math.PI * wood.reach ** 2) / wood.cell ** 2));
    this.meshes = [conifer(), broadleaf()].map((geometry) => {
      const mesh = new InstancedMesh(geometry, surface, this.#most);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 3;
      return mesh;
    });
  }

  /** @param x @param y of the camera, in the world */
  place(x: number, y: number, share: number): void {
    const [ax, ay] = this.#at ?? [NaN, NaN];
    if (!(Math.hypot(x - ax, y - ay) < STEP * this.wood.cell * 4)) this.#grow(x, y, share);
    const [bx, by] = this.#at ?? [x, y];
    for (const mesh of this.meshes) mesh.position.set(bx - x, by - y, 0);
  }

  again(): void {
    this.#at = null;
  }

  #grow(x: number, y: number, share: number): void {
    const { cell, thick, thin } = this.wood;
    const reach = this.wood.reach * Math.sqrt(share);
    this.#at = [x, y];
    const counts = new Array<number>(KINDS).fill(0);
    const matrix = new Matrix4();
    const [from, to] = [(at: number) => Math.floor((at - reach) / cell), (at: number) => Math.ceil((at + reach) / cell)];
    for (let i = from(x); i <= to(x); i += 1)
      for (let j = from(y); j <= to(y); j += 1) {
        const [tx, ty] = [(i + scattered(i, j, 1)) * cell, (j + scattered(i, j, 2)) * cell];
        const copse = scattered(Math.floor(tx / COPSE_M), Math.floor(ty / COPSE_M), 3);
        if (scattered(i, j, 4) > (copse < 0.24 ? thick : thin)) continue;
        const far = Math.hypot(tx - x, ty - y);
        if (far > reach || this.taken(tx, ty)) continue;
        const kind = copse < 0.12 || scattered(i, j, 5) < 0.35 ? 0 : 1;
        const count = counts[kind] ?? 0;
        if (count >= this.#most) continue;
        const size = (kind ? 6 : 8) + 6 * scattered(i, j, 6);
        const grown = size * Math.min(1, (reach - far) / (0.12 * reach)); // they rise at the edge of sight
        const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), 6.28 * scattered(i, j, 7));
        const wide = grown * (0.85 + 0.4 * scattered(i, j, 8));
        matrix.compose(new Vector3(tx - x, ty - y, this.heightAt(tx, ty) - 0.2), turn, new Vector3(wide, wide, grown));
        this.meshes[kind]?.setMatrixAt(count, matrix);
        counts[kind] = count + 1;
      }
    this.meshes.forEach((mesh, kind) => {
      mesh.count = counts[kind] ?? 0;
      mesh.instanceMatrix.needsUpdate = true;
    });
  }
}

/** A metre high; its foot is the origin. */
function conifer(): BufferGeometry {
  const cone = (from: number, height: number, radius: number): BufferGeometry => new ConeGeometry(radius, height, 6, 1, true).rotateX(Math.PI / 2).translate(0, 0, from + height / 2);
  return merged([
    [new CylinderGeometry(0.02, 0.035, 0.2, 4, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.1), "#4b3a2a"],
    [cone(0.14, 0.5, 0.24), "#2c4a2b"],
    [cone(0.42, 0.58, 0.17), "#365a33"],
  ]);
}

function broadleaf(): BufferGeometry {
  const ball = (x: number, y: number, z: number, r: number): BufferGeometry => new IcosahedronGeometry(r, 0).rotateZ(x * 40).translate(x, y, z);
  return merged([
    [new CylinderGeometry(0.03, 0.05, 0.4, 4, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.2), "#544231"],
    [ball(0, 0, 0.62, 0.36), "#4a6a31"],
    [ball(0.17, 0.1, 0.5, 0.24), "#42602d"],
    [ball(-0.15, -0.12, 0.54, 0.22), "#557637"],
  ]);
}

function merged(parts: readonly (readonly [BufferGeometry, string])[]): BufferGeometry {
  const all = parts.map(([made, colour]) => {
    const geometry = made.index ? made.toNonIndexed() : made;
    const { r, g, b } = hex(colour);
    const { count } = geometry.getAttribute("position");
    const colours = new Float32Array(3 * count);
    for (let k = 0; k < count; k += 1) {
      const shade = 0.82 + 0.3 * geometry.getAttribute("position").getZ(k); // darker below
      colours.set([r * shade, g * shade, b * shade], 3 * k);
    }
    geometry.deleteAttribute("uv");
    return geometry.setAttribute("color", new BufferAttribute(colours, 3));
  });
  return mergeGeometries(all);
}

function hex(colour: string): { r: number; g: number; b: number } {
  const n = Number.parseInt(colour.slice(1), 16);
  return { r: (n >> 16) / 255, g: ((n >> 8) & 255) / 255, b: (n & 255) / 255 };
}
