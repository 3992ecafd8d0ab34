/** What all instruments have in common: sizes, colours, scales and texts. They are dark in both themes, as over the view. */

import type { WorldInstrument } from "../../net/types";
import type { Attitude } from "./attitude";

/** What an instrument shows now. */
export interface Shown {
  /** In its unit; NaN where nobody knows it. */
  readonly value: number;
  /** What the value means, of channels with codes. */
  readonly word: string | null;
  /** Of the vehicle; null where nobody knows it. */
  readonly attitude: Attitude | null;
}

export type Brush = CanvasRenderingContext2D;

/** A kind of instrument, in css pixels from its upper left corner. */
export interface Look {
  readonly width: number;
  readonly height: number;
  /** What stands still: painted once. */
  still(brush: Brush, of: WorldInstrument): void;
  /** What moves. */
  moving(brush: Brush, of: WorldInstrument, shown: Shown): void;
  /** It is painted again when this text changes. */
  state(of: WorldInstrument, shown: Shown): string;
}

export const SIZE = 112;
export const FACE = "#0b1119d0";
export const EDGE = "#ffffff2e";
export const TICK = "#c3ced8";
export const FAINT = "#9fb0bf";
export const TEXT = "#f1f5f9";
export const HAND = "#ff9d4d";
export const LIT = "#5ab0f0";
const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

export function font(px: number, weight = 500): string {
  return `${weight} ${px}px ${FAMILY}`;
}

export function write(brush: Brush, text: string, x: number, y: number, px: number, colour: string, weight = 500, most?: number): void {
  brush.font = font(px, weight);
  brush.fillStyle = colour;
  brush.textAlign = "center";
  brush.textBaseline = "middle";
  brush.fillText(text, x, y, most);
}

export function line(brush: Brush, x: number, y: number, toX: number, toY: number, colour: string, width = 1): void {
  brush.strokeStyle = colour;
  brush.lineWidth = width;
  brush.beginPath();
  brush.moveTo(x, y);
  brush.lineTo(toX, toY);
  brush.stroke();
}

export function plate(brush: Brush, width: number, height: number, colour = FACE, radius = 8): void {
  brush.fillStyle = colour;
  brush.strokeStyle = EDGE;
  brush.lineWidth = 1;
  brush.beginPath();
  brush.roundRect(0.5, 0.5, width - 1, height - 1, radius);
  brush.fill();
  brush.stroke();
}

export function disc(brush: Brush): void {
  brush.fillStyle = FACE;
  brush.strokeStyle = EDGE;
  brush.lineWidth = 1;
  brush.beginPath();
  brush.arc(SIZE / 2, SIZE / 2, SIZE / 2 - 1, 0, 2 * Math.PI);
  brush.fill();
  brush.stroke();
}

/** The step of a scale with at most so many steps: 1, 2 or 5 times a power of ten. */
export function niceStep(span: number, most: number): number {
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10);
}

/** Values from low to high at multiples of a step. */
export function ticks(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, Math.min(200, count)) }, (_, k) => (first + k) * step || 0);
}

export function rangeOf({ low, high }: Pick<WorldInstrument, "low" | "high">): readonly [number, number] {
  const [from, to] = [low ?? 0, high ?? 100];
  return to > from ? [from, to] : [from, from + 1];
}

/** As people read it: no more digits than they can follow. */
export function reading(of: Pick<WorldInstrument, "low" | "high" | "unit">, { value, word }: Pick<Shown, "value" | "word">): string {
  if (word) return word;
  if (!Number.isFinite(value)) return "–";
  const span = of.low !== null && of.high !== null ? of.high - of.low : 10 * Math.abs(value);
  const isCount = (of.unit === "" || of.unit === "-") && Math.abs(value - Math.round(value)) < 1e-9;
  const text = value.toFixed(isCount || span >= 40 ? 0 : span >= 4 ? 1 : 2);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** Between low and high, 0 to 1. */
export function share(of: Pick<WorldInstrument, "low" | "high">, value: number): number {
  const [low, high] = rangeOf(of);
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

export function titleOf({ label, name }: Pick<WorldInstrument, "label" | "name">): string {
  return label || name;
}

/** The unit of a label; a plain number has none. */
export function unitOf({ unit }: Pick<WorldInstrument, "unit">): string {
  return unit === "-" ? "" : unit === "deg" ? "°" : unit;
}
