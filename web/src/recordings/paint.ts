/** The picture behind the overview: a band from least to largest, holes where records are missing, marks of events and damage. */

import type { RecordingEvent, RecordingInfo } from "../net/types";

export interface Picture {
  time: Float64Array;
  lo: Float64Array;
  hi: Float64Array;
}

const MARKS = 10; // height of the row of events [css px]
const EDGE = 4;
const THIN = 1.5;
const GAP_STEPS = 4; // so many usual steps without a record are a hole
const WARN = new Set(["gap", "writer", "time"]);

export function paint(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  info: RecordingInfo | null,
  events: readonly RecordingEvent[],
  picture: Picture | null,
): void {
  const ratio = Math.min(2, devicePixelRatio);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  if (!pen || !info) return;
  pen.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const span = Math.max(info.end - info.start, 1e-9);
  const x = (t: number): number => ((t - info.start) / span) * width;
  if (picture && picture.time.length > 0) {
    const holes = holesOf(picture, info.end);
    pen.fillStyle = colour("bad-soft");
    for (const [from, to] of holes) pen.fillRect(x(from), 0, Math.max(2, x(to) - x(from)), height);
    pen.fillStyle = colour("accent");
    pen.globalAlpha = 0.9;
    band(pen, picture, x, MARKS + EDGE, height - EDGE);
    pen.globalAlpha = 1;
    pen.fillStyle = colour("bad");
    for (const [from, to] of holes) pen.fillRect(x(from), height - 2, Math.max(2, x(to) - x(from)), 2);
  }
  for (const place of info.damage_at) if (place) damage(pen, x(place[0]), x(place[1]), height, colour);
  for (const event of events) {
    pen.fillStyle = colour(event.is_bad ? "bad" : WARN.has(event.kind) ? "warn" : event.kind === "note" ? "accent" : "text-3");
    pen.fillRect(Math.round(x(event.t)) - 1, 1, 2, MARKS - 3);
  }
}

/** A stretch that could not be read, or a place between two records where some are missing: from top to bottom. */
function damage(
  pen: CanvasRenderingContext2D, from: number, to: number, height: number, colour: (name: string) => string,
): void {
  const left = Math.round(Math.min(from, to));
  const width = Math.max(2, Math.round(Math.abs(to - from)));
  pen.fillStyle = colour("bad-soft");
  pen.fillRect(left, 0, width, height);
  pen.fillStyle = colour("bad");
  for (const edge of [left, left + width - 1]) pen.fillRect(edge, MARKS, 1, height - MARKS);
  pen.fillRect(left, height - 3, width, 3);
}

function band(
  pen: CanvasRenderingContext2D,
  { time, lo, hi }: Picture,
  x: (t: number) => number,
  top: number,
  bottom: number,
): void {
  let [least, most] = [Infinity, -Infinity];
  for (let k = 0; k < lo.length; k += 1) {
    const [low, high] = [lo[k] ?? NaN, hi[k] ?? NaN];
    if (low < least) least = low;
    if (high > most) most = high;
  }
  if (!(most >= least)) return;
  const scale = most > least ? (bottom - top) / (most - least) : 0;
  const y = (value: number): number => (scale === 0 ? (top + bottom) / 2 : bottom - (value - least) * scale);
  for (let k = 0; k < time.length; k += 1) {
    const [low, high] = [lo[k] ?? NaN, hi[k] ?? NaN];
    if (Number.isNaN(low)) continue;
    const left = x(time[k] ?? 0);
    const wide = Math.min(3, Math.max(1, x(time[k + 1] ?? time[k] ?? 0) - left));
    // joined to the next one, so that a steep rise is no row of dots
    const next = Number.isNaN(lo[k + 1] ?? NaN) ? high : Math.max(high, Math.min(lo[k + 1] ?? high, most));
    const after = Number.isNaN(hi[k + 1] ?? NaN) ? low : Math.min(low, hi[k + 1] ?? low);
    const roof = y(next);
    pen.fillRect(left, roof, wide, Math.max(THIN, y(after) - roof));
  }
}

/** Stretches [s] without a number: records that could not be read, or that are not there. */
export function holesOf({ time, lo }: Picture, end: number): [number, number][] {
  const steps = Array.from(time.subarray(1), (t, k) => t - (time[k] ?? t)).sort((one, other) => one - other);
  const usual = steps[steps.length >> 1] ?? 0;
  const holes: [number, number][] = [];
  for (let k = 0; k < time.length; k += 1) {
    const from = time[k] ?? 0;
    const to = time[k + 1] ?? end;
    if (Number.isNaN(lo[k])) holes.push([from, to]);
    else if (k + 1 < time.length && usual > 0 && to - from > GAP_STEPS * usual) holes.push([from + usual, to]);
  }
  return holes;
}
