/** A line about a sphere on its wheels: how it stands, how fast it turns, how much of its traction is used. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import type { Scene as Platform } from "../net/types";
import { fixedText } from "../plots/numbers";

const MISSING = "–";
const DEGREES = 180 / Math.PI;
const USED_UP = 0.9; // of what friction passes on at rest

export interface SphereReadout {
  element: HTMLElement;
  show(platform: Platform): void;
}

export function sphereReadout(app: App): SphereReadout {
  const number = (test: string): HTMLElement => h("b", { class: "num", "data-test": test }, MISSING);
  const [stands, spin, grip] = [number("scene-sphere"), number("scene-spin"), number("scene-grip")];
  const element = h("section", { class: "scene-margins", hidden: true, "aria-label": "Sphere" },
    h("span", { class: "dim", title: "Roll, pitch and yaw of the sphere" }, "sphere", stands),
    h("span", { class: "dim", title: "Angular speed of the sphere" }, "spin", spin),
    h("span", { class: "dim", title: "Traction that the law demands, as a share of what static friction can transmit" }, "traction", grip)); // prettier-ignore
  const size = (names: string[]): number => Math.hypot(...names.map((name) => app.value(name)));
  const show = (platform: Platform): void => {
    element.hidden = platform.sphere === null;
    if (!platform.sphere) return;
    const angles = ["roll", "pitch", "yaw"].map((axis) => fixedText(DEGREES * app.value(`sphere_${axis}`), 1));
    setText(stands, `${angles.join(" ")} °`);
    setText(spin, `${fixedText(DEGREES * size(["x", "y", "z"].map((axis) => `sphere_omega_${axis}`)), 2)} °/s`);
    const wheels = platform.sphere.wheels.filter((wheel) => wheel.is_driven).map((_, k) => k + 1);
    const most = Math.max(...wheels.map((k) => app.value(`wheel${k}_grip`)));
    setText(grip, `${fixedText(100 * most, 0)} %`);
    grip.className = `num ${most > 1 ? "bad" : most > USED_UP ? "warn" : ""}`;
  };
  return { element, show };
}
