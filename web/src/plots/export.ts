/** What is visible, to take away: pictures, CSV, and tab-separated text for the clipboard. */

import type { App } from "../app";
import { exactTable, tableText } from "./exact";
import { openMenu } from "./menu";
import { timeText } from "../core/times";
import type { PlotView } from "./plot";
import { pictureOf, type Heading } from "./plot_picture";
import type { Source } from "./source";
import type { PlotsState } from "./state";

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
      { label: "Copy records (tab-separated)", run: () => void this.app.attempt(this.#copy(plots)), test: "export-copy" },
    ]);
  }

  async #png(plots: readonly PlotView[]): Promise<void> {
    const picture = pictureOf(plots, this.state, this.#heading());
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
    if (!("clipboard" in navigator)) throw new Error("the browser allows the clipboard only for pages over https or on this machine; use the CSV instead");
    const text = await this.#table(plots, "\t");
    await navigator.clipboard.writeText(text);
    this.app.say(`${text.split("\n").length - 2} records copied to the clipboard`);
  }

  async #table(plots: readonly PlotView[], separator: string): Promise<string> {
    const byName = this.state.byName.peek();
    const names = new Set(plots.flatMap((plot) => plot.spec.traces.filter((trace) => !trace.hidden).map((trace) => trace.name)));
    const channels = [...names].flatMap((name) => byName.get(name) ?? []);
    if (channels.length === 0) throw new Error("nothing is plotted, so there is nothing to export");
    const { from, to } = this.state.shown();
    const table = await exactTable(this.source, channels.map((channel) => channel.place), from, to);
    if (!table.isExact) this.app.say("these records have left the history; the file has the midpoint of each bucket", "error");
    return tableText(table, ["t [s]", ...channels.map(({ name, unit }) => `${name} [${unit}]`)], separator);
  }

  /** The platform, where the data are from, the stretch of time, and when that was. */
  #heading(): Heading {
    const [file, ring] = [this.app.file.peek(), this.app.session.ring.peek()];
    const { from, to } = this.state.shown();
    const epoch = file ? file.epoch_utc : ring?.epoch_utc;
    const whose = file ? `recording ${file.file}` : `ring ${ring?.name ?? "unknown"}`;
    const step = (to - from) / 1000;
    const day = (utc: number): string => new Date(1000 * utc).toISOString().replace("T", " ").slice(0, 19);
    const date = epoch ? `${day(epoch + from)} to ${day(epoch + to).slice(11)} UTC` : `drawn ${day(Date.now() / 1000)} UTC`;
    return {
      title: `${(file ? file.platform : ring?.platform) || "motionbase"}, ${whose}`,
      about: `${timeText(from, step)} to ${timeText(to, step)} s of the ${file ? "recording" : "ring"} · ${date}`,
    };
  }

  #name(): string {
    const { from, to } = this.state.shown();
    const whose = this.app.file.peek()?.file.replace(/\.[a-z]+$/, "").replaceAll("/", "_") ?? this.app.session.ring.peek()?.name ?? "plots";
    return `${whose}_${timeText(from, 0.1)}_${timeText(to, 0.1)}`.replaceAll(":", "-").replace("−", "-");
  }
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
