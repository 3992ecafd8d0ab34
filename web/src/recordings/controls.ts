/** The buttons that move a replay: rewind, steps, play and pause, speed, loop. */

import { h, toggleClass } from "../core/dom";
import { icon } from "../core/icon";
import { duration } from "../core/format";
import { effect } from "../core/signal";
import { gate } from "../panels/common/ui";
import type { Recordings } from "./recordings";
import { speedChoice } from "./speed";

const PLAY = "M7 4.5v15l12-7.5z";
const PAUSE = "M8 5v14|M16 5v14";
const REWIND = "M6 5v14|M19 5 9 12l10 7z";
const LOOP = "M4 12a6 6 0 0 1 6-6h9|M16 3l3 3-3 3|M20 12a6 6 0 0 1-6 6H5|M8 15l-3 3 3 3";

export function controls(recordings: Recordings): HTMLElement {
  const { app, replay } = recordings;
  const step = (by: number): HTMLButtonElement =>
    h(
      "button",
      {
        type: "button",
        class: "rec-step num",
        "data-test": `replay-step${by}`,
        onclick: () => void recordings.control("step", [by]),
      },
      by > 0 ? `+${by}` : `−${-by}`,
    );
  const steps = [-10, -1, 1, 10].map((by) => ({ by, button: step(by) }));
  const [back, back1, on1, on] = steps.map((one) => one.button);
  const rewind = h(
    "button",
    {
      type: "button",
      class: "only-icon",
      "aria-label": "Rewind",
      "data-test": "replay-rewind",
      onclick: () => void recordings.control("rewind"),
    },
    icon(REWIND, 15),
  );
  const play = h(
    "button",
    { type: "button", class: "rec-play", "data-test": "replay-play", onclick: () => void recordings.toggle() },
  );
  const loop = h(
    "button",
    {
      type: "button",
      class: "only-icon",
      "aria-label": "Loop",
      "data-test": "replay-loop",
      onclick: () => void toggleLoop(recordings),
    },
    icon(LOOP, 15),
  );
  const speed = speedChoice((factor) => void recordings.control("speed", [factor]));
  let drawn = "";
  effect(() => {
    const found = replay();
    const why = recordings.whyNot();
    const needs = why || (found ? "" : "press play first: the recording is not being replayed");
    const plays = found ? found.state === "playing" : recordings.starting() !== "" && recordings.playsWhenReady();
    const shape = plays ? PAUSE : PLAY;
    if (shape !== drawn) play.replaceChildren(icon((drawn = shape), 18));
    play.setAttribute("aria-label", plays ? "Pause" : "Play");
    toggleClass(play, "primary", why === "" && !plays);
    gate(play, why, plays ? "Pause (K)" : "Play (K)");
    gate(rewind, needs, "Rewind (Home)");
    for (const { by, button } of steps) gate(
      button,
      needs,
      `${Math.abs(by)} record${Math.abs(by) > 1 ? "s" : ""} ${by > 0 ? "forward" : "back"}`,
    );
    gate(speed.element, needs, "Speed of the replay");
    speed.show(found, app.file()?.rate_hz ?? 0);
    loop.setAttribute("aria-pressed", String(found?.loop != null));
    const part = found?.loop ? `${duration(found.loop[0])} to ${duration(found.loop[1])}` : "";
    gate(
      loop,
      needs,
      part ? `Looping ${part}; press to end the loop` : "Loop between A and B, or the whole recording; Shift+drag on the overview loops a part",
    );
  });
  return h(
    "div",
    { class: "rec-controls", role: "group", "aria-label": "Replay controls" },
    rewind,
    back,
    back1,
    play,
    on1,
    on,
    speed.element,
    loop,
  );
}

async function toggleLoop(recordings: Recordings): Promise<void> {
  const found = recordings.replay.peek();
  if (!found) return;
  if (found.loop) return void (await recordings.control("loop-off"));
  const [from, to] = recordings.app.markedRange?.() ?? [found.begin, found.end];
  await recordings.control("loop", [Math.max(from, found.begin), Math.min(to, found.end)]);
}
