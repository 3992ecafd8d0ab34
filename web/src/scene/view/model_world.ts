/** Everything that is drawn of a multibody model: bodies that follow their poses, and what stands still. */

import { Box3, Color, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, Quaternion, Scene, Vector3 } from "three";
import type { BufferGeometry, Material, Object3D, Texture } from "three";
import type { ModelBody, ModelJoint, ModelScene, ModelShape } from "../../net/types";
import type { Choices } from "../choices";
import { vec, type Vec } from "../kinematics";
import type { BodyPose } from "../model/bodies";
import { axes, arrow } from "./axes";
import type { Drawn } from "./drawn";
import { Ground } from "./ground";
import { Label } from "./labels";
import { lights, materials, type Materials } from "./materials";
import { Rod } from "./rod";
import { boxOf, solids } from "./shapes";
import type { Theme } from "./theme";
import { Trail } from "./trail";

const LABEL_PX = 18;
const MOST_LABELS = 60; // beyond, they hide what they name
const HANGING = 0.4; // of its height: what is deeper below the ground than this hangs from it
const [WIDE, HIGH] = [0.35, 0.75]; // of an arm's length, about and above its foot: what it usually needs
const BELOW = 0.12; // of its diameter: the floor below a rotor
const LEAST_REACH = 0.01; // [m]
const ONE = new Vector3(1, 1, 1);

export class ModelWorld implements Drawn {
  readonly scene = new Scene();
  readonly trail: Trail;
  readonly Q_eye = new Quaternion();
  readonly graspable: Object3D[] = [];
  readonly #bodies: Group[];
  readonly #ground: Ground;
  readonly #labels: Label[] = [];
  /** What is shown by choice. */
  readonly #parts: Record<"joints" | "frames" | "inertia", Object3D[]> = { joints: [], frames: [], inertia: [] };
  readonly #world: Mesh;
  readonly #rods: Rod[];
  #poses: readonly (BodyPose | null)[] = [];

  /** @param poses by which its size is judged */
  constructor(
    readonly model: ModelScene,
    poses: readonly (BodyPose | null)[],
    colours: Theme,
    fine: boolean,
  ) {
    this.#poses = poses;
    const box = this.#box();
    const reach = Math.max(LEAST_REACH, 0.5 * box.getSize(new Vector3()).length());
    const floor = this.#floor(box);
    const surfaces = materials(fine, colours);
    this.scene.background = colours.background;
    this.trail = new Trail(colours.trail, 0.012 * reach);
    this.#ground = new Ground(floor, 0.8 * reach, floor + reach, colours, fine, false);
    const still = merged(model.ground.shapes, surfaces, colours);
    this.#bodies = model.bodies.map((body, k) => this.#body(body, k, surfaces, colours, reach));
    for (const joint of model.joints) this.#axis(joint, reach, colours);
    this.#rods = model.rods.map((rod) => new Rod(rod, model, surfaces.paint, colours.frame));
    this.#world = axes((model.rotor ? 0.1 : 0.3) * reach, false);
    this.#world.position.z = floor + 0.01 * reach;
    this.scene.add(...(fine ? lights(colours, 1.6 * reach) : []), ...this.#ground.objects, ...still, ...this.#bodies, ...this.#rods.map(({ mesh }) => mesh), this.trail.mesh, this.#world);
    this.place(poses);
  }

  get name(): string {
    return this.model.name;
  }

  /** Where it is, and where an arm that stands on the ground will soon be. */
  get home(): Drawn["home"] {
    const box = this.#box();
    if (this.model.rotor) {
      const centre = box.getCenter(new Vector3());
      const ends = this.model.bodies.map((body, k) => this.#reach(body, k, centre));
      return { centre: centre.toArray(), radius: Math.max(LEAST_REACH, ...ends) };
    }
    const { foot, length } = this.#chain();
    if (box.getCenter(new Vector3()).z > foot.z) {
      const [wide, high] = [WIDE * length, HIGH * length];
      box.expandByPoint(new Vector3(-wide, -wide, 0).add(foot)).expandByPoint(new Vector3(wide, wide, high).add(foot));
    }
    const radius = Math.max(LEAST_REACH, 0.5 * box.getSize(new Vector3()).length());
    return { centre: box.getCenter(new Vector3()).toArray(), radius: 1.08 * radius };
  }

  /** @param ground pose of the world itself, where it is seen from axes that turn */
  place(poses: readonly (BodyPose | null)[], ground: BodyPose | null = null): void {
    this.#poses = poses;
    this.#bodies.forEach((group, k) => {
      const pose = poses[k];
      group.visible = !!pose;
      if (!pose) return;
      group.matrix.copy(matrixOf(pose));
      group.matrixWorldNeedsUpdate = true;
    });
    for (const rod of this.#rods) rod.place(poses, ground);
    const placed = poses.filter((pose) => pose !== null);
    const middle = (k: 0 | 1 | 2): number => placed.reduce((sum, { p }) => sum + p[k], 0) / Math.max(1, placed.length);
    this.#ground.place({ p: [middle(0), middle(1), middle(2)], R: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }); // prettier-ignore
  }

  /** Of a body by name, or of the last one: the end of what it consists of that is furthest from its joint. */
  point(name: string): Vec | null {
    const named = this.model.bodies.findIndex((body) => body.name === name);
    const k = named >= 0 ? named : this.model.bodies.length - 1;
    const [body, pose] = [this.model.bodies[k], this.#poses[k]];
    return body && pose ? tipOf(body).applyMatrix4(matrixOf(pose)).toArray() : null;
  }

  eyeInWorld(): Vector3 {
    return new Vector3();
  }

  choose(choices: Choices): void {
    for (const label of this.#labels) label.sprite.visible = choices.names;
    for (const what of ["joints", "frames", "inertia"] as const) for (const part of this.#parts[what]) part.visible = choices[what];
    this.#world.visible = choices.axes;
    this.trail.mesh.visible = choices.trail;
  }

  scaleLabels(perPixel: number): void {
    for (const label of this.#labels) label.scale(perPixel);
  }

  dispose(): void {
    this.scene.environment?.dispose();
    this.scene.traverse((object) => {
      const { geometry, material } = object as { geometry?: BufferGeometry; material?: Material & { map?: Texture } };
      geometry?.dispose();
      material?.map?.dispose();
      material?.dispose();
    });
  }

  #body(body: ModelBody, k: number, surfaces: Materials, colours: Theme, reach: number): Group {
    const group = new Group();
    group.matrixAutoUpdate = false;
    group.add(...merged(body.shapes, surfaces, colours));
    const boxes = body.shapes.filter((shape) => shape.role === "inertia").map((shape) => ghostly(shape, colours));
    const frame = axes(0.16 * reach, true);
    this.#parts.inertia.push(...boxes);
    this.#parts.frames.push(frame);
    group.add(...boxes, frame);
    if (k < MOST_LABELS) {
      const flag = colours.isDark ? { ink: "#e3eaf1", fill: "#151c25e0" } : { ink: "#17202a", fill: "#ffffffe0" };
      const label = new Label({ text: body.name, line: `#${colours.levels.unknown.getHexString()}`, ...flag }, LABEL_PX, true);
      label.sprite.position.copy(tipOf(body).multiplyScalar(0.5)); // half way along it
      this.#labels.push(label);
      group.add(label.sprite);
    }
    return group;
  }

  /** The axis of a joint, fixed in its parent. */
  #axis({ parent, p, q, axis }: ModelJoint, reach: number, colours: Theme): void {
    if (!axis || Math.hypot(...axis) === 0) return;
    const line = arrow(vec(axis), 0.2 * reach, colours.axis);
    line.applyMatrix4(matrixOf({ p, q }));
    const carrier = this.#bodies[this.model.bodies.findIndex((body) => body.name === parent)];
    (carrier ?? this.scene).add(line);
    this.#parts.joints.push(line);
  }

  /** Below what carries the model; below all that it may reach, where it hangs. */
  #floor(box: Box3): number {
    if (this.model.rotor) return box.min.z - BELOW * box.getSize(new Vector3()).x; // nothing of it is to be hidden
    const still = new Box3();
    for (const shape of this.model.ground.shapes) still.union(boxOf(shape, new Matrix4()));
    if (-box.min.z < HANGING * box.max.z) return Math.min(0, still.isEmpty() ? box.min.z : still.min.z);
    return -1.05 * Math.max(...[box.min, box.max].flatMap(({ x, y, z }) => [x, y, z]).map(Math.abs));
  }

  /** Where the first joint is, and the longest way along joints from there to the end of a body [m]. */
  #chain(): { foot: Vector3; length: number } {
    const way = new Map<string, number>();
    let foot: Vector3 | null = null;
    for (const { parent, child, p } of this.model.joints) {
      const before = way.get(parent);
      if (before === undefined) foot ??= new Vector3(...p);
      way.set(child, before === undefined ? 0 : Math.max(way.get(child) ?? 0, before + Math.hypot(...p)));
    }
    const ends = this.model.bodies.map((body) => (way.get(body.name) ?? 0) + tipOf(body).length());
    return { foot: foot ?? new Vector3(), length: Math.max(0, ...ends) };
  }

  /** How far a body goes from a point: its frame, and the corners of its meshes. */
  #reach({ shapes }: ModelBody, k: number, from: Vector3): number {
    const pose = this.#poses[k];
    if (!pose) return 0;
    const T = matrixOf(pose);
    const corners = shapes.flatMap(({ vertices }) => vertices).map((corner) => from.distanceTo(new Vector3(...corner).applyMatrix4(T)));
    return Math.max(from.distanceTo(new Vector3(...pose.p)), ...corners);
  }

  /** In W, of everything that has a place. */
  #box(): Box3 {
    const box = new Box3();
    const add = (shapes: readonly ModelShape[], T: Matrix4): void => {
      for (const shape of shapes) if (shape.role !== "inertia") box.union(boxOf(shape, T));
    };
    add(this.model.ground.shapes, new Matrix4());
    this.model.bodies.forEach((body, k) => {
      const pose = this.#poses[k];
      if (!pose) return;
      box.expandByPoint(new Vector3(...pose.p));
      add(body.shapes, matrixOf(pose));
    });
    return box;
  }
}

/** Links of paint, joints and frames of steel: two draw calls for a body. */
function merged(shapes: readonly ModelShape[], surfaces: Materials, colours: Theme): Mesh[] {
  const colourOf = ({ role }: ModelShape): Color => (role === "link" ? colours.body : role === "joint" ? colours.frame : colours.dark);
  return [
    [solids(shapes.filter(({ role }) => role === "link"), colourOf), surfaces.paint] as const,
    [solids(shapes.filter(({ role }) => role === "joint" || role === "frame"), colourOf), surfaces.paint] as const,
  ].flatMap(([geometry, material]) => {
    if (!geometry) return [];
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
  });
}

/** Edges and a breath of colour: a box of equal inertia is no part of the body. */
function ghostly(shape: ModelShape, colours: Theme): Group {
  const group = new Group();
  const geometry = solids([shape], () => colours.trail);
  if (!geometry) return group;
  const fill = new Mesh(geometry, new MeshBasicMaterial({ color: colours.trail, transparent: true, opacity: 0.14, depthWrite: false, toneMapped: false }));
  const edges = new LineSegments(new EdgesGeometry(geometry, 30), new LineBasicMaterial({ color: colours.trail, transparent: true, opacity: 0.8, toneMapped: false }));
  fill.renderOrder = edges.renderOrder = 3;
  group.add(fill, edges);
  return group;
}

/** The end of a body's links that is furthest from its frame. */
function tipOf(body: ModelBody): Vector3 {
  let tip = new Vector3();
  for (const { type, size, p, q } of body.shapes.filter(({ role }) => role === "link")) {
    const half = type === "cylinder" || type === "capsule" ? (size[2] ?? 0) / 2 : 0;
    const along = new Vector3(0, 0, half).applyQuaternion(new Quaternion(q[1], q[2], q[3], q[0]));
    for (const end of [new Vector3(...p).add(along), new Vector3(...p).sub(along)]) if (end.length() > tip.length()) tip = end;
  }
  return tip;
}

function matrixOf({ p, q }: { readonly p: readonly number[]; readonly q: readonly number[] }): Matrix4 {
  const [w = 1, x = 0, y = 0, z = 0] = q;
  return new Matrix4().compose(new Vector3(...vec(p)), new Quaternion(x, y, z, w), ONE);
}
