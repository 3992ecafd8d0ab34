/** Parameters of cueing: which they are, of which situation, and in which groups people look for them. */

import type { Parameter } from "../../net/types";

export type Situation = "air" | "ground";

const PREFIXES: Record<Situation, string> = { air: "cue_", ground: "cue_ground_" };

const GROUPS: readonly (readonly [string, RegExp])[] = [
  ["Gains", /^gain$/],
  ["Filters", /^(high_pass|damping|first_order)$/],
  ["Tilt", /^tilt_/],
  ["Limits", /^(dead_band|saturation|travel|braking|leg_braking|margin)$/],
  ["Adaptation", /^adaptive_/],
];
const OTHER = "Other";

/** Of cueing, and tunable. */
export function isCueing({ name, tunable }: Parameter): boolean {
  return tunable && name.startsWith(PREFIXES.air);
}

/** The parameters of one situation in their groups; groups that are empty are left out. */
export function cueingGroups(parameters: readonly Parameter[], situation: Situation): [string, Parameter[]][] {
  const found = new Map<string, Parameter[]>([...GROUPS.map(([name]) => name), OTHER].map((name) => [name, []]));
  for (const parameter of parameters.filter(isCueing)) {
    const isOfGround = parameter.name.startsWith(PREFIXES.ground);
    if (isOfGround !== (situation === "ground")) continue;
    const name = parameter.name.slice(PREFIXES[situation].length);
    found.get(GROUPS.find(([, names]) => names.test(name))?.[0] ?? OTHER)?.push(parameter);
  }
  return [...found].filter(([, listed]) => listed.length > 0);
}
