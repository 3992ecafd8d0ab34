/** The host: whether its frames come, and whether what it asks for can be followed, before anybody engages. */

import type { App } from "../../app";
import { fill, h, setText, toggleClass } from "../../core/dom";
import { effect } from "../../core/signal";
import { baseOf } from "../common/base";
import { linkFigures } from "../common/host_link";
import { SILENT_S, STALE_S } from "../common/link_words";
import { section } from "../common/ui";

export function host(app: App): HTMLElement {
  const base = baseOf(app);
  const dot = h("span", { class: "dot" });
  const word = h("span", { class: "grow", "data-test": "host-word" });
  const [age, frames, lost] = ["Age", "Frames", "Lost"].map((label) => figure(label));
  const judged = h("div", { class: "p-list", "data-test": "host-exceeded" });
  let told = "";
  effect(() => {
    const ring = base.ring();
    const found = ring?.state === "live" ? ring.host : null;
    const seconds = found?.age_s ?? null;
    const level = seconds === null ? "" : seconds <= STALE_S ? "good" : seconds <= SILENT_S ? "warn" : "bad";
    for (const one of ["good", "warn", "bad"]) toggleClass(dot, one, one === level);
    setText(word, spoken(seconds, base.mode() === "maintenance"));
    age?.set(seconds === null ? "–" : seconds < 10 ? `${(1e3 * seconds).toFixed(0)} ms` : `${seconds.toFixed(0)} s`);
    frames?.set(found ? found.frames.toFixed(0) : "–");
    lost?.set(found ? found.lost.toFixed(0) : "–");
    const sentences = seconds === null ? [] : (found?.exceeded ?? []);
    const key = seconds === null ? "none" : sentences.join("\n");
    if (key === told) return;
    told = key;
    if (seconds === null) fill(judged);
    else if (sentences.length === 0) fill(
      judged, h("p", { class: "good" }, "The host's demand is within all limits."),
    );
    else fill(judged, ...sentences.map((text) => h("p", { class: "bad" }, text)));
  });
  const figures = h("div", { class: "p-figures" }, age?.element, frames?.element, lost?.element);
  const link = linkFigures(app);
  effect(() => {
    figures.hidden = app.session.byName().has("link_frames"); // the link's own say more
  });
  return section("Host", [], h("div", { class: "row" }, dot, word), figures, link, judged);
}

function spoken(age: number | null, isMaintenance: boolean): string {
  if (age === null) return isMaintenance ? "No frame has arrived; maintenance needs no host." : "No frame has arrived.";
  if (age <= STALE_S) return isMaintenance ? "Frames arrive, but maintenance does not follow them." : "Frames arrive.";
  return age <= SILENT_S ? "Frames are late." : "The host is silent.";
}

export function figure(label: string): { element: HTMLElement; set(text: string): void } {
  const value = h("span", { class: "num" }, "–");
  return {
    element: h("div", { class: "p-figure" }, h("span", { class: "faint" }, label), value),
    set: (text) => setText(value, text),
  };
}
