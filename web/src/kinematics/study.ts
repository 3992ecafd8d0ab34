/** The study of a pose: it is asked about, dragged, and led through the extremes. Nothing of it reaches a platform. */

import type { App } from "../app";
import { computed, effect, signal } from "../core/signal";
import { ApiError } from "../net/api";
import type { Extreme, Extremes, Posture } from "../net/types";
import { NEUTRAL, type Pose } from "../scene/kinematics";

const ASK_MS = 130; // between questions: the server answers fifteen a second
const MOVE_MS = 900;
const REST_MS = 900;
const SWEEP_MS = 40_000; // kernels and models may have to be made first
const PREPARING = 409; // HTTP status while they are
const AGAIN_MS = 1000;
export const SPEEDS = [0.5, 1, 2, 4] as const;

type Asked = { dof: readonly number[] } | { legs: readonly number[] };
interface Move {
  from: Pose;
  to: Extreme;
  begin: number;
  isStill: boolean;
}

const made = new WeakMap<App, Studies>();

export function studiesOf(app: App): Studies {
  const known = made.get(app) ?? new Studies(app);
  made.set(app, known);
  return known;
}

export class Studies {
  readonly extremes = signal<Extremes | null>(null);
  readonly trouble = signal("");
  /** Numbers of the extremes in the order in which they are played. */
  readonly order = signal<readonly number[]>([]);
  /** Number of the extreme that is shown or gone to; null for none. */
  readonly at = signal<number | null>(null);
  readonly isPlaying = signal(false);
  speed = 1;
  #move: Move | null = null;
  #restsUntil = 0;
  #wanted: Asked | null = null;
  #isAsking = false;
  #turn = 0;
  #again = 0;

  constructor(private readonly app: App) {
    app.onFrame((now) => this.#frame(now));
    window.addEventListener("keydown", (key) => {
      if (key.key !== "Escape" || key.defaultPrevented || !this.study.peek()) return;
      if (document.querySelector("dialog[open], :popover-open")) return;
      key.preventDefault();
      this.leave();
    });
    const platform = computed(() => {
      const ring = app.session.ring();
      return ring ? `${ring.source} ${ring.platform} ${ring.epoch_utc}` : "";
    });
    effect(() => {
      platform(); // of another one nothing is known yet
      clearTimeout(this.#again);
      this.extremes.set(null);
      this.leave();
    });
  }

  get study() {
    return this.app.kinematics.study;
  }

  /** @param pose to begin with */
  enter(pose: Pose = NEUTRAL): void {
    if (!this.study.peek()) this.#show(pose, null);
    this.#ask({ dof: pose });
  }

  leave(): void {
    this.#turn += 1;
    this.#move = this.#wanted = null;
    this.isPlaying.set(false);
    this.at.set(null);
    this.study.set(null);
  }

  /** Six degrees of freedom from neutral [m, rad]. */
  take(pose: Pose): void {
    this.#stand();
    this.#show(pose, this.study.peek()?.found ?? null);
    this.#ask({ dof: pose });
  }

  /** Six lengths [m]; the pose is what the server finds for them. */
  takeLegs(lengths: readonly number[]): void {
    this.#stand();
    this.#ask({ legs: lengths });
  }

  /** The extremes of the platform shown; asked for again while the server is still preparing its kinematics. */
  async load(): Promise<void> {
    if (this.extremes.peek()) return;
    const source = this.app.session.source.peek();
    clearTimeout(this.#again);
    try {
      this.extremes.set(await this.app.api.get<Extremes>("/api/kinematics/extremes", { source }, SWEEP_MS));
      this.trouble.set("");
    } catch (error) {
      this.trouble.set(sentence(error));
      if (error instanceof ApiError && error.status === PREPARING) this.#again = window.setTimeout(() => void this.load(), AGAIN_MS);
    }
  }

  play(isPlaying: boolean): void {
    this.isPlaying.set(isPlaying);
    this.#restsUntil = 0;
    if (isPlaying && !this.#move) this.step(1);
  }

  /** On to the next in order, or back. */
  step(by: 1 | -1): void {
    const order = this.order.peek();
    const [here, n] = [order.indexOf(this.at.peek() ?? -1), order.length];
    if (n) this.go(order[(here < 0 ? (by > 0 ? 0 : n - 1) : here + by + n) % n] ?? 0);
  }

  /** To an extreme, in a smooth motion. */
  go(number: number): void {
    const to = this.extremes.peek()?.extremes.find((one) => one.number === number);
    if (!to) return;
    this.#wanted = null;
    this.#turn += 1;
    this.at.set(number);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#move = { from: this.study.peek()?.pose ?? NEUTRAL, to, begin: performance.now(), isStill };
  }

  #stand(): void {
    this.#move = null;
    this.isPlaying.set(false);
    this.at.set(null);
  }

  #show(pose: Pose, found: Posture | null, text = "", isMoving = false): void {
    this.study.set({ pose, found, text, isMoving });
  }

  #frame(now: number): void {
    const move = this.#move;
    if (move) {
      const share = move.isStill ? 1 : Math.min(1, Math.max(0, ((now - move.begin) * this.speed) / MOVE_MS));
      const smooth = share * share * (3 - 2 * share);
      const { posture } = move.to;
      const pose = move.from.map((value, k) => value + smooth * ((posture.dof[k] ?? 0) - value)) as unknown as Pose;
      this.#show(pose, posture, "", share < 1); // what is told is that of where it goes
      if (share === 1) [this.#move, this.#restsUntil] = [null, now + REST_MS / this.speed];
    } else if (this.isPlaying.peek() && now >= this.#restsUntil) this.step(1);
  }

  /** One question at a time, and then the newest. */
  #ask(asked: Asked): void {
    this.#wanted = asked;
    if (!this.#isAsking) void this.#answer();
  }

  async #answer(): Promise<void> {
    this.#isAsking = true;
    while (this.#wanted) {
      const [asked, turn] = [this.#wanted, this.#turn];
      this.#wanted = null;
      const source = this.app.session.source.peek();
      const found = await this.app.api.post<Posture>("/api/kinematics/pose", asked, { source }).catch(sentence);
      const now = this.study.peek();
      if (now && turn === this.#turn) {
        if (typeof found === "string") this.#show(now.pose, null, found);
        else this.#show("legs" in asked ? (found.dof as unknown as Pose) : now.pose, found);
      }
      await new Promise((done) => setTimeout(done, ASK_MS));
    }
    this.#isAsking = false;
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
