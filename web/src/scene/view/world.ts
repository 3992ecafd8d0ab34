/** Everything that is drawn of one platform, and how it follows a pose. */

import { Group, Matrix4, Mesh, Quaternion, Scene, Vector3, type BufferGeometry, type Material, type Texture } from "three";
import type { Scene as Platform } from "../../net/types";
import type { Choices } from "../choices";
import { inWorld, meanRadius, vec, type Placement, type Vec } from "../kinematics";
import { axes } from "./axes";
import { baseFrame, floorHeight } from "./base";
import { cabin, eyePoint } from "./cabin";
import { Ghost } from "./ghost";
import { Ground } from "./ground";
import { horizon, markers } from "./horizon";
import { Label } from "./labels";
import { Legs } from "./legs";
import { lights, materials } from "./materials";
import type { OwnParts } from "./meshes";
import { deckPlate, platformFrame } from "./platform";
import type { Theme } from "./theme";
import { Trail } from "./trail";

const LEG_LABEL_PX = 20;
const POINT_LABEL_PX = 18;
const LEG_LABEL_AT = 0.42; // of the leg's length from its foot

export class World {
  readonly scene = new Scene();
  readonly trail: Trail;
  readonly eye: Vec;
  readonly T_WP = new Matrix4();
  readonly Q_WP = new Quaternion();
  readonly #moving = new Group();
  readonly #cabin: Mesh | null;
  readonly #legs: Legs;
  readonly #ground: Ground;
  readonly #ghost: Ghost;
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
    this.eye = eyePoint(platform)?.place ?? [0, 0, 0.6 * reach];
    this.scene.background = colours.background;
    this.#ground = new Ground(floor, reach, neutral[2], colours, fine);
    this.#legs = new Legs(platform, surfaces, colours, own);
    const frame = own.platform ?? platformFrame(platform, colours);
    const payload = own.platform ? null : cabin(platform, colours);
    this.#cabin = payload && solid(payload, surfaces.paint);
    this.#moving.add(solid(frame, surfaces.paint), ...(this.#cabin ? [this.#cabin] : []));
    this.#moving.matrixAutoUpdate = false;
    this.#ghost = new Ghost(payload ? [deckPlate(platform, colours), payload] : [frame], colours);
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
      solid(own.base ?? baseFrame(platform, colours), surfaces.paint),
      ...this.#legs.objects,
      this.#moving,
      this.#ghost.group,
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
    this.#moving.matrix.copy(this.T_WP);
    this.#moving.matrixWorldNeedsUpdate = true;
    this.#legs.place(placed);
    this.#ground.place(placed);
    this.#legLabels.forEach((label, k) => {
      const leg = placed.legs[k];
      if (leg) label.sprite.position.set(...leg.foot).addScaledVector(new Vector3(...leg.axis), LEG_LABEL_AT * leg.length);
    });
  }

  /** True where a colour changed. */
  stroke(shares: readonly number[]): boolean {
    return this.#legs.levels(shares);
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
    this.#isPilot = isPilot; // who sits inside a ghost sees nothing else
    this.#ghost.group.visible = this.#hasGhost && choices.ghost && !isPilot;
    this.trail.mesh.visible = choices.trail && !isPilot;
    if (this.#cabin) this.#cabin.visible = !isPilot;
    this.#horizon.visible = isPilot;
  }

  scaleLabels(perPixel: number): void {
    for (const label of [...this.#legLabels, ...this.#pointLabels]) label.scale(perPixel);
  }

  /** A named point of the platform in W; the joints' centroid for a name it does not have. */
  point(name: string): Vec | null {
    const own = this.platform.points[name];
    return this.placed && (own ? inWorld(this.placed, vec(own)) : this.placed.p);
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
}

function solid(geometry: BufferGeometry, material: Material): Mesh {
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

function matrixOf({ R, p }: Placement, into: Matrix4): Matrix4 {
  return into.set(...R[0], p[0], ...R[1], p[1], ...R[2], p[2], 0, 0, 0, 1);
}
