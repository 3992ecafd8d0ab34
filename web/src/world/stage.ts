/** Between the record and the canvas of the view outside: what is shown now, in which world. */

import type { App } from "../app";
import { effect, signal, type Signal } from "../core/signal";
import type { WorldScene } from "../net/types";
import { graphics, type Graphics } from "../scene/view/software";
import { captionAt } from "./captions";
import type { WorldChoices } from "./choices";
import { listen } from "./hands";
import { Reading } from "./motion";
import { Playback, type State } from "./playback";
import type { View } from "./view/view";

const NO_WEBGL = "This browser offers no WebGL 2, so the view outside cannot be drawn. Try to enable hardware acceleration in the browser's settings.";
const LOST = "The graphics card reclaimed its memory. The picture returns by itself; if it does not, reload the page.";
const NO_PLACE = "The records have no valid place of the vehicle yet.";
const BESIDE_EVERY = 3; // animation frames, while a processor cannot draw both in each
const A_SCRIPT = 1; // of world_hand

export class Stage {
  /** Why nothing can be drawn; "" while it can. */
  readonly trouble: Signal<string> = signal("");
  /** What the script says now; "" for nothing. */
  readonly caption: Signal<string> = signal("");
  #scene: WorldScene | null = null;
  #view: View | null = null;
  #graphics: Graphics = "none";
  #reading: Reading | null = null;
  #playback = new Playback();
  #state: State | null = null;
  #byName: unknown = null;
  #version = -1;
  #generation = -1;
  #isMaking = false;
  #covered = 0;

  constructor(
    readonly app: App,
    readonly choices: WorldChoices,
    readonly place: HTMLElement,
  ) {
    effect(() => {
      const camera = choices.camera();
      this.#view?.choose(camera);
    });
  }

  start(): void {
    this.app.onFrame((now) => this.#frame(now));
    new ResizeObserver(() => this.#view?.resize(this.place.clientWidth, this.place.clientHeight)).observe(this.place);
  }

  show(scene: WorldScene | null): void {
    this.#scene = scene;
    this.#byName = null;
    this.#state = null;
    if (scene) void this.#make();
  }

  reset(): void {
    this.#view?.reset();
  }

  /** So much of the picture is covered at its lower edge [css px]: the vehicle is to be seen above it. */
  cover(height: number): void {
    this.#covered = height;
    this.#view?.cover(height);
  }

  async picture(save: (canvas: HTMLCanvasElement, name: string, caption: string[]) => Promise<void>): Promise<void> {
    if (!this.#view || !this.#scene || !this.#state) throw new Error("there is no picture to save yet");
    this.#view.draw(); // a canvas is only readable in the turn in which it was drawn
    await save(this.#view.canvas, this.#scene.name, [`t ${this.#state.t.toFixed(1)} s of its world`]);
  }

  /** three.js comes with the first world, and after the first curves. */
  async #make(): Promise<void> {
    if (this.#view || this.#isMaking) return;
    this.#isMaking = true;
    await this.app.firstCurves;
    this.#graphics = graphics();
    if (this.#graphics === "none") return this.trouble.set(NO_WEBGL);
    const { View } = await import("./view/view");
    try {
      this.#view = new View(this.#graphics === "software", { lost: () => this.trouble.set(LOST), restored: () => this.trouble.set("") });
    } catch {
      return this.trouble.set(NO_WEBGL);
    }
    const { canvas } = this.#view;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "View outside: drag turns the camera, the wheel zooms, a double click brings it back");
    canvas.dataset["test"] = "world-canvas";
    this.place.prepend(canvas);
    listen(canvas, this.#view);
    this.#view.choose(this.choices.camera.peek());
    this.#view.cover(this.#covered);
    this.#view.resize(this.place.clientWidth, this.place.clientHeight);
    this.#byName = null;
  }

  #frame(now: number): void {
    const { app } = this;
    const scene = this.#scene;
    app.besideEvery = 1;
    if (!scene || !this.place.checkVisibility()) return;
    if (this.#view?.isPressed) app.besideEvery = BESIDE_EVERY;
    const byName = app.session.byName.peek();
    if (byName !== this.#byName && this.#view) {
      this.#byName = byName;
      this.#reading = new Reading(scene, byName);
      this.#playback = new Playback(this.#reading.periods);
      this.#version = -1;
      this.#view.show(scene, this.#reading.names);
    }
    if (app.live.version !== this.#version && this.#reading) {
      this.#version = app.live.version;
      if (app.live.generation !== this.#generation) this.#playback.clear();
      this.#generation = app.live.generation;
      this.#state = this.#reading.read(app.live.newest);
      if (this.#state) this.#playback.push(this.#state, app.live.arrivedAt);
      if (app.isBeat || this.#state?.t === 0) this.#tell(scene);
    }
    this.#view?.frame(now, (at) => this.#playback.at(at));
  }

  #tell(scene: WorldScene): void {
    const hasPlace = this.#state !== null;
    const text = this.trouble.peek();
    if (text === "" || text === NO_PLACE) this.trouble.set(hasPlace ? "" : NO_PLACE);
    this.caption.set(captionAt(scene, this.#state?.t ?? NaN, this.app.value("world_hand") === A_SCRIPT));
  }
}
