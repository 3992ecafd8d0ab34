/** Below the picture: every joint with where it is, where it should be, and what its drive gives. */

import type { App } from "../../app";
import { fill, h, setText } from "../../core/dom";
import { effect } from "../../core/signal";
import type { ModelJoint, ModelScene } from "../../net/types";
import { fixedText } from "../../plots/numbers";
import type { ChoiceStore } from "../choices";

const MISSING = "–";
const DEGREES = 180 / Math.PI;
const MOST = 24; // rows: more are in the channel list

export interface JointReadouts {
  element: HTMLElement;
  show(scene: ModelScene): void;
}

/** A joint with a coordinate. */
export interface Axis {
  readonly name: string;
  readonly channel: string;
  readonly isAngle: boolean;
}

export function axesOf(scene: ModelScene): Axis[] {
  const isDriven = (joint: ModelJoint): joint is ModelJoint & { channel: string } => joint.channel !== null;
  return scene.joints.filter(isDriven).map(({ name, channel, unit }) => ({ name, channel, isAngle: unit === "rad" }));
}

export function jointReadouts(app: App, choices: ChoiceStore): JointReadouts {
  const element = h("div", { class: "scene-numbers scene-joints", "data-test": "scene-joint-readouts" });
  effect(() => (element.hidden = !choices.now().numbers));
  let shown: ModelScene | null = null;
  let rows: { show(): void }[] = [];
  const show = (scene: ModelScene): void => {
    if (scene !== shown) {
      shown = scene;
      const made = scene.rotor ? outputs(app) : axesOf(scene).slice(0, MOST).map((axis) => row(app, axis));
      rows = made;
      const heads = (scene.rotor ? ["", "now"] : ["", "position", "set point", "torque"]).map((text) => h("span", { class: "scene-unit" }, text));
      fill(element, h("div", { class: "scene-joint" }, ...heads), ...made.map((one) => one.element));
    }
    if (element.checkVisibility()) for (const one of rows) one.show();
  };
  return { element, show };
}

/** What a rotor gives: thrust, torque, and so on; what is of one blade alone is left to the plots. */
function outputs(app: App): { element: HTMLElement; show(): void }[] {
  const listed = (app.session.schema()?.channels ?? []).filter(({ group, name }) => group === "outputs" && !/^b\d+_/.test(name));
  return listed.slice(0, MOST).map(({ name, unit, description }) => {
    const value = h("b", { class: "num", "data-test": `scene-output-${name}` }, MISSING);
    const element = h("div", { class: "scene-joint" }, h("span", { class: "dim ellipsis", title: description }, name.replaceAll("_", " ")), value);
    const isAngle = unit === "rad";
    return { element, show: () => setText(value, `${fixedText((isAngle ? DEGREES : 1) * app.value(name), isAngle ? 2 : 1)} ${isAngle ? "°" : unit.replace(/^-$/, "")}`) };
  });
}

function row(app: App, { name, channel, isAngle }: Axis): { element: HTMLElement; show(): void } {
  const number = (what: string): HTMLElement => h("b", { class: "num", "data-test": `scene-joint-${channel}${what}` }, MISSING);
  const [position, set, torque] = [number(""), number("-ref"), number("-torque")];
  const element = h("div", { class: "scene-joint" }, h("span", { class: "dim ellipsis", title: name }, name), position, set, torque);
  const told = (value: number): string => (isAngle ? `${fixedText(DEGREES * value, 2)} °` : `${fixedText(value, 4)} m`);
  const show = (): void => {
    setText(position, told(app.value(channel)));
    setText(set, told(app.value(`${channel}_ref`)));
    setText(torque, `${fixedText(app.value(`${channel}_torque`), 1)} ${isAngle ? "N m" : "N"}`);
  };
  return { element, show };
}
