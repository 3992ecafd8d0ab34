/** Where a point has been in the last seconds: a ribbon that faces the camera and thins out with age. */

import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, MeshBasicMaterial, Vector3, type Color } from "three";
import type { Vec } from "../kinematics";

const MOST = 900;
const LEAST_STEP_S = 1 / 40;
const LEAST_PIXELS = 0.75; // half of what a line needs to have no holes where edges are not smoothed

interface Sample {
  t: number;
  at: Vec;
}

export class Trail {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  #samples: Sample[] = [];
  readonly #places = new BufferAttribute(new Float32Array(6 * MOST), 3).setUsage(DynamicDrawUsage);

  /** @param width of the ribbon at its young end [m] */
  constructor(
    colour: Color,
    private readonly width: number,
  ) {
    const geometry = new BufferGeometry().setAttribute("position", this.#places);
    const index = new Uint16Array(6 * (MOST - 1));
    for (let k = 0; k < MOST - 1; k += 1) index.set([2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 2, 2 * k + 1, 2 * k + 3], 6 * k);
    geometry.setIndex(new BufferAttribute(index, 1)).setDrawRange(0, 0);
    const ink = { color: colour, side: DoubleSide, toneMapped: false, depthTest: false, transparent: true };
    this.mesh = new Mesh(geometry, new MeshBasicMaterial(ink));
    this.mesh.renderOrder = 4; // seen through the cabin, for the eye point is inside
    this.mesh.frustumCulled = false;
  }

  clear(): void {
    this.#samples = [];
    this.mesh.geometry.setDrawRange(0, 0);
  }

  /** @param t [s] of the ring; one that ran back begins anew */
  add(t: number, at: Vec, seconds: number): void {
    const last = this.#samples.at(-1);
    if (last && (t < last.t || t > last.t + seconds)) this.clear();
    else if (last && t - last.t < Math.max(LEAST_STEP_S, seconds / (MOST - 2))) return;
    this.#samples.push({ t, at });
    const oldest = this.#samples.findIndex((sample) => sample.t >= t - seconds);
    if (oldest > 0) this.#samples.splice(0, oldest);
    if (this.#samples.length > MOST) this.#samples.splice(0, this.#samples.length - MOST);
  }

  /** @param eye where the camera is, in W; @param pixel size of a pixel at a distance of so many metres [m] */
  draw(eye: Vector3, pixel: (distance: number) => number): void {
    const samples = this.#samples;
    const [along, toEye, side] = [new Vector3(), new Vector3(), new Vector3()];
    samples.forEach((sample, k) => {
      const [before, after] = [samples[Math.max(0, k - 1)] ?? sample, samples[Math.min(samples.length - 1, k + 1)] ?? sample];
      along.set(after.at[0] - before.at[0], after.at[1] - before.at[1], after.at[2] - before.at[2]);
      toEye.set(eye.x - sample.at[0], eye.y - sample.at[1], eye.z - sample.at[2]);
      side.crossVectors(along, toEye);
      const half = Math.max((0.5 * this.width * (k + 1)) / samples.length, LEAST_PIXELS * pixel(toEye.length()));
      side.setLength(side.lengthSq() > 0 ? half : 0);
      this.#places.setXYZ(2 * k, sample.at[0] + side.x, sample.at[1] + side.y, sample.at[2] + side.z);
      this.#places.setXYZ(2 * k + 1, sample.at[0] - side.x, sample.at[1] - side.y, sample.at[2] - side.z);
    });
    this.#places.needsUpdate = true;
    this.mesh.geometry.setDrawRange(0, Math.max(0, 6 * (samples.length - 1)));
  }
}
