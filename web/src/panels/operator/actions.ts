/** What an operator can ask for, from where, and what follows: the table of docs/control.md in words. */

import { isOneOf } from "../../core/one_of";
import type { HostDemand, Operate } from "../../net/types";
import { CALMING as CALM, MOVING, RESTING, type State } from "../../net/words";

export type Action = Operate["action"];

/** What decides about an action, at one moment. */
export interface Situation {
  state: string | null;
  mode: string | null;
  fault: string | null;
  estop: boolean;
  host: HostDemand | null;
}

interface Known {
  label: string;
  does: string;
  /** States from which the control law hears it. */
  from: readonly State[];
  /** Whether a latched fault or a stop is in the way. */
  needsHealth: boolean;
  /** What follows, where it moves the base: this is confirmed first. */
  moves?: { title: string; text: string };
}

const DRIVING: readonly State[] = ["engaging", "drive", "settling", "freeze"];
const SILENT_S = 1;
const LATCHED = "a fault or an emergency stop is latched: reset it first";
const CLEAR = "Nobody must be on, under or beside the platform who should not be there.";

export const ACTIONS: Record<Exclude<Action, "host" | "maintenance">, Known> = {
  down: {
    label: "Switch on", does: "ready to rise; nothing moves yet", from: ["off"], needsHealth: true,
  },
  standby: {
    label: "Rise", does: "to neutral, and stay there", from: ["down", "lowering"], needsHealth: true,
    moves: { title: "Rise to standby?", text: `The platform rises to its neutral pose and stays there. ${CLEAR}` },
  },
  drive: {
    label: "Drive", does: "follow the host or the generators", from: ["standby", "freeze"], needsHealth: true,
    moves: { title: "Drive?", text: "" },
  },
  off: {
    label: "Switch off", does: "when it is down or held", from: ["down", "held"], needsHealth: false,
  },
  lower: {
    label: "Lower", does: "go down from where it is", from: [
      "standby", "rising", "freeze", "held", "off",
    ], needsHealth: true,
    moves: { title: "Lower the platform?", text: `The platform goes down to its lowest pose. ${CLEAR}` },
  },
  settle: {
    label: "Settle", does: "back to neutral, generators fade out", from: [
      "engaging", "drive", "freeze",
    ], needsHealth: false,
  },
  freeze: {
    label: "Freeze", does: "stop at once and stay there", from: ["rising", "engaging", "drive", "settling", "lowering"],
    needsHealth: false,
  },
  abort: {
    label: "Abort", does: "stop and go down; it latches a fault", from: MOVING, needsHealth: false,
  },
  reset: {
    label: "Reset", does: "clear the fault and release the emergency stop", from: RESTING, needsHealth: false,
  },
};

/** What brings a base to rest: it needs no up-to-date page, neither here nor at the server. */
export const CALMING: ReadonlySet<keyof typeof ACTIONS> = new Set(CALM);

/** Why an action cannot be asked for now; "" where it can. */
export function whyNot(action: keyof typeof ACTIONS, now: Situation): string {
  const known = ACTIONS[action];
  if (now.state === null) return "the state of the base is unknown";
  if (action === "reset" && now.fault === null && !now.estop) return "there is nothing to reset";
  if (!isOneOf(known.from, now.state)) {
    return `${known.label.toLowerCase()} works from ${listed(known.from)}; the base is in ${now.state}`;
  }
  if (known.needsHealth && (now.fault !== null || now.estop)) return LATCHED;
  return action === "drive" ? whyNotDrive(now) : "";
}

function whyNotDrive({ mode, host }: Situation): string {
  if (mode !== "host" || host === null) return "";
  if (host.age_s === null) return "in host mode the base follows the host, and no frame has arrived";
  if (host.age_s > SILENT_S) return `the host has been silent for ${host.age_s.toFixed(0)} s`;
  return host.exceeded.length ? `the host asks for more than the limits allow: ${host.exceeded[0]}` : "";
}

/** Why the mode stays; "" where it can be changed. */
export function whyNotMode({ state }: Situation): string {
  if (state === null) return "the state of the base is unknown";
  return isOneOf(DRIVING, state) ? `the mode cannot change in ${state}: settle first` : "";
}

/** What most operators would do next. */
export function nextAction({ state, fault, estop }: Situation): keyof typeof ACTIONS | null {
  if (state !== null && isOneOf(RESTING, state) && (fault !== null || estop)) return "reset";
  const next: Record<string, keyof typeof ACTIONS> = {
    off: "down", down: "standby", standby: "drive", drive: "settle", freeze: "settle", held: "lower",
  };
  return (state !== null && next[state]) || null;
}

const UNDER_WAY: Record<string, string> = {
  rising: "On its way to neutral, where it stays in standby.",
  engaging: "Blending into the trajectory of the drive.",
  settling: "On its way back to neutral.",
  lowering: "On its way down.",
  abort: "It stops and goes down by itself.",
  stopping: "It comes to a stop where it is.",
};

/** What the base is doing by itself. */
export function underWay(state: string | null): string {
  return (state !== null && UNDER_WAY[state]) || "The state of the base is unknown.";
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
