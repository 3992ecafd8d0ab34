/** The plots beside and beneath each other: columns, heights of rows, and what is dropped where. */

import type { App } from "../app";
import { h, toggleClass } from "../core/dom";
import { batch, effect, signal } from "../core/signal";
import { PlotHead } from "./head";
import { CHANNELS_TYPE } from "./legend";
import { PlotView, type Actions } from "./plot";
import type { PlotsState } from "./state";
import { theme } from "./theme";

const PLOT_TYPE = "application/x-motionbase-plot";
const NARROWEST_PX = 264;
const LOWEST_PX = 184;
const GAP_PX = 6;
const EDGE_SHARE = 0.16; // dropped so near to an edge, channels become a plot of their own

type Where = "before" | "onto" | "after";

export class Grid {
  readonly element = h("div", { class: "plot-grid", "data-test": "plot-grid" });
  /** Counts up when plots were put up anew. */
  readonly built = signal(0);
  #views = new Map<string, PlotView>();
  readonly #height = signal(800);

  constructor(
    readonly app: App,
    readonly state: PlotsState,
    private readonly actions: Actions,
  ) {
    effect(() => this.#build());
    effect(() => {
      const selected = state.selected();
      for (const view of this.#views.values()) view.mark(view.spec.id === selected);
    });
    new ResizeObserver(([entry]) => entry && this.#resized(entry.contentRect)).observe(this.element);
    this.element.addEventListener("dragover", (event) => event.target === this.element && takes(event) && event.preventDefault());
    this.element.addEventListener("drop", (event) => {
      if (event.target === this.element) this.#drop(event, state.plots.peek().length);
    });
  }

  /** A scrolling grid is a compositor layer of its own, which costs time: it scrolls only where it must. */
  #resized({ width, height }: DOMRectReadOnly): void {
    batch(() => {
      this.state.fits.set(Math.max(1, Math.floor(width / NARROWEST_PX)));
      this.#height.set(Math.floor(height));
    });
  }

  views(): PlotView[] {
    return this.state.plots.peek().flatMap((plot) => this.#views.get(plot.id) ?? []);
  }

  columns(): number {
    return Math.max(1, Math.min(this.state.columns(), this.state.fits(), this.state.plots().length || 1));
  }

  #build(): void {
    const { state } = this;
    const plots = state.plots();
    const columns = this.columns();
    state.byName();
    state.limits();
    state.forms.changes();
    theme();
    const weights = state.rows();
    const wanted = new Set(plots.map((plot) => plot.id));
    for (const [id, view] of this.#views) {
      if (wanted.has(id)) continue;
      view.destroy();
      this.#views.delete(id);
    }
    const rows = Math.ceil(plots.length / columns);
    const { style } = this.element;
    toggleClass(this.element, "is-tall", rows * (LOWEST_PX + GAP_PX) - GAP_PX > this.#height());
    style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    style.gridTemplateRows = Array.from({ length: rows }, (_, row) => `minmax(${LOWEST_PX}px, ${weights[row] ?? 1}fr)`).join(" ");
    plots.forEach((plot, k) => {
      const view = this.#views.get(plot.id) ?? this.#made(plot.id);
      if (!view) return;
      view.isTop = k < columns;
      view.update(plot);
      if (this.element.children[k] !== view.element) this.element.insertBefore(view.element, this.element.children[k] ?? null);
    });
    this.views().forEach((view, k, all) => {
      view.reserve(all.some((other, i) => i % columns === k % columns && other.hasRight));
      view.mark(view.spec.id === state.selected.peek());
    });
    batch(() => this.built.set(this.built.peek() + 1));
  }

  #made(id: string): PlotView | null {
    const spec = this.state.plots.peek().find((plot) => plot.id === id);
    if (!spec) return null;
    const head = new PlotHead(this.app, this.state, this.actions);
    const view = new PlotView(this.app, this.state, spec, head, this.actions.seek);
    this.#views.set(id, view);
    const handle = h("div", { class: "row-handle", role: "separator", title: "Drag to resize this row; double-click to make all rows equal" });
    handle.addEventListener("pointerdown", (event) => this.#resizeRow(event, handle, id));
    handle.addEventListener("dblclick", () => this.#setRows([]));
    view.element.append(handle);
    head.grip.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData(PLOT_TYPE, id);
      event.dataTransfer?.setDragImage(view.element, 20, 20);
    });
    view.element.addEventListener("dragover", (event) => {
      if (!takes(event)) return;
      event.preventDefault();
      mark(view.element, where(view.element, event));
    });
    view.element.addEventListener("dragleave", () => mark(view.element, null));
    view.element.addEventListener("drop", (event) => this.#dropOn(view, event));
    return view;
  }

  #dropOn(view: PlotView, event: DragEvent): void {
    event.preventDefault();
    mark(view.element, null);
    const at = this.state.plots.peek().findIndex((plot) => plot.id === view.spec.id);
    const side = where(view.element, event);
    if (side !== "onto") return this.#drop(event, side === "before" ? at : at + 1);
    const names = namesOf(event);
    if (names.length) return this.state.add(names, view.spec.id);
    this.#drop(event, at + 1);
  }

  /** A plot that is moved, or channels that become one. */
  #drop(event: DragEvent, at: number): void {
    event.preventDefault();
    const moved = event.dataTransfer?.getData(PLOT_TYPE);
    if (moved) return this.state.move(moved, at);
    const names = namesOf(event);
    if (names.length) this.state.insert(names, at);
  }

  #resizeRow(event: PointerEvent, handle: HTMLElement, id: string): void {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const columns = this.columns();
    const views = this.views();
    const row = Math.floor(views.findIndex((view) => view.spec.id === id) / columns);
    const heights = views.filter((_, k) => k % columns === 0).map((view) => view.element.offsetHeight);
    const start = event.clientY;
    const move = (to: PointerEvent): void => {
      const grown = Math.max(LOWEST_PX, (heights[row] ?? LOWEST_PX) + to.clientY - start);
      this.#setRows(heights.map((height, k) => (k === row ? grown : height)));
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", move), { once: true });
  }

  #setRows(rows: readonly number[]): void {
    this.state.rows.set(rows);
    this.app.layout.changed();
  }
}

function takes(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? [];
  return types.includes(CHANNELS_TYPE) || types.includes(PLOT_TYPE);
}

function namesOf(event: DragEvent): string[] {
  try {
    const names: unknown = JSON.parse(event.dataTransfer?.getData(CHANNELS_TYPE) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

function where(element: HTMLElement, event: DragEvent): Where {
  const box = element.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width;
  const y = (event.clientY - box.top) / box.height;
  if (x < EDGE_SHARE || y < EDGE_SHARE / 2) return "before";
  return x > 1 - EDGE_SHARE || y > 1 - EDGE_SHARE / 2 ? "after" : "onto";
}

function mark(element: HTMLElement, side: Where | null): void {
  for (const one of ["before", "onto", "after"] as const) toggleClass(element, `drop-${one}`, one === side);
}
