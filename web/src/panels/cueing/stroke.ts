/** What is left: the demanded length of every leg within its stroke, and how fast the platform tilts. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { computed } from "../../core/signal";
import { LEGS } from "../../net/words";
import { platformOf } from "../../scene/platform_source";
import { section } from "../common/ui";

const LITTLE = 0.1; // of the stroke: a margin to look at
const NONE = 0.03;

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
  const element = section("Stroke", [h("span", { class: "faint p-small" }, "least margin"), left], unknown, h("div", { class: "cue-legs" }, ...bars.map((bar) => bar.element)));
  app.onFrame(() => {
    if (!app.isBeat || !element.checkVisibility()) return;
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
