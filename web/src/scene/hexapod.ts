/** A platform on six legs, with a sphere or not: its pose, strokes and clearances out of the record, or of a study. */

import type { App } from "../app";
import { number } from "../core/format";
import { studiesOf } from "../kinematics/study";
import type { PartGap, Posture, Scene as Platform } from "../net/types";
import { DOFS } from "../net/words";
import type { ChoiceStore } from "./choices";
import { NEUTRAL, placement, strokeShare, type Placement, type Pose } from "./kinematics";
import { measuredLengths, newestPose, newestTurn, POSE_OF, samePose, UPRIGHT, type Turn } from "./pose";
import type { Readouts } from "./readouts";
import { judgedShare, restsDown } from "./resting";
import type { Subject } from "./subject";
import type { Maker } from "./view/drawn";
import type { World } from "./view/world";

const NONE: readonly PartGap[] = [];
const DEGREES = 180 / Math.PI;

export class HexapodSubject implements Subject {
  #world: World | null = null;
  #placed: Placement | null = null;
  #pose: Pose | null = null;
  #ghost: Pose | null = null;
  #turned: Turn = UPRIGHT;
  #known: unknown = null; // the study, or the last that was heard of joints and clearances
  #near: readonly PartGap[] = [];

  constructor(
    readonly app: App,
    readonly choices: ChoiceStore,
    readonly numbers: Readouts,
    readonly platform: Platform,
  ) {}

  get name(): string {
    return this.platform.name;
  }

  get t(): number {
    return this.app.kinematics.study.peek() ? NaN : this.app.live.t;
  }

  async ready(): Promise<Maker> {
    const { platform } = this;
    const { World } = await import("./view/world");
    const { ownParts } = platform.meshes.length ? await import("./view/meshes") : { ownParts: null };
    const own = ownParts ? await ownParts(this.app, platform) : {};
    return (colours, fine) => {
      const world = (this.#world = new World(platform, colours, fine, own));
      const start = this.#placed ?? placement(platform, NEUTRAL);
      world.place(start);
      world.stroke(start.legs.map((leg) => strokeShare(platform, leg.length)));
      return world;
    };
  }

  hasNews(): boolean {
    const known = this.app.kinematics.study.peek() ?? this.app.kinematics.live.peek();
    const isNew = known !== this.#known;
    this.#known = known;
    return isNew;
  }

  take(isStale: boolean, wantsNumbers: boolean): boolean {
    const { platform } = this;
    const { source, ghost, ghostOf } = this.choices.now.peek();
    const study = this.app.kinematics.study.peek();
    const pose = study ? study.pose : newestPose(this.app, source);
    // beside a study the platform is followed a few times a second: to draw it costs as much as all the rest
    const isDue = this.app.isBeat || !this.#ghost;
    const demand = study ? (isDue ? newestPose(this.app, source) : this.#ghost) : ghost && ghostOf !== source ? newestPose(this.app, ghostOf) : null;
    const posture = study ? study.found : (this.app.kinematics.live.peek()?.found ?? null);
    const isMarked = this.#mark(study?.isMoving ? null : posture, isStale);
    const turn = platform.sphere && !study ? newestTurn(this.app) : UPRIGHT;
    const hasTurned = turn.some((part, k) => part !== this.#turned[k]);
    const isSame = samePose(pose, this.#pose) && samePose(demand, this.#ghost) && !hasTurned && !isStale;
    if (isSame && !wantsNumbers) return isMarked;
    const placed = pose && placement(platform, pose);
    const lengths = this.#lengths(placed);
    if (wantsNumbers) this.numbers.show(platform, pose, lengths, posture);
    if (isSame || !placed) return isMarked;
    [this.#pose, this.#ghost, this.#turned, this.#placed] = [pose, demand, turn, placed];
    const isResting = !study && restsDown(this.app);
    this.#world?.place(placed);
    this.#world?.stroke(lengths.map((length) => judgedShare(strokeShare(platform, length), isResting)));
    this.#world?.ghost(demand && placement(platform, demand));
    if (platform.sphere) this.#world?.turn(turn);
    return true;
  }

  held(): Pose | null {
    return this.app.kinematics.study.peek()?.pose ?? null;
  }

  dragged(pose: Pose): void {
    studiesOf(this.app).take(pose);
  }

  caption(): string[] {
    const isStudy = this.app.kinematics.study.peek() !== null;
    const parts = [isStudy ? "STUDY, not the platform" : POSE_OF[this.choices.now.peek().source].title.toLowerCase()];
    if (!isStudy && Number.isFinite(this.app.live.t)) parts.push(`t ${this.app.live.t.toFixed(3)} s`);
    const told = (value: number, k: number): string => (k < 3 ? `${number(value, 4)} m` : `${number(DEGREES * value, 4)}°`);
    return [...parts, ...(this.#pose ?? []).map((value, k) => `${DOFS[k]} ${told(value, k)}`)];
  }

  /** Parts that are near others; drawn anew only where they are others, or were before. */
  #mark(posture: Posture | null, isStale: boolean): boolean {
    const near = posture && posture.verdict !== "clear" ? posture.gaps : NONE;
    if (near === this.#near && !isStale) return false;
    this.#near = near;
    this.#world?.near(near);
    return true;
  }

  /** As measured, where what is drawn was measured; else those of the pose that is drawn, so that a demand shows its own. */
  #lengths(placed: Placement | null): number[] {
    const { source } = this.choices.now.peek();
    const isMeasured = source === "measured" || source === "estimated";
    if ((isMeasured && !this.app.kinematics.study.peek()) || !placed) return measuredLengths(this.app);
    return placed.legs.map((leg) => leg.length);
  }
}
