/** Values in lists and legends: steady in width, prefixes only where numbers are large. */

import { roundStep } from "./autorange";

const MISSING = "–";
const WITH_PREFIX = new Set(["Pa", "N", "W", "J", "N m"]);
const SUPERSCRIPTS: Record<string, string> = { "^2": "²", "^3": "³" };

export interface Reading {
  text: string;
  unit: string;
}

/** Whether large values of it are told in thousands, with k, M or G before the unit. */
export function hasPrefix(unit: string): boolean {
  return WITH_PREFIX.has(unit);
}

export function unitText(unit: string): string {
  return unit === "-" ? "" : unit.replace(/\^[23]/g, (power) => SUPERSCRIPTS[power] ?? power);
}

/** A value as it stands in a list, its unit with a prefix where one is usual. */
export function reading(value: number, unit: string, digits = 5): Reading {
  const plain = unitText(unit);
  if (Number.isNaN(value)) return { text: MISSING, unit: plain };
  const size = Math.abs(value);
  if (hasPrefix(unit) && size >= 1e3 && Number.isFinite(value)) {
    const power = Math.min(3, Math.floor(Math.log10(size) / 3));
    return { text: minus(fixed(value / 1000 ** power, digits)), unit: `${" kMG"[power]}${plain}` };
  }
  return { text: minus(fixed(value, digits)), unit: plain };
}

export function shortText(value: number, unit: string): string {
  const found = reading(value, unit);
  return found.unit ? `${found.text} ${found.unit}` : found.text;
}

/** So many digits for numbers from 1 on, and as many places for smaller ones. */
function fixed(value: number, digits: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  if (size >= 1e7 || (size > 0 && size < 1e-4)) return value.toExponential(digits > 4 ? 2 : 1);
  if (Number.isInteger(value) && size >= 1e4) return String(value);
  return value.toFixed(Math.max(1, digits - (size >= 1000 ? 4 : size >= 100 ? 3 : size >= 10 ? 2 : 1)));
}

export function minus(text: string): string {
  return text.replace("-", "−");
}

/** Labels of a y axis, all with the same decimals and prefix. */
export function axisTexts(splits: readonly number[]): string[] {
  if (splits.length === 0) return [];
  const largest = Math.max(...splits.map(Math.abs));
  const step = splits.length > 1 ? Math.abs(splits[1]! - splits[0]!) : largest || 1;
  const power = largest >= 1e4 ? Math.min(3, Math.floor(Math.log10(largest) / 3)) : 0;
  const scale = 1000 ** power;
  if (largest > 0 && largest < 1e-3) return splits.map((v) => minus(v === 0 ? "0" : v.toExponential(1)));
  const decimals = decimalsOf(step / scale);
  return splits.map((v) => minus((v / scale).toFixed(decimals).replace(/^-(0(\.0*)?)$/, "$1") + "kMG".charAt(power - 1)));
}

/** Places after the point that a step needs to be told exactly. */
function decimalsOf(step: number): number {
  let decimals = 0;
  for (let scaled = step; decimals < 8 && Math.abs(scaled - Math.round(scaled)) > 1e-6 * scaled; scaled *= 10) decimals += 1;
  return decimals;
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
