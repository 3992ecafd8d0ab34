/** The preview as curves: one quantity of the axes that move, with the limits drawn. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "../../core/dom";
import { short } from "./model";

export interface Curve {
  label: string;
  /** "m" curves have their scale at the left, "°" curves at the right. */
  unit: string;
  colour: string;
  values: (number | null)[];
  /** Drawn as dashed lines. */
  limits: number[];
}

const HIGH = 132;
const NEAR = 1.8; // a limit is brought into view when the curve comes so near to it

export class Chart {
  readonly element = h(
    "div", { class: "p-chart", role: "img", "aria-label": "Preview of the motion", "data-test": "preview-chart" },
  );
  #plot: uPlot | null = null;
  #curves: Curve[] = [];
  #t: number[] = [];

  constructor() {
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#wide(), height: HIGH })).observe(this.element);
    new MutationObserver(() => this.#draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  /** Whether any limit is in the picture. */
  show(t: number[], curves: Curve[]): boolean {
    this.#t = t;
    this.#curves = curves;
    this.#draw();
    return curves.some(({ unit, limits }) => {
      const [low, high] = this.#range(unit);
      return limits.some((limit) => low < limit && limit < high);
    });
  }

  #wide(): number {
    return Math.max(120, this.element.clientWidth);
  }

  #draw(): void {
    this.#plot?.destroy();
    this.#plot = null;
    if (this.#curves.length === 0) return;
    const ink = css("--text-3");
    const grid = { stroke: css("--line-soft"), width: 1 };
    const units = [...new Set(this.#curves.map((curve) => curve.unit))];
    const axes: uPlot.Axis[] = [
      {
        stroke: ink, grid, ticks: { show: false }, size: 22, font: "10px system-ui", gap: 2,
        values: (_, at) => at.map((v) => `${v} s`),
      },
      ...units.map((unit, k): uPlot.Axis => ({
        scale: unit, side: k === 0
          ? 3
          : 1, stroke: ink, grid: k === 0
          ? grid
          : { show: false }, ticks: { show: false }, size: 46, gap: 3, space: 18,
        font: "10px system-ui", values: (_, at) => at.map(
          (v, n) => (n === at.length - 1 ? `${short(v)} ${unit}` : short(v)),
        ),
      })),
    ];
    const options: uPlot.Options = {
      width: this.#wide(), height: HIGH, legend: { show: false }, cursor: {
        y: false, drag: { x: false, y: false },
      }, padding: [6, 6, 0, 0],
      scales: { x: { time: false }, ...Object.fromEntries(units.map((unit) => [unit, { range: this.#range(unit) }])) },
      axes,
      series: [
        {},
        ...this.#curves.map(
          (curve): uPlot.Series => ({ scale: curve.unit, stroke: curve.colour, width: 1.5, points: { show: false } }),
        ),
      ],
      hooks: { draw: [(plot) => this.#limits(plot)] },
    };
    this.#plot = new uPlot(options, [this.#t, ...this.#curves.map((curve) => curve.values)], this.element);
  }

  #range(unit: string): [number, number] {
    const own = this.#curves.filter((curve) => curve.unit === unit);
    let [low, high] = [Infinity, -Infinity];
    for (const value of own.flatMap((curve) => curve.values)) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (!Number.isFinite(low)) return [-1, 1];
    const [middle, half] = [(low + high) / 2, Math.max((high - low) / 2, 1e-9)];
    for (const limit of own.flatMap((curve) => curve.limits)) {
      if (Math.abs(limit - middle) < NEAR * half) [low, high] = [Math.min(low, limit), Math.max(high, limit)];
    }
    const room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
    return [low - room, high + room];
  }

  #limits(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.setLineDash([4, 4]);
    ctx.globalAlpha = 0.8;
    for (const curve of this.#curves) {
      ctx.strokeStyle = curve.colour;
      for (const limit of curve.limits) {
        const y = Math.round(plot.valToPos(limit, curve.unit, true)) + 0.5;
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
      }
    }
    ctx.restore();
  }
}

export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
