/** The demand beside what is: edges and a breath of colour where the platform should be, a line for each leg. */

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  type Matrix4,
} from "three";
import type { Placement } from "../kinematics";
import type { Theme } from "./theme";

const SHARP_DEGREES = 30;

export class Ghost {
  readonly group = new Group();
  readonly #moving = new Group();
  readonly #legs = new BufferAttribute(new Float32Array(36), 3).setUsage(DynamicDrawUsage);

  constructor(parts: readonly BufferGeometry[], colours: Theme) {
    const fill = new MeshBasicMaterial({
      color: colours.ghost,
      transparent: true,
      opacity: colours.isDark ? 0.14 : 0.12,
      depthWrite: false,
      toneMapped: false,
    });
    const line = new LineBasicMaterial({ color: colours.ghost, transparent: true, opacity: 0.8, toneMapped: false });
    for (const part of parts) {
      this.#moving.add(new Mesh(part, fill), new LineSegments(new EdgesGeometry(part, SHARP_DEGREES), line));
    }
    const legs = new LineSegments(new BufferGeometry().setAttribute("position", this.#legs), line);
    legs.frustumCulled = false;
    this.#moving.matrixAutoUpdate = false;
    this.group.add(this.#moving, legs);
    this.group.visible = false;
    for (const child of [...this.#moving.children, legs]) child.renderOrder = 3;
  }

  place(placed: Placement, T_WP: Matrix4): void {
    this.#moving.matrix.copy(T_WP);
    this.#moving.matrixWorldNeedsUpdate = true;
    placed.legs.forEach((leg, k) => {
      this.#legs.setXYZ(2 * k, ...leg.foot);
      this.#legs.setXYZ(2 * k + 1, ...leg.head);
    });
    this.#legs.needsUpdate = true;
  }
}
