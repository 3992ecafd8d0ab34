/** A pose by hand: six degrees of freedom or six legs, as sliders and as numbers. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { effect, signal } from "../core/signal";
import type { Scene as Platform } from "../net/types";
import { choice } from "../panels/common/ui";
import { choicesOf } from "../scene/choices";
import { NEUTRAL, type Pose } from "../scene/kinematics";
import { DOFS } from "../net/words";
import { newestPose } from "../scene/pose";
import { studiesOf } from "./study";

const DEGREES = 180 / Math.PI;
const FURTHER = 1.25; // than may be commanded: what is out of reach is worth knowing, too

interface Line {
  element: HTMLElement;
  /** In SI; the field that somebody types in is left alone. */
  show(value: number): void;
  /** @param factor from SI to what is shown */
  range(least: number, most: number, factor: number, unit: string, decimals: number): void;
}

/** @param platform of the ring; null while there is none */
export function inputs(app: App, platform: () => Platform | null): HTMLElement {
  const studies = studiesOf(app);
  const choices = choicesOf(app);
  const kind = signal<"dof" | "legs">("dof");
  const pose = (): Pose => studies.study.peek()?.pose ?? NEUTRAL;
  const dofs = DOFS.map((dof, k) => line(dof, `study-${dof}`, (value) => studies.take(pose().map((old, n) => (n === k ? value : old)) as unknown as Pose)));
  let lengths: number[] = [];
  const legs = [1, 2, 3, 4, 5, 6].map((leg, k) => line(`leg ${leg}`, `study-leg-${leg}`, (value) => {
    lengths = lengths.map((old, n) => (n === k ? value : old));
    studies.takeLegs(lengths);
  })); // prettier-ignore
  const by = choice("Pose by", { dof: "Axes", legs: "Legs" }, (value) => kind.set(value), "study-by");
  const neutral = h("button", { type: "button", "data-test": "study-neutral", title: "All to neutral", onclick: () => studies.take(NEUTRAL) }, "Neutral");
  const live = h("button", { type: "button", "data-test": "study-live", title: "The pose of the newest record",
    onclick: () => {
      const now = newestPose(app, choices.now.peek().source);
      if (now) studies.take(now);
      else app.say("The newest record does not have this pose", "error");
    } }, "Take the live pose"); // prettier-ignore
  const element = h("div", { class: "k-inputs" }, h("div", { class: "row" }, by.element, h("span", { class: "grow" }), neutral, live),
    ...[...dofs, ...legs].map((one) => one.element)); // prettier-ignore
  effect(() => {
    by.set(kind());
    dofs.forEach((one) => (one.element.hidden = kind() !== "dof"));
    legs.forEach((one) => (one.element.hidden = kind() !== "legs"));
  });
  effect(() => {
    const known = platform();
    if (!known) return;
    const [factor, unit, decimals] = choices.now().millimetres ? ([1000, "mm", 1] as const) : ([1, "m", 4] as const);
    dofs.forEach((one, k) => {
      const most = FURTHER * (known.limits.position[k] ?? 1);
      if (k < 3) one.range(-most, most, factor, unit, decimals);
      else one.range(-most, most, DEGREES, "°", 2);
    });
    legs.forEach((one) => one.range(known.l_min, known.l_max, factor, unit, decimals));
  });
  let shown: unknown = null;
  effect(() => {
    choices.now();
    shown = null; // the unit may be another
  });
  app.onFrame(() => {
    const study = studies.study.peek();
    if (!app.isBeat || study === shown) return;
    shown = study;
    if (!study) return;
    dofs.forEach((one, k) => one.show(study.pose[k] ?? 0));
    if (!study.found) return;
    const found = study.found.legs.map((leg) => leg.l);
    if (!element.contains(document.activeElement) || kind.peek() === "dof") lengths = found;
    legs.forEach((one, k) => one.show(found[k] ?? NaN));
  });
  return element;
}

function line(name: string, test: string, changed: (value: number) => void): Line {
  let factor = 1;
  let places = 4;
  const slider = h("input", { type: "range", "aria-label": `${name}, slider`, step: "any" });
  const number = h("input", { type: "number", class: "num", "aria-label": name, step: "any", "data-test": test });
  const unit = h("span", { class: "scene-unit" });
  const take = (from: HTMLInputElement): void => {
    if (Number.isFinite(from.valueAsNumber)) changed(from.valueAsNumber / factor);
  };
  slider.addEventListener("input", () => take(slider));
  number.addEventListener("input", () => take(number));
  return {
    element: h("div", { class: "k-line" }, h("span", { class: "dim" }, name), slider, number, unit),
    show: (value) => {
      const shown = (value * factor).toFixed(places).replace(/^-(0\.?0*)$/, "$1");
      if (document.activeElement !== slider) slider.value = shown;
      if (document.activeElement !== number) number.value = shown;
    },
    range: (least, most, by, text, decimals) => {
      [factor, places] = [by, decimals];
      [slider.min, slider.max] = [String(least * by), String(most * by)];
      setText(unit, text);
    },
  };
}
