/** The traces of one plot: painted anew when what is shown changes, else only where time has moved on. */

import type { Band } from "../net/frames";
import { Raster, type Mapping, type Pen } from "./raster";
import type { Range } from "./spec";

/** Buckets that can be drawn. `epoch` changes when those of before are void; the k-th has number `first + k`. */
export interface Data {
  readonly epoch: number;
  /** more of it comes by itself */
  readonly isLive: boolean;
  readonly first: number;
  readonly time: Float64Array;
  /** between two buckets that follow each other [s] */
  readonly step: number;
  band(place: number): Band | undefined;
}

export interface LayerTrace extends Pen {
  place: number;
  side: 0 | 1;
}

/** @property slides the window follows the newest record, by whole pixels */
export interface Shown {
  from: number;
  to: number;
  slides: boolean;
}

const GAP_STEPS = 3;

export class TraceLayer {
  readonly #canvas = document.createElement("canvas");
  readonly #context = this.#canvas.getContext("2d", { willReadFrequently: true })!;
  #raster = new Raster(1, 1);
  #map: Mapping = { origin: 0, xScale: 1, yZero: 0, yScale: 1, gap: 0 };
  #drawn: readonly unknown[] = []; // what the picture was painted for
  #lastBucket = -1;
  #left = 0; // column at the left edge

  resize(width: number, height: number): void {
    if (width === this.#raster.width && height === this.#raster.height) return;
    this.#raster = new Raster(Math.max(1, width), Math.max(1, height));
    this.#canvas.width = this.#raster.width;
    this.#canvas.height = this.#raster.height;
    this.#drawn = [];
  }

  forget(): void {
    this.#drawn = [];
  }

  /** Time at the left edge and columns a second: what else is drawn must agree with the traces. */
  get origin(): number {
    return this.#map.origin + this.#left / this.#map.xScale;
  }

  get xScale(): number {
    return this.#map.xScale;
  }

  /** @param look changes with colours, widths and the traces themselves */
  paint(data: Data, shown: Shown, traces: readonly LayerTrace[], ranges: readonly [Range, Range], look: number): void {
    const { width } = this.#raster;
    const xScale = width / (shown.to - shown.from);
    this.#map.xScale = xScale;
    this.#map.origin = shown.slides ? 0 : shown.from;
    this.#map.gap = GAP_STEPS * data.step;
    const left = shown.slides ? Math.floor(shown.to * xScale) - width + 1 : 0;
    const key = [data.epoch, look, xScale, this.#map.origin, ranges[0], ranges[1]];
    const last = data.first + data.time.length - 1;
    const index = this.#lastBucket - data.first;
    const isSame = key.every((part, k) => part === this.#drawn[k]);
    if (!isSame || index < 1 || last < this.#lastBucket || left < this.#left || left - this.#left >= width) {
      this.#columns(data, traces, ranges, left, width);
    } else if (last > this.#lastBucket || shown.slides) {
      const from = Math.max(left, Math.floor((data.time[index - 1]! - this.#map.origin) * xScale));
      this.#columns(data, traces, ranges, from, left + width - from);
    }
    this.#left = left;
    this.#drawn = key;
    this.#lastBucket = last;
  }

  #columns(data: Data, traces: readonly LayerTrace[], ranges: readonly [Range, Range], first: number, count: number): void {
    if (count <= 0) return;
    const { time } = data;
    const { origin, xScale } = this.#map;
    this.#raster.clear(first, count);
    // one bucket outside on either side, so that lines go on through the edges
    const start = Math.max(0, lowerBound(time, origin + first / xScale) - 1);
    const end = Math.min(time.length, lowerBound(time, origin + (first + count) / xScale) + 1);
    for (const trace of traces) {
      const band = data.band(trace.place);
      if (!band) continue;
      const [least, most] = ranges[trace.side];
      this.#map.yScale = -this.#raster.height / (most - least);
      this.#map.yZero = this.#raster.height - this.#map.yScale * least;
      this.#raster.trace({ time, lo: band.lo, hi: band.hi }, start, end, this.#map, trace, first, count);
    }
    const at = this.#raster.place(first);
    const before = Math.min(count, this.#raster.width - at);
    this.#context.putImageData(this.#raster.image, 0, 0, at, 0, before, this.#raster.height);
    if (before < count) this.#context.putImageData(this.#raster.image, 0, 0, 0, 0, count - before, this.#raster.height);
  }

  /** Copy what is painted to a canvas, its left edge at x, y. */
  show(context: CanvasDrawImage, x: number, y: number): void {
    const { width, height } = this.#raster;
    const at = this.#raster.place(this.#left);
    context.drawImage(this.#canvas, at, 0, width - at, height, x, y, width - at, height);
    if (at > 0) context.drawImage(this.#canvas, 0, 0, at, height, x + width - at, y, at, height);
  }
}

/** The first place whose value is not less. */
export function lowerBound(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
