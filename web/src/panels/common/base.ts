/**
 * The live base, by the newest that is known of it: its records as they are drawn, or the status where that is newer, on
 * a page that is slow, behind a replay, and in a tab that nobody looks at. All that is shown of the base comes from here,
 * so that no two places contradict each other. The signals change only when what they tell does.
 */

import type { App } from "../../app";
import { batch, computed, effect, signal, type Signal } from "../../core/signal";
import { Newest } from "../../data/newest";
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
  /** Whether the newest that is known shows that the stop acts. */
  shows: Signal<boolean>;
  /** Age of the newest that is known of the base, in whole seconds, with how far the console is behind; NaN before. */
  ageS: Signal<number>;
  /** Whether records of the live base come now. */
  isFresh: Signal<boolean>;
  /** Whether the records that are drawn are those of the live base. */
  isDrawn: Signal<boolean>;
  /** The newest live record that was drawn; null until there is one with a time. */
  drawn(): Drawn | null;
}

type Drawn = Omit<Seen, "generators_version">;

const QUIET = new Set(["off", "down", "standby", "held"]);
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
  const newest = new Newest();
  const shows = signal(false);
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
    shows,
    ageS: signal(NaN),
    ring,
    isFresh: computed(() => socket.link() === "open" && !socket.isSilent() && ring()?.state === "live"),
    isDrawn: signal(false),
    drawn: () => drawn,
  };
  let shown = session.source.peek();
  let since = -SETTLED_MS;
  let looked = app.live.version; // of the frame that was looked at last
  effect(() => socket.link() !== "open" && newest.forget());
  app.onFrame((now) => {
    if (app.isBeat) base.ageS.set(Math.floor((performance.now() - newest.atMs) / 1e3 + (ring.peek()?.behind_s ?? 0)));
    confirmed.look(performance.now(), base.isFresh.peek(), shows.peek(), session.status.peek());
    const source = session.source.peek();
    if (source !== shown) [shown, since] = [source, now];
    base.isDrawn.set(source === "live" && now - since >= SETTLED_MS);
    if (!base.isDrawn.peek()) {
      base.warnings.set("");
      base.runs.set(null);
      looked = app.live.version;
      return;
    }
    const t = app.live.t;
    const meaning = (name: string): string | null => session.meaning(name, app.value(name));
    const version = app.value("generators_version");
    const [state, mode] = [meaning("state"), meaning("mode")];
    drawn = Number.isFinite(t) ? { t, state: state ?? "", mode: mode ?? "" } : null;
    base.warnings.set(meaning("warning") ?? "");
    base.runs.set(Number.isNaN(version) ? null : version);
    if (app.live.version === looked) return; // what was drawn before a connection was lost is not news after it
    looked = app.live.version;
    if (!newest.take(app.live.generation, t, performance.now())) return;
    const fault = app.value("fault") > 0 ? (meaning("fault") ?? `fault ${app.value("fault")}`) : null;
    know(state, mode, fault, app.value("estop") > 0);
  });
  effect(() => {
    const now = ring();
    if (!now || !newest.take(now.generation, now.t ?? NaN, performance.now())) return;
    const fault = now.base_fault?.startsWith("none") ? null : now.base_fault;
    know(now.base_state, now.base_mode, fault, now.estop_acts);
  });
  function know(state: string | null, mode: string | null, fault: string | null, acts: boolean): void {
    batch(() => {
      base.state.set(state);
      base.mode.set(mode);
      base.fault.set(fault);
      shows.set(acts);
    });
  }
  return base;
}
