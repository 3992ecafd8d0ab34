/** Parameters in familiar groups; unknown names are grouped by when they may change. */

import type { Parameter } from "../../net/types";
import { DOFS } from "../../net/words";

const GROUPS: [string, RegExp][] = [
  ["Feedback", /^(k_|dp_corner$|felt_share$|integral_max$|estimator$)/],
  ["Feed-forward", /^(ff_|lead$)/],
  ["Moves and fades", /^(move_|fade_|host_horizon$|host_stop$)/],
  ["Limits of the axes", /^(dof_|jerk_time$)/],
  ["Cueing", /^cue_/],
  ["Limits of the legs", /^(leg_|l_min$|l_max$|l_low$|valve_rate_max$|authority_|close_rate$)/],
];
const OF_AXES = /^(dof|cue)_/; // six numbers of these are of the axes
const OF_CUEING = /^cue_/; // two numbers of these are along x and y
const MONITORS = "Monitors";
const FIXED = "Fixed";
const OTHER = "Other";

/** In the order of this file; fixed ones last. */
export function grouped(parameters: Parameter[]): [string, Parameter[]][] {
  const found = new Map<string, Parameter[]>(
    [...GROUPS.map(([name]) => name), OTHER, MONITORS, FIXED].map((name) => [name, []]),
  );
  for (const parameter of parameters) found.get(groupOf(parameter))?.push(parameter);
  return [...found].filter(([, listed]) => listed.length > 0);
}

function groupOf(parameter: Parameter): string {
  if (!parameter.tunable) return FIXED;
  const known = GROUPS.find(([, names]) => names.test(parameter.name));
  return known?.[0] ?? (parameter.at_rest ? MONITORS : OTHER);
}

/** What the numbers of a parameter are called, and the unit of each: "m, rad" is of linear and angular axes. */
export function numbersOf(parameter: Parameter): { label: string; unit: string }[] {
  const units = parameter.unit.split(", ");
  const count = parameter.value.length;
  const byAxis = (count === 6 && (units.length === 2 || OF_AXES.test(parameter.name))) || (count === 2 && OF_CUEING.test(parameter.name));
  return parameter.value.map((_, k) => ({
    label: count === 1 ? "" : byAxis ? (DOFS[k] ?? "") : `${k + 1}`,
    unit: ((units.length === 2 && k >= 3 ? units[1] : units[0]) ?? "").replace("^2", "²").replace(/^-$/, ""),
  }));
}
