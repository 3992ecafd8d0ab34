/** Numbers of channels as text: units, labels of axes, times. */

import { roundStep } from "./autorange";
import type { Range } from "./spec";

const MISSING = "–";
const SUPERSCRIPTS: Record<string, string> = { "^2": "²", "^3": "³" };
const LARGE = /^(m|N|N m|Pa|W|J|V|A|Hz)$/; // units that people have in thousands, too
const SMALL = /^(m|rad|s|N|Pa|W|J|V|A)(\/.+)?$/;
const PREFIX: Record<number, string> = { 3: "G", 2: "M", 1: "k", 0: "", [-1]: "m", [-2]: "µ", [-3]: "n" };
const MOST_DIGITS = 1e5; // of a label of an axis: beyond, it tells the difference to its middle

export function unitText(unit: string): string {
  return unit === "-" ? "" : unit.replace(/\^[23]/g, (power) => SUPERSCRIPTS[power] ?? power);
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

/** Places after the point that a step needs to be told exactly. */
function decimalsOf(step: number): number {
  let decimals = 0;
  for (let scaled = step; decimals < 8 && Math.abs(scaled - Math.round(scaled)) > 1e-6 * scaled; scaled *= 10) decimals += 1;
  return decimals;
}

function superscript(number: number): string {
  return [...String(number)].map((digit) => (digit === "-" ? "⁻" : ("⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? ""))).join("");
}

const SECOND_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/** Between labels of a time axis, not less than given [s]. */
export function timeStep(atLeast: number): number {
  if (atLeast <= 1) return roundStep(atLeast);
  return SECOND_STEPS.find((step) => step >= atLeast) ?? roundStep(atLeast);
}

/** 12.5, 3:05.20 or 1:02:03: seconds of the ring, with the decimals that the step needs. */
export function timeText(t: number, step: number): string {
  const decimals = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
  const sign = t < -step / 2 ? "−" : "";
  const rounded = Number(Math.abs(t).toFixed(decimals));
  if (rounded < 60) return sign + rounded.toFixed(decimals);
  const seconds = (rounded % 60).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${sign}${minutes}:${seconds}`;
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}`;
}
