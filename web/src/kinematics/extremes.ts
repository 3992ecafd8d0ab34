/** The 64 extremes: a table, in an order to choose, and a player that leads the studied pose through it. */

import type { App } from "../app";
import { fill, h, setText } from "../core/dom";
import { icon } from "../core/icon";
import { effect, signal } from "../core/signal";
import type { Extreme, LegPosture } from "../net/types";
import { iconButton } from "../panels/common/ui";
import { fixedText } from "../plots/numbers";
import { gapText } from "./store";
import { SPEEDS, studiesOf } from "./study";

const DEGREES = 180 / Math.PI;
const ICONS = { back: "M18 6 9 12l9 6|M6 6v12", play: "M8 5l11 7-11 7z", pause: "M8 5v14|M16 5v14", on: "M6 6l9 6-9 6|M18 6v12" };
const largest = (angle: (leg: LegPosture) => number[]) => ({ posture }: Extreme): number =>
  Math.max(...posture.legs.flatMap(angle).map(Math.abs));
const ANGLES = {
  base: ["base bearing", largest((leg) => leg.base)],
  platform: ["platform bearing", largest((leg) => leg.platform)],
  rod: ["rod rotation", largest((leg) => [leg.rotation])],
} as const;
type Angle = keyof typeof ANGLES;
const ORDERS = { clearance: "clearance", base: ANGLES.base[0], platform: ANGLES.platform[0], rod: ANGLES.rod[0], dexterity: "dexterity", number: "number" } as const;
type Order = keyof typeof ORDERS;

export function extremes(app: App): HTMLElement {
  const studies = studiesOf(app);
  const order = signal<Order>("clearance");
  const angle = (): Angle => (order() === "platform" || order() === "rod" ? (order() as Angle) : "base");
  const pick = h("select", { "aria-label": "Order of the extremes", "data-test": "extremes-order", onchange: () => order.set(pick.value as Order) },
    ...Object.entries(ORDERS).map(([value, text]) => h("option", { value }, `By ${text}`))); // prettier-ignore
  const speed = h("select", { "aria-label": "Speed", title: "Speed", onchange: () => (studies.speed = Number(speed.value)) },
    ...SPEEDS.map((one) => h("option", { value: one, selected: one === 1 }, `${one}×`))); // prettier-ignore
  const play = iconButton(ICONS.play, "Play", () => studies.play(!studies.isPlaying.peek()), "extremes-play");
  const step = (by: 1 | -1) => () => {
    studies.play(false);
    studies.step(by);
  };
  const bar = h("div", { class: "row" }, iconButton(ICONS.back, "Previous", step(-1), "extremes-back"), play,
    iconButton(ICONS.on, "Next", step(1), "extremes-on"), speed, h("span", { class: "grow" }), pick); // prettier-ignore
  const body = h("tbody");
  const column = h("th", { class: "num", scope: "col" });
  const table = h("table", { class: "k-extremes", "data-test": "extremes" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Legs out"), h("th", { class: "num", scope: "col" }, "Clearance"), column, h("th", { class: "num", scope: "col" }, "Dexterity"))), body); // prettier-ignore
  const text = h("p", { class: "dim p-small", "data-test": "extremes-text" });
  const rows = new Map<number, HTMLElement>();
  effect(() => {
    const isPlaying = studies.isPlaying();
    fill(play, icon(isPlaying ? ICONS.pause : ICONS.play, 15));
    play.title = isPlaying ? "Pause" : "Play all extremes in turn";
    play.setAttribute("aria-label", play.title);
  });
  effect(() => {
    const found = studies.extremes();
    bar.hidden = table.hidden = !found;
    const missing = found?.missing.length ? ` ${found.missing.length} of the 64 have no pose.` : "";
    setText(text, found ? `Every leg fully retracted or extended.${missing}` : studies.trouble() || "Computing the 64 extremes …");
    if (!found) return;
    const measure = ANGLES[angle()];
    setText(column, { base: "Base", platform: "Platform", rod: "Rod" }[angle()]);
    column.title = `Largest ${measure[0]}`;
    const by = order();
    const key = (one: Extreme): number => {
      if (by === "clearance") return one.posture.gaps.length ? (one.posture.gaps[0]?.distance ?? -1) : Infinity;
      return by === "number" ? one.number : by === "dexterity" ? one.posture.dexterity : -measure[1](one);
    };
    const sorted = [...found.extremes].sort((a, b) => key(a) - key(b) || a.number - b.number);
    rows.clear();
    for (const one of sorted) rows.set(one.number, row(one, measure[1](one), () => studies.go(one.number)));
    fill(body, ...rows.values());
    studies.order.set(sorted.map((one) => one.number));
  });
  effect(() => {
    const at = studies.at();
    studies.order();
    for (const [number, element] of rows) element.toggleAttribute("aria-current", number === at);
    if (at !== null && studies.isPlaying.peek()) rows.get(at)?.scrollIntoView({ block: "nearest" });
  });
  return h("div", { class: "column" }, text, bar, h("div", { class: "k-scroll" }, table));
}

function row({ number, name, posture }: Extreme, angle: number, go: () => void): HTMLElement {
  const gap = posture.gaps[0];
  const kind = !gap || gap.verdict === "clear" ? "" : gap.verdict === "warn" ? "warn" : "bad";
  const legs = number === 63 ? "all" : [1, 2, 3, 4, 5, 6].filter((leg) => (number >> (leg - 1)) & 1).join(", ") || "none";
  return h("tr", { "data-test": `extreme-${number}` },
    h("td", {}, h("button", { type: "button", class: "quiet", title: `${name}: show this pose`, onclick: go }, legs)),
    h("td", { class: `num ${kind}`, title: gap ? `${gap.first} – ${gap.second}` : "" }, gap ? gapText(gap.distance) : "–"),
    h("td", { class: "num" }, `${fixedText(DEGREES * angle, 1)}°`), h("td", { class: "num" }, fixedText(posture.dexterity, 3))); // prettier-ignore
}
