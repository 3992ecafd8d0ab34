/** What is visible, to take away: pictures, CSV, and tab-separated text for the clipboard. */

import type { App } from "../app";
import { exactTable, tableText } from "./exact";
import { openMenu } from "./menu";
import { timeText } from "./numbers";
import type { PlotView } from "./plot";
import type { Source } from "./source";
import type { PlotsState } from "./state";
import { theme } from "./theme";

const LEGEND_PX = 16;

export class Exporter {
  constructor(
    private readonly app: App,
    private readonly state: PlotsState,
    private readonly source: Source,
    private readonly views: () => PlotView[],
  ) {}

  menu(at: HTMLElement, plots: readonly PlotView[] = this.views()): void {
    const what = plots.length === 1 ? "this plot" : "all plots";
    openMenu(at, [
      { label: `Picture of ${what} (PNG)`, run: () => void this.app.attempt(this.#png(plots)), test: "export-png" },
      { label: `Records of ${what} (CSV)`, run: () => void this.app.attempt(this.#csv(plots)), test: "export-csv" },
      { label: "Copy records, tab separated", run: () => void this.app.attempt(this.#copy(plots)), test: "export-copy" },
    ]);
  }

  async #png(plots: readonly PlotView[]): Promise<void> {
    const picture = pictureOf(plots, this.state);
    const blob = await new Promise<Blob | null>((done) => picture.toBlob(done, "image/png"));
    if (!blob) throw new Error(`a picture of ${picture.width} × ${picture.height} pixels could not be made`);
    download(blob, `${this.#name()}.png`);
  }

  async #csv(plots: readonly PlotView[]): Promise<void> {
    const text = await this.#table(plots, ",");
    download(new Blob([text], { type: "text/csv" }), `${this.#name()}.csv`);
  }

  async #copy(plots: readonly PlotView[]): Promise<void> {
    // undefined on plain http, whatever the types say
    if (!("clipboard" in navigator)) throw new Error("the browser gives the clipboard only to pages over https or on this machine; take the CSV instead");
    const text = await this.#table(plots, "\t");
    await navigator.clipboard.writeText(text);
    this.app.say(`${text.split("\n").length - 2} records are in the clipboard`);
  }

  async #table(plots: readonly PlotView[], separator: string): Promise<string> {
    const byName = this.state.byName.peek();
    const names = new Set(plots.flatMap((plot) => plot.spec.traces.filter((trace) => !trace.hidden).map((trace) => trace.name)));
    const channels = [...names].flatMap((name) => byName.get(name) ?? []);
    if (channels.length === 0) throw new Error("nothing is plotted that could be exported");
    const { from, to } = this.state.shown();
    const table = await exactTable(this.source, channels.map((channel) => channel.place), from, to);
    if (!table.isExact) this.app.say("these records have left the history; the file has the middle of each bucket", "error");
    return tableText(table, ["t [s]", ...channels.map(({ name, unit }) => `${name} [${unit}]`)], separator);
  }

  #name(): string {
    const { from, to } = this.state.shown();
    const whose = this.app.file.peek()?.file.replace(/\.[a-z]+$/, "").replaceAll("/", "_") ?? this.app.session.ring.peek()?.name ?? "plots";
    return `${whose}_${timeText(from, 0.1)}_${timeText(to, 0.1)}`.replaceAll(":", "-").replace("−", "-");
  }
}

/** Plots as they stand on the page, each with its legend. */
function pictureOf(plots: readonly PlotView[], state: PlotsState): HTMLCanvasElement {
  const ratio = devicePixelRatio;
  const boxes = plots.map((plot) => plot.element.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((Math.max(...boxes.map((box) => box.right)) - left) * ratio);
  canvas.height = Math.ceil((Math.max(...boxes.map((box) => box.bottom)) - top) * ratio);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser has no canvas to draw a picture on");
  context.fillStyle = theme.peek().surface;
  context.fillRect(0, 0, canvas.width, canvas.height);
  plots.forEach((plot, k) => {
    const box = boxes[k];
    if (!box) return;
    drawLegend(context, plot, state, (box.left - left) * ratio, (box.top - top) * ratio, box.width * ratio, ratio);
    const axes = plot.frame.plot.ctx.canvas;
    for (const [place, picture] of [[axes, axes], [plot.picture.canvas, plot.picture.surface]] as const) {
      const at = place.getBoundingClientRect();
      context.drawImage(picture, (at.left - left) * ratio, (at.top - top) * ratio);
    }
  });
  return canvas;
}

function drawLegend(
  context: CanvasRenderingContext2D, plot: PlotView, state: PlotsState, x: number, y: number, width: number, ratio: number,
): void {
  const colours = theme.peek();
  context.font = `${11 * ratio}px ${colours.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  let [at, line] = [x + 10 * ratio, y + 12 * ratio];
  for (const trace of plot.spec.traces.filter((one) => !one.hidden)) {
    const text = `${trace.name} [${state.byName.peek().get(trace.name)?.unit ?? "?"}]`;
    const needed = context.measureText(text).width + 28 * ratio;
    if (at + needed > x + width && at > x + 10 * ratio) [at, line] = [x + 10 * ratio, line + LEGEND_PX * ratio];
    context.fillStyle = colours.traces[trace.colour - 1] ?? colours.text;
    context.fillRect(at, line - 1.5 * ratio, 10 * ratio, 3 * ratio);
    context.fillStyle = colours.text;
    context.fillText(text, at + 14 * ratio, line);
    at += needed;
  }
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
