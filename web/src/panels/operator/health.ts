/** How well time is kept: by the ring in its last second, and by this page in its last two, in small meters. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import { effect } from "../../core/signal";
import { baseOf } from "../common/base";
import { meter, section } from "../common/ui";

const ON_TIME_S = 100e-6; // what the executive counts as on time
const LATE_FULL_S = 1e-3; // a full bar
const HIGH_LOAD = 0.8; // where the executive warns
const RATE_OFF = 0.02;
const SCREEN_FINE_MS = 100; // later than this, a hand notices
const SCREEN_FULL_MS = 250;
const FULL_FPS = 60;

type Level = "good" | "warn" | "bad" | "none";

export function health(app: App): HTMLElement {
  const base = baseOf(app);
  const rate = meter("Rate", "health-rate");
  const late = meter("Largest lateness", "health-late");
  const load = meter("Largest load", "health-load");
  const overruns = meter("Overruns", "health-overruns");
  const lost = meter("Records lost", "health-lost");
  effect(() => {
    const ring = base.ring();
    const timing = ring?.state === "live" ? ring.timing : null;
    if (!ring || !timing) {
      for (const one of [rate, late, load, overruns, lost]) one.set("–", 0, "none", "no records arrive");
      return;
    }
    const share = ring.rate_hz > 0 ? timing.rate_hz / ring.rate_hz : 0;
    rate.set(
      `${timing.rate_hz.toFixed(0)} of ${ring.rate_hz.toFixed(0)} Hz`, share, judged(
        Math.abs(1 - share), RATE_OFF, 5 * RATE_OFF,
      ),
      "records received in the last second, and the writer's nominal rate",
    );
    late.set(
      micros(timing.late_max_s), (timing.late_max_s ?? 0) / LATE_FULL_S, judged(
        timing.late_max_s, ON_TIME_S, LATE_FULL_S,
      ),
      "of the ticks in the last second; up to 100 µs counts as on time, a full bar is 1 ms",
    );
    load.set(
      timing.load_max === null ? "–" : `${(100 * timing.load_max).toFixed(0)} %`, timing.load_max ?? 0,
      judged(timing.load_max, HIGH_LOAD, 1), "largest share of its period that a tick spent computing, in the last second",
    );
    overruns.set(
      count(timing.overruns), timing.overruns ?? 0, judged(timing.overruns, 0, Infinity),
      "ticks that ended after the next was due, in the last second",
    );
    lost.set(
      count(timing.lost), timing.lost, judged(timing.lost, 0, 0),
      "records that this console could not read in time; the base is not affected",
    );
  });
  const screen = meter("Ring to screen", "health-latency");
  const pictures = meter("Frame rate", "health-fps");
  const all = [rate, late, load, overruns, lost, screen, pictures];
  const element = section("Timing", [], h("div", { class: "p-meters" }, ...all.map((one) => one.element)));
  app.onFrame(() => {
    if (!app.isBeat || !app.meter || !element.checkVisibility()) return;
    const [whole, page, fps] = [app.meter.latencyMs(), app.meter.pageMs(), app.meter.fps()];
    const ms = Number.isNaN(whole) ? page : whole;
    const isKnown = !Number.isNaN(ms) && base.isFresh.peek();
    screen.set(
      !isKnown ? "–" : `${Number.isNaN(whole) ? "page " : ""}${ms.toFixed(0)} ms`, isKnown ? ms / SCREEN_FULL_MS : 0,
      judged(isKnown ? ms : null, SCREEN_FINE_MS, SCREEN_FULL_MS),
      !isKnown
        ? "no live records arrive"
        : Number.isNaN(whole)
        ? "from the arrival of a record to its display; the ring does not run on clock time, so the rest is unknown"
        : `from the time stamp of a record to its display, median over two seconds; ${page.toFixed(0)} ms of it in the page`,
    );
    pictures.set(`${fps.toFixed(0)} /s`, fps / FULL_FPS, judged(FULL_FPS - fps, FULL_FPS / 2, 0.75 * FULL_FPS), "frames of the plots per second, over the last two seconds");
  });
  return element;
}

/** Good up to `fine`, bad above `worst`. */
function judged(value: number | null, fine: number, worst: number): Level {
  if (value === null) return "none";
  return value <= fine ? "good" : value <= worst ? "warn" : "bad";
}

function micros(seconds: number | null): string {
  if (seconds === null) return "–";
  return seconds < 1e-3 ? `${(1e6 * seconds).toFixed(0)} µs` : `${(1e3 * seconds).toFixed(1)} ms`;
}

function count(value: number | null): string {
  return value === null ? "–" : value.toFixed(0);
}
