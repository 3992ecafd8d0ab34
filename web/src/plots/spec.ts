/** What the plots show, as data: saved in layouts, so whatever is loaded is checked. */

import { randomName } from "../core/random";
import { isPiece, type Piece } from "../data/layout";
import type { Channel } from "../net/types";
import { DOFS, LEGS, POSES, SETTINGS } from "../net/words";

export type Side = "left" | "right";
export type Range = readonly [number, number];

/** @property colour number of a trace colour, 1 to 8 */
export interface Trace {
  readonly name: string;
  readonly colour: number;
  readonly axis: Side | "auto";
  readonly hidden: boolean;
}

export interface PlotSpec {
  readonly id: string;
  readonly traces: readonly Trace[];
}

/** Where a channel is worth a warning or an alarm, in its own unit; null where there is no such limit. */
export interface Limits {
  readonly alarmLow: number | null;
  readonly warnLow: number | null;
  readonly warnHigh: number | null;
  readonly alarmHigh: number | null;
}

export const COLOURS = 8;
export const MOST_COLUMNS = 4;
const MOST_PLOTS = 60;
const MOST_TRACES = 64;

export function newId(): string {
  return randomName(4);
}

/** The least used colour comes next. */
export function freeColour(traces: readonly Trace[]): number {
  const used = new Array<number>(COLOURS).fill(0);
  for (const trace of traces) used[trace.colour - 1] = (used[trace.colour - 1] ?? 0) + 1;
  return used.indexOf(Math.min(...used)) + 1;
}

export function withTraces(plot: PlotSpec, names: readonly string[]): PlotSpec {
  const traces = [...plot.traces];
  for (const name of names) {
    if (traces.length >= MOST_TRACES || traces.some((trace) => trace.name === name)) continue;
    traces.push({ name, colour: freeColour(traces), axis: "auto", hidden: false });
  }
  return { ...plot, traces };
}

export function plotOf(names: readonly string[]): PlotSpec {
  return withTraces({ id: newId(), traces: [] }, names);
}

const HEXAPOD: readonly (readonly string[])[] = [
  LEGS.map((leg) => `leg${leg}_l_meas`),
  DOFS.map((dof) => `pose_meas_${dof}`),
  LEGS.map((leg) => `leg${leg}_l_dot_meas`),
  LEGS.map((leg) => `leg${leg}_f_meas`),
  LEGS.map((leg) => `leg${leg}_valve_cmd`),
  LEGS.map((leg) => `leg${leg}_p_cap`),
];

/** On a rig neither forces nor pressures are measured: what is asked for stands beside what is read, and how old that is. */
const RIGGED: readonly (readonly string[])[] = [
  LEGS.map((leg) => `leg${leg}_rig_l`),
  DOFS.map((dof) => `pose_meas_${dof}`),
  LEGS.map((leg) => `leg${leg}_l_dot_meas`),
  LEGS.map((leg) => `leg${leg}_l_cmd`),
  LEGS.map((leg) => `leg${leg}_rig_state`),
  ["rig_latency", "rig_age", "rig_lateness", "rig_compute"],
];

/** Of a law that looks on: what it would do beside what is done, of the same leg in the same plot. */
const SHADOW: readonly (readonly string[])[] = ["leg1_valve_cmd", "leg2_valve_cmd", "leg1_u_fb", "leg1_l_cmd", "state", "fault"].map(
  (name) => [name, `${name}_done`],
);

/** In place of pressures, where legs have no oil. */
const FELT = ["acc_x", "acc_y", "acc_z"];
const NOT_FITTED = "not_fitted"; // the group of channels of parts that a platform does not have

/** With a sphere on it: what turns and drives that first, then the stage beneath. */
const SPHERE: readonly (readonly string[])[] = [
  ["roll", "pitch", "yaw"].map((angle) => `sphere_${angle}`),
  ["x", "y", "z"].map((axis) => `sphere_omega_${axis}`),
];
const STAGE = [HEXAPOD[1] ?? [], HEXAPOD[0] ?? []];
const WHEEL = /^wheel\d+_(speed|torque)$/;

/** Of a model: what its joints should do beside what they do, what that takes, and how well it is computed. */
const MODEL_GROUPS = ["positions", "set_points", "speeds", "torques", "friction"];
const COMPUTED = { load: "left", residual: "right" } as const; // both without a unit, and nine decades apart
const MOST_JOINTS = 8; // colours of traces
const MOST_UNITS = 3; // of a rotor's outputs, a plot for each
const [OF_A_BLADE, FLAP] = [/^b\d+_/, /^b\d+_flap$/];

function modelPlots(channels: readonly Channel[]): PlotSpec[] {
  const names = (group: string): string[] => channels.filter((one) => one.group === group).map(({ name }) => name).slice(0, MOST_JOINTS);
  const isRotor = channels.some(({ group }) => group === SETTINGS);
  const known = new Set(channels.map(({ name }) => name));
  const computed = plotOf(Object.keys(COMPUTED).filter((name) => known.has(name)));
  const traces = computed.traces.map((trace) => ({ ...trace, axis: COMPUTED[trace.name as keyof typeof COMPUTED] }));
  const listed = isRotor ? rotorGroups(channels) : MODEL_GROUPS.map(names);
  return [...listed.map(plotOf), { ...computed, traces }].filter((plot) => plot.traces.length > 0);
}

/** Of a rotor: what acts on it, what it gives, unit by unit, and how its blades flap. */
function rotorGroups(channels: readonly Channel[]): string[][] {
  const ofUnits = new Map<string, string[]>();
  for (const { name, group, unit } of channels) {
    if (group === "outputs" && !OF_A_BLADE.test(name) && name !== "azimuth") ofUnits.set(unit, [...(ofUnits.get(unit) ?? []), name]);
  }
  const settings = channels.filter(({ group }) => group === SETTINGS).map(({ name }) => name);
  const flaps = channels.map(({ name }) => name).filter((name) => FLAP.test(name));
  return [settings, ...[...ofUnits.values()].slice(0, MOST_UNITS), flaps].map((names) => names.slice(0, MOST_JOINTS));
}

/** Six plots for a hexapod, plant, rig or a law that looks on, of sphere, wheels and stage for a sphere on one; for any other schema the first
 * groups, six channels of each. */
export function defaultPlots(channels: readonly Channel[]): PlotSpec[] {
  if (channels.some(({ group }) => group === POSES)) return modelPlots(channels);
  const known = new Set(channels.map((channel) => channel.name));
  const wheels = ["speed", "torque"].map((what) => channels.map(({ name }) => name).filter((name) => WHEEL.exec(name)?.[1] === what));
  const sphere = [...SPHERE, ...wheels, ...STAGE];
  if (sphere.every((names) => names.length > 0 && names.every((name) => known.has(name)))) return sphere.map(plotOf);
  if (SHADOW.every((names) => names.every((name) => known.has(name)))) return SHADOW.map(plotOf);
  if (RIGGED.every((names) => names.every((name) => known.has(name)))) return RIGGED.map(plotOf);
  const missing = new Set(channels.filter(({ group }) => group === NOT_FITTED).map(({ name }) => name));
  const legs = HEXAPOD.map((names) => (names.some((name) => missing.has(name)) ? FELT : names));
  if (legs.every((names) => names.every((name) => known.has(name)))) return legs.map(plotOf);
  const groups = new Map<string, string[]>();
  for (const { name, group, codes, bits } of channels) {
    if (name === "t" || name === "tick" || codes || bits || group === NOT_FITTED) continue;
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups.values()].slice(0, 6).map((names) => plotOf(names.slice(0, 6)));
}

/** From a layout; what is not as it should be is left out. */
export function parsePlots(value: unknown): PlotSpec[] | null {
  if (!Array.isArray(value)) return null;
  return value.slice(0, MOST_PLOTS).filter(isPiece).map((piece) => ({ id: newId(), traces: parseTraces(piece["traces"]) }));
}

function parseTraces(value: unknown): Trace[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_TRACES).filter(isPiece).flatMap((piece) => {
    const { name, colour, axis, hidden } = piece;
    if (typeof name !== "string") return [];
    return {
      name,
      colour: typeof colour === "number" && colour >= 1 && colour <= COLOURS ? Math.floor(colour) : 1,
      axis: axis === "left" || axis === "right" ? axis : ("auto" as const),
      hidden: hidden === true,
    };
  });
}

export function parseLimits(value: unknown): Record<string, Limits> {
  if (!isPiece(value)) return {};
  const bound = (piece: Piece, name: string): number | null =>
    typeof piece[name] === "number" && Number.isFinite(piece[name]) ? piece[name] : null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, piece]) => {
      if (!isPiece(piece)) return [];
      const [alarmLow, warnLow] = [bound(piece, "alarmLow"), bound(piece, "warnLow")];
      return [[name, { alarmLow, warnLow, warnHigh: bound(piece, "warnHigh"), alarmHigh: bound(piece, "alarmHigh") }]];
    }),
  );
}

export function parseRange(value: unknown): Range | null {
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [least, most] = value as unknown[];
  return typeof least === "number" && typeof most === "number" && least < most ? [least, most] : null;
}
