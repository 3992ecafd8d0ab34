/** The time that all plots show, their fixed y ranges, and the way back to what was shown before. */

import { signal } from "../core/signal";
import type { Range, Side } from "./spec";

/** `time` null: the newest `span` seconds of a ring, or the whole of a recording. */
export interface View {
  readonly time: Range | null;
  readonly y: Readonly<Record<string, Partial<Record<Side, Range>>>>;
}

const MOST_STEPS = 100;
const ONE_GESTURE_MS = 500; // steps of a wheel in quick succession are undone at once
const SHORTEST_S = 1e-5;
const TURN_AT = 0.98; // of the width: so far the playhead goes before the page is turned
const TURN_TO = 0.1;

export class ViewHistory {
  readonly now = signal<View>({ time: null, y: {} });
  readonly canUndo = signal(false);
  readonly canRedo = signal(false);
  #before: View[] = [];
  #after: View[] = [];
  #changedAt = -Infinity;
  #kind = "";

  /** @param kind of the gesture: those that follow each other quickly are one step */
  go(next: View, kind: string): void {
    const time = performance.now();
    if (kind !== this.#kind || time - this.#changedAt > ONE_GESTURE_MS) {
      this.#before.push(this.now.peek());
      if (this.#before.length > MOST_STEPS) this.#before.shift();
    }
    this.#kind = kind;
    this.#changedAt = time;
    this.#after = [];
    this.now.set(next);
    this.#tell();
  }

  /** Another time, and nothing to undo: it was not the user who moved it. */
  slide(time: Range): void {
    this.now.set({ ...this.now.peek(), time });
  }

  setTime(time: Range | null, kind: string): void {
    const y = this.now.peek().y;
    if (time && time[1] - time[0] < SHORTEST_S) {
      const middle = (time[0] + time[1]) / 2;
      time = [middle - SHORTEST_S / 2, middle + SHORTEST_S / 2];
    }
    this.go({ time, y }, kind);
  }

  setY(plot: string, side: Side, range: Range | null, kind: string): void {
    const { time, y } = this.now.peek();
    const own = { ...y[plot] };
    if (range && range[1] > range[0]) own[side] = range;
    else delete own[side];
    this.go({ time, y: { ...y, [plot]: own } }, kind);
  }

  undo(): void {
    const back = this.#before.pop();
    if (back) this.#move(back, this.#after);
  }

  redo(): void {
    const next = this.#after.pop();
    if (next) this.#move(next, this.#before);
  }

  #move(to: View, keep: View[]): void {
    keep.push(this.now.peek());
    this.#kind = "";
    this.now.set(to);
    this.#tell();
  }

  /** Nothing to go back to: another recording, another ring. */
  restart(view: View): void {
    this.#before = [];
    this.#after = [];
    this.now.set(view);
    this.#tell();
  }

  #tell(): void {
    this.canUndo.set(this.#before.length > 0);
    this.canRedo.set(this.#after.length > 0);
  }
}

/**
 * The time to show once a playhead has left what is shown, as a page that is turned; null where nothing has to move.
 * A view that did not show the playhead before stays where it is.
 */
export function turned([from, to]: Range, before: number | null, now: number | null): Range | null {
  const span = to - from;
  const isIn = (t: number): boolean => t >= from && t <= to;
  if (now === null || before === null || before === now || !isIn(before)) return null;
  if (isIn(now) && (now < from + TURN_AT * span || now < before)) return null;
  return [now - TURN_TO * span, now + (1 - TURN_TO) * span];
}
