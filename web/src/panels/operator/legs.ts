/** What can be asked of the legs of a rig, from where, and what they are doing: rules and words, without the page. */

import type { LegState } from "../../net/words";
import type { Leg, Rig } from "../common/rig";

const SILENT = "the rig does not answer";

type LegAction = "enable" | "home" | "disable";

/** States in which a leg holds or follows a length. */
const POWERED: readonly (LegState | null)[] = ["ready", "following", "stopping"];

/** What the legs have to be for an action, all of them. */
const FROM: Record<Exclude<LegAction, "disable">, LegState> = { enable: "off", home: "unhomed" };

/** Why an action cannot be asked of the legs now; "" where it can. The rig decides again. */
export function whyNotLegs(action: LegAction, { legs, isSilent }: Rig): string {
  if (isSilent) return SILENT;
  if (legs.some(({ state }) => state === null)) return "the states of the legs are unknown";
  if (action === "disable") return common(legs) === "off" ? "the legs are off already" : "";
  const failed = legs.findIndex(({ fault }) => fault !== null);
  if (failed >= 0) return `leg ${failed + 1} has a fault: reset it first`;
  return common(legs) === FROM[action] ? "" : `${action} works while all legs are ${FROM[action]}; ${spoken(legs)}`;
}

/** Why the base cannot use its legs; "" where it can. */
export function whyNotPowered({ legs, isSilent }: Rig): string {
  if (isSilent) return SILENT;
  if (legs.every(({ state, fault }) => POWERED.includes(state) && fault === null)) return "";
  const failed = legs.findIndex(({ fault }) => fault !== null);
  if (failed >= 0) return `leg ${failed + 1} has a fault: reset it first`;
  if (legs.some(({ state }) => state === null)) return "the states of the legs are unknown";
  const next = nextOfLegs({ legs, isSilent });
  return next ? `${spoken(legs)}: ${next} them first` : `${spoken(legs)}, not ready`;
}

/** Whether a reset would clear anything of the rig. */
export function isLatched({ legs, stop }: Rig): boolean {
  return stop !== null || legs.some(({ fault }) => fault !== null);
}

/** What the legs need before the base can use them; null where nothing, or where they are busy. */
export function nextOfLegs({ legs, isSilent }: Pick<Rig, "legs" | "isSilent">): "enable" | "home" | null {
  if (isSilent) return null;
  const state = common(legs);
  return state === "off" ? "enable" : state === "unhomed" ? "home" : null;
}

const DOING: Partial<Record<LegState, string>> = {
  starting: "The legs are being switched on.",
  homing: "The legs move to find their references.",
  following: "The legs still follow.",
  stopping: "The legs come to a stop.",
  fault: "The legs are in fault.",
};

/** What they are doing by themselves while the base is at rest; "" where that is nothing. */
export function legsUnderWay({ legs, isSilent }: Rig): string {
  if (isSilent) return "The rig does not answer: its process has ended, or hangs.";
  const state = common(legs);
  if (state === "ready") return "";
  return (state && DOING[state]) || `${spoken(legs).replace(/^./, (first) => first.toUpperCase())}.`;
}

/** The state that all of them are in; null where they differ or nobody knows. */
function common(legs: readonly Leg[]): LegState | null {
  const state = legs[0]?.state ?? null;
  return legs.every((leg) => leg.state === state) ? state : null;
}

/** "the legs are off"; "legs 1, 2 and 4 are off, 3, 5 and 6 starting" */
export function spoken(legs: readonly Leg[]): string {
  const groups = new Map<string, number[]>();
  legs.forEach(({ state }, k) => groups.set(state ?? "unknown", [...(groups.get(state ?? "unknown") ?? []), k + 1]));
  const [first, ...others] = [...groups];
  if (!first || others.length === 0) return `the legs are ${first?.[0] ?? "unknown"}`;
  const begin = first[1].length > 1 ? `legs ${listed(first[1])} are ${first[0]}` : `leg ${first[1][0]} is ${first[0]}`;
  return [begin, ...others.map(([state, numbers]) => `${listed(numbers)} ${state}`)].join("; ");
}

export function listed(numbers: readonly number[]): string {
  return numbers.length < 2 ? numbers.join() : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

/** As its maker writes it: codes of drives on a bus in hexadecimal; those of drivers are negative. */
export function deviceCode(code: number): string {
  return code > 0 ? `0x${Math.trunc(code).toString(16).padStart(4, "0")}` : String(Math.trunc(code)).replace("-", "−");
}
