/** The instruments of a scene on one canvas: each is painted again only when what it shows has changed. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import type { WorldInstrument, WorldScene } from "../../net/types";
import { attitudeNow } from "./attitude";
import { dial } from "./dial";
import { SIZE, type Look, type Shown } from "./ink";
import { compass, horizon } from "./rounds";
import { bar, lamp, numeral } from "./small";
import { tape } from "./tape";

const LOOKS: Readonly<Record<string, Look>> = { dial, bar, tape, lamp, number: numeral, horizon, compass };
const GAP = 5;
const LEAST_SCALE = 0.8;
const PAINT_MS = 30; // apart at least; records come no faster

export function lookOf(of: WorldInstrument): Look {
  return LOOKS[of.look] ?? numeral; // of a later version
}

/** Those of a scene that the rows of its controls do not show already. */
export function ownInstruments({ instruments, controls }: Pick<WorldScene, "instruments" | "controls">): WorldInstrument[] {
  const shown = new Set(controls.map(({ channel }) => channel));
  return instruments.filter(({ channel }) => !shown.has(channel));
}

export interface Cell {
  readonly of: WorldInstrument;
  readonly look: Look;
  readonly x: number;
  readonly y: number;
}

export interface Arranged {
  readonly cells: readonly Cell[];
  readonly width: number;
  readonly height: number;
}

/** Side by side, small ones on top of each other, in as many lines as the width needs. */
export function arranged(instruments: readonly WorldInstrument[], width: number): Arranged {
  const columns: { of: WorldInstrument; look: Look; y: number }[][] = [];
  for (const of of instruments) {
    const look = lookOf(of);
    const last = columns.at(-1)?.at(-1);
    const y = last ? last.y + last.look.height + GAP : 0;
    if (last && last.look.width === look.width && y + look.height <= SIZE) columns.at(-1)?.push({ of, look, y });
    else columns.push([{ of, look, y: 0 }]);
  }
  const cells: Cell[] = [];
  let [x, top, widest] = [0, 0, 0];
  for (const column of columns) {
    const wide = column[0]?.look.width ?? 0;
    if (x > 0 && x + wide > width) [x, top] = [0, top + SIZE + GAP];
    for (const { of, look, y } of column) cells.push({ of, look, x, y: top + y });
    widest = Math.max(widest, x + wide);
    x += wide + GAP;
  }
  return { cells, width: widest, height: cells.length > 0 ? top + SIZE : 0 };
}

/** Without the lines that have no room; the first one stays. */
export function kept(all: Arranged, height: number): Arranged {
  const lines = Math.max(1, Math.floor((height + GAP) / (SIZE + GAP)));
  const most = lines * (SIZE + GAP) - GAP;
  return all.height <= most ? all : { ...all, cells: all.cells.filter(({ y }) => y < most), height: most };
}

export class Cluster {
  readonly element = h("canvas", { class: "helm-instruments", role: "img", "aria-label": "Instruments", "data-test": "helm-instruments" });
  readonly #still = document.createElement("canvas");
  #instruments: readonly WorldInstrument[] = [];
  #cells: readonly Cell[] = [];
  #painted: string[] = [];
  #room = { width: 0, height: Infinity }; // to fit in [css px]
  #laid = "";
  #pixels = 1; // of the screen, for a pixel of a look
  #paintedAt = -Infinity;

  constructor(private readonly app: App) {}

  show(instruments: readonly WorldInstrument[]): void {
    this.#instruments = instruments;
    this.#lay();
  }

  /** @param height lines below it are left out, but for the first [css px] */
  fit(width: number, height = Infinity): void {
    this.#room = { width, height };
    this.#lay();
  }

  /** In how many lines they stand, in a width [css px]. */
  needs(width: number): number {
    return Math.round((arranged(this.#instruments, width / LEAST_SCALE).height + GAP) / (SIZE + GAP));
  }

  /** Called in every animation frame in which it is seen. */
  follow(now: number): void {
    if (now - this.#paintedAt < PAINT_MS) return;
    this.#paintedAt = now;
    if (devicePixelRatio !== Number(this.#laid.split(" ")[0])) this.#lay(); // moved to another screen
    const attitude = attitudeNow(this.app);
    this.#cells.forEach((cell, k) => {
      const shown = shownOf(this.app, cell.of, attitude);
      const state = cell.look.state(cell.of, shown);
      if (state === this.#painted[k]) return;
      this.#painted[k] = state;
      this.#paint(cell, shown);
    });
  }

  #lay(): void {
    const room = this.#room;
    const tight = arranged(this.#instruments, room.width / LEAST_SCALE);
    const scale = Math.min(1, Math.max(LEAST_SCALE, room.width / Math.max(1, tight.width)));
    const { cells, width, height } = kept(arranged(this.#instruments, room.width / scale + 0.5), room.height / scale);
    const laid = [devicePixelRatio, scale.toFixed(3), width, height, JSON.stringify(this.#instruments)].join(" ");
    if (laid === this.#laid) return;
    this.#laid = laid;
    [this.#cells, this.#painted, this.#pixels] = [cells, [], scale * devicePixelRatio];
    this.element.hidden = cells.length === 0;
    this.element.style.setProperty("--wide", `${scale * width}px`);
    this.element.style.setProperty("--high", `${scale * height}px`);
    for (const canvas of [this.element, this.#still]) {
      canvas.width = Math.ceil(width * this.#pixels);
      canvas.height = Math.ceil(height * this.#pixels);
    }
    for (const cell of cells) this.#on(this.#still, cell, (brush) => cell.look.still(brush, cell.of));
    this.#paintedAt = -Infinity;
  }

  #paint(cell: Cell, shown: Shown): void {
    const px = this.#pixels;
    const [x, y] = [Math.floor(cell.x * px), Math.floor(cell.y * px)];
    const [width, height] = [Math.ceil(cell.look.width * px) + 1, Math.ceil(cell.look.height * px) + 1];
    const brush = this.element.getContext("2d");
    if (!brush) return;
    brush.setTransform(1, 0, 0, 1, 0, 0);
    brush.clearRect(x, y, width, height);
    brush.drawImage(this.#still, x, y, width, height, x, y, width, height);
    this.#on(this.element, cell, (at) => cell.look.moving(at, cell.of, shown));
  }

  #on(canvas: HTMLCanvasElement, { x, y }: Cell, paint: (brush: CanvasRenderingContext2D) => void): void {
    const brush = canvas.getContext("2d");
    if (!brush) return;
    brush.setTransform(this.#pixels, 0, 0, this.#pixels, x * this.#pixels, y * this.#pixels);
    paint(brush);
  }
}

function shownOf(app: App, of: WorldInstrument, attitude: Shown["attitude"]): Shown {
  const raw = app.value(of.channel);
  return { value: of.scale * raw, word: app.session.meaning(of.channel, raw), attitude };
}
