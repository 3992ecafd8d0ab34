/**
 * What moves in a plot: the lines and labels of time, traces, limits, events and cursors, on one canvas.
 *
 * It is drawn off screen, so that its frames go to the compositor by themselves and the page beneath is not painted
 * anew, and it is opaque, so that nothing beneath is mixed in: without a graphics card this is four times faster.
 */

import { TraceLayer, type Data, type LayerTrace, type Shown } from "./layer";
import { timeTicks } from "../core/times";
import type { Clock } from "../data/clock";
import { burstsOf, labelOf, withRoom, type Burst, type Marker } from "./marks";
import type { Limits, Range } from "./spec";
import type { Theme } from "./theme";

/** Of one channel, in the range of its axis. */
export interface LimitLine {
  readonly limits: Limits;
  readonly side: 0 | 1;
}

export interface Scene {
  readonly data: Data;
  readonly shown: Shown;
  readonly traces: readonly LayerTrace[];
  readonly ranges: readonly [Range, Range];
  readonly look: number;
  readonly theme: Theme;
  readonly clock: Clock;
  readonly limits: readonly LimitLine[];
  readonly markers: readonly Marker[];
  readonly hasLabels: boolean;
  readonly a: number | null;
  readonly b: number | null;
  readonly playhead: number | null;
  /** share of the width; null where the pointer is elsewhere */
  readonly hover: number | null;
  readonly isHovered: boolean;
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const HALF_DIGIT = 3.3; // of a label [css px]
const NEAR_PX = 5; // of a mark whose text is shown
const BURST_PX = 24; // between events of one kind that share a line
const TICK_PX = 5; // of the others of a burst, at the upper edge
const LABEL_PX = 160; // at most

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export class Picture {
  readonly canvas = document.createElement("canvas");
  readonly surface = surfaceOf(this.canvas);
  readonly #context = this.surface.getContext("2d", { alpha: false }) as Context;
  readonly #layer = new TraceLayer();
  #width = 1;
  #height = 1; // of the plotting area, without the labels of time
  #ratio = 1;
  #left = 0;
  #top = 0;
  #bursts: { of: readonly Marker[]; scale: number; found: readonly Burst[] } = { of: [], scale: NaN, found: [] };

  /** @param frame what lies beneath: axes and their grid, on a canvas with its left top corner where the plot has its own */
  constructor(private readonly frame: CanvasImageSource) {}

  /** In device pixels, the labels of time below. */
  resize({ left, top, width, height }: Box, labels: number, ratio: number): void {
    this.#left = left;
    this.#top = top;
    this.#ratio = ratio;
    this.#width = width;
    this.#height = height;
    this.#layer.resize(width, height);
    if (this.surface.width !== width) this.surface.width = width;
    if (this.surface.height !== height + labels) this.surface.height = height + labels;
    // pixels go to pixels: nothing to smooth, which takes time; with odd ratios edges may lie between pixels
    this.canvas.style.imageRendering = Number.isInteger(ratio) ? "pixelated" : "auto";
    this.canvas.style.width = `${width / ratio}px`;
    this.canvas.style.height = `${(height + labels) / ratio}px`;
  }

  draw(scene: Scene): void {
    const context = this.#context;
    this.#layer.paint(scene.data, scene.shown, scene.traces, scene.ranges, scene.look);
    this.#backdrop(scene.theme);
    this.#between(scene);
    for (const line of scene.limits) this.#limit(line, scene);
    this.#timeAxis(scene);
    this.#layer.show(context, 0, 0);
    for (const line of scene.limits) this.#limitLines(line, scene);
    if (scene.markers.length) this.#markers(scene);
    if (scene.playhead !== null) this.#line(scene.playhead, scene.theme.accent, 2, "▼", scene);
    if (scene.a !== null) this.#line(scene.a, scene.theme.text, 1, "A", scene);
    if (scene.b !== null) this.#line(scene.b, scene.theme.text, 1, "B", scene);
    if (scene.hover !== null) this.#cursor(scene.hover, scene);
  }

  #backdrop(theme: Theme): void {
    const { width, height } = this.surface;
    this.#context.fillStyle = theme.surface;
    this.#context.fillRect(0, 0, width, height);
    this.#context.drawImage(this.frame, this.#left, this.#top, width, height, 0, 0, width, height);
  }

  /** Column of a time [device px]. */
  #x(t: number): number {
    return Math.round((t - this.#layer.origin) * this.#layer.xScale);
  }

  #timeAxis({ theme, clock }: Scene): void {
    const context = this.#context;
    const ratio = this.#ratio;
    const { origin, xScale } = this.#layer;
    const line = Math.max(1, Math.round(ratio));
    const write = (t: number, step: number): string => clock.axis(t, step);
    const ticks = timeTicks(origin, origin + this.#width / xScale, clock.zero(), this.#width / (2 * HALF_DIGIT * ratio), write);
    context.font = `${11 * ratio}px ${theme.font}`;
    context.textBaseline = "top";
    context.textAlign = "center";
    for (const { t, text, at } of ticks) {
      context.fillStyle = theme.grid;
      context.fillRect(this.#x(t), 0, line, this.#height);
      if (text === "") continue;
      context.fillStyle = theme.faint;
      context.fillText(text, at * this.#width, this.#height + 5 * ratio);
    }
  }

  #between({ a, b, theme }: Scene): void {
    if (a === null || b === null) return;
    const [from, to] = [this.#x(Math.min(a, b)), this.#x(Math.max(a, b))];
    this.#context.fillStyle = theme.soft;
    this.#context.fillRect(from, 0, to - from, this.#height);
  }

  #y(value: number, range: Range): number {
    return Math.round(this.#height * (1 - (value - range[0]) / (range[1] - range[0])));
  }

  /** What lies outside an alarm is shaded. */
  #limit({ limits, side }: LimitLine, { ranges, theme }: Scene): void {
    const clamped = (value: number): number => Math.max(0, Math.min(this.#height, this.#y(value, ranges[side])));
    this.#context.fillStyle = theme.badSoft;
    if (limits.alarmHigh !== null) this.#context.fillRect(0, 0, this.#width, clamped(limits.alarmHigh));
    if (limits.alarmLow !== null) {
      const y = clamped(limits.alarmLow);
      this.#context.fillRect(0, y, this.#width, this.#height - y);
    }
  }

  #limitLines({ limits, side }: LimitLine, { ranges, theme }: Scene): void {
    const bounds = [limits.alarmLow, limits.alarmHigh, limits.warnLow, limits.warnHigh];
    bounds.forEach((value, k) => {
      if (value === null) return;
      this.#context.fillStyle = k < 2 ? theme.bad : theme.warn;
      const y = this.#y(value, ranges[side]);
      if (y < 0 || y > this.#height) return;
      for (let x = 0; x < this.#width; x += 8 * this.#ratio) this.#context.fillRect(x, y, 5 * this.#ratio, this.#ratio);
    });
  }

  #markers({ markers, theme, hasLabels, shown }: Scene): void {
    const context = this.#context;
    const ratio = this.#ratio;
    const bursts = this.#found(markers).filter(({ times }) => (times.at(-1) ?? -Infinity) >= shown.from && (times[0] ?? Infinity) <= shown.to);
    for (const { times, isBad } of bursts) {
      context.fillStyle = isBad ? theme.bad : theme.faint;
      context.globalAlpha = 0.6;
      context.fillRect(this.#x(times[0] ?? 0), 0, ratio, this.#height);
      context.globalAlpha = 0.9;
      let drawn = NaN;
      for (const t of times.slice(1)) {
        const x = this.#x(t);
        if (x !== drawn) context.fillRect(x, 0, ratio, TICK_PX * ratio); // one a pixel, however many events there are
        drawn = x;
      }
    }
    context.globalAlpha = 1;
    if (hasLabels) this.#labels(bursts, theme);
  }

  /** As many texts as have room; those of warnings come last. A burst that began earlier has its text at the left edge. */
  #labels(bursts: readonly Burst[], theme: Theme): void {
    const context = this.#context;
    const ratio = this.#ratio;
    context.font = `${10.5 * ratio}px ${theme.font}`;
    context.textAlign = "left";
    context.textBaseline = "top";
    const wishes = bursts.map((burst) => {
      const x = Math.max(0, this.#x(burst.times[0] ?? 0));
      const room = Math.min(LABEL_PX * ratio, this.#width - x - 6 * ratio);
      const text = labelOf(burst, Math.floor(room / (2 * HALF_DIGIT * ratio)));
      return { x, text, isBad: burst.isBad, width: Math.min(room, context.measureText(text).width) + 6 * ratio, rank: burst.kind === "warning" ? 1 : 0 };
    }).filter(({ text }) => text !== ""); // prettier-ignore
    for (const k of withRoom(wishes, 4 * ratio)) {
      const { x, text, isBad, width } = wishes[k]!;
      const place = [x + 4 * ratio, (TICK_PX + 2) * ratio, width - 6 * ratio] as const;
      context.strokeStyle = theme.surface; // around the letters alone, so that curves go on between them
      context.lineWidth = 3 * ratio;
      context.lineJoin = "round";
      context.strokeText(text, ...place);
      context.fillStyle = isBad ? theme.bad : theme.dim;
      context.fillText(text, ...place);
    }
  }

  #found(markers: readonly Marker[]): readonly Burst[] {
    const scale = this.#layer.xScale;
    if (markers !== this.#bursts.of || scale !== this.#bursts.scale) {
      this.#bursts = { of: markers, scale, found: burstsOf(markers, (BURST_PX * this.#ratio) / scale) };
    }
    return this.#bursts.found;
  }

  #line(t: number, colour: string, thickness: number, flag: string, { theme }: Scene): void {
    const x = this.#x(t);
    const ratio = this.#ratio;
    if (x < -8 * ratio || x > this.#width + 8 * ratio) return;
    const context = this.#context;
    context.fillStyle = colour;
    context.fillRect(x - Math.floor((thickness * ratio) / 2), 0, thickness * ratio, this.#height);
    if (flag === "▼") {
      context.fillRect(x - 5 * ratio, 0, 10 * ratio, 5 * ratio);
      return;
    }
    context.fillRect(x - 7 * ratio, this.#height - 14 * ratio, 14 * ratio, 14 * ratio);
    context.fillStyle = theme.surface;
    context.font = `600 ${10.5 * ratio}px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(flag, x, this.#height - 6.5 * ratio);
  }

  /** The event under the pointer: the nearest mark shows its whole text. */
  #said(x: number, { markers, theme, clock }: Scene): void {
    let [near, distance] = [null as Marker | null, NEAR_PX * this.#ratio];
    let others = 0;
    for (const marker of markers) {
      const away = Math.abs(this.#x(marker.t) - x);
      if (away > NEAR_PX * this.#ratio) continue;
      others += 1;
      if (away < distance || near === null) [near, distance] = [marker, away];
    }
    if (!near) return;
    const context = this.#context;
    const ratio = this.#ratio;
    context.font = `${11 * ratio}px ${theme.font}`;
    context.textAlign = "left";
    context.textBaseline = "top";
    const text = `${clock.text(near.t, 0.001)}  ${near.text}${others > 1 ? `  (and ${others - 1} more here)` : ""}`;
    const width = Math.min(this.#width, context.measureText(text).width + 12 * ratio);
    const left = Math.max(0, Math.min(this.#width - width, this.#x(near.t) - width / 2));
    context.fillStyle = near.isBad ? theme.bad : theme.text;
    context.fillRect(left, 16 * ratio, width, 18 * ratio);
    context.fillStyle = theme.surface;
    context.fillText(text, left + 6 * ratio, 19 * ratio, width - 12 * ratio);
  }

  #cursor(share: number, scene: Scene): void {
    const { theme, isHovered, shown, clock } = scene;
    const context = this.#context;
    const ratio = this.#ratio;
    const x = Math.round(share * this.#width);
    context.fillStyle = theme.dim;
    context.globalAlpha = isHovered ? 0.9 : 0.5;
    context.fillRect(x, 0, ratio, this.#height);
    context.globalAlpha = 1;
    if (!isHovered) return;
    this.#said(x, scene);
    const text = clock.axis(this.#layer.origin + x / this.#layer.xScale, (shown.to - shown.from) / 1000);
    context.font = `${11 * ratio}px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "top";
    const half = context.measureText(text).width / 2 + 4 * ratio;
    const middle = Math.max(half, Math.min(this.#width - half, x));
    context.fillStyle = theme.text;
    context.fillRect(middle - half, this.#height + 2 * ratio, 2 * half, 16 * ratio);
    context.fillStyle = theme.surface;
    context.fillText(text, middle, this.#height + 5 * ratio);
  }
}

/** What to draw on, for a canvas of the page. */
function surfaceOf(canvas: HTMLCanvasElement): HTMLCanvasElement | OffscreenCanvas {
  return "transferControlToOffscreen" in canvas ? canvas.transferControlToOffscreen() : canvas;
}
