/** Legs by angles: what every joint does, as a number and as a bar against how far it may go. */

import { h, setText } from "../core/dom";
import type { AngleRange, Extremes, LegPosture, Posture } from "../net/types";
import { fixedText } from "../plots/numbers";
import { level } from "../scene/kinematics";

const DEGREES = 180 / Math.PI;
const NEAR = 0.9; // of a bearing's range

interface Row {
  title: string;
  unit: string;
  about: string;
  decimals: number;
  value(leg: LegPosture): number;
  /** Name among the requirements; "" where nothing turns that could be limited. */
  joint: string;
  /** Of a bearing: at base 0 or platform 1, first 0 or second 1. */
  bearing: readonly [number, number] | null;
}

const turn = (title: string, about: string, value: Row["value"], joint = ""): Row =>
  ({ title, unit: "°", about, decimals: 1, joint, bearing: null, value: (leg) => DEGREES * value(leg) }); // prettier-ignore
const ENDS = [["Base", "base"], ["Platf.", "platform"]] as const; // prettier-ignore
const ORDINALS = [["1st", "first"], ["2nd", "second"]] as const; // prettier-ignore
const ROWS: readonly Row[] = [
  ...ENDS.flatMap(([title, end], at) => ORDINALS.map(([short, word], k): Row => {
    const joint = `${end}, ${word} bearing`;
    return { ...turn(`${title} ${short}`, `${joint}, from neutral`, (leg) => leg[end][k] ?? NaN, joint), bearing: [at, k] };
  })), // prettier-ignore
  turn("Rod", "rod in its cylinder, about the leg, from neutral", (leg) => leg.rotation, "rod rotation"),
  turn("Elevation", "leg above the horizontal", (leg) => leg.elevation),
  turn("Azimuth", "leg from forward to the left", (leg) => leg.azimuth),
  { ...turn("Length", "from joint to joint", (leg) => leg.l), unit: "m", decimals: 3, value: (leg) => leg.l },
  { ...turn("Stroke", "of the operational stroke; 0 is fully retracted", (leg) => leg.l), unit: "%", value: (leg) => 100 * leg.share },
];

export function angleTable(): { element: HTMLElement; show(found: Posture | null, extremes: Extremes | null): void } {
  const rows = ROWS.map((row) => ({ row, cells: [1, 2, 3, 4, 5, 6].map((leg) => cell(row, leg)) }));
  const head = [1, 2, 3, 4, 5, 6].map((leg) => h("th", { class: "num", scope: "col" }, leg));
  const element = h("table", { class: "k-angles", "data-test": "kinematics-angles" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Leg"), ...head)),
    h("tbody", {}, ...rows.map(({ row, cells }) =>
      h("tr", {}, h("th", { scope: "row", title: row.about }, `${row.title} `, h("span", { class: "faint" }, row.unit)), ...cells.map((one) => one.element)))),
  ); // prettier-ignore
  const show = (found: Posture | null, extremes: Extremes | null): void =>
    rows.forEach(({ row, cells }) => {
      const needed = extremes?.requirements.filter((one) => one.joint === row.joint) ?? [];
      cells.forEach((one, k) => one.show(found, found?.legs[k], needed.find((own) => own.leg === k + 1)));
    });
  return { element, show };
}

function cell(row: Row, leg: number) {
  const number = h("span", {}, "–");
  const bar = h("i");
  const track = h("b", { hidden: true }, bar);
  const name = row.title.toLowerCase().replace(/\W+/g, "-");
  const element = h("td", { class: "num", "data-test": `kinematics-${name}-${leg}` }, number, track);
  const show = (found: Posture | null, own: LegPosture | undefined, needed: AngleRange | undefined): void => {
    const value = own ? row.value(own) : NaN;
    setText(number, fixedText(value, row.decimals));
    const range = row.bearing && found?.bearings[row.bearing[0]]?.[row.bearing[1]];
    const most = range ?? (needed && Math.max(-needed.least, needed.most));
    const isStroke = row.title === "Stroke";
    const share = isStroke ? value / 100 : most ? value / DEGREES / most : NaN;
    track.hidden = Number.isNaN(share);
    track.className = isStroke ? "" : "is-centred";
    bar.style.transform = `scaleX(${Math.max(isStroke ? 0 : -1, Math.min(1, share || 0)).toFixed(3)})`;
    const beyond = isStroke ? { free: "", near: "warn", end: "bad", unknown: "" }[level(share)] : !range ? "" : Math.abs(share) > 1 ? "bad" : Math.abs(share) > NEAR ? "warn" : "";
    if (element.dataset["level"] !== beyond) element.dataset["level"] = beyond;
    const title = range ? `The bearing turns ${fixedText(DEGREES * range, 1)}° either way` : most ? `At the extremes ${fixedText(DEGREES * most, 1)}° either way` : row.about;
    if (element.title !== title) element.title = title;
  };
  return { element, show };
}
