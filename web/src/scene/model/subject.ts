/** A multibody model: its bodies where the records have them. */

import type { App } from "../../app";
import { computed, signal, type Signal } from "../../core/signal";
import type { ModelScene } from "../../net/types";
import type { ChoiceStore } from "../choices";
import type { Pose } from "../kinematics";
import type { Subject } from "../subject";
import type { Maker } from "../view/drawn";
import type { ModelWorld } from "../view/model_world";
import { BodyPlaces, samePoses, type BodyPose } from "./bodies";
import type { JointReadouts } from "./readouts";
import { backOf, seen } from "./spin";

export class ModelSubject implements Subject {
  /** What of the model cannot be drawn now, as a sentence; "" where all can. */
  readonly trouble: Signal<string> = signal("");
  readonly #places: Signal<BodyPlaces>;
  readonly #hasPoses: Promise<void>;
  #tell: () => void = () => undefined;
  #world: ModelWorld | null = null;
  #poses: readonly (BodyPose | null)[] = [];
  readonly #hub: number;
  /** What the world looks like from axes that turn with the shaft; null from its own. */
  #ground: BodyPose | null = null;

  constructor(
    readonly app: App,
    readonly numbers: JointReadouts,
    readonly choices: ChoiceStore,
    readonly scene: ModelScene,
  ) {
    this.#hub = scene.bodies.findIndex(({ name }) => name === scene.rotor?.hub);
    this.#places = computed(() => new BodyPlaces(scene, app.session.byName()));
    this.#hasPoses = new Promise((tell) => (this.#tell = tell));
  }

  get name(): string {
    return this.scene.name;
  }

  get t(): number {
    return this.app.live.t;
  }

  /** Where its bodies are decides how large the picture has to be, so it waits for a record. */
  async ready(): Promise<Maker> {
    const { ModelWorld } = await import("../view/model_world");
    await this.#hasPoses;
    return (colours, fine) => (this.#world = new ModelWorld(this.scene, this.#poses, colours, fine));
  }

  hasNews(): boolean {
    return false;
  }

  take(isStale: boolean, wantsNumbers: boolean): boolean {
    const places = this.#places.peek();
    const found = places.read(this.app.live.newest);
    this.#ground = this.choices.now.peek().turning && this.#hub >= 0 ? backOf(found[this.#hub]) : null;
    const poses = this.#turned(found);
    if (wantsNumbers) {
      this.numbers.show(this.scene);
      if (this.app.live.newest.length) this.trouble.set(places.trouble(found));
    }
    if (poses.every((pose) => pose === null) || (!isStale && samePoses(poses, this.#poses))) return false;
    this.#poses = poses;
    this.#tell();
    this.#place();
    return true;
  }

  #place(): void {
    this.#world?.place(this.#poses, this.#ground);
  }

  #turned(poses: readonly (BodyPose | null)[]): readonly (BodyPose | null)[] {
    const back = this.#ground;
    return back ? poses.map((pose) => pose && seen(back, pose)) : poses;
  }

  held(): Pose | null {
    return null;
  }

  dragged(): void {
    // the bodies of a model are moved by its joints, not by hand
  }

  caption(): string[] {
    return Number.isFinite(this.t) ? [`t ${this.t.toFixed(3)} s`] : [];
  }
}
