/** Parameters of cueing: which they are, and in which groups people look for them. */

import type { Parameter } from "../../net/types";

export const PREFIX = "cue_";

const GROUPS: readonly (readonly [string, RegExp])[] = [
  ["Tilt coordination", /tilt/],
  ["Limits and thresholds", /limit|_max|_min|least|most|saturat|threshold|rate_/],
  ["Gains", /gain|scale|share|(^|_)k(_|$)|weight/],
  ["Filters", /omega|zeta|break|washout|(^|_)(hp|lp|w|tau|time|damping|frequency)(_|\d|$)|period/],
];
const OTHER = "Other";

/** In the order of people's interest: gains, filters, tilt, limits; what is fixed is left out. */
const SHOWN = ["Gains", "Filters", "Tilt coordination", "Limits and thresholds", OTHER];

export function cueingGroups(parameters: readonly Parameter[]): [string, Parameter[]][] {
  const found = new Map<string, Parameter[]>(SHOWN.map((name) => [name, []]));
  for (const parameter of parameters) {
    if (parameter.tunable && parameter.name.startsWith(PREFIX)) found.get(groupOf(parameter.name.slice(PREFIX.length)))?.push(parameter);
  }
  return [...found].filter(([, listed]) => listed.length > 0);
}

function groupOf(name: string): string {
  return GROUPS.find(([, names]) => names.test(name))?.[0] ?? OTHER;
}
