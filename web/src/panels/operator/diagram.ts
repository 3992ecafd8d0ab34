/** The states as a small picture: the four in which the base stays, the ways between them, and the exceptions below. */

import { h, toggleClass } from "../../core/dom";

const SVG = "http://www.w3.org/2000/svg";
const STAYS = { off: [0, 44], down: [62, 54], standby: [176, 66], drive: [302, 48] } as const; // left edge and width
const WAYS = {
  rising: [119, 173, 1], lowering: [119, 173, -1], engaging: [245, 299, 1], settling: [245, 299, -1],
} as const;
const EXCEPTIONS = { freeze: "warn", stopping: "bad", abort: "bad", held: "bad" } as const;
const MIDDLE = 28;
const HIGH = 30;

export interface Diagram {
  element: HTMLElement;
  set(state: string | null): void;
}

export function diagram(): Diagram {
  const svg = node("svg", { viewBox: "0 0 350 56", class: "p-states", role: "img" });
  const parts = new Map<string, Element>();
  svg.append(node("path", { class: "way", d: `M46 ${MIDDLE}H60` }));
  for (const [name, [left, right, sense]] of Object.entries(WAYS)) {
    const y = MIDDLE - 5 * sense;
    const tip = sense > 0 ? `M${right - 4} ${y - 3}l4 3l-4 3` : `M${left + 4} ${y - 3}l-4 3l4 3`;
    const label = node("text", { x: (left + right) / 2, y: sense > 0 ? y - 7 : y + 14 });
    label.textContent = name;
    const group = node("g", { class: "transient" });
    group.append(
      node("path", { class: "way", d: `M${left} ${y}H${right}` }), node("path", { class: "way", d: tip }), label,
    );
    parts.set(name, group);
    svg.append(group);
  }
  for (const [name, [left, wide]] of Object.entries(STAYS)) {
    const label = node("text", { x: left + wide / 2, y: MIDDLE + 4 });
    label.textContent = name;
    const group = node("g", { class: "stay" });
    group.append(node("rect", { x: left + 0.5, y: MIDDLE - HIGH / 2, width: wide, height: HIGH, rx: 7 }), label);
    parts.set(name, group);
    svg.append(group);
  }
  const below = h("div", { class: "p-exceptions" });
  for (const [name, kind] of Object.entries(EXCEPTIONS)) {
    const pill = h("span", { class: `exception ${kind}` }, name);
    parts.set(name, pill);
    below.append(pill);
  }
  const element = h("div", { "data-test": "state-diagram" }, svg as unknown as Node, below);
  const set = (state: string | null): void => {
    for (const [name, part] of parts) toggleClass(part, "lit", name === state);
    svg.setAttribute("aria-label", state === null ? "state unknown" : `state: ${state}`);
    element.dataset["state"] = state ?? "unknown";
  };
  set(null);
  return { element, set };
}

function node(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
