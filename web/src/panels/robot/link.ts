/** The controller in its own process: whether it answers, how old its answers are, and what was wrong with them. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { section } from "../common/ui";
import { figure } from "../operator/host";

const FRESH_S = 0.02; // a controller at 100 Hz or faster
const SILENT_S = 1; // long after a model has stopped following
const WRONG = ["late", "duplicate", "malformed", "foreign"];

/** What a controller gives: "Torques arrive." */
export interface Given {
  readonly what: string;
  /** Without a controller. */
  readonly own: string;
}

export const TORQUES: Given = { what: "Torques", own: "The model's own law computes the torques." };

export function link(app: App, given: Given): HTMLElement {
  const dot = h("span", { class: "dot" });
  const word = h("span", { class: "grow", "data-test": "controller-word" });
  const [age, answers, wrong] = [figure("Age"), figure("Answers"), figure("Rejected")];
  const figures = h("div", { class: "p-figures" }, age.element, answers.element, wrong.element);
  const element = section("Controller link", [], h("div", { class: "row" }, dot, word), figures);
  const value = (what: string): number => (app.session.source.peek() === "live" ? app.value(`controller_${what}`) : NaN);
  app.onFrame(() => {
    if (!app.isBeat || !element.checkVisibility()) return;
    const [seconds, frames] = [value("age"), value("frames")];
    const { level, text } = judged(seconds, frames, given);
    for (const one of ["good", "warn", "bad"]) toggleClass(dot, one, one === level);
    setText(word, text);
    age.set(Number.isNaN(seconds) ? "–" : seconds < 10 ? `${(1e3 * seconds).toFixed(1)} ms` : `${seconds.toFixed(0)} s`);
    answers.set(Number.isNaN(frames) ? "–" : frames.toFixed(0));
    const rejected = WRONG.reduce((sum, what) => sum + value(what), 0);
    wrong.set(Number.isNaN(rejected) ? "–" : rejected.toFixed(0));
    const title = WRONG.map((what) => `${what} ${value(what)}`).join(", ");
    if (wrong.element.title !== title) wrong.element.title = title;
  });
  return element;
}

function judged(seconds: number, frames: number, { what, own }: Given): { level: "good" | "warn" | "bad" | ""; text: string } {
  if (Number.isNaN(seconds)) return { level: "", text: "No live records arrive." };
  if (frames === 0 && seconds === 0) return { level: "good", text: own };
  if (seconds <= FRESH_S) return { level: "good", text: `${what} arrive.` };
  return seconds <= SILENT_S ? { level: "warn", text: `${what} are late.` } : { level: "bad", text: "The controller is silent." };
}
