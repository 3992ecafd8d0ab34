/** What the operator chose for the view; kept with the layout. */

import type { App } from "../app";
import { signal, type Signal } from "../core/signal";
import type { Piece } from "../data/layout";
import { POSE_SOURCES, type PoseSource } from "./pose";

export const PRESETS = ["isometric", "front", "side", "top", "pilot"] as const;
export type Preset = (typeof PRESETS)[number];
export const QUALITIES = ["auto", "fine", "fast"] as const;
export type Quality = (typeof QUALITIES)[number];
export const GHOSTS = ["command", "host"] as const;
export type GhostOf = (typeof GHOSTS)[number];
export const TRAIL_SECONDS = [2, 5, 10, 30, 60] as const;

export interface Choices {
  source: PoseSource;
  ghost: boolean;
  ghostOf: GhostOf;
  trail: boolean;
  /** A point of the platform or a body of the model by name; "" for the centroid of the joints, or the last body. */
  trailOf: string;
  trailSeconds: number;
  labels: boolean;
  axes: boolean;
  /** Of a model: axes of its joints, frames, boxes of equal inertia and names of its bodies. */
  joints: boolean;
  frames: boolean;
  inertia: boolean;
  names: boolean;
  /** Of a rotor: seen in axes that turn with its shaft. */
  turning: boolean;
  numbers: boolean;
  millimetres: boolean;
  orthographic: boolean;
  quality: Quality;
}

export const DEFAULTS: Choices = {
  source: "measured",
  ghost: false,
  ghostOf: "command",
  trail: false,
  trailOf: "eye",
  trailSeconds: 10,
  labels: true,
  axes: true,
  joints: false,
  frames: false,
  inertia: false,
  names: false,
  turning: true,
  numbers: true,
  millimetres: false,
  orthographic: false,
  quality: "auto",
};

/** A camera that was left somewhere, and the platform it looked at. */
export interface Seen {
  platform: string;
  pilot: boolean;
  azimuth: number;
  elevation: number;
  distance: number;
  target: [number, number, number];
}

const made = new WeakMap<App, ChoiceStore>();

/** Those of the page: the view and the panel of kinematics show the same pose. */
export function choicesOf(app: App): ChoiceStore {
  const known = made.get(app) ?? new ChoiceStore(app);
  made.set(app, known);
  return known;
}

export class ChoiceStore {
  readonly now: Signal<Choices> = signal(DEFAULTS);
  /** Where the camera was; the view writes it, and reads it when a platform comes. */
  seen: Seen | null = null;
  /** Told when a layout brought another camera. */
  onSeen: (() => void) | null = null;
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
    app.layout.register("scene", {
      save: () => ({ ...this.now.peek(), seen: this.seen }),
      load: (piece) => this.#load(piece),
    });
  }

  change(some: Partial<Choices>): void {
    this.now.set({ ...this.now.peek(), ...some });
    this.#app.layout.changed();
  }

  left(seen: Seen): void {
    this.seen = seen;
    this.#app.layout.changed();
  }

  #load(piece: Piece): void {
    const was = this.now.peek();
    this.now.set({
      source: oneOf(POSE_SOURCES, piece["source"], was.source),
      ghost: flag(piece["ghost"], was.ghost),
      ghostOf: oneOf(GHOSTS, piece["ghostOf"], was.ghostOf),
      trail: flag(piece["trail"], was.trail),
      trailOf: typeof piece["trailOf"] === "string" ? piece["trailOf"] : was.trailOf,
      trailSeconds: oneOf(TRAIL_SECONDS, piece["trailSeconds"], was.trailSeconds),
      labels: flag(piece["labels"], was.labels),
      axes: flag(piece["axes"], was.axes),
      joints: flag(piece["joints"], was.joints),
      frames: flag(piece["frames"], was.frames),
      inertia: flag(piece["inertia"], was.inertia),
      names: flag(piece["names"], was.names),
      turning: flag(piece["turning"], was.turning),
      numbers: flag(piece["numbers"], was.numbers),
      millimetres: flag(piece["millimetres"], was.millimetres),
      orthographic: flag(piece["orthographic"], was.orthographic),
      quality: oneOf(QUALITIES, piece["quality"], was.quality),
    });
    const seen = seenOf(piece["seen"]);
    if (seen) this.seen = seen;
    if (seen) this.onSeen?.();
  }
}

function oneOf<T>(known: readonly T[], value: unknown, otherwise: T): T {
  return known.find((one) => one === value) ?? otherwise;
}

function flag(value: unknown, otherwise: boolean): boolean {
  return typeof value === "boolean" ? value : otherwise;
}

function seenOf(value: unknown): Seen | null {
  if (typeof value !== "object" || value === null) return null;
  const { platform, pilot, azimuth, elevation, distance, target } = value as Partial<Seen>;
  const isNumber = (x: unknown): x is number => typeof x === "number" && Number.isFinite(x);
  const numbers = [azimuth, elevation, distance, ...(Array.isArray(target) ? target : [])];
  if (typeof platform !== "string" || numbers.length !== 6 || !numbers.every(isNumber)) return null;
  const [a = 0, e = 0, d = 1, x = 0, y = 0, z = 0] = numbers;
  return d > 0 ? { platform, pilot: pilot === true, azimuth: a, elevation: e, distance: d, target: [x, y, z] } : null;
}
