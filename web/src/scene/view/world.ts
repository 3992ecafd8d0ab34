/** Everything that is drawn of one platform, and how it follows a pose. */

import { Color, Group, Matrix4, Mesh, Quaternion, Scene, Vector3, type BufferGeometry, type Material, type Texture } from "three";
import type { PartGap, Scene as Platform } from "../../net/types";
import type { Choices } from "../choices";
import { inWorld, meanRadius, vec, type Placement, type Vec } from "../kinematics";
import { axes } from "./axes";
import { baseFrame, floorHeight } from "./base";
import { cabin, eyePoint } from "./cabin";
import type { Drawn } from "./drawn";
import { Ghost } from "./ghost";
import { Ground } from "./ground";
import { horizon, markers } from "./horizon";
import { Label } from "./labels";
import { Legs } from "./legs";
import { lights, materials } from "./materials";
import type { OwnParts } from "./meshes";
import { Near } from "./near";
import { deckPlate, platformFrame } from "./platform";
import { capsule, support } from "./sphere";
import type { Theme } from "./theme";
import { Trail } from "./trail";

const LEG_LABEL_PX = 20;
const POINT_LABEL_PX = 18;
const BRIGHT = 1.7; // frames are dark, and their colour is multiplied by that of the mark
const LEG_LABEL_AT = 0.42; // of the leg's length from its foot

export class World implements Drawn {
  readonly scene = new Scene();
  readonly trail: Trail;
  readonly home: Drawn["home"];
  /** Who looks from within: place in P, and orientation in W. */
  eye: Vec;
  readonly Q_eye = new Quaternion();
  readonly T_WP = new Matrix4();
  readonly Q_WP = new Quaternion();
  readonly #moving = new Group();
  readonly #cabin: Mesh | null;
  readonly #capsule: Mesh | null;
  readonly #head: Vec;
  readonly #legs: Legs;
  readonly #ground: Ground;
  readonly #ghost: Ghost;
  readonly #near: Near;
  readonly #colours: Theme;
  /** What is drawn as one: base and platform, each with the parts that it stands for, as it is and marked. */
  readonly #wholes: { mesh: Mesh; parts: RegExp; own: Material; marked: Material & { color?: Color } }[];
  readonly #legLabels: Label[];
  readonly #pointLabels: Label[];
  readonly #axes: Mesh[];
  readonly #horizon;
  #hasGhost = false;
  #isPilot = false;
  placed: Placement | null = null;

  constructor(
    readonly platform: Platform,
    colours: Theme,
    fine: boolean,
    own: OwnParts,
  ) {
    const reach = meanRadius(platform.base);
    const floor = floorHeight(platform);
    const surfaces = materials(fine, colours);
    const neutral = vec(platform.p_neutral);
    const ball = platform.sphere;
    this.#head = vec(ball?.points["head"]);
    this.eye = eyePoint(platform)?.place ?? [0, 0, 0.6 * reach];
    const over = ball ? vec(ball.centre)[2] + ball.radius : headroom(platform, reach);
    const top = neutral[2] + over;
    this.home = { centre: [0, 0, 0.5 * (floor + top)], radius: Math.hypot(0.5 * (top - floor), 1.15 * reach) };
    this.scene.background = colours.background;
    this.#ground = new Ground(floor, reach, neutral[2], colours, fine);
    this.#legs = new Legs(platform, surfaces, colours, own);
    const frame = own.platform ?? platformFrame(platform, colours);
    const payload = own.platform ? null : ball ? support(platform, ball, colours) : cabin(platform, colours);
    this.#cabin = payload && solid(payload, surfaces.paint);
    this.#capsule = ball && solid(capsule(ball, colours), surfaces.paint);
    this.#capsule?.position.set(...vec(ball?.centre));
    const [base, carried] = [solid(own.base ?? baseFrame(platform, colours), surfaces.paint), solid(frame, surfaces.paint)];
    this.#colours = colours;
    this.#wholes = [base, carried].map((mesh, k) => {
      const parts = k ? /^(platform( frame)?|catwalk|cabin)$/ : /^(base( frame)?|floor)$/;
      return { mesh, parts, own: surfaces.paint, marked: materials(fine, colours).paint };
    });
    this.#near = new Near(colours, 0.011 * reach);
    this.#moving.add(carried, ...[this.#cabin, this.#capsule].filter((mesh) => mesh !== null));
    this.#moving.matrixAutoUpdate = false;
    const wanted = payload && !ball ? [deckPlate(platform, colours), payload] : ball ? [deckPlate(platform, colours)] : [frame];
    this.#ghost = new Ghost(wanted, colours);
    this.trail = new Trail(colours.trail, 0.014 * reach);
    this.#axes = [axes(0.35 * reach, false), axes(0.28 * reach, true)];
    this.#axes[0]?.position.set(0, 0, floor + 0.01 * reach);
    if (this.#axes[1]) this.#moving.add(this.#axes[1]);
    const flag = colours.isDark ? { ink: "#e3eaf1", fill: "#151c25e0" } : { ink: "#17202a", fill: "#ffffffe0" };
    const line = `#${colours.levels.unknown.getHexString()}`;
    this.#legLabels = platform.base.map((_, k) => new Label({ text: String(k + 1), line, ...flag }, LEG_LABEL_PX));
    this.#pointLabels = Object.entries(platform.points).map(([name, place]) => {
      const label = new Label({ text: name, line: `#${colours.trail.getHexString()}`, ...flag }, POINT_LABEL_PX, true);
      label.sprite.position.set(...vec(place));
      return label;
    });
    const points = markers(Object.values(platform.points).map((place) => vec(place)), 0.02 * reach, colours);
    for (const mark of [...this.#pointLabels.map((label) => label.sprite), ...points]) this.#moving.add(mark);
    this.#horizon = horizon(40 * reach, floor, colours);
    this.scene.add(
      ...(fine ? lights(colours, 2 * reach) : []),
      ...this.#ground.objects,
      base,
      ...this.#legs.objects,
      this.#moving,
      this.#ghost.group,
      this.#near.group,
      this.trail.mesh,
      ...this.#axes.slice(0, 1),
      ...this.#legLabels.map((label) => label.sprite),
      this.#horizon,
    );
  }

  place(placed: Placement): void {
    this.placed = placed;
    matrixOf(placed, this.T_WP);
    this.Q_WP.setFromRotationMatrix(this.T_WP);
    if (!this.#capsule) this.Q_eye.copy(this.Q_WP);
    this.#moving.matrix.copy(this.T_WP);
    this.#moving.matrixWorldNeedsUpdate = true;
    this.#legs.place(placed);
    this.#ground.place(placed);
    this.#legLabels.forEach((label, k) => {
      const leg = placed.legs[k];
      if (leg) label.sprite.position.set(...leg.foot).addScaledVector(new Vector3(...leg.axis), LEG_LABEL_AT * leg.length);
    });
  }

  /** The sphere on its wheels, by its quaternion w, x, y, z in W; the platform below is level. */
  turn([w, x, y, z]: readonly [number, number, number, number]): void {
    const [centre, capsuleMesh] = [vec(this.platform.sphere?.centre), this.#capsule];
    if (!capsuleMesh) return;
    capsuleMesh.quaternion.set(x, y, z, w).premultiply(this.Q_WP.clone().invert());
    const head = new Vector3(...this.#head).applyQuaternion(capsuleMesh.quaternion);
    this.eye = [centre[0] + head.x, centre[1] + head.y, centre[2] + head.z];
    this.Q_eye.set(x, y, z, w);
  }

  /** True where a colour changed. */
  stroke(shares: readonly number[]): boolean {
    return this.#legs.levels(shares);
  }

  /** Pairs of parts, the nearest first: those that are not clear are marked. */
  near(gaps: readonly PartGap[]): void {
    const marks = new Map<string, Color>();
    for (const { first, second, verdict } of [...gaps].reverse())
      if (verdict !== "clear") for (const part of [first, second]) marks.set(part, this.#colours.levels[verdict === "warn" ? "near" : "end"]);
    this.#legs.mark(marks);
    for (const { mesh, parts, own, marked } of this.#wholes) {
      const colour = [...marks].find(([name]) => parts.test(name))?.[1];
      if (colour) marked.color?.copy(colour).multiplyScalar(BRIGHT);
      mesh.material = colour ? marked : own;
    }
    this.#near.show(gaps[0]);
  }

  get name(): string {
    return this.platform.name;
  }

  get graspable(): Group[] {
    return [this.#moving];
  }

  eyeInWorld(): Vector3 {
    return new Vector3(...this.eye).applyMatrix4(this.T_WP);
  }

  ghost(placed: Placement | null): void {
    this.#hasGhost = placed !== null;
    this.#ghost.group.visible = this.#hasGhost && !this.#isPilot;
    if (placed) this.#ghost.place(placed, matrixOf(placed, new Matrix4()));
  }

  choose(choices: Choices, isPilot: boolean): void {
    for (const label of this.#legLabels) label.sprite.visible = choices.labels;
    for (const label of this.#pointLabels) label.sprite.visible = choices.labels && !isPilot;
    for (const arrows of this.#axes) arrows.visible = choices.axes && !isPilot;
    this.#isPilot = isPilot; // from inside a ghost nothing else is visible
    this.#ghost.group.visible = this.#hasGhost && choices.ghost && !isPilot;
    this.trail.mesh.visible = choices.trail && !isPilot;
    for (const mesh of [this.#cabin, this.#capsule]) if (mesh) mesh.visible = !isPilot;
    this.#horizon.visible = isPilot;
  }

  scaleLabels(perPixel: number): void {
    this.#near.scale(perPixel);
    for (const label of [...this.#legLabels, ...this.#pointLabels]) label.scale(perPixel);
  }

  /** A named point of the platform in W; the joints' centroid for a name it does not have. */
  point(name: string): Vec | null {
    const own = this.platform.points[name];
    return this.placed && (own ? inWorld(this.placed, vec(own)) : this.placed.p);
  }

  dispose(): void {
    for (const { own, marked } of this.#wholes) [own, marked].forEach((one) => one.dispose());
    this.scene.environment?.dispose();
    this.scene.traverse((object) => {
      const { geometry, material } = object as { geometry?: BufferGeometry; material?: Material & { map?: Texture } };
      geometry?.dispose();
      material?.map?.dispose();
      material?.dispose();
    });
  }
}

/** What stands over the joints of a platform without a sphere: up to a head above the eye point [m]. */
function headroom(platform: Platform, reach: number): number {
  const eye = eyePoint(platform)?.place[2];
  return eye === undefined ? 0.6 * reach : eye + 0.2 * reach + 0.1;
}

function solid(geometry: BufferGeometry, material: Material): Mesh {
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

function matrixOf({ R, p }: Placement, into: Matrix4): Matrix4 {
  return into.set(...R[0], p[0], ...R[1], p[1], ...R[2], p[2], 0, 0, 0, 1);
}
