/**
 * The live base: as its newest record tells it where live records are drawn, else as the status does, so that it is
 * known behind a replay and in a tab that nobody looks at. The signals change only when what they tell does.
 */

import type { App } from "../../app";
import { computed, effect, signal, type Signal } from "../../core/signal";
import type { Ring, Seen } from "../../net/types";
import { ConfirmedStop } from "./confirmed_stop";

export interface Base {
  /** Name of the state, null where nobody knows: no record, a ring without states. */
  state: Signal<string | null>;
  mode: Signal<string | null>;
  /** What is latched, with its sentence; null where there is none. */
  fault: Signal<string | null>;
  /** Warnings of now, separated by commas. */
  warnings: Signal<string>;
  /** Whether the emergency stop acts; known also while the page shows a replay. */
  estop: Signal<boolean>;
  /** When a stop was confirmed that no record has shown yet [s UTC]; null where records tell, or there was none. */
  confirmedAt: Signal<number | null>;
  /** The stop was confirmed, by whoever answered. */
  confirm(): void;
  /** Version of the generator settings that the control law uses. */
  runs: Signal<number | null>;
  /** The live ring, whatever the page shows. */
  ring: Signal<Ring | null>;
  /** Whether records of the live base come now. */
  isFresh: Signal<boolean>;
  /** The newest live record that was drawn; null until there is one with a time. */
  drawn(): Drawn | null;
}

type Drawn = Omit<Seen, "generators_version">;

const QUIET = new Set(["off", "down", "standby", "held"]);
const DRAWN_MS = 500; // without a picture for so long, the status knows better
const SETTLED_MS = 300; // after a change of source, frames of the other ring may still be on their way
const made = new WeakMap<App, Base>();

export function baseOf(app: App): Base {
  const known = made.get(app);
  if (known) return known;
  const base = follow(app);
  made.set(app, base);
  return base;
}

/** Whether limits and monitors may be tuned now. */
export function isAtRest(state: string | null): boolean {
  return state !== null && QUIET.has(state);
}

function follow(app: App): Base {
  const { session, socket } = app;
  const ring = computed(() => session.status()?.sources.find((one) => one.source === "live") ?? null);
  let drawn: Drawn | null = null;
  const stopped = signal(false); // by the newest record; the status may be quicker where a page is behind
  const shows = computed(() => stopped() || (ring()?.estop_acts ?? false));
  const confirmed = new ConfirmedStop();
  const base: Base = {
    state: signal<string | null>(null),
    mode: signal<string | null>(null),
    fault: signal<string | null>(null),
    warnings: signal(""),
    estop: computed(() => shows() || confirmed.at() !== null),
    confirmedAt: computed(() => (shows() && base.isFresh() ? null : confirmed.at())),
    confirm: () => confirmed.confirm(Date.now() / 1000, performance.now(), session.status.peek()),
    runs: signal<number | null>(null),
    ring,
    isFresh: computed(() => socket.link() === "open" && !socket.isSilent() && ring()?.state === "live"),
    drawn: () => drawn,
  };
  let shown = session.source.peek();
  let since = -SETTLED_MS;
  let drawnAt = -Infinity;
  app.onFrame((now) => {
    confirmed.look(performance.now(), base.isFresh.peek(), shows.peek(), session.status.peek());
    const source = session.source.peek();
    if (source !== shown) [shown, since] = [source, now];
    if (source !== "live" || now - since < SETTLED_MS) {
      stopped.set(false);
      base.warnings.set("");
      base.runs.set(null);
      return;
    }
    drawnAt = now;
    const t = app.live.t;
    const meaning = (name: string): string | null => session.meaning(name, app.value(name));
    const version = app.value("generators_version");
    base.state.set(meaning("state"));
    base.mode.set(meaning("mode"));
    drawn = Number.isFinite(t) ? { t, state: base.state.peek() ?? "", mode: base.mode.peek() ?? "" } : null;
    base.fault.set(app.value("fault") > 0 ? (meaning("fault") ?? `fault ${app.value("fault")}`) : null);
    base.warnings.set(meaning("warning") ?? "");
    stopped.set(app.value("estop") > 0);
    base.runs.set(Number.isNaN(version) ? null : version);
  });
  effect(() => {
    const now = ring();
    if (performance.now() - drawnAt < DRAWN_MS && session.source() === "live") return;
    base.state.set(now?.base_state ?? null);
    base.mode.set(now?.base_mode ?? null);
    base.fault.set(now?.base_fault?.startsWith("none") ? null : (now?.base_fault ?? null));
  });
  return base;
}
