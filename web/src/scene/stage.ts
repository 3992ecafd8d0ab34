/** Between the record and the canvas: what is to be drawn now, and whether anything changed. */

import type { App } from "../app";
import { effect, signal, type Signal } from "../core/signal";
import { studiesOf } from "../kinematics/study";
import type { PartGap, Posture, Scene as Platform } from "../net/types";
import type { ChoiceStore, Preset, Quality } from "./choices";
import { placement, strokeShare, type Placement, type Pose } from "./kinematics";
import type { Shown } from "./picture";
import { measuredLengths, newestPose, newestTurn, samePose, UPRIGHT, type Turn } from "./pose";
import { judgedShare, restsDown } from "./resting";
import type { Readouts } from "./readouts";
import { graphics, type Graphics } from "./view/software";
import type { View } from "./view/view";

const NO_WEBGL =
  "This browser offers no WebGL 2, so the platform cannot be drawn; the numbers below still update. " +
  "Try to enable hardware acceleration in the browser's settings.";
const NONE: readonly PartGap[] = [];
const LOST = "The graphics card reclaimed its memory. The picture returns by itself; if it does not, reload the page.";

export class Stage {
  /** Why nothing can be drawn; "" while it can. */
  readonly trouble: Signal<string> = signal("");
  keys = "";
  #platform: Platform | null = null;
  #view: View | null = null;
  #graphics: Graphics = "none";
  #pose: Pose | null = null;
  #ghost: Pose | null = null;
  #turned: Turn = UPRIGHT;
  #isStale = true;
  #known: unknown = null; // the study, or the last that was heard of joints and clearances
  #near: readonly PartGap[] = [];
  #version = -1;
  #generation = -1;
  #owesNumbers = false;
  #turn = 0;

  constructor(
    readonly app: App,
    readonly choices: ChoiceStore,
    readonly numbers: Readouts,
    readonly place: HTMLElement,
  ) {
    choices.onSeen = () => {
      if (choices.seen?.platform === this.#platform?.name && choices.seen) this.#view?.look(choices.seen);
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

  platform(platform: Platform | null): void {
    if (this.#platform === platform) return;
    this.#platform = platform;
    this.#pose = this.#ghost = null;
    void this.#show();
  }

  preset(name: Preset): void {
    this.#view?.preset(name);
    if (this.#view) this.choices.left(this.#view.seen());
  }

  fit(): void {
    this.#view?.fit();
  }

  async picture(save: (canvas: HTMLCanvasElement, shown: Shown) => Promise<void>): Promise<void> {
    if (!this.#view || !this.#platform) throw new Error("there is no picture to save yet");
    this.#view.draw(); // a canvas is only readable in the turn in which it was drawn
    const { source } = this.choices.now.peek();
    await save(this.#view.canvas, { platform: this.#platform.name, source, pose: this.#pose, t: this.app.live.t, isStudy: this.app.kinematics.study.peek() !== null });
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
        held: () => this.app.kinematics.study.peek()?.pose ?? null,
        dragged: (pose) => studiesOf(this.app).take(pose),
      });
    } catch {
      return this.trouble.set(NO_WEBGL);
    }
    const { canvas } = this.#view;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `3D view of the platform. Keys: ${this.keys}`);
    canvas.dataset["test"] = "scene-canvas";
    this.place.prepend(canvas);
    this.#view.resize(this.place.clientWidth, this.place.clientHeight);
    await this.#show();
  }

  async #show(): Promise<void> {
    const [platform, view] = [this.#platform, this.#view];
    const mine = (this.#turn += 1);
    if (!platform || !view) return;
    const { ownParts } = platform.meshes.length ? await import("./view/meshes") : { ownParts: null };
    const own = ownParts ? await ownParts(this.app, platform) : {};
    if (mine !== this.#turn) return;
    view.show(platform, own, this.choices.seen);
    this.#isStale = true;
  }

  #frame(now: number): void {
    const platform = this.#platform;
    const { live } = this.app;
    const owesNumbers = this.#owesNumbers && this.app.isBeat; // a replay that stands still brings no further record
    const known = this.app.kinematics.study.peek() ?? this.app.kinematics.live.peek();
    if (platform && (live.version !== this.#version || this.#isStale || owesNumbers || known !== this.#known)) {
      this.#known = known;
      this.#version = live.version;
      if (live.generation !== this.#generation) this.#view?.forgetTrail();
      this.#generation = live.generation;
      this.#take(platform);
    }
    this.#view?.frame(now);
  }

  #take(platform: Platform): void {
    const { source, ghost, ghostOf } = this.choices.now.peek();
    const study = this.app.kinematics.study.peek();
    const pose = study ? study.pose : newestPose(this.app, source);
    // beside a study the platform is followed a few times a second: to draw it costs as much as all the rest
    const isDue = this.app.isBeat || !this.#ghost;
    const demand = study ? (isDue ? newestPose(this.app, source) : this.#ghost) : ghost && ghostOf !== source ? newestPose(this.app, ghostOf) : null;
    const posture = study ? study.found : (this.app.kinematics.live.peek()?.found ?? null);
    this.#mark(study?.isMoving ? null : posture);
    const turn = platform.sphere && !study ? newestTurn(this.app) : UPRIGHT;
    const hasTurned = turn.some((part, k) => part !== this.#turned[k]);
    const isSame = samePose(pose, this.#pose) && samePose(demand, this.#ghost) && !hasTurned && !this.#isStale;
    const wantsNumbers = this.app.isBeat || this.#isStale;
    this.#owesNumbers = !wantsNumbers;
    if (isSame && !wantsNumbers) return;
    const placed = pose && placement(platform, pose);
    const lengths = this.#lengths(placed);
    if (wantsNumbers) this.numbers.show(platform, pose, lengths, posture);
    if (isSame || !placed) return;
    [this.#pose, this.#ghost, this.#turned, this.#isStale] = [pose, demand, turn, false];
    const isResting = !study && restsDown(this.app);
    const shares = lengths.map((length) => judgedShare(strokeShare(platform, length), isResting));
    this.#view?.pose(placed, shares, demand && placement(platform, demand), study ? NaN : this.app.live.t);
    if (platform.sphere) this.#view?.turn(turn);
  }

  /** Parts that are near others; drawn anew only where they are others, or were before. */
  #mark(posture: Posture | null): void {
    const near = posture && posture.verdict !== "clear" ? posture.gaps : NONE;
    if (near === this.#near && !this.#isStale) return;
    this.#near = near;
    this.#view?.near(near);
  }

  /** As measured, where what is drawn was measured; else those of the pose that is drawn, so that a demand shows its own. */
  #lengths(placed: Placement | null): number[] {
    const { source } = this.choices.now.peek();
    const isMeasured = source === "measured" || source === "estimated";
    if ((isMeasured && !this.app.kinematics.study.peek()) || !placed) return measuredLengths(this.app);
    return placed.legs.map((leg) => leg.length);
  }
}
