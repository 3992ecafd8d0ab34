/** Below the picture: the pose, the strokes, and what kinematics adds where it is in the ring. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { isOneOf } from "../core/one_of";
import { effect } from "../core/signal";
import { gapText } from "../kinematics/store";
import type { Posture, Scene as Platform } from "../net/types";
import { fixedText } from "../plots/numbers";
import type { ChoiceStore } from "./choices";
import { level, strokeShare, type Pose } from "./kinematics";
import { DOFS, LINEAR } from "../net/words";
import { POSE_OF } from "./pose";
import { judgedShare, restsDown } from "./resting";
import { sphereReadout } from "./sphere_readout";

const MISSING = "–";
const DEGREES = 180 / Math.PI;

export interface Readouts {
  element: HTMLElement;
  /** @param lengths of the legs that are drawn [m]; @param posture null where nothing is known of it yet */
  show(platform: Platform, pose: Pose | null, lengths: readonly number[], posture: Posture | null): void;
}

export function readouts(app: App, choices: ChoiceStore): Readouts {
  const pose = DOFS.map((dof) => row(dof, choices));
  const legs = [1, 2, 3, 4, 5, 6].map(bar);
  const title = h("h3");
  const sphere = sphereReadout(app);
  const even = h("b", { class: "num", "data-test": "scene-dexterity" }, MISSING);
  const least = h("b", { class: "num", "data-test": "scene-clearance" }, MISSING);
  const element = h("div", { class: "scene-numbers", "data-test": "scene-readouts" },
    h("section", { "aria-label": "Pose" }, title, h("div", { class: "scene-pose" }, ...pose.map((one) => one.element))),
    h("section", { "aria-label": "Stroke used by leg" }, h("h3", {}, "Legs"),
      h("div", { class: "scene-legs" }, ...legs.map((one) => one.element))),
    h("section", { class: "scene-margins", "aria-label": "Dexterity and clearance" }, h("span", { class: "dim" }, "dexterity", even), h("span", { class: "dim" }, "min. clearance", least)),
    sphere.element,
  ); // prettier-ignore
  effect(() => {
    setText(title, `Pose, ${app.kinematics.isStudied() ? "study" : POSE_OF[choices.now().source].title.toLowerCase()}`);
    element.hidden = !choices.now().numbers;
  });
  return {
    element,
    show: (platform, at, lengths, posture) => {
      if (!element.checkVisibility()) return;
      const millimetres = choices.now.peek().millimetres;
      pose.forEach((one, k) => one.show(at?.[k] ?? NaN, millimetres));
      const isResting = !app.kinematics.study.peek() && restsDown(app);
      legs.forEach((one, k) => one.show(platform, lengths[k] ?? NaN, millimetres, isResting));
      sphere.show(platform);
      const gap = posture?.gaps[0];
      setText(even, fixedText(posture?.dexterity ?? NaN, 3));
      setText(least, gap ? gapText(gap.distance) : MISSING);
      least.className = `num ${!gap || gap.verdict === "clear" ? "" : gap.verdict === "warn" ? "warn" : "bad"}`;
      least.title = gap ? `${gap.first} – ${gap.second}` : (posture?.clearance_text ?? "");
    },
  };
}

/** Down to a tenth of a millimetre. */
function lengthText(metres: number, millimetres: boolean): string {
  return millimetres ? fixedText(1000 * metres, 1) : fixedText(metres, 4);
}

function row(dof: (typeof DOFS)[number], choices: ChoiceStore) {
  const isLength = isOneOf(LINEAR, dof);
  const value = h("b", { class: "num", "data-test": `scene-pose-${dof}` }, MISSING);
  const unit = isLength
    ? h("button", { class: "scene-unit", title: "Metres or millimetres",
        onclick: () => choices.change({ millimetres: !choices.now.peek().millimetres }) }, "m")
    : h("span", { class: "scene-unit" }, "°"); // prettier-ignore
  const show = (number: number, millimetres: boolean): void => {
    if (!isLength) return setText(value, fixedText(DEGREES * number, 3));
    setText(value, lengthText(number, millimetres));
    setText(unit, millimetres ? "mm" : "m");
  };
  return { element: h("div", {}, h("span", { class: "dim" }, dof), value, unit), show };
}

function bar(leg: number) {
  const fill = h("i");
  const value = h("b", { class: "num", "data-test": `scene-leg-${leg}` }, MISSING);
  const unit = h("span", { class: "scene-unit" }, "m");
  const element = h("div", { "data-level": "unknown" },
    h("span", { class: "dim" }, leg), h("span", { class: "scene-stroke" }, fill), value, unit); // prettier-ignore
  const show = (platform: Platform, length: number, millimetres: boolean, isResting: boolean): void => {
    const share = strokeShare(platform, length);
    const now = level(judgedShare(share, isResting));
    if (element.dataset["level"] !== now) element.dataset["level"] = now;
    fill.style.transform = `scaleX(${Number.isFinite(share) ? Math.min(1, Math.max(0, share)).toFixed(3) : 0})`;
    setText(value, lengthText(length, millimetres));
    setText(unit, millimetres ? "mm" : "m");
    const [from, to] = [platform.l_min.toFixed(3), platform.l_max.toFixed(3)];
    const title = `Leg ${leg}: stroke from ${from} m to ${to} m`;
    if (element.title !== title) element.title = title;
  };
  return { element, show };
}
