/** The whole recording in one strip: a channel, what happened, what is damaged, the loop, and the place that is shown. */

import { h, setText } from "../core/dom";
import { duration } from "../core/format";
import { effect, signal, type Signal } from "../core/signal";
import type { RecordingEvent, RecordingInfo } from "../net/types";
import { paint, type Picture } from "./paint";
import type { Recordings } from "./recordings";

const NEAR_PX = 5;

export interface Overview {
  element: HTMLElement;
  /** Called for every animation frame. */
  move(now: number): void;
}

/** @param channel name of the one that is drawn */
export function overview(recordings: Recordings, channel: Signal<string>): Overview {
  const { app } = recordings;
  const canvas = h("canvas", { "aria-hidden": "true" });
  const head = h("div", { class: "rec-head" });
  const loop = h("div", { class: "rec-loop", hidden: true });
  const hint = h("div", { class: "rec-hint num", hidden: true });
  const word = h("span", { class: "rec-word faint" });
  const element = h(
    "div",
    {
      class: "rec-overview", role: "slider", tabindex: 0, "aria-label": "Place in the recording", "data-test": "replay-overview",
      title: "Drag to go anywhere, Shift+drag to loop a part",
    },
    canvas, loop, head, hint, word,
  );
  const picture = signal<Picture | null>(null);
  const size = signal({ width: 0, height: 0 });
  new ResizeObserver(() => size.set({ width: element.clientWidth, height: element.clientHeight })).observe(element);

  let asked = "";
  effect(() => void load(app.file(), channel(), size().width));
  effect(() => {
    const [info, { width, height }] = [app.file(), size()];
    if (width > 0) paint(canvas, width, height, info, app.happened(), picture());
  });
  new MutationObserver(() => size.set({ ...size.peek() })).observe(
    document.documentElement,
    { attributeFilter: ["data-theme"] },
  );

  async function load(info: RecordingInfo | null, name: string, width: number): Promise<void> {
    const place = info?.recording_schema.channels.find((one) => one.name === name)?.place;
    const question = info && place !== undefined && width > 0 ? `${info.file} ${place} ${Math.ceil(width / 64)}` : "";
    if (question === asked) return;
    asked = question;
    if (!info || !question) return picture.set(null);
    setText(word, picture.peek() ? "" : "reading …");
    try {
      const frame = await app.api.window({
        file: info.file,
        channels: place,
        from: info.start,
        to: info.end,
        pixels: Math.max(1, Math.round(width * Math.min(2, devicePixelRatio))),
      });
      if (asked !== question) return;
      const [band] = frame.bands;
      picture.set(band ? { time: frame.time, lo: band.lo, hi: band.hi } : null);
      setText(word, "");
    } catch (error) {
      if (asked === question) setText(word, error instanceof Error ? error.message : String(error));
    }
  }

  const span = (): readonly [number, number] => {
    const info = app.file.peek();
    const found = recordings.replay.peek();
    const [from, to] = info ? [info.start, info.end] : [found?.begin ?? 0, found?.end ?? 1];
    return [from, Math.max(to, from + 1e-9)];
  };
  const timeAt = (x: number): number => {
    const [from, to] = span();
    const box = element.getBoundingClientRect();
    return from + (to - from) * Math.min(1, Math.max(0, (x - box.left) / box.width));
  };
  const share = (t: number): number => {
    const [from, to] = span();
    return Math.min(1, Math.max(0, (t - from) / (to - from)));
  };
  drags(recordings, element, timeAt, (range) => showLoop(range));

  function showLoop(range: readonly [number, number] | null): void {
    loop.hidden = range === null;
    if (!range) return;
    loop.style.left = `${100 * share(range[0])}%`;
    loop.style.width = `${100 * (share(range[1]) - share(range[0]))}%`;
  }
  effect(() => {
    app.file();
    showLoop(recordings.replay()?.loop ?? null);
  });

  element.addEventListener("pointermove", (moved) => {
    const t = timeAt(moved.clientX);
    const [from, to] = span();
    const near = (NEAR_PX * (to - from)) / element.clientWidth;
    const write = (at: number): string => (app.clock.epoch() === null ? duration(at) : app.clock.text(at, 0.1));
    setText(hint, said(app.file.peek(), app.happened.peek(), t, near, write));
    hint.hidden = false;
    const box = element.getBoundingClientRect();
    hint.style.left = `${Math.min(
      box.width - hint.offsetWidth,
      Math.max(0, moved.clientX - box.left - hint.offsetWidth / 2),
    )}px`;
  });
  element.addEventListener("pointerleave", () => (hint.hidden = true));

  const move = (now: number): void => {
    const t = recordings.playhead.at(now);
    head.hidden = t === null;
    if (t === null) return;
    head.style.transform = `translateX(${(share(t) * element.clientWidth).toFixed(1)}px)`;
    const [from, to] = span();
    const rounded = t.toFixed(3);
    if (element.getAttribute("aria-valuenow") === rounded) return;
    element.setAttribute("aria-valuemin", from.toFixed(3));
    element.setAttribute("aria-valuemax", to.toFixed(3));
    element.setAttribute("aria-valuenow", rounded);
    element.setAttribute("aria-valuetext", duration(t));
  };
  return { element, move };
}

/** What is to be said of a time [s]: an event or a damage near to it, else the time alone. */
function said(
  info: RecordingInfo | null, events: readonly RecordingEvent[], t: number, near: number, write: (t: number) => string,
): string {
  const event = events.find((one) => Math.abs(one.t - t) <= near);
  if (event) return `${write(event.t)}  ${event.kind}: ${event.text}`;
  const at = info?.damage_at.findIndex((place) => place && t >= place[0] - near && t <= place[1] + near) ?? -1;
  return at < 0 ? write(t) : `${write(t)}  ${info?.damage[at] ?? "damaged"}`;
}

/** A drag goes there; with Shift it marks a loop. */
function drags(
  recordings: Recordings, element: HTMLElement, timeAt: (x: number) => number, show: (range: readonly [number, number] | null) => void,
): void {
  let from: number | null = null; // of a loop
  const range = (to: number): readonly [number, number] | null => (from === null ? null : from < to ? [from, to] : [to, from]);
  element.addEventListener("pointerdown", (pressed) => {
    if (pressed.button !== 0) return;
    element.setPointerCapture(pressed.pointerId);
    from = pressed.shiftKey && recordings.replay.peek() ? timeAt(pressed.clientX) : null;
    if (from === null) recordings.seek(timeAt(pressed.clientX));
  });
  element.addEventListener("pointermove", (moved) => {
    if (!element.hasPointerCapture(moved.pointerId)) return;
    const t = timeAt(moved.clientX);
    if (from === null) recordings.seek(t);
    else show(range(t));
  });
  element.addEventListener("pointerup", (released) => {
    const marked = range(timeAt(released.clientX));
    from = null;
    if (marked && marked[1] > marked[0]) void recordings.control("loop", [...marked]);
    else if (marked) show(recordings.replay.peek()?.loop ?? null);
  });
  element.addEventListener("pointercancel", () => {
    from = null;
    show(recordings.replay.peek()?.loop ?? null);
  });
}
