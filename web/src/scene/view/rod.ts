/** A rod between points of two bodies, such as a pitch link. */

import { CylinderGeometry, Matrix4, Mesh, Quaternion, Vector3 } from "three";
import type { Color, Material, MeshStandardMaterial } from "three";
import type { ModelRod, ModelScene } from "../../net/types";
import type { BodyPose } from "../model/bodies";

const SIDES = 10;
const UP = new Vector3(0, 1, 0);
const ONE = new Vector3(1, 1, 1);

export class Rod {
  readonly mesh: Mesh;
  readonly #bodies: readonly number[];

  constructor(
    readonly rod: ModelRod,
    model: ModelScene,
    paint: Material,
    colour: Color,
  ) {
    this.#bodies = rod.bodies.map((name) => model.bodies.findIndex((body) => body.name === name));
    const own = (paint as MeshStandardMaterial).clone();
    own.vertexColors = false;
    own.color = colour.clone();
    this.mesh = new Mesh(new CylinderGeometry(rod.radius, rod.radius, 1, SIDES), own);
    this.mesh.castShadow = true;
  }

  /** @param ground pose of the world, for an end that stands in it */
  place(poses: readonly (BodyPose | null)[], ground: BodyPose | null): void {
    const ends = this.#bodies.map((body, k) => {
      const point = new Vector3(...(this.rod.points[k] ?? [0, 0, 0]));
      const pose = body < 0 ? ground : poses[body];
      if (pose === undefined || (pose === null && body >= 0)) return null;
      return pose ? point.applyMatrix4(matrixOf(pose)) : point;
    });
    const [a, b] = ends;
    this.mesh.visible = !!a && !!b && a.distanceTo(b) > 1e-9;
    if (!a || !b || !this.mesh.visible) return;
    const way = b.clone().sub(a);
    const length = way.length();
    this.mesh.position.copy(a).addScaledVector(way, 0.5);
    this.mesh.quaternion.setFromUnitVectors(UP, way.divideScalar(length));
    this.mesh.scale.set(1, length, 1);
  }
}

function matrixOf({ p, q }: BodyPose): Matrix4 {
  return new Matrix4().compose(new Vector3(...p), new Quaternion(q[1], q[2], q[3], q[0]), ONE);
}
