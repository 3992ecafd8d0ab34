/** Six legs in three draw calls: cylinders, rods and the balls of the joints, each an instanced mesh. */

import {
  Color,
  CylinderGeometry,
  DynamicDrawUsage,
  InstancedMesh,
  Matrix4,
  SphereGeometry,
  Vector3,
  type BufferGeometry,
  type Material,
  type Object3D,
} from "three";
import type { Scene as Platform } from "../../net/types";
import { level, type Leg, type Level, type Placement, type Vec } from "../kinematics";
import { forkSize } from "./base";
import { Build } from "./build";
import type { Materials } from "./materials";
import type { Theme } from "./theme";

const LEGS = 6;
const PLAIN = new Color(1, 1, 1);
const OVERLAP = 0.12; // of the cylinder's length stays on the rod at full extension

/** The tube ends where the retracted leg leaves room for the rod's eye. */
export function tubeLength(platform: Platform): number {
  return platform.hard_min - Math.max(0.1 * platform.hard_min, 3.2 * platform.rod_radius);
}

export class Legs {
  readonly objects: Object3D[];
  readonly #cylinders: InstancedMesh;
  readonly #rods: InstancedMesh;
  readonly #balls: InstancedMesh;
  readonly #colours: Theme;
  readonly #radii: [number, number];
  #levels: Level[] = [];
  #marks: ReadonlyMap<string, Color> = new Map();

  constructor(platform: Platform, surfaces: Materials, colours: Theme, own: { cylinder?: BufferGeometry; rod?: BufferGeometry }) {
    this.#colours = colours;
    this.#cylinders = instanced(own.cylinder ?? cylinder(platform, colours), surfaces.paint, LEGS);
    this.#rods = instanced(own.rod ?? rod(platform, colours), surfaces.steel, LEGS);
    const ball = new Build().add(new SphereGeometry(1, 10, 7), colours.steel).done();
    this.#balls = instanced(ball, surfaces.steel, 2 * LEGS);
    this.#radii = [0.85 * forkSize(platform), 0.7 * forkSize(platform)];
    this.objects = [this.#cylinders, this.#rods, this.#balls];
    this.levels(Array<number>(LEGS).fill(NaN));
  }

  place({ legs }: Placement): void {
    legs.forEach((leg, k) => {
      const frame = along(leg);
      this.#cylinders.setMatrixAt(k, frame.setPosition(...leg.foot));
      this.#rods.setMatrixAt(k, frame.setPosition(...leg.head));
      this.#balls.setMatrixAt(k, ball(leg.foot, this.#radii[0]));
      this.#balls.setMatrixAt(LEGS + k, ball(leg.head, this.#radii[1]));
    });
    for (const mesh of [this.#cylinders, this.#rods, this.#balls]) mesh.instanceMatrix.needsUpdate = true;
  }

  /** @param shares of the stroke that is used, 0 to 1; true where a colour changed */
  levels(shares: readonly number[]): boolean {
    const now = shares.map(level);
    if (now.every((one, k) => one === this.#levels[k])) return false;
    this.#levels = now;
    this.#paint();
    return true;
  }

  /** @param marks colours of parts that are too near others, by name */
  mark(marks: ReadonlyMap<string, Color>): void {
    this.#marks = marks;
    this.#paint();
  }

  #paint(): void {
    const of = (kinds: string[], k: number): Color | undefined => kinds.map((kind) => this.#marks.get(`${kind} ${k + 1}`)).find(Boolean);
    for (let k = 0; k < LEGS; k += 1) {
      const own = this.#colours.levels[this.#levels[k] ?? "unknown"];
      this.#cylinders.setColorAt(k, of(["cylinder", "manifold", "motor", "pipes"], k) ?? own);
      this.#rods.setColorAt(k, of(["rod"], k) ?? PLAIN);
      this.#balls.setColorAt(k, of(["base cross", "base fork"], k) ?? PLAIN);
      this.#balls.setColorAt(LEGS + k, of(["platform cross", "platform fork"], k) ?? PLAIN);
    }
    for (const mesh of [this.#cylinders, this.#rods, this.#balls]) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }
}

function instanced(geometry: BufferGeometry, material: Material, count: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, count);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.frustumCulled = false; // six legs are in sight or nothing is
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

const [X, Y, Z] = [new Vector3(), new Vector3(), new Vector3()];

/** z along the leg, x away from the middle of the base and level where it can be. */
function along(leg: Leg): Matrix4 {
  Z.set(...leg.axis);
  X.set(leg.foot[0], leg.foot[1], 0).addScaledVector(Z, -X.dot(Z));
  if (X.lengthSq() < 1e-9) X.set(1, 0, 0).addScaledVector(Z, -Z.x);
  X.normalize();
  return new Matrix4().makeBasis(X, Y.crossVectors(Z, X), Z);
}

function ball(at: Vec, radius: number): Matrix4 {
  return new Matrix4().makeScale(radius, radius, radius).setPosition(...at);
}

/** From the base joint along z. White takes the colour of the stroke, everything else stays dark. */
function cylinder(platform: Platform, colours: Theme): BufferGeometry {
  const r = platform.cylinder_radius;
  const end = tubeLength(platform);
  const white: Color = colours.steel.clone().set(0xffffff);
  const dark = colours.dark;
  const ring = (from: number, to: number, radius: number, colour: Color): void => {
    build.add(new CylinderGeometry(radius, radius, to - from, 14).rotateX(Math.PI / 2).translate(0, 0, (from + to) / 2), colour);
  };
  const build = new Build();
  build.bar([0, 0, 0], [0, 0, 1.6 * r], 0.62 * r, dark, 12);
  ring(1.5 * r, 2.1 * r, 1.22 * r, dark);
  ring(2.1 * r, end - 0.7 * r, r, white);
  ring(end - 0.7 * r, end, 1.2 * r, dark);
  ring(0.55 * end, 0.55 * end + 0.25 * r, 1.05 * r, dark);
  // the valve block or the motor, and the pipe from it to the far end
  build.box([0.9 * r, 1.2 * r, 3.4 * r], [1.35 * r, 0, 4.2 * r], dark);
  build.bar([1.3 * r, 0.35 * r, 5.5 * r], [1.3 * r, 0.35 * r, end - 0.4 * r], 0.13 * r, dark, 8);
  build.bar([1.3 * r, -0.35 * r, 5.5 * r], [1.3 * r, -0.35 * r, end - 0.4 * r], 0.13 * r, dark, 8);
  return build.done();
}

/** From the platform joint down along -z, so long that it never leaves the tube. */
function rod(platform: Platform, colours: Theme): BufferGeometry {
  const r = platform.rod_radius;
  const tube = tubeLength(platform);
  const length = Math.min(platform.hard_max - tube + OVERLAP * tube, 0.97 * platform.hard_min);
  return new Build()
    .bar([0, 0, -length], [0, 0, -1.2 * r], r, colours.steel, 16)
    .bar([0, 0, -2.4 * r], [0, 0, 0], 1.25 * r, colours.frame, 14, 0.9 * r)
    .done();
}
