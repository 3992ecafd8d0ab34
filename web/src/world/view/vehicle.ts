/** Our vehicle with the parts that move, and the other objects of its world. */

import { Group, Matrix4, Quaternion, Vector3, type Box3, type Mesh, type ShaderMaterial } from "three";
import type { WorldObject, WorldPart, WorldScene } from "../../net/types";
import { whereabouts } from "../course";
import type { State } from "../playback";
import { extent, solid } from "./surface";

const ONE = new Vector3(1, 1, 1);

interface Part {
  readonly group: Group;
  readonly part: WorldPart;
  /** Where it turns, from where the part that carries it does. */
  readonly p: Vector3;
  readonly axis: Vector3;
  readonly value: number; // place of what moves it among the values of a state; -1 for none
}

export class Vehicle {
  readonly group = new Group();
  /** Of its body, in its own axes. */
  readonly box: Box3;
  readonly size: Vector3;
  readonly #parts: Part[];

  /** @param names of the values that come with a state */
  constructor(scene: WorldScene, names: readonly string[], surface: ShaderMaterial) {
    const body = solid(scene.vehicle.shapes, surface);
    ({ box: this.box, size: this.size } = extent(body));
    if (body) this.group.add(body);
    this.group.matrixAutoUpdate = false;
    const carriers = new Map<string, Part>();
    this.#parts = scene.parts.map((part) => {
      const group = new Group();
      const mesh = solid(part.shapes, surface);
      if (mesh) group.add(mesh.translateX(-part.p[0]).translateY(-part.p[1]).translateZ(-part.p[2]));
      group.matrixAutoUpdate = false;
      const carrier = part.on === null ? undefined : carriers.get(part.on);
      (carrier?.group ?? this.group).add(group);
      const axis = new Vector3(...part.axis);
      if (axis.lengthSq() > 0) axis.normalize();
      const p = new Vector3(...part.p);
      if (carrier) p.sub(new Vector3(...carrier.part.p));
      const made = { group, part, p, axis, value: names.indexOf(part.channel ?? part.slide ?? "") };
      carriers.set(part.name, made);
      return made;
    });
  }

  /** @param x @param y origin of what is drawn, in the world */
  place({ p, q, values }: State, x: number, y: number): void {
    const at = new Vector3(p[0] - x, p[1] - y, p[2]);
    this.group.matrix.compose(at, new Quaternion(q[1], q[2], q[3], q[0]), ONE);
    this.group.matrixWorldNeedsUpdate = true;
    for (const { group, part, p: begin, axis, value } of this.#parts) {
      const by = part.scale * (values[value] ?? 0);
      const p = begin.clone();
      if (part.slide !== null) p.addScaledVector(axis, by);
      group.matrix.compose(p, new Quaternion().setFromAxisAngle(axis, part.slide === null ? by : 0), ONE);
      group.matrixWorldNeedsUpdate = true;
    }
  }
}

/** Height of the surface, and whether it is water. */
export type HeightAt = (x: number, y: number) => number;

export class Others {
  readonly group = new Group();
  readonly #all: { readonly object: WorldObject; readonly mesh: Mesh; readonly half: readonly [number, number]; isStill: boolean }[];

  constructor(objects: readonly WorldObject[], surface: ShaderMaterial) {
    this.#all = objects.flatMap((object) => {
      const mesh = solid(object.shapes, surface);
      if (!mesh) return [];
      const { size } = extent(mesh);
      mesh.matrixAutoUpdate = false;
      this.group.add(mesh);
      return { object, mesh, half: [0.4 * size.x, 0.4 * size.y] as const, isStill: false };
    });
  }

  /** @param t of the world [s] @param heightAt of the water, null where nothing floats @param reach of sight [m] */
  place(t: number, x: number, y: number, heightAt: HeightAt | null, reach: number): void {
    for (const { object, mesh, half } of this.#all) {
      const here = whereabouts(object, t);
      mesh.visible = Math.hypot(here.x - x, here.y - y) < reach;
      if (!mesh.visible) continue;
      const at = new Vector3(here.x - x, here.y - y, object.p[2]);
      const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), here.heading);
      if (object.floats && heightAt) at.z += afloat(turn, here, half, heightAt);
      mesh.matrix = new Matrix4().compose(at, turn, ONE);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }
}

/** Mean height under a hull; turns it by the mean slopes between its ends and sides. */
function afloat(turn: Quaternion, { x, y, heading }: ReturnType<typeof whereabouts>, [a, b]: readonly [number, number], heightAt: HeightAt): number {
  const [c, s] = [Math.cos(heading), Math.sin(heading)];
  const [bow, stern] = [heightAt(x + a * c, y + a * s), heightAt(x - a * c, y - a * s)];
  const [left, right] = [heightAt(x - b * s, y + b * c), heightAt(x + b * s, y - b * c)];
  const pitch = -Math.atan2(bow - stern, 2 * Math.max(a, 0.1));
  const roll = Math.atan2(left - right, 2 * Math.max(b, 0.1));
  turn.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), pitch)).multiply(new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 0.7 * roll));
  return (bow + stern + left + right) / 4;
}
