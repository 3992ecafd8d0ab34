/** Plots as a picture to take away: what it is of, from when to when, and every trace by its full name and unit. */

import type { PlotView } from "./plot";
import type { PlotsState } from "./state";
import { theme } from "./theme";

/** Lines above the plots: the platform and where the data are from, then the time. */
export interface Heading {
  readonly title: string;
  readonly about: string;
}

type Context = CanvasRenderingContext2D;

interface Placed {
  readonly plot: PlotView;
  readonly body: DOMRect; // of axes and traces on the page
  readonly row: number;
}

const EDGE = 12;
const HEADING = 46;
const LINE = 16;
const SWATCH = 14;
const APART = 16;

export function pictureOf(plots: readonly PlotView[], state: PlotsState, heading: Heading): HTMLCanvasElement {
  const ratio = devicePixelRatio;
  const placed = plots.map((plot): Placed => {
    const body = plot.frame.plot.ctx.canvas.getBoundingClientRect();
    return { plot, body, row: Math.round(plot.element.getBoundingClientRect().top) };
  });
  const left = Math.min(...placed.map(({ body }) => body.left));
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser has no canvas to draw a picture on");
  context.font = `11px ${theme.peek().font}`;
  const rows = [...new Set(placed.map(({ row }) => row))].sort((one, other) => one - other);
  let below = HEADING;
  const tops = new Map(rows.map((row) => {
    const own = placed.filter((one) => one.row === row);
    const legend = Math.max(...own.map(({ plot, body }) => LINE * legendOf(context, plot, state, body.width).length));
    const [top, high] = [below, legend + Math.max(...own.map(({ body }) => body.height))];
    below += high + APART;
    return [row, { top, legend }];
  }));
  canvas.width = Math.ceil((Math.max(...placed.map(({ body }) => body.right)) - left + 2 * EDGE) * ratio);
  canvas.height = Math.ceil(below * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = theme.peek().surface;
  context.fillRect(0, 0, canvas.width, canvas.height);
  drawHeading(context, heading);
  for (const { plot, body, row } of placed) {
    const { top, legend } = tops.get(row) ?? { top: 0, legend: 0 };
    const x = body.left - left + EDGE;
    drawLegend(context, plot, state, x, top, body.width);
    drawBody(context, plot, body, x, top + legend);
  }
  return canvas;
}

function drawHeading(context: Context, { title, about }: Heading): void {
  const { text, dim, font } = theme.peek();
  context.textBaseline = "alphabetic";
  context.fillStyle = text;
  context.font = `600 14px ${font}`;
  context.fillText(title, EDGE, 20);
  context.fillStyle = dim;
  context.font = `11px ${font}`;
  context.fillText(about, EDGE, 36);
}

/** Full names with units, in lines that fit into a width. */
function legendOf(context: Context, plot: PlotView, state: PlotsState, width: number): { text: string; colour: number; x: number }[][] {
  const lines: { text: string; colour: number; x: number }[][] = [[]];
  let x = 0;
  for (const { name, colour } of plot.spec.traces.filter((trace) => !trace.hidden)) {
    const unit = state.byName.peek().get(name)?.unit;
    const text = `${name} [${unit === undefined ? "?" : state.forms.unit(unit) || "-"}]`;
    const needed = SWATCH + context.measureText(text).width + APART;
    if (x > 0 && x + needed > width) {
      lines.push([]);
      x = 0;
    }
    lines.at(-1)?.push({ text, colour, x });
    x += needed;
  }
  return lines;
}

function drawLegend(context: Context, plot: PlotView, state: PlotsState, x: number, top: number, width: number): void {
  const { font, text: ink, traces } = theme.peek();
  context.font = `11px ${font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  legendOf(context, plot, state, width).forEach((line, k) => {
    const y = top + (k + 0.5) * LINE;
    for (const { text, colour, x: at } of line) {
      context.fillStyle = traces[colour - 1] ?? ink;
      context.fillRect(x + at, y - 1.5, 10, 3);
      context.fillStyle = ink;
      context.fillText(text, x + at + SWATCH, y);
    }
  });
}

/** Axes, their units, and the traces with the labels of time. */
function drawBody(context: Context, plot: PlotView, body: DOMRect, x: number, y: number): void {
  const { faint, font } = theme.peek();
  const [axes, traces] = [plot.frame.plot.ctx.canvas, plot.picture.canvas.getBoundingClientRect()];
  context.drawImage(axes, x, y, body.width, body.height);
  context.drawImage(plot.picture.surface, x + traces.left - body.left, y + traces.top - body.top, traces.width, traces.height);
  context.fillStyle = faint;
  context.font = `10px ${font}`;
  context.textBaseline = "top";
  for (const [unit, side] of plot.axisUnits().map((one, k) => [one, k] as const)) {
    context.textAlign = side === 0 ? "right" : "left";
    context.fillText(unit, side === 0 ? x + traces.left - body.left - 4 : x + traces.right - body.left + 4, y - 1);
  }
}
