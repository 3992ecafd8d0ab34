/** Numbers of channels as text: units, labels of axes, times. */

import { roundStep } from "../core/times";
import type { Range } from "./spec";

const MISSING = "–";
const SUPERSCRIPTS: Record<string, string> = { "^2": "²", "^3": "³" };
const LARGE = /^(m|N|N m|Pa|W|J|V|A|Hz)$/; // units that people have in thousands, too
const SMALL = /^(m|rad|s|N|Pa|W|J|V|A)(\/.+)?$/;
const PREFIX: Record<number, string> = { 3: "G", 2: "M", 1: "k", 0: "", [-1]: "m", [-2]: "µ", [-3]: "n" };
const MOST_DIGITS = 1e5; // of a label of an axis: beyond, it tells the difference to its middle

export function unitText(unit: string): string {
  return unit === "-" ? "" : unit.replace(/\bdeg\b/, "°").replace(/\^[23]/g, (power) => SUPERSCRIPTS[power] ?? power);
}

export function minus(text: string): string {
  return text.replace(/-/g, "−");
}

/** With so many places after the point; what rounds to nothing has no sign. */
export function fixedText(value: number, decimals: number): string {
  if (Number.isNaN(value)) return MISSING;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e9) return minus(value.toExponential(4));
  const text = value.toFixed(decimals);
  return /^-0\.?0*$/.test(text) ? text.slice(1) : minus(text);
}

/** What the labels of an axis are divided by, and the unit that says so. */
export interface AxisScale {
  readonly factor: number;
  readonly unit: string;
}

/** @param usual thousands in which values of this unit are told elsewhere */
export function axisScale([least, most]: Range, unit: string, usual = 0): AxisScale {
  const largest = Math.max(Math.abs(least), Math.abs(most));
  const isOwn = largest >= 1e4 || (largest > 0 && largest < 2e-3);
  const power = usual || (isOwn ? Math.max(-3, Math.min(3, thousands(largest))) : 0);
  if (power === 0) return { factor: 1, unit };
  const takes = (power > 0 ? LARGE : SMALL).test(unit);
  return { factor: 1000 ** power, unit: takes ? `${PREFIX[power]}${unit}` : `${unit} ×10${superscript(3 * power)}`.trim() };
}

/** How many times 1000 goes into it; a hair below a power of ten counts as that power. */
export function thousands(size: number): number {
  return Math.floor((Math.log10(size) + 1e-9) / 3);
}

/** With the prefix for so many thousands. */
export function withPrefix(unit: string, power: number): string {
  return `${PREFIX[power] ?? ""}${unitText(unit)}`;
}

/** Labels of an axis of values, all with the same decimals. */
export function axisTexts(splits: readonly number[], factor = 1): string[] {
  const values = splits.map((split) => split / factor);
  const largest = Math.max(...values.map(Math.abs));
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : largest || 1;
  const middle = values[values.length >> 1] ?? 0;
  if (largest < MOST_DIGITS * step) return values.map((value) => fixedText(value, decimalsOf(step)));
  const apart = (value: number): string => `${value < middle ? "−" : "+"}${minus(Number(Math.abs(value - middle).toPrecision(2)).toExponential())}`;
  return values.map((value) => (value === middle ? minus(String(Number(value.toPrecision(6)))) : apart(value)));
}

/** Where an axis of values has labels: round numbers with so much room between them [px], and two of them in any case. */
export function axisSplits(least: number, most: number, pixels: number, space: number): number[] {
  let found: number[] = [];
  let step = roundStep(((most - least) * space) / pixels);
  for (let tries = 0; tries < 4 && found.length < 2; tries += 1) {
    if (tries > 0) step = roundStep(step / 2.5);
    const [from, to] = [Math.ceil(least / step - 1e-9), Math.floor(most / step + 1e-9)];
    found = Array.from({ length: Math.max(0, to - from + 1) }, (_, k) => Number(((from + k) * step).toPrecision(12)));
  }
  return found;
}

/** Places after the point that a step needs to be told exactly. */
function decimalsOf(step: number): number {
  let decimals = 0;
  for (let scaled = step; decimals < 8 && Math.abs(scaled - Math.round(scaled)) > 1e-6 * scaled; scaled *= 10) decimals += 1;
  return decimals;
}

function superscript(number: number): string {
  return [...String(number)].map((digit) => (digit === "-" ? "⁻" : ("⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? ""))).join("");
}
