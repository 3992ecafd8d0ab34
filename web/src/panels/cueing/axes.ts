/** The axes of cueing and their curves: what the vehicle does, what the platform gives, and what people feel of both. */

import type { Channel } from "../../net/types";
import { CUED_AXES, CUED_ROWS } from "../../net/words";
import type { PlotSpec } from "../../plots/spec";

export type Row = (typeof CUED_ROWS)[number];
export type Axis = (typeof CUED_AXES)[number];

/** Of every axis, in the order in which curves lie above each other; colours are numbers of trace colours. */
export const CURVES: readonly { readonly row: Row; readonly label: string; readonly colour: number; readonly about: string }[] = [
  { row: "demand", label: "demand", colour: 1, about: "Motion of the vehicle at the pilot's head" },
  { row: "felt_vehicle", label: "felt", colour: 3, about: "The vehicle's motion as a person in it feels it" },
  { row: "cue", label: "cue", colour: 2, about: "What the platform's commanded motion gives at the pilot's head" },
  { row: "felt_cue", label: "felt", colour: 4, about: "The platform's motion as a person on it feels it" },
];

const LABELS: Record<Axis, string> = {
  f_x: "Surge force", f_y: "Sway force", f_z: "Heave force", omega_x: "Roll rate", omega_y: "Pitch rate", omega_z: "Yaw rate",
}; // prettier-ignore

/** Forces beside the rates with which they go: surge and pitch, sway and roll. */
export const ORDER: readonly Axis[] = ["f_x", "omega_y", "f_y", "omega_x", "f_z", "omega_z"];
export const ERROR = "cue_error";

export function labelOf(axis: Axis): string {
  return LABELS[axis];
}

/** Whether channels are those of a base with cueing. */
export function isCued(channels: readonly Channel[] | undefined): boolean {
  return channels?.some(({ name }) => name === ERROR) ?? false;
}

/** The plot of one axis. @param hidden rows that are not drawn */
export function axisPlot(axis: Axis, hidden: ReadonlySet<string>): PlotSpec {
  const traces = CURVES.map(({ row, colour }) => {
    const isOther = axis === "f_z" && row.startsWith("felt_"); // a person feels differences from rest, which has 9.81 m/s² here
    return { name: `${row}_${axis}`, colour, axis: isOther ? ("right" as const) : ("left" as const), hidden: hidden.has(row) };
  });
  return { id: `cueing-${axis}`, traces };
}

export function errorPlot(): PlotSpec {
  return { id: "cueing-error", traces: [{ name: ERROR, colour: 5, axis: "left", hidden: false }] };
}

/** The set in use: 0 air, 1 ground, between them on the way. */
export function blend(share: number): string {
  if (!Number.isFinite(share)) return "–";
  if (share <= 0.005) return "air";
  if (share >= 0.995) return "ground";
  return `${(100 * share).toFixed(0)} % ground`;
}

/** How much faster the platform turns than the vehicle does, in any direction [the unit of both]. */
export function beyond(cue: number, demand: number): number {
  return cue * demand > 0 ? Math.max(0, Math.abs(cue) - Math.abs(demand)) : Math.abs(cue);
}
