/**
 * The rig of the live base, by its newest record: what legs do, why they stopped, who asked for it, and the power unit.
 * Null where no rig moves the legs. The signal changes only when what it tells does; numbers that change all the time,
 * such as lengths, are read from records by whoever shows them.
 */

import type { App } from "../../app";
import { computed, signal, type Signal } from "../../core/signal";
import { LEGS, LEG_STATES, type LegState } from "../../net/words";
import { baseOf } from "./base";

export interface Leg {
  /** Null where nobody knows. */
  readonly state: LegState | null;
  /** The word for its fault, null where it has none. */
  readonly fault: string | null;
  /** The device's own code of the fault; 0 where there is none. */
  readonly code: number;
}

export interface Rig {
  /** Its process has ceased to cycle, or has not begun: all else is old. */
  readonly isSilent: boolean;
  readonly legs: readonly Leg[];
  /** Who asked for a stop, as a sentence; null where nobody did. */
  readonly stop: string | null;
  /** Whether a power unit tells of itself, and its fault. */
  readonly hasPowerUnit: boolean;
  readonly powerFault: string | null;
}

const SILENT_S = 0.5; // of records without another cycle
const UNKNOWN: Rig = {
  isSilent: false, legs: LEGS.map(() => ({ state: null, fault: null, code: 0 })), stop: null, hasPowerUnit: false, powerFault: null,
};
const made = new WeakMap<App, Signal<Rig | null>>();

export function rigOf(app: App): Signal<Rig | null> {
  const known = made.get(app);
  if (known) return known;
  const rig = follow(app);
  made.set(app, rig);
  return rig;
}

function follow(app: App): Signal<Rig | null> {
  const base = baseOf(app);
  const newest = signal<Rig>(UNKNOWN);
  const hasRig = computed(() => app.session.schemas().live?.channels.some(({ name }) => name === "leg1_rig_state") ?? false);
  let [told, cycles, since] = ["", NaN, NaN];
  app.onFrame(() => {
    const isKnown = hasRig.peek() && base.isDrawn.peek() && app.live.newest.length > 0;
    const [count, t] = isKnown ? [app.value("rig_cycles"), app.live.t] : [NaN, NaN];
    if (count !== cycles || !(t >= since)) [cycles, since] = [count, t];
    const now = isKnown ? { ...read(app), isSilent: t - since > SILENT_S } : UNKNOWN;
    const key = JSON.stringify(now);
    if (key !== told) newest.set(now);
    told = key;
  });
  return computed(() => (hasRig() ? newest() : null));
}

function read(app: App): Omit<Rig, "isSilent"> {
  const word = (name: string): string | null => app.session.meaning(name, app.value(name));
  const wrong = (name: string): string | null => (app.value(name) > 0 ? (word(name) ?? `fault ${app.value(name)}`) : null);
  const legs = LEGS.map((leg) => ({
    state: LEG_STATES[app.value(`leg${leg}_rig_state`)] ?? null,
    fault: wrong(`leg${leg}_rig_fault`),
    code: app.value(`leg${leg}_rig_code`) || 0,
  }));
  const powerFault = wrong("power_fault");
  return { legs, stop: wrong("rig_stop"), hasPowerUnit: powerFault !== null || app.value("power_oil") > 0, powerFault };
}
