/** What an operator can ask for, from where, and what follows: the table of docs/control.md in words. */

import { isOneOf } from "../../core/one_of";
import type { HostDemand, Operate } from "../../net/types";
import { CALMING as CALM, MOVING, RESTING, RIG_ACTIONS, type State } from "../../net/words";
import type { Rig } from "../common/rig";
import { isLatched, legsUnderWay, nextOfLegs, whyNotLegs, whyNotPowered } from "./legs";

export type Action = Operate["action"];

/** What decides about an action, at one moment. */
export interface Situation {
  state: string | null;
  mode: string | null;
  fault: string | null;
  estop: boolean;
  host: HostDemand | null;
  /** What moves the legs; null for a base without a rig. */
  rig: Rig | null;
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
  enable: {
    label: "Enable", does: "switch the legs on; they hold where they are", from: RESTING, needsHealth: false,
  },
  home: {
    label: "Home", does: "let the legs find their references; they move", from: RESTING, needsHealth: false,
    moves: {
      title: "Home the legs?",
      text: `All legs move until they have found their references; the platform may tilt and sink on the way. ${CLEAR}`,
    },
  },
  disable: {
    label: "Disable", does: "switch the legs off", from: RESTING, needsHealth: false,
    moves: {
      title: "Switch the legs off?",
      text: `Without power, only brakes, shut valves or screws that lock themselves hold the platform; otherwise it sinks. ${CLEAR}`,
    },
  },
};

/** What brings a base to rest: it needs no up-to-date page, neither here nor at the server. */
export const CALMING: ReadonlySet<keyof typeof ACTIONS> = new Set(CALM);

/** Why an action cannot be asked for now; "" where it can. */
export function whyNot(action: keyof typeof ACTIONS, now: Situation): string {
  const known = ACTIONS[action];
  if (now.state === null) return "the state of the base is unknown";
  if (action === "reset" && !needsReset(now)) return "there is nothing to reset";
  if (!isOneOf(known.from, now.state)) {
    return `${known.label.toLowerCase()} works from ${listed(known.from)}; the base is in ${now.state}`;
  }
  if (known.needsHealth && (now.fault !== null || now.estop)) return LATCHED;
  if (isOneOf(RIG_ACTIONS, action)) return whyNotOfRig(action, now);
  if (known.needsHealth && now.rig && isOneOf(RESTING, now.state)) return whyNotPowered(now.rig);
  return action === "drive" ? whyNotDrive(now) : "";
}

/** A fault of the base is not in the way: it may be that the legs are off. A stop is. */
function whyNotOfRig(action: (typeof RIG_ACTIONS)[number], { rig, estop }: Situation): string {
  if (rig === null) return "no rig moves the legs of this base";
  return estop && action !== "disable" ? "an emergency stop is latched: reset it first" : whyNotLegs(action, rig);
}

function needsReset({ fault, estop, rig }: Situation): boolean {
  return fault !== null || estop || (rig !== null && isLatched(rig));
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

/** What most operators would do next; legs of a rig come first. */
export function nextAction(now: Situation): keyof typeof ACTIONS | null {
  const { state, rig } = now;
  const rests = state !== null && isOneOf(RESTING, state);
  if (rests && needsReset(now)) return "reset";
  if (rests && rig && whyNotPowered(rig)) return nextOfLegs(rig);
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

/** What the base, or its legs at rest, are doing by themselves. */
export function underWay({ state, rig }: Situation): string {
  if (rig && state !== null && isOneOf(RESTING, state)) return legsUnderWay(rig);
  return (state !== null && UNDER_WAY[state]) || "The state of the base is unknown.";
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
