/** Our vehicle with the parts that move, and the other objects of its world. */

import { DoubleSide, FrontSide, Group, Matrix4, Mesh, Quaternion, Raycaster, RingGeometry, Vector3, type Box3, type ShaderMaterial } from "three";
import type { ModelShape, WorldObject, WorldPart, WorldScene } from "../../net/types";
import { whereabouts, type Whereabouts } from "../course";
import { turnTo } from "../maths";
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
  readonly disc: Disc | null;
}

/** What a propeller looks like while it turns faster than pictures show. */
interface Disc {
  readonly mesh: Mesh;
  readonly blades: Mesh;
  last: number;
  /** Smoothed change between pictures [rad]. */
  change: number;
}

const FAST = 0.25; // [rad] between pictures: blades are seen no more
const AHEAD = [-10, -5, 0, 5, 10].flatMap((azimuth) => [-5, -1, 3].map((elevation) => [azimuth, elevation] as const)); // [deg] where a driver looks
const SIGHT_M = 400; // how far its driver's rays go: no vehicle is longer

export class Vehicle {
  readonly group = new Group();
  /** Of its body, in its own axes. */
  readonly box: Box3;
  readonly size: Vector3;
  readonly #parts: Part[];
  /** What would hide from the driver what is ahead: windows, a cabin's front, a propeller. */
  readonly #inTheWay: Mesh[] = [];

  /** @param names of the values that come with a state @param disc of propellers */
  constructor(
    scene: WorldScene,
    names: readonly string[],
    readonly surface: ShaderMaterial,
    disc: ShaderMaterial,
  ) {
    const eye = new Vector3(...scene.eye);
    ({ box: this.box, size: this.size } = extent(solid(scene.vehicle.shapes, surface)));
    surface.side = FrontSide; // while rays are cast: walls are seen through from within
    const isAhead = (shape: ModelShape): boolean => hides(solid([shape], surface), eye);
    const ahead = new Set(scene.vehicle.shapes.filter(isAhead));
    const rest = solid(scene.vehicle.shapes.filter((shape) => !ahead.has(shape)), surface);
    const front = solid([...ahead], surface);
    if (rest) this.group.add(rest);
    if (front) this.group.add(front);
    if (front) this.#inTheWay.push(front);
    this.group.matrixAutoUpdate = false;
    const carriers = new Map<string, Part>();
    this.#parts = scene.parts.map((part) => {
      const group = new Group();
      const mesh = solid(part.shapes, surface);
      if (mesh && hides(mesh, eye)) this.#inTheWay.push(mesh);
      if (mesh) group.add(mesh.translateX(-part.p[0]).translateY(-part.p[1]).translateZ(-part.p[2]));
      group.matrixAutoUpdate = false;
      const carrier = part.on === null ? undefined : carriers.get(part.on);
      (carrier?.group ?? this.group).add(group);
      const axis = new Vector3(...part.axis);
      if (axis.lengthSq() > 0) axis.normalize();
      const p = new Vector3(...part.p);
      if (carrier) p.sub(new Vector3(...carrier.part.p));
      const isPropeller = mesh && scene.kind === "flight" && /prop|rotor/i.test(part.name);
      const made = { group, part, p, axis, value: names.indexOf(part.channel ?? part.slide ?? ""), disc: isPropeller ? discOf(mesh, axis, disc) : null };
      if (made.disc) group.add(made.disc.mesh);
      carriers.set(part.name, made);
      return made;
    });
    surface.side = DoubleSide;
  }

  /** Seen by its driver: what is in the way is not there, and walls are seen through from within. */
  asDriver(isDriver: boolean): void {
    this.surface.side = isDriver ? FrontSide : DoubleSide;
    for (const mesh of this.#inTheWay) mesh.visible = !isDriver;
    for (const { disc } of this.#parts) if (disc) disc.blades.visible = !isDriver && disc.change < FAST;
  }

  /** @param x @param y origin of what is drawn, in the world */
  place({ p, q, values }: State, x: number, y: number): void {
    const at = new Vector3(p[0] - x, p[1] - y, p[2]);
    this.group.matrix.compose(at, new Quaternion(q[1], q[2], q[3], q[0]), ONE);
    this.group.matrixWorldNeedsUpdate = true;
    for (const { group, part, p: begin, axis, value, disc } of this.#parts) {
      const by = part.scale * (values[value] ?? 0);
      if (disc) {
        disc.change += 0.1 * (Math.abs(turnTo(disc.last, by)) - disc.change);
        disc.last = by;
        disc.mesh.visible = disc.change >= FAST;
      }
      const p = begin.clone();
      if (part.slide !== null) p.addScaledVector(axis, by);
      group.matrix.compose(p, new Quaternion().setFromAxisAngle(axis, part.slide === null ? by : 0), ONE);
      group.matrixWorldNeedsUpdate = true;
    }
  }
}

/** Whether a driver who looks ahead sees it, and so not what is behind it. */
function hides(mesh: Mesh | null, eye: Vector3): boolean {
  if (!mesh) return false;
  mesh.updateMatrixWorld();
  const ray = new Raycaster();
  ray.far = SIGHT_M;
  return AHEAD.some(([azimuth, elevation]) => {
    const [a, e] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
    ray.set(eye, new Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)));
    return ray.intersectObject(mesh, false).length > 0;
  });
}

function discOf(blades: Mesh, axis: Vector3, surface: ShaderMaterial): Disc {
  blades.geometry.computeBoundingBox();
  const size = blades.geometry.boundingBox?.getSize(new Vector3()) ?? new Vector3(1, 1, 1);
  const mesh = new Mesh(new RingGeometry(0.08, Math.max(size.x, size.y, size.z) / 2, 40), surface);
  mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), axis);
  mesh.visible = false;
  mesh.renderOrder = 12; // over the sky, too
  return { mesh, blades, last: 0, change: 0 };
}

/** Height of the surface, and whether it is water. */
export type HeightAt = (x: number, y: number) => number;

export class Others {
  readonly group = new Group();
  readonly #all: { readonly object: WorldObject; readonly mesh: Mesh; readonly half: readonly [number, number] }[];

  /** @param names of the values that come with a state */
  constructor(
    objects: readonly WorldObject[],
    readonly names: readonly string[],
    surface: ShaderMaterial,
  ) {
    this.#all = objects.flatMap((object) => {
      const mesh = solid(object.shapes, surface);
      if (!mesh) return [];
      const { size } = extent(mesh);
      mesh.matrixAutoUpdate = false;
      this.group.add(mesh);
      return { object, mesh, half: [0.4 * size.x, 0.4 * size.y] as const };
    });
  }

  /** @param x @param y origin of what is drawn @param heightAt of the water, null where nothing floats @param reach of sight [m] */
  place({ t, values }: State, x: number, y: number, heightAt: HeightAt | null, reach: number): void {
    for (const { object, mesh, half } of this.#all) {
      const here = this.#pushed(object, whereabouts(object, t), values);
      mesh.visible = Math.hypot(here.x - x, here.y - y) < reach;
      if (!mesh.visible) continue;
      const at = new Vector3(here.x - x, here.y - y, object.p[2]);
      const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), here.heading);
      if (object.floats && heightAt) at.z += afloat(turn, here, half, heightAt);
      mesh.matrix = new Matrix4().compose(at, turn, ONE);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  #pushed({ moved }: WorldObject, here: Whereabouts, values: readonly number[]): Whereabouts {
    const value = (name: string): number => values[this.names.indexOf(name)] ?? 0;
    if (!moved || Math.abs(value(moved.channel) - moved.number) > 0.01) return here; // between two numbers: neither
    return { ...here, x: here.x + value(moved.x), y: here.y + value(moved.y) };
  }
}

/** Mean height under a hull; turns it by the mean slopes between its ends and sides. */
function afloat(turn: Quaternion, { x, y, heading }: Whereabouts, [a, b]: readonly [number, number], heightAt: HeightAt): number {
  const [c, s] = [Math.cos(heading), Math.sin(heading)];
  const [bow, stern] = [heightAt(x + a * c, y + a * s), heightAt(x - a * c, y - a * s)];
  const [left, right] = [heightAt(x - b * s, y + b * c), heightAt(x + b * s, y - b * c)];
  const pitch = -Math.atan2(bow - stern, 2 * Math.max(a, 0.1));
  const roll = Math.atan2(left - right, 2 * Math.max(b, 0.1));
  turn.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), pitch)).multiply(new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 0.7 * roll));
  return (bow + stern + left + right) / 4;
}
