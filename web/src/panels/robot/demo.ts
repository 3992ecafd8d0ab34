/** A small tour of the joints, sent by this page one set point after the other; it ends where it began. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import { effect, signal } from "../../core/signal";
import { whyNotOperating } from "../common/access";
import { baseOf } from "../common/base";
import { gate } from "../common/ui";
import { tour, type SetPoint } from "./settings";

const STEP_MS = 1000; // short enough that all of it is one step to take back

export interface Demo {
  button: HTMLButtonElement;
  /** Somebody else takes over. */
  stop(): void;
}

/** @param send takes set points in the order of `setPoints` */
export function demo(app: App, setPoints: () => readonly SetPoint[], send: (values: readonly number[]) => Promise<unknown>): Demo {
  const operating = whyNotOperating(app);
  const base = baseOf(app);
  const runs = signal(false);
  let timer = 0;
  const stop = (): void => {
    clearTimeout(timer);
    runs.set(false);
  };
  const step = async (left: number[][]): Promise<void> => {
    const [next, ...rest] = left;
    if (!next || operating.peek() || base.state.peek() !== "drive") return stop();
    try {
      await send(next);
    } catch (error) {
      app.say(error instanceof Error ? error.message : String(error), "error");
      return stop();
    }
    if (runs.peek()) timer = window.setTimeout(() => void step(rest), STEP_MS);
  };
  const start = (): void => {
    runs.set(true);
    void step(tour(setPoints()));
  };
  const button = h("button", { type: "button", class: "quiet", "data-test": "robot-demo", onclick: () => (runs.peek() ? stop() : start()) }, "Demo");
  effect(() => {
    const idle = base.state() === "drive" ? "" : "the model is not driven: press Drive first";
    gate(button, runs() ? "" : operating() || idle, runs() ? "Stop the tour" : "Move every joint a little to either side, one after the other");
    button.setAttribute("aria-pressed", String(runs()));
  });
  return { button, stop };
}
