/** Below the picture: the pose, the strokes, and what kinematics adds where it is in the ring. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { effect } from "../core/signal";
import { fixedText, unitText } from "../plots/numbers";
import type { Scene as Platform } from "../net/types";
import type { ChoiceStore } from "./choices";
import { level, strokeShare, type Pose } from "./kinematics";
import { DOFS, POSE_OF } from "./pose";

const MISSING = "–";
const DEGREES = 180 / Math.PI;
const EXTRA: [string, string][] = [
  ["clearance_min", "clearance"],
  ["dexterity", "dexterity"],
];

export interface Readouts {
  element: HTMLElement;
  /** @param lengths of the legs that are drawn [m] */
  show(platform: Platform, pose: Pose | null, lengths: readonly number[]): void;
}

export function readouts(app: App, choices: ChoiceStore): Readouts {
  const pose = DOFS.map((dof) => row(dof, choices));
  const legs = [1, 2, 3, 4, 5, 6].map(bar);
  const title = h("h3");
  const extra = EXTRA.map(([name, text]) => ({ name, value: h("b", { class: "num" }), text }));
  const lines = extra.map(({ name, text, value }) =>
    h("div", { class: "scene-extra", hidden: true, "data-test": `scene-${name}` }, h("span", {}, text), value),
  );
  const element = h("div", { class: "scene-numbers", "data-test": "scene-readouts" },
    h("section", { "aria-label": "Pose" }, title, h("div", { class: "scene-pose" }, ...pose.map((one) => one.element))),
    h("section", { "aria-label": "Stroke used by leg" }, h("h3", {}, "Legs"),
      h("div", { class: "scene-legs" }, ...legs.map((one) => one.element))),
    ...lines,
  ); // prettier-ignore
  effect(() => {
    setText(title, `Pose, ${POSE_OF[choices.now().source].title.toLowerCase()}`);
    element.hidden = !choices.now().numbers;
  });
  effect(() => {
    const known = app.session.byName();
    extra.forEach(({ name }, k) => lines[k]?.toggleAttribute("hidden", !known.has(name)));
  });
  return {
    element,
    show: (platform, at, lengths) => {
      if (!element.checkVisibility()) return;
      const millimetres = choices.now.peek().millimetres;
      pose.forEach((one, k) => one.show(at?.[k] ?? NaN, millimetres));
      legs.forEach((one, k) => one.show(platform, lengths[k] ?? NaN, millimetres));
      for (const { name, value } of extra)
        if (app.session.byName.peek().has(name))
          setText(value, `${fixedText(app.value(name), 4)} ${unitText(app.session.byName.peek().get(name)?.unit ?? "-")}`);
    },
  };
}

/** Down to a tenth of a millimetre. */
function lengthText(metres: number, millimetres: boolean): string {
  return millimetres ? fixedText(1000 * metres, 1) : fixedText(metres, 4);
}

function row(dof: (typeof DOFS)[number], choices: ChoiceStore) {
  const isLength = dof === "surge" || dof === "sway" || dof === "heave";
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
  const show = (platform: Platform, length: number, millimetres: boolean): void => {
    const share = strokeShare(platform, length);
    const now = level(share);
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
