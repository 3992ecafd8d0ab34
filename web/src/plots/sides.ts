/** Which axis a trace belongs to: by choice, else one unit at the left and all others at the right. */

import type { Channel } from "../net/types";
import { unitText } from "./numbers";
import type { Trace } from "./spec";

export interface Sides {
  readonly of: ReadonlyMap<string, 0 | 1>;
  /** Units of the left and right axis, for people. */
  readonly units: readonly [string, string];
  readonly hasRight: boolean;
}

export function sidesOf(traces: readonly Trace[], byName: ReadonlyMap<string, Channel>): Sides {
  const of = new Map<string, 0 | 1>();
  const units: [Set<string>, Set<string>] = [new Set(), new Set()];
  const leftUnit = traces
    .filter((trace) => trace.axis !== "right")
    .map((trace) => byName.get(trace.name)?.unit)
    .find((unit) => unit !== undefined);
  let hasRight = false;
  for (const trace of traces) {
    const unit = byName.get(trace.name)?.unit;
    const isRight = trace.axis === "right" || (trace.axis === "auto" && unit !== undefined && unit !== leftUnit);
    const side = isRight ? 1 : 0;
    of.set(trace.name, side);
    if (unit !== undefined) units[side].add(unitText(unit));
    hasRight ||= isRight;
  }
  return { of, units: [text(units[0]), text(units[1])], hasRight };
}

function text(units: ReadonlySet<string>): string {
  return [...units].filter(Boolean).join(", ");
}
