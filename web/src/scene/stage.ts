/** Between the record and the canvas: what is to be drawn now, and whether anything changed. */

import type { App } from "../app";
import { effect, signal, type Signal } from "../core/signal";
import type { ChoiceStore, Preset, Quality } from "./choices";
import type { Subject } from "./subject";
import { graphics, type Graphics } from "./view/software";
import type { View } from "./view/view";

const NO_WEBGL =
  "This browser offers no WebGL 2, so nothing can be drawn; the numbers below still update. " +
  "Try to enable hardware acceleration in the browser's settings.";
const LOST = "The graphics card reclaimed its memory. The picture returns by itself; if it does not, reload the page.";

export class Stage {
  /** Why nothing can be drawn; "" while it can. */
  readonly trouble: Signal<string> = signal("");
  keys = "";
  #subject: Subject | null = null;
  #view: View | null = null;
  #graphics: Graphics = "none";
  #isStale = true;
  #version = -1;
  #generation = -1;
  #owesNumbers = false;
  #turn = 0;

  constructor(
    readonly app: App,
    readonly choices: ChoiceStore,
    readonly place: HTMLElement,
  ) {
    choices.onSeen = () => {
      if (choices.seen?.platform === this.#subject?.name && choices.seen) this.#view?.look(choices.seen);
    };
    effect(() => {
      this.#view?.choose(choices.now());
      choices.now();
      this.#isStale = true;
    });
  }

  /** three.js comes in its own time; what is drawn as numbers does not wait for it. */
  async start(): Promise<void> {
    this.app.onFrame((now) => this.#frame(now));
    await this.app.firstCurves;
    this.#graphics = graphics();
    if (this.#graphics === "none") return this.trouble.set(NO_WEBGL);
    new ResizeObserver(() => this.#view?.resize(this.place.clientWidth, this.place.clientHeight)).observe(this.place);
    const { onTheme } = await import("./view/theme");
    onTheme(() => this.#view?.recolour());
    let made: Quality | null = null;
    effect(() => {
      const { quality } = this.choices.now();
      if (quality !== made) void this.#make(quality);
      made = quality;
    });
  }

  show(subject: Subject | null): void {
    if (this.#subject === subject) return;
    this.#subject = subject;
    void this.#show();
  }

  preset(name: Preset): void {
    this.#view?.preset(name);
    if (this.#view) this.choices.left(this.#view.seen());
  }

  fit(): void {
    this.#view?.fit();
  }

  async picture(save: (canvas: HTMLCanvasElement, name: string, caption: string[]) => Promise<void>): Promise<void> {
    if (!this.#view || !this.#subject) throw new Error("there is no picture to save yet");
    this.#view.draw(); // a canvas is only readable in the turn in which it was drawn
    await save(this.#view.canvas, this.#subject.name, this.#subject.caption());
  }

  async #make(quality: Quality): Promise<void> {
    const isSoftware = this.#graphics === "software";
    const { View } = await import("./view/view");
    if (this.choices.now.peek().quality !== quality) return;
    this.#view?.dispose();
    this.#view = null;
    try {
      this.#view = new View(quality === "fine" || (quality === "auto" && !isSoftware), isSoftware, this.choices.now.peek(), {
        lost: () => this.trouble.set(LOST),
        restored: () => this.trouble.set(""),
        rested: (seen) => this.choices.left(seen),
        held: () => this.#subject?.held() ?? null,
        dragged: (pose) => this.#subject?.dragged(pose),
      });
    } catch {
      return this.trouble.set(NO_WEBGL);
    }
    const { canvas } = this.#view;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `3D view. Keys: ${this.keys}`);
    canvas.dataset["test"] = "scene-canvas";
    this.place.prepend(canvas);
    this.#view.resize(this.place.clientWidth, this.place.clientHeight);
    await this.#show();
  }

  async #show(): Promise<void> {
    const [subject, view] = [this.#subject, this.#view];
    const mine = (this.#turn += 1);
    if (!subject || !view) return;
    const make = await subject.ready();
    if (mine !== this.#turn) return;
    view.show(make, this.choices.seen);
    this.#isStale = true;
  }

  #frame(now: number): void {
    const subject = this.#subject;
    const { live } = this.app;
    const owesNumbers = this.#owesNumbers && this.app.isBeat; // a replay that stands still brings no further record
    if (subject && (subject.hasNews() || live.version !== this.#version || this.#isStale || owesNumbers)) {
      this.#version = live.version;
      if (live.generation !== this.#generation) this.#view?.forgetTrail();
      this.#generation = live.generation;
      this.#take(subject);
    }
    this.#view?.frame(now);
  }

  #take(subject: Subject): void {
    const wantsNumbers = this.app.isBeat || this.#isStale;
    this.#owesNumbers = !wantsNumbers;
    if (!subject.take(this.#isStale, wantsNumbers)) return;
    this.#isStale = false;
    this.#view?.moved(subject.t);
  }
}
