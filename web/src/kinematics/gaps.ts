/** Dexterity with its last minute, the parts that are nearest, and the clearances that count as near. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { effect } from "../core/signal";
import type { ClearanceThresholds, Posture } from "../net/types";
import { whyNotSeated } from "../panels/common/access";
import { gate } from "../panels/common/ui";
import { fixedText } from "../plots/numbers";
import { gapText } from "./store";

const KEPT = 240; // of four a second: a minute
const [WIDE, HIGH] = [140, 28];
const LISTED = 6;

/** A line of what dexterity was; its upper edge is 1. */
export function dexterity(): { element: HTMLElement; show(found: Posture | null): void; forget(): void } {
  const value = h("b", { class: "num", "data-test": "kinematics-dexterity" }, "–");
  const canvas = h("canvas", { width: 2 * WIDE, height: 2 * HIGH, "aria-label": "Dexterity of the last minute, from 0 to 1", role: "img" });
  const pen = canvas.getContext("2d", { alpha: false });
  let kept: number[] = [];
  const draw = (): void => {
    if (!pen) return;
    const style = getComputedStyle(canvas);
    pen.fillStyle = style.getPropertyValue("--raised");
    pen.fillRect(0, 0, 2 * WIDE, 2 * HIGH);
    pen.strokeStyle = style.getPropertyValue("--accent");
    pen.lineWidth = 3;
    pen.beginPath();
    kept.forEach((one, k) => pen.lineTo((2 * WIDE * (KEPT - kept.length + k)) / (KEPT - 1), 2 + (2 * HIGH - 4) * (1 - one)));
    pen.stroke();
  };
  const about = "1: the platform moves equally well in all directions; 0: the pose is singular (characteristic)";
  const element = h("div", { class: "k-dexterity", title: about }, h("span", { class: "dim" }, "Dexterity"), value, canvas);
  return {
    element,
    show: (found) => {
      setText(value, fixedText(found?.dexterity ?? NaN, 4));
      if (found) kept = [...kept, found.dexterity].slice(-KEPT);
      draw();
    },
    forget: () => (kept = []),
  };
}

export function gapList(): { element: HTMLElement; show(found: Posture | null, why: string): void } {
  const rows = Array.from({ length: LISTED }, () => {
    const [dot, pair, distance] = [h("span", { class: "dot" }), h("span", { class: "ellipsis grow" }), h("b", { class: "num" })];
    return { dot, pair, distance, element: h("li", { hidden: true }, dot, pair, distance) };
  });
  const text = h("p", { class: "faint p-small" });
  const element = h("div", {}, h("ol", { class: "k-gaps", "data-test": "kinematics-gaps", "aria-label": "Nearest parts" }, ...rows.map((one) => one.element)), text);
  const show = (found: Posture | null, why: string): void => {
    rows.forEach((row, k) => {
      const gap = found?.gaps[k];
      row.element.hidden = !gap;
      if (!gap) return;
      const kind = gap.verdict === "clear" ? "good" : gap.verdict === "warn" ? "warn" : "bad";
      row.dot.className = `dot ${kind}`;
      row.distance.className = `num ${kind === "good" ? "" : kind}`;
      setText(row.pair, `${gap.first} – ${gap.second}`);
      setText(row.distance, gapText(gap.distance));
      row.element.title = gap.verdict;
    });
    const said = found ? found.clearance_text : why;
    text.hidden = said === "";
    setText(text, said);
  };
  return { element, show };
}

/** In millimetres; the operator may change them. */
export function thresholds(app: App): HTMLElement {
  const field = (name: "warn" | "stop"): HTMLInputElement =>
    h("input", { type: "number", class: "num", min: 0, max: 1000, step: 0.1, required: true, "data-test": `kinematics-${name}` });
  const [warn, stop] = [field("warn"), field("stop")];
  const set = h("button", { type: "submit", "data-test": "kinematics-set" }, "Set");
  const form = h("form", { class: "k-thresholds" },
    h("label", {}, h("span", {}, "Near below ", h("span", { class: "faint" }, "mm")), warn),
    h("label", {}, h("span", {}, "Alarm below ", h("span", { class: "faint" }, "mm")), stop), set); // prettier-ignore
  form.addEventListener("submit", (submitted) => {
    submitted.preventDefault();
    const wanted: ClearanceThresholds = { warn: warn.valueAsNumber / 1000, stop: stop.valueAsNumber / 1000 };
    const source = app.session.source.peek();
    void app.attempt(app.api.put<ClearanceThresholds>(`/api/kinematics/thresholds?source=${source}`, wanted));
  });
  const why = whyNotSeated(app);
  let shown = "";
  effect(() => {
    for (const one of [warn, stop, set]) gate(one, why(), "Stored for this platform. It sets colours and alarms, and never acts on the platform");
    const now = app.kinematics.clearance()[app.session.source()]?.thresholds;
    const text = JSON.stringify(now);
    if (!now || text === shown) return;
    shown = text;
    [warn.value, stop.value] = [String(Number((1000 * now.warn).toFixed(3))), String(Number((1000 * now.stop).toFixed(3)))];
  });
  return form;
}
