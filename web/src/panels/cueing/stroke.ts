/** What is left: the demanded length of every leg within its stroke, and of the rates at which nobody notices a tilt. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { computed } from "../../core/signal";
import { LEGS } from "../../net/words";
import { platformOf } from "../../scene/platform_source";
import { meter, section } from "../common/ui";
import { tunerOf } from "../tuning/tuner";
import { beyond } from "./axes";

const LITTLE = 0.1; // of the stroke: a margin to look at
const NONE = 0.03;
const THRESHOLD = 0.0524; // [rad/s] where nothing else is known: 3 degrees a second
const DEGREE = Math.PI / 180;

export function stroke(app: App): HTMLElement {
  const found = platformOf(app);
  const reach = computed<readonly [number, number] | null>(() => {
    const now = found();
    return now.state === "here" && now.scene.kind === "platform" ? [now.scene.l_min, now.scene.l_max] : null;
  });
  const left = h("span", { class: "num", "data-test": "cueing-stroke-left" }, "–");
  const bars = LEGS.map((leg) => {
    const mark = h("i", {});
    const text = h("span", { class: "num" }, "–");
    const element = h("div", { class: "cue-leg", "data-test": `cueing-leg-${leg}` }, h("span", { class: "faint" }, `Leg ${leg}`), h("b", {}, mark), text);
    return { leg, mark, text, element };
  });
  const unknown = h("p", { class: "faint p-small" }, "The strokes of the legs are unknown: the ring does not describe its platform.");
  const turns = [["Pitch", "omega_y"], ["Roll", "omega_x"]].map(([label = "", axis = ""]) => ({ axis, view: meter(label, `cueing-turn-${axis}`) }));
  const goals = computed(() => new Map(tunerOf(app).found()?.parameters.map(({ name, goal }) => [name, goal[0] ?? NaN]) ?? []));
  const limit = (): number => {
    const [air, share] = [goals.peek().get("cue_tilt_rate") ?? THRESHOLD, app.value("cue_set")];
    return share > 0 ? air + share * ((goals.peek().get("cue_ground_tilt_rate") ?? air) - air) : air;
  };
  const element = section("Stroke and tilt", [h("span", { class: "faint p-small" }, "least margin"), left], unknown, h("div", { class: "cue-legs" }, ...bars.map((bar) => bar.element)), h("p", { class: "faint p-small" }, "Turns faster than the vehicle, of the largest rate of a tilt:"), h("div", { class: "cue-turns" }, ...turns.map(({ view }) => view.element)));
  app.onFrame(() => {
    if (!app.isBeat || !element.checkVisibility()) return;
    for (const { axis, view } of turns) {
      const rate = beyond(app.value(`cue_${axis}`), app.value(`demand_${axis}`));
      const most = limit();
      const share = rate / most;
      const level = share > 1.05 ? "bad" : share > 0.8 ? "warn" : "good"; // at its limit a tilt is as fast as it may be
      const text = Number.isFinite(rate) ? `${(rate / DEGREE).toFixed(1)} of ${(most / DEGREE).toFixed(1)} °/s` : "–";
      view.set(text, share, Number.isFinite(rate) ? level : "none", "How much faster the platform turns than the vehicle, beside the largest rate of a tilt, below which nobody notices it");
    }
    setText(left, millimetres(app.value("stroke_left")));
    const range = reach.peek();
    unknown.hidden = range !== null;
    const lengths = bars.map(({ leg }) => app.value(`leg${leg}_l_cmd`));
    const margins = lengths.map((l) => (range ? Math.min(l - range[0], range[1] - l) : NaN));
    const least = margins.indexOf(Math.min(...margins.filter(Number.isFinite)));
    bars.forEach(({ leg, mark, text, element: one }, k) => {
      const [l = NaN, margin = NaN] = [lengths[k], margins[k]];
      const isKnown = range !== null && Number.isFinite(l);
      const span = range ? range[1] - range[0] : NaN;
      const share = isKnown ? Math.min(1, Math.max(0, (l - range[0]) / span)) : 0.5;
      mark.style.left = `${(100 * share).toFixed(1)}%`;
      mark.hidden = !isKnown;
      setText(text, millimetres(margin));
      toggleClass(one, "least", k === least);
      toggleClass(one, "warn", margin < LITTLE * span && margin >= NONE * span);
      toggleClass(one, "bad", margin < NONE * span);
      const title = isKnown ? `Leg ${leg}: ${l.toFixed(3)} m demanded, ${range[0].toFixed(3)} to ${range[1].toFixed(3)} m are its stroke; the number is the way left to the nearer end` : "";
      if (one.title !== title) one.title = title;
    });
  });
  return element;
}

function millimetres(metres: number): string {
  return Number.isFinite(metres) ? `${(1e3 * metres).toFixed(0)} mm`.replace("-", "−") : "–";
}
