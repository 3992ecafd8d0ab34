/** The controller in its own process: whether it answers, how old its answers are, and what was wrong with them. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { figure } from "../operator/host";
import { section } from "../common/ui";

const FRESH_S = 5e-3;
const SILENT_S = 0.05;
const AGE = "controller_age";
const WRONG = ["late", "duplicate", "malformed", "foreign"];

export function link(app: App): HTMLElement {
  const dot = h("span", { class: "dot" });
  const word = h("span", { class: "grow", "data-test": "controller-word" });
  const [age, answers, wrong] = [figure("Age"), figure("Answers"), figure("Rejected")];
  const element = section("Controller link", [], h("div", { class: "row" }, dot, word), h("div", { class: "p-figures" }, age.element, answers.element, wrong.element));
  app.onFrame(() => {
    if (!app.isBeat || !element.checkVisibility()) return;
    const [seconds, frames] = [app.value(AGE), app.value("controller_frames")];
    const isInternal = frames === 0 && seconds === 0;
    const level = Number.isNaN(seconds) ? "" : seconds <= FRESH_S ? "good" : seconds <= SILENT_S ? "warn" : "bad";
    for (const one of ["good", "warn", "bad"]) toggleClass(dot, one, one === level);
    setText(word, Number.isNaN(seconds) ? "Unknown." : isInternal ? "The model's own law computes the torques." : level === "good" ? "Torques arrive." : level === "warn" ? "Torques are late." : "The controller is silent.");
    age.set(Number.isNaN(seconds) ? "–" : seconds < 10 ? `${(1e3 * seconds).toFixed(1)} ms` : `${seconds.toFixed(0)} s`);
    answers.set(Number.isNaN(frames) ? "–" : frames.toFixed(0));
    const rejected = WRONG.reduce((sum, what) => sum + app.value(`controller_${what}`), 0);
    wrong.set(Number.isNaN(rejected) ? "–" : rejected.toFixed(0));
    wrong.element.title = WRONG.map((what) => `${what} ${app.value(`controller_${what}`)}`).join(", ");
  });
  return element;
}
