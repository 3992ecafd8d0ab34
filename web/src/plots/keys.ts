/** The keyboard over the plots. */

import type { App } from "../app";
import { full, panTime, zoomTime } from "./gestures";
import type { Source } from "./source";
import { SPANS, type PlotsState } from "./state";

const PAN = 0.1;
const ZOOM = 1.5;

export function bindKeys(app: App, state: PlotsState, source: Source, area: HTMLElement): void {
  addEventListener("keydown", (event) => {
    if (!isOurs(event, area)) return;
    const run = event.ctrlKey || event.metaKey ? withControl(state, event) : plain(app, state, source, event);
    if (!run) return;
    event.preventDefault();
    run();
  });
}

/** No text field and no other control has the focus. */
function isOurs(event: KeyboardEvent, area: HTMLElement): boolean {
  const { target } = event;
  if (event.altKey || event.defaultPrevented || !(target instanceof HTMLElement)) return false;
  if (target.closest("input, select, textarea, dialog, [contenteditable]")) return false;
  if (event.key === " " && target.closest("button, [role=option]")) return false;
  return target === document.body || area.contains(target);
}

function withControl(state: PlotsState, event: KeyboardEvent): (() => void) | null {
  if (event.key.toLowerCase() === "z") return () => (event.shiftKey ? state.view.redo() : state.view.undo());
  return event.key.toLowerCase() === "y" ? () => state.view.redo() : null;
}

function plain(app: App, state: PlotsState, source: Source, event: KeyboardEvent): (() => void) | null {
  switch (event.key) {
    case " ":
      return () => toggleLive(state);
    case "ArrowLeft":
      return () => panTime(state, event.shiftKey ? -1 : -PAN);
    case "ArrowRight":
      return () => panTime(state, event.shiftKey ? 1 : PAN);
    case "+":
    case "=":
      return () => zoom(state, 1 / ZOOM);
    case "-":
      return () => zoom(state, ZOOM);
    case "Escape":
      return () => {
        state.a.set(null);
        state.b.set(null);
        state.hover.set(null);
      };
    case "l":
    case "L":
      return () => full(state, state.selected.peek());
    case "r":
    case "R":
      return () => state.view.go({ ...state.view.now.peek(), y: {} }, "range");
    case "f":
    case "F":
      return () => void app.attempt(fitAll(state, source));
    default:
      return null;
  }
}

/** Freeze what is shown, or follow the newest record again. */
export function toggleLive(state: PlotsState): void {
  const { from, to, slides } = state.shown();
  state.view.setTime(slides ? [from, to] : null, "live");
}

/** While live the span changes, so that it stays live; else about the middle. */
function zoom(state: PlotsState, factor: number): void {
  if (!state.shown().slides) return zoomTime(state, factor, 0.5);
  const at = SPANS.indexOf(state.span.peek());
  const next = SPANS[at + (factor > 1 ? 1 : -1)];
  if (next !== undefined) state.span.set(next);
}

/** All there is, in time and in values. */
async function fitAll(state: PlotsState, source: Source): Promise<void> {
  const extent = await source.extent();
  if (extent) state.view.go({ time: extent, y: {} }, "fit");
}
