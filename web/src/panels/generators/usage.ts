/** How much of the limits a motion uses: the largest value of each axis beside what it may be. */

import { fill, h } from "../../core/dom";
import { number } from "../../core/format";
import type { Preview } from "../../net/types";
import { DOFS } from "../../net/words";
import { DEGREE, short } from "./model";

const KINDS = ["position", "velocity", "acceleration"] as const;

export function usage(): { element: HTMLElement; show(answer: Preview | null): void } {
  const body = h("tbody");
  const head = h(
    "tr", {}, h("th", {}, "Largest"), h("th", {}, "Position"), h("th", {}, "Velocity"), h("th", {}, "Accel."),
  );
  const element = h("table", { class: "p-usage", "data-test": "preview-usage" }, h("thead", {}, head), body);
  const show = (answer: Preview | null): void => {
    const rows = answer ? DOFS.flatMap((name, k) => row(name, k, answer)) : [];
    element.hidden = rows.length === 0;
    fill(body, ...rows, answer && rows.length ? legs(answer) : null);
  };
  return { element, show };
}

function row(name: string, k: number, answer: Preview): HTMLElement[] {
  const columns = answer.dofs[k] ?? [];
  const largest = KINDS.map(
    (_, order) => (columns[order] ?? []).reduce((most, value) => Math.max(most, Math.abs(value)), 0),
  );
  if (largest.every((value) => value === 0)) return [];
  const scale = k < 3 ? 1 : 1 / DEGREE;
  const unit = k < 3 ? "m" : "°";
  const cells = KINDS.map((kind, order) => {
    const limit = answer.limits?.[kind][k] ?? null;
    const value = largest[order] ?? 0;
    const full = `${unit}${["", "/s", "/s²"][order] ?? ""}`;
    const title = limit === null
      ? "no limit"
      : `${number(value * scale, 4)} of ${number(limit * scale, 4)} ${full}`;
    return cell(`${short(value * scale)} ${full}`, limit ? value / limit : 0, title);
  });
  return [h("tr", {}, h("th", { scope: "row" }, name), ...cells)];
}

/** Shortest and longest leg, within their range. */
function legs({ legs: lengths, limits }: Preview): HTMLElement | null {
  let [low, high] = [Infinity, -Infinity];
  for (const value of lengths.flat()) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!limits || !Number.isFinite(low)) return null;
  const range = limits.l_max - limits.l_min;
  const allowed = `${number(limits.l_min)} to ${number(limits.l_max)} m`;
  const title = `shortest ${number(low)} m, longest ${number(high)} m; allowed ${allowed}`;
  const over = low < limits.l_min || high > limits.l_max;
  const bar = h(
    "b", { class: over ? "bad" : "" },
    h("i", { style: `margin-left: ${part(low)}; width: calc(${part(high)} - ${part(low)})` }),
  );
  function part(length: number): string {
    return `${Math.min(100, Math.max(0, (100 * (length - (limits?.l_min ?? 0))) / range)).toFixed(1)}%`;
  }
  return h(
    "tr", { title }, h("th", { scope: "row" }, "legs"),
    h("td", { colspan: 3 }, h("span", { class: "num" }, `${number(low)} to ${number(high)} m`), bar),
  );
}

function cell(text: string, share: number, title: string): HTMLElement {
  const level = share > 1 ? "bad" : share > 0.9 ? "warn" : "";
  return h(
    "td", { title }, h("span", { class: `num ${level}` }, text),
    h("b", { class: level }, h("i", { style: `width: ${Math.min(100, 100 * share).toFixed(1)}%` })),
  );
}
