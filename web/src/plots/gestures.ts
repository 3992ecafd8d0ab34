/** Pointer and wheel over a plot: zoom, pan, cursors. All plots share their time, so all move. */

import type { Range, Side } from "./spec";
import type { Viewing } from "./state";

/** What the gestures need of the plot beneath them. */
export interface Stage {
  readonly id: string;
  readonly over: HTMLElement;
  ranges(): readonly [Range, Range];
  hasRight(): boolean;
  select(box: { left: number; top: number; width: number; height: number } | null): void;
  playhead(): number | null;
}

const CLICK_PX = 4;
const GRAB_PX = 6;
const THIN_PX = 10; // a box thinner than this zooms the other axis alone
const WHEEL = 0.0016;
const LINE_PX = 16;
const LONGEST_S = 1e6;

type Drag = "box" | "pan" | "a" | "b" | "playhead" | "pinch";

export function bindGestures(stage: Stage, state: Viewing, seek: (t: number) => void): void {
  const { over } = stage;
  const pointers = new Map<number, PointerEvent>();
  let drag: Drag | null = null;
  let origin = { x: 0, y: 0, from: 0, to: 1, left: [0, 1] as Range, right: [0, 1] as Range };
  let hasMoved = false;
  let wasA: number | null = null; // before a click that may become a double click

  const share = (event: MouseEvent): { x: number; y: number } => {
    const box = over.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  };

  const grabbed = (event: PointerEvent): Drag | null => {
    const { width } = over.getBoundingClientRect();
    const { from, to } = state.shown();
    const near = (t: number | null): boolean =>
      t !== null && Math.abs((t - from) / (to - from) - share(event).x) * width < GRAB_PX;
    return near(state.a.peek()) ? "a" : near(state.b.peek()) ? "b" : near(stage.playhead()) ? "playhead" : null;
  };

  const remember = (event: PointerEvent): void => {
    const { from, to } = state.shown();
    const [left, right] = stage.ranges();
    origin = { x: event.clientX, y: event.clientY, from, to, left, right };
  };

  over.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    state.selected.set(stage.id);
    pointers.set(event.pointerId, event);
    over.setPointerCapture(event.pointerId);
    remember(event);
    hasMoved = false;
    if (pointers.size === 2) drag = "pinch";
    else if (event.button === 1) drag = "pan";
    else drag = grabbed(event) ?? (event.pointerType === "touch" || event.shiftKey ? "pan" : "box");
    if (event.button === 1) event.preventDefault();
  });

  over.addEventListener("pointermove", (event) => {
    const at = share(event);
    if (event.pointerType !== "touch" || !drag) state.hover.set(Math.max(0, Math.min(1, at.x)));
    if (!drag) {
      over.style.cursor = grabbed(event) ? "ew-resize" : "";
      return;
    }
    hasMoved ||= Math.hypot(event.clientX - origin.x, event.clientY - origin.y) > CLICK_PX;
    if (!hasMoved) return;
    if (drag === "pinch") pinch(event);
    else if (drag === "pan") pan(event);
    else if (drag === "box") stage.select(boxTo(event));
    else if (drag === "playhead") seek(state.timeAt(at.x));
    else state[drag].set(state.timeAt(Math.max(0, Math.min(1, at.x))));
    pointers.set(event.pointerId, event);
  });

  const end = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
    const done = drag;
    drag = null;
    stage.select(null);
    if (event.type === "pointercancel" || done === null) return;
    if (hasMoved) {
      if (done === "box") zoomTo(boxTo(event));
      return;
    }
    if (event.button !== 0 || done === "pinch") return;
    const t = state.timeAt(share(event).x);
    if (done === "playhead" || event.altKey) return seek(t);
    if (event.shiftKey) return state.b.set(t);
    wasA = state.a.peek();
    state.a.set(t);
  };
  over.addEventListener("pointerup", end);
  over.addEventListener("pointercancel", end);
  over.addEventListener("pointerleave", () => state.hover.set(null));

  over.addEventListener("dblclick", () => {
    state.a.set(wasA);
    full(state, stage.id);
  });

  over.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const turn = (event.deltaY || event.deltaX) * (event.deltaMode === 1 ? LINE_PX : 1);
      const factor = Math.exp(Math.max(-400, Math.min(400, turn)) * WHEEL);
      const at = share(event);
      if (event.shiftKey) zoomY(stage, state, factor, at.y);
      else zoomTime(state, factor, at.x);
    },
    { passive: false },
  );

  function boxTo(event: PointerEvent): { left: number; top: number; width: number; height: number } {
    const box = over.getBoundingClientRect();
    const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));
    const [x0, x1] = [clamp(origin.x - box.left, box.width), clamp(event.clientX - box.left, box.width)];
    const [y0, y1] = [clamp(origin.y - box.top, box.height), clamp(event.clientY - box.top, box.height)];
    const [width, height] = [Math.abs(x1 - x0), Math.abs(y1 - y0)];
    if (height < THIN_PX) return { left: Math.min(x0, x1), top: 0, width, height: box.height };
    if (width < THIN_PX) return { left: 0, top: Math.min(y0, y1), width: box.width, height };
    return { left: Math.min(x0, x1), top: Math.min(y0, y1), width, height };
  }

  function zoomTo(picked: { left: number; top: number; width: number; height: number }): void {
    const { width, height } = over.getBoundingClientRect();
    const view = state.view.now.peek();
    const { from, to } = origin;
    const wholeTime = picked.left === 0 && picked.width >= width;
    const wholeY = picked.top === 0 && picked.height >= height;
    const at = (share: number): number => from + share * (to - from);
    const time: Range | null = wholeTime ? view.time : [at(picked.left / width), at((picked.left + picked.width) / width)];
    const cut = ([least, most]: Range): Range => [
      most - ((picked.top + picked.height) / height) * (most - least),
      most - (picked.top / height) * (most - least),
    ];
    const own = wholeY ? view.y[stage.id] : { left: cut(origin.left), ...(stage.hasRight() ? { right: cut(origin.right) } : {}) };
    state.view.go({ time, y: { ...view.y, [stage.id]: own ?? {} } }, "box");
  }

  function pan(event: PointerEvent): void {
    const { width, height } = over.getBoundingClientRect();
    const view = state.view.now.peek();
    const t = ((event.clientX - origin.x) / width) * (origin.to - origin.from);
    const moved = ([least, most]: Range): Range => {
      const by = ((event.clientY - origin.y) / height) * (most - least);
      return [least + by, most + by];
    };
    const own: Partial<Record<Side, Range>> = { ...view.y[stage.id] };
    if (own.left) own.left = moved(origin.left);
    if (own.right) own.right = moved(origin.right);
    state.view.go({ time: [origin.from - t, origin.to - t], y: { ...view.y, [stage.id]: own } }, `pan ${stage.id}`);
  }

  function pinch(event: PointerEvent): void {
    const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    const before = pointers.get(event.pointerId);
    if (!other || !before) return;
    const was = Math.abs(before.clientX - other.clientX);
    const is = Math.abs(event.clientX - other.clientX);
    if (was > CLICK_PX && is > CLICK_PX) zoomTime(state, was / is, share(other).x);
  }
}

/** Zoom by a factor about a share of the width; leaves live. */
export function zoomTime(state: Viewing, factor: number, at: number): void {
  const { from, to } = state.shown();
  const middle = from + at * (to - from);
  if ((to - from) * factor > LONGEST_S) return;
  state.view.setTime([middle - (middle - from) * factor, middle + (to - middle) * factor], "zoom");
}

export function panTime(state: Viewing, share: number): void {
  const { from, to } = state.shown();
  const by = share * (to - from);
  state.view.setTime([from + by, to + by], "pan");
}

function zoomY(stage: Stage, state: Viewing, factor: number, at: number): void {
  const view = state.view.now.peek();
  const scaled = ([least, most]: Range): Range => {
    const middle = most - at * (most - least);
    return [middle - (middle - least) * factor, middle + (most - middle) * factor];
  };
  const [left, right] = stage.ranges();
  const own = { left: scaled(left), ...(stage.hasRight() ? { right: scaled(right) } : {}) };
  state.view.go({ time: view.time, y: { ...view.y, [stage.id]: own } }, `zoom y ${stage.id}`);
}

/** Everything: the whole recording or the live window, and values by themselves. */
export function full(state: Viewing, id: string | null): void {
  const { y } = state.view.now.peek();
  state.view.go({ time: null, y: id === null ? {} : { ...y, [id]: {} } }, "full");
}
