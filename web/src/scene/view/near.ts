/** Parts that are too near each other: their nearest points, joined, with the distance beside them. */

import { CylinderGeometry, Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3, type Material, type Texture } from "three";
import type { PartGap } from "../../net/types";
import { vec } from "../kinematics";
import { Label } from "./labels";
import type { Theme } from "./theme";

const LABEL_PX = 20;
const UP = new Vector3(0, 1, 0);

export class Near {
  readonly group = new Group();
  readonly #ink = new MeshBasicMaterial({ depthTest: false, transparent: true, toneMapped: false });
  readonly #line: Mesh;
  readonly #ends: Mesh[];
  #label: Label | null = null;
  #text = "";

  /** @param size of the balls at the nearest points [m] */
  constructor(
    private readonly colours: Theme,
    size: number,
  ) {
    this.#line = new Mesh(new CylinderGeometry(0.35 * size, 0.35 * size, 1, 8), this.#ink);
    this.#ends = [0, 1].map(() => new Mesh(new SphereGeometry(size, 12, 8), this.#ink));
    for (const one of [this.#line, ...this.#ends]) one.renderOrder = 6;
    this.group.add(this.#line, ...this.#ends);
    this.group.visible = false;
  }

  /** The pair that is nearest; nothing is shown of one that is clear. */
  show(gap: PartGap | undefined): void {
    const isNear = gap !== undefined && gap.verdict !== "clear" && gap.points.length === 2;
    this.group.visible = isNear;
    if (!isNear) return;
    const [from, to] = gap.points.map((point) => new Vector3(...vec(point)));
    if (!from || !to) return;
    const colour = this.colours.levels[gap.verdict === "warn" ? "near" : "end"];
    this.#ink.color.copy(colour);
    this.#ends.forEach((ball, k) => ball.position.copy(k ? to : from));
    this.#line.position.copy(from).lerp(to, 0.5);
    this.#line.scale.y = Math.max(1e-6, from.distanceTo(to));
    this.#line.quaternion.setFromUnitVectors(UP, to.sub(from).normalize());
    this.#write(gap.distance === null ? "interference" : `${(1000 * gap.distance).toFixed(0)} mm`, `#${colour.getHexString()}`);
    this.#label?.sprite.position.copy(this.#line.position);
  }

  scale(perPixel: number): void {
    this.#label?.scale(perPixel);
  }

  #write(text: string, line: string): void {
    if (`${text} ${line}` === this.#text) return;
    this.#text = `${text} ${line}`;
    if (this.#label) {
      const { material } = this.#label.sprite as { material: Material & { map?: Texture } };
      material.map?.dispose();
      material.dispose();
      this.group.remove(this.#label.sprite);
    }
    const look = this.colours.isDark ? { ink: "#e3eaf1", fill: "#151c25f0" } : { ink: "#17202a", fill: "#fffffff0" };
    this.#label = new Label({ text, line, ...look }, LABEL_PX, true);
    this.group.add(this.#label.sprite);
  }
}
