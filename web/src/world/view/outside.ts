/** All that is drawn of a world: surroundings, vehicle and other objects, around a camera that is above the origin. */

import { Matrix4, PerspectiveCamera, Quaternion, Scene, Vector2, Vector3, type BufferGeometry, type Material, type WebGLRenderer } from "three";
import type { WorldScene } from "../../net/types";
import type { Level } from "../budget";
import { SEA_PROGRESS } from "../motion";
import type { State } from "../playback";
import { anglesOf, type Looking } from "./cameras";
import { daylight, REPEAT_M, type Air } from "./daylight";
import { Shadow } from "./land/decal";
import { Ground } from "./land/ground";
import { Hills } from "./land/hills";
import { Road } from "./land/road";
import { Runway } from "./land/runway";
import { Trees, type Taken, type Wood } from "./land/trees";
import { noiseTexture } from "./noise";
import { Foam } from "./sea/foam";
import { MOST_WAVES, Sea } from "./sea/sea";
import { Wake } from "./sea/wake";
import { Waves } from "./sea/waves";
import { Sky } from "./sky";
import { blur, paint } from "./surface";
import { Others, Vehicle } from "./vehicle";

const SIGHT_M: Record<WorldScene["kind"], number> = { boat: 5000, flight: 15_000, drive: 3200 };
const WOODS: Record<"flight" | "drive", Wood> = {
  flight: { cell: 42, reach: 1100, thick: 0.85, thin: 0.035 },
  drive: { cell: 13, reach: 330, thick: 0.5, thin: 0.035 },
};
const FINE = { rings: 110, columns: 72 };
const COARSE = { rings: 48, columns: 26 };
const NO_SEA = { waves: [], significant_height: 0, peak_period: null, seed: null };
// x forward is -z of a camera, z up is its y
const FORWARD = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(new Vector3(0, -1, 0), new Vector3(0, 0, 1), new Vector3(-1, 0, 0)));

export class Outside {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(50, 1, 0.3, 20_000);
  readonly #air: Air;
  readonly #sky: Sky;
  readonly #vehicle: Vehicle;
  readonly #others: Others;
  readonly #progress: number; // place of the seed's progress among the values of a state; -1 for none
  readonly #sight: number;
  readonly #waves: Waves | null;
  readonly #hills: Hills;
  readonly #sea: Sea | null = null;
  readonly #wake: Wake | null = null;
  readonly #foam: Foam | null = null;
  readonly #ground: Ground | null = null;
  readonly #runway: Runway | null = null;
  readonly #road: Road | null = null;
  readonly #trees: Trees | null = null;
  readonly #shadow: Shadow | null = null;

  /** @param names of the values that come with a state @param fine a graphics card draws */
  constructor(
    readonly world: WorldScene,
    readonly names: readonly string[],
    fine: boolean,
  ) {
    const isSea = world.sea !== null || (world.kind === "boat" && world.ground === null);
    this.#air = daylight(noiseTexture(fine), isSea ? "sea" : "land", fine);
    this.#sight = SIGHT_M[world.kind];
    this.#air.setSight(this.#sight);
    this.#sky = new Sky(this.#air);
    const surface = paint(this.#air);
    this.#vehicle = new Vehicle(world, names, paint(this.#air, true), blur());
    this.#others = new Others(world.objects, names, surface);
    this.#progress = names.indexOf(SEA_PROGRESS);
    this.#hills = new Hills(world.ground);
    this.#waves = isSea ? new Waves(world.sea ?? NO_SEA, MOST_WAVES) : null;
    const { size, box } = this.#vehicle;
    if (this.#waves) {
      this.#wake = new Wake(size.x, size.y);
      this.#sea = new Sea(this.#air, this.#waves, this.#wake, size, { x: (box.min.x + box.max.x) / 2, low: box.min.z });
      this.#foam = new Foam(this.#air, world.objects);
      this.scene.add(this.#sea.mesh, this.#foam.group);
    } else {
      this.#ground = new Ground(this.#air, this.#hills, world.kind === "flight" ? 1 : 0.6, world.ground?.runway ?? null);
      this.#shadow = new Shadow(this.#air, size.x, Math.min(size.y, 1.2 * size.x));
      this.#runway = world.ground?.runway ? new Runway(this.#air, world.ground.runway) : null;
      this.#road = world.road && world.road.points.length > 1 ? new Road(this.#air, world.road, this.#hills) : null;
      this.#trees = new Trees(surface, WOODS[world.kind === "flight" ? "flight" : "drive"], this.#hills.heightAt, this.#taken());
      this.scene.add(this.#ground.mesh, this.#shadow.mesh, ...(this.#runway ? [this.#runway.mesh] : []), ...(this.#road?.meshes ?? []), ...this.#trees.meshes);
    }
    this.#vehicle.group.traverse((part) => (part.renderOrder ||= 2));
    this.#others.group.traverse((part) => (part.renderOrder = 3));
    this.scene.add(this.#sky.mesh, this.#vehicle.group, this.#others.group);
  }

  /** The water and the wake, by the world's time. */
  move(state: State): void {
    this.#waves?.move(this.world.sea?.seed ? (state.values[this.#progress] ?? 0) : state.t);
    this.#wake?.move(state);
  }

  heightAt = (x: number, y: number): number => this.#waves?.heightAt(x, y) ?? this.#hills.heightAt(x, y);

  /** @param seconds by which clouds and ripples move */
  draw(renderer: WebGLRenderer, state: State, looking: Looking, { detail }: Level, seconds: number): void {
    this.#vehicle.asDriver(looking.isDriver);
    const [x, y, z] = looking.p;
    const { uniforms } = this.#air;
    const { roll, pitch, heading } = anglesOf(looking.q);
    const { camera } = this;
    const [w, a, b, c] = looking.q;
    camera.position.set(0, 0, z);
    camera.quaternion.set(a, b, c, w).multiply(FORWARD);
    camera.fov = looking.field;
    camera.far = 2.4 * this.#sight;
    camera.near = this.world.kind === "flight" ? 0.5 : 0.25;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    (uniforms["eyeAt"]?.value as Vector3).set(0, 0, z);
    (uniforms["shift"]?.value as Vector2).set(x % REPEAT_M, y % REPEAT_M);
    if (uniforms["seconds"]) uniforms["seconds"].value = seconds % 10_000;
    const count = { rings: mix(COARSE.rings, FINE.rings, detail), columns: mix(COARSE.columns, FINE.columns, detail) };
    this.#sky.look(camera);
    this.#vehicle.place(state, x, y);
    this.#others.place(state, x, y, this.#waves && ((u, v) => this.heightAt(u, v)), 1.5 * this.#sight);
    this.#wake?.draw(renderer, state, x, y);
    this.#foam?.place(state.t, x, y, this.heightAt, 0.4 * this.#sight);
    this.#sea?.set(count, 0.25 + 0.75 * detail);
    this.#sea?.look(camera, new Vector2(x, y), roll, pitch, heading, this.#sight);
    this.#sea?.leaveOut(state, x, y);
    this.#ground?.set(this.#hills.isLevel ? COARSE : count);
    this.#ground?.look(camera, x, y, roll, pitch, heading, this.#sight);
    this.#runway?.place(x, y);
    this.#road?.place(x, y);
    this.#trees?.place(x, y, mix(40, 100, detail) / 100);
    this.#shadow?.place(state, this.#vehicle.box.min.z, x, y, this.heightAt);
    renderer.render(this.scene, camera);
  }

  dispose(): void {
    this.#wake?.dispose();
    (this.#air.uniforms["noise"]?.value as { dispose(): void } | undefined)?.dispose();
    this.scene.traverse((object) => {
      const { geometry, material } = object as { geometry?: BufferGeometry; material?: Material };
      geometry?.dispose();
      material?.dispose();
    });
  }

  /** Where no tree stands: on and beside road, runway and objects. */
  #taken(): Taken {
    const runway = this.world.ground?.runway;
    const line = this.#road?.line ?? [];
    const clear = (this.world.road?.width ?? 0) / 2 + 4;
    const cell = 16;
    const near = new Set<string>();
    const reach = Math.ceil(clear / cell) + 1;
    for (const [x, y] of line.filter((_, k) => k % 2 === 0))
      for (let i = -reach; i <= reach; i += 1) for (let j = -reach; j <= reach; j += 1) {
        const [u, v] = [Math.floor(x / cell) + i, Math.floor(y / cell) + j];
        if (Math.hypot((u + 0.5) * cell - x, (v + 0.5) * cell - y) < clear + 0.71 * cell) near.add(`${u} ${v}`);
      }
    const still = this.world.objects.filter(({ course, v }) => course === null && v[0] === 0 && v[1] === 0).map(({ p }) => p);
    return (x, y) => {
      if (near.has(`${Math.floor(x / cell)} ${Math.floor(y / cell)}`)) return true;
      if (runway) {
        const [dx, dy] = [x - runway.p[0], y - runway.p[1]];
        const [c, s] = [Math.cos(runway.heading), Math.sin(runway.heading)];
        if (Math.abs(dx * c + dy * s) < runway.length / 2 + 1500 && Math.abs(dy * c - dx * s) < runway.width / 2 + 260) return true;
      }
      return still.some((p) => Math.hypot(x - p[0], y - p[1]) < 18);
    };
  }
}

function mix(a: number, b: number, share: number): number {
  return Math.round(a + share * (b - a));
}
