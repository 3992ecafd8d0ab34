/** The axes of values, their grid and the box of a selection: uPlot's, drawn only when a range or the size changes. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { effect } from "../core/signal";
import { axisSplits, axisTexts } from "./numbers";
import type { Range } from "./spec";
import { theme } from "./theme";

export const TIME_AXIS = 20; // height of the labels of time [css px]
const EDGE = 10;
const SPACE = 28; // between labels of values
const EMPTY: uPlot.AlignedData = [[0, 1], [null, null], [null, null]];

/** Around what is drawn [css px]: the width of an axis of values, and the height above, where its unit stands. */
export interface Margins {
  readonly axis: number;
  readonly top: number;
}

export const USUAL: Margins = { axis: 50, top: 18 };
export const NARROW: Margins = { axis: 36, top: 6 }; // the unit stands elsewhere

export type Reserve = "none" | "space" | "axis";

export class AxisFrame {
  readonly plot: uPlot;
  #ranges: [Range, Range] = [[0, 1], [0, 1]];
  #factors: readonly [number, number] = [1, 1];
  #reserve: Reserve = "none";
  #stop: () => void;

  constructor(host: HTMLElement, width: number, height: number, private readonly margins: Margins) {
    this.plot = new uPlot(this.#options(width, height), EMPTY, host);
    this.#stop = effect(() => {
      theme();
      this.plot.redraw(false, true);
    });
  }

  /** Where traces go, in device pixels of the whole. */
  get box(): uPlot.BBox {
    return this.plot.bbox;
  }

  /** @param reserve whether the right has an axis, or room for one because a neighbour above or below has */
  resize(width: number, height: number, reserve: Reserve): void {
    this.#reserve = reserve;
    const right = this.plot.axes[2];
    if (right) right.show = reserve === "axis";
    this.plot.batch(() => this.plot.setSize({ width, height }));
  }

  /** @param factors what labels are divided by */
  setRanges(left: Range, right: Range, factors: readonly [number, number]): void {
    const [wasLeft, wasRight] = this.#ranges;
    const isSame = factors.every((factor, side) => factor === this.#factors[side]);
    this.#ranges = [left, right];
    this.#factors = factors;
    if (left === wasLeft && right === wasRight) return isSame ? undefined : this.plot.redraw(false, true);
    this.plot.batch(() => {
      if (left !== wasLeft) this.plot.setScale("left", { min: left[0], max: left[1] });
      if (right !== wasRight) this.plot.setScale("right", { min: right[0], max: right[1] });
    });
  }

  /** The box of a zoom that is being drawn, in css pixels of the plotting area; null for none. */
  select(box: { left: number; top: number; width: number; height: number } | null): void {
    this.plot.root.classList.toggle("is-selecting", box !== null);
    this.plot.setSelect(box ?? { left: 0, top: 0, width: 0, height: 0 }, false);
  }

  destroy(): void {
    this.#stop();
    this.plot.destroy();
  }

  #options(width: number, height: number): uPlot.Options {
    const axis = (scale: string, side: uPlot.Axis.Side, hasGrid: boolean): uPlot.Axis => ({
      scale,
      side,
      size: this.margins.axis,
      gap: 4,
      splits: (plot, _, least, most) => {
        const factor = this.#factors[scale === "left" ? 0 : 1];
        const height = Math.max(1, plot.bbox.height / devicePixelRatio);
        return axisSplits(least / factor, most / factor, height, SPACE).map((value) => value * factor); // round as they are told
      },
      font: `11px ${theme.peek().font}`,
      stroke: () => theme.peek().faint,
      grid: hasGrid ? { stroke: () => theme.peek().grid, width: 1 } : { show: false },
      ticks: { show: false },
      values: (_, splits) => axisTexts(splits, this.#factors[scale === "left" ? 0 : 1]),
    });
    return {
      width,
      height,
      legend: { show: false },
      cursor: { show: false, drag: { setScale: false, x: false, y: false } },
      padding: [this.margins.top, () => (this.#reserve === "none" ? EDGE : this.#reserve === "space" ? this.margins.axis : 0), TIME_AXIS, 0],
      scales: {
        x: { time: false, auto: false, range: [0, 1] },
        left: { auto: false, range: () => [...this.#ranges[0]] },
        right: { auto: false, range: () => [...this.#ranges[1]] },
      },
      // the right one must begin shown: uPlot sets up no other
      axes: [{ show: false }, axis("left", 3, true), axis("right", 1, false)],
      series: [{}, { scale: "left" }, { scale: "right" }],
    };
  }
}
