/** One plot: legend, axes, the moving picture, and what the pointer does over it. */

import type { App } from "../app";
import { h, setText, toggleClass } from "../core/dom";
import type { Channel } from "../net/types";
import { settled } from "./autorange";
import { AxisFrame, TIME_AXIS, USUAL, type Margins, type Reserve } from "./frame";
import { bindGestures } from "./gestures";
import { lowerBound, type Data, type LayerTrace, type Shown } from "./layer";
import { axisScale, type AxisScale } from "./numbers";
import type { Marker } from "./marks";
import { Picture, type LimitLine } from "./picture";
import { sidesOf, type Sides } from "./sides";
import type { PlotSpec, Range } from "./spec";
import type { Viewing } from "./state";
import { theme } from "./theme";

const LINE_PX = 1.35;
const HOVERED_PX = 2.4;
const UNIT: Range = [0, 1];
const FLAT_STEPS = 20; // of the last digit written: an axis spans at least these, so that noise does not fill it

interface PlotTrace extends LayerTrace {
  readonly channel: Channel;
}

export interface Common {
  readonly shown: Shown;
  readonly data: Data;
  readonly markers: readonly Marker[];
  readonly playhead: number | null;
}

export interface Actions {
  seek(t: number): void;
  exportMenu(plot: PlotView, button: HTMLElement): void;
}

/** Names and values of the traces, above the picture. */
export interface Head {
  /** What the traces have in common: it stands in the picture. */
  readonly title: HTMLElement;
  mount(plot: PlotView): HTMLElement;
  update(spec: PlotSpec, sides: Sides): void;
  /** @param at value of a channel by its name, where the cursor is or the newest */
  show(at: (name: string) => number): void;
}

export class PlotView {
  readonly element: HTMLElement;
  readonly picture: Picture;
  readonly #body = h("div", { class: "plot-body" });
  readonly #units = [h("span", { class: "plot-unit left" }), h("span", { class: "plot-unit right" })] as const;
  readonly #empty = h("div", { class: "plot-empty" }, "Drag channels here, or double-click them in the list");
  readonly frame: AxisFrame;
  #sides: Sides = { of: new Map(), units: ["", ""], hasRight: false };
  #traces: PlotTrace[] = [];
  #limits: LimitLine[] = [];
  #ranges: [Range, Range] = [UNIT, UNIT];
  #scaled: [Range, Range] = [UNIT, UNIT]; // for which the units of the axes are written
  #look = 0;
  #hovered: string | null = null;
  #reserve: Reserve = "none";
  #size = { width: 400, height: 200 };
  #playhead: number | null = null;
  isTop = false;

  constructor(
    readonly app: App,
    readonly state: Viewing,
    public spec: PlotSpec,
    private readonly head: Head,
    seek: (t: number) => void,
    margins: Margins = USUAL,
  ) {
    this.element = h("section", { class: "plot", tabindex: 0, "data-test": "plot", "aria-label": "Plot" }, head.mount(this), this.#body);
    this.element.addEventListener("focusin", () => state.selected.set(this.spec.id));
    this.frame = new AxisFrame(this.#body, 400, 200, margins);
    this.picture = new Picture(this.frame.plot.ctx.canvas);
    this.#body.append(...this.#units, head.title, this.#empty);
    this.picture.canvas.className = "plot-picture";
    this.frame.plot.over.before(this.picture.canvas);
    bindGestures(
      {
        id: spec.id,
        over: this.frame.plot.over,
        ranges: () => this.#ranges,
        hasRight: () => this.#sides.hasRight,
        select: (box) => this.frame.select(box),
        playhead: () => this.#playhead,
      },
      state,
      seek,
    );
    new ResizeObserver(([entry]) => entry && this.#resized(entry.contentRect)).observe(this.#body);
  }

  get hasRight(): boolean {
    return this.#sides.hasRight;
  }

  /** How wide the axis of a trace is, in the channel's own unit; NaN where it is not here. */
  spanOf(name: string): number {
    const side = this.#traces.some(({ channel }) => channel.name === name) ? this.#sides.of.get(name) : undefined;
    return side === undefined ? NaN : this.#ranges[side][1] - this.#ranges[side][0];
  }

  /** What it shows has changed: traces, the schema, limits or colours. */
  update(spec: PlotSpec): void {
    this.spec = spec;
    const byName = this.state.byName.peek();
    this.#sides = sidesOf(spec.traces, byName);
    this.head.update(spec, this.#sides);
    this.#scaled = [UNIT, UNIT];
    this.#empty.hidden = spec.traces.length > 0;
    const limits = this.state.limits.peek();
    this.#limits = spec.traces.flatMap((trace) => {
      const own = limits[trace.name];
      return own && !trace.hidden ? { limits: own, side: this.#sides.of.get(trace.name) ?? 0 } : [];
    });
    this.element.setAttribute("aria-label", `Plot of ${spec.traces.map((trace) => trace.name).join(", ") || "nothing yet"}`);
    this.#pens();
  }

  #pens(): void {
    const ratio = devicePixelRatio;
    const byName = this.state.byName.peek();
    this.#look += 1;
    this.#traces = this.spec.traces.flatMap((trace) => {
      const channel = byName.get(trace.name);
      if (!channel || trace.hidden) return [];
      return {
        channel,
        place: channel.place,
        side: this.#sides.of.get(trace.name) ?? 0,
        colour: theme.peek().pens[trace.colour - 1] ?? 0xff888888,
        thickness: Math.max(1.2, (trace.name === this.#hovered ? HOVERED_PX : LINE_PX) * ratio),
        isStep: channel.codes !== null || channel.bits !== null,
      };
    });
    const hovered = byName.get(this.#hovered ?? "")?.place;
    if (hovered !== undefined) this.#traces.sort((one, other) => Number(one.place === hovered) - Number(other.place === hovered));
  }

  /** Thicker, above the others; null: none. */
  highlight(name: string | null): void {
    this.#hovered = name;
    this.#pens();
  }

  /** Room at the right for an axis, its own or that of a plot in the same column. */
  reserve(isNeeded: boolean): void {
    const next: Reserve = this.#sides.hasRight ? "axis" : isNeeded ? "space" : "none";
    if (next === this.#reserve) return;
    this.#reserve = next;
    this.#fit();
  }

  #resized({ width, height }: DOMRectReadOnly): void {
    if (width < 20 || height < 20) return;
    this.#size = { width: Math.floor(width), height: Math.floor(height) };
    this.#fit();
  }

  #fit(): void {
    this.frame.resize(this.#size.width, this.#size.height, this.#reserve);
    const ratio = devicePixelRatio;
    const { left, top, width, height } = this.frame.box;
    const box = { left: Math.round(left), top: Math.round(top), width: Math.round(width), height: Math.round(height) };
    const { style } = this.picture.canvas;
    style.left = `${box.left / ratio}px`;
    style.top = `${box.top / ratio}px`;
    this.picture.resize(box, Math.round(TIME_AXIS * ratio), ratio);
    this.head.title.style.left = `${left / ratio + 4}px`;
    this.head.title.style.maxWidth = `${width / ratio - 8}px`;
    this.#units[0].style.right = `${this.#size.width - left / ratio + 4}px`;
    this.#units[1].style.left = `${(left + width) / ratio + 4}px`;
    this.#look += 1;
  }

  /** As they stand at the left and right axis. */
  axisUnits(): string[] {
    return this.#units.map((element) => element.textContent ?? "");
  }

  /** Device pixels that traces have. */
  get pixels(): number {
    return this.frame.box.width;
  }

  draw(common: Common): void {
    const { state } = this;
    const { shown, data } = common;
    const fixed = state.view.now.peek().y[this.spec.id];
    this.#ranges[0] = fixed?.left ?? this.#auto(0, data, shown);
    this.#ranges[1] = this.#sides.hasRight ? (fixed?.right ?? this.#auto(1, data, shown)) : UNIT;
    this.#scale();
    this.#playhead = common.playhead;
    const hover = state.hover.peek();
    const isHovered = hover !== null && this.element.matches(":hover");
    this.picture.draw({
      data,
      shown,
      traces: this.#traces,
      ranges: this.#ranges,
      look: this.#look,
      theme: theme.peek(),
      clock: this.app.clock,
      limits: this.#limits,
      markers: common.markers,
      hasLabels: this.isTop,
      a: state.a.peek(),
      b: state.b.peek(),
      playhead: common.playhead,
      hover,
      isHovered,
    });
  }

  /** Labels and units of the axes, where a range is another one. */
  #scale(): void {
    const [left, right] = this.#ranges;
    if (left === this.#scaled[0] && right === this.#scaled[1]) return;
    this.#scaled = [left, right];
    const { forms } = this.state;
    const scale = ([least, most]: Range, unit: string): AxisScale => {
      const turn = forms.turn(unit);
      const found = axisScale([least / turn, most / turn], turn === 1 ? unit : forms.unit(unit), forms.power(unit));
      return { ...found, factor: turn * found.factor };
    };
    const scales = [scale(left, this.#sides.units[0]), scale(right, this.#sides.units[1])] as const;
    this.#units.forEach((element, side) => setText(element, scales[side]?.unit ?? ""));
    this.frame.setRanges(left, right, [scales[0].factor, scales[1].factor]);
  }

  #auto(side: 0 | 1, data: Data, shown: Shown): Range {
    const start = Math.max(0, lowerBound(data.time, shown.from) - 1);
    const end = Math.min(data.time.length, lowerBound(data.time, shown.to) + 1);
    const { forms } = this.state;
    let [least, most, floor] = [Infinity, -Infinity, 0];
    for (const trace of this.#traces) {
      if (trace.side !== side) continue;
      const band = data.band(trace.place);
      if (!band) continue;
      let [low, high] = [Infinity, -Infinity];
      for (let k = start; k < end; k += 1) {
        if (band.lo[k]! < low) low = band.lo[k]!;
        if (band.hi[k]! > high) high = band.hi[k]!;
      }
      if (!data.isLive) [low, high].forEach((value) => forms.note(trace.channel, value));
      least = Math.min(least, low);
      most = Math.max(most, high);
      floor = Math.max(floor, trace.isStep ? 2 : FLAT_STEPS * forms.of(trace.channel).resolution);
    }
    return settled(this.#ranges[side] === UNIT ? null : this.#ranges[side], least, most, floor);
  }

  /** Values in the legend: where the cursor is, else the record of the playhead, else the last that is shown. */
  showValues({ data, shown, playhead }: Common): void {
    const { app } = this;
    const share = this.state.hover.peek();
    if (share === null && shown.slides) return this.head.show((name) => app.value(name));
    const isPlayed = share === null && playhead !== null && app.session.source.peek() === "replay";
    const t = share === null ? (playhead ?? shown.to) : shown.from + share * (shown.to - shown.from);
    const at = Math.max(0, lowerBound(data.time, t) - 1);
    this.head.show((name) => {
      if (isPlayed && app.session.byName.peek().has(name)) return app.value(name);
      const band = data.band(this.state.byName.peek().get(name)?.place ?? -1);
      return band ? (band.lo[at]! + band.hi[at]!) / 2 : NaN;
    });
  }

  mark(isSelected: boolean): void {
    toggleClass(this.element, "is-selected", isSelected);
  }

  destroy(): void {
    this.frame.destroy();
    this.element.remove();
  }
}
