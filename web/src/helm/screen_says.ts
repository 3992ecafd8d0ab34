/** What sticks, levers and buttons on the screen say: they are a gamepad, with keys for what a gamepad has not. */

import type { DeviceSays, WorldControl } from "../net/types";
import { STEERING_KEYS } from "../net/words";
import { shareOf } from "./rows";

/** Two axes of a gamepad; null where no control that springs back is moved by one. */
export interface Stick {
  readonly x: WorldControl | null;
  readonly y: WorldControl | null;
  /** Of its axes, the first. */
  readonly axis: 0 | 2;
}

export interface Plan {
  readonly sticks: readonly Stick[];
  /** Those that stay where they are put, and those that springs bring back. */
  readonly levers: readonly WorldControl[];
  /** What only keys move. */
  readonly buttons: readonly WorldControl[];
}

const TRIGGERS: Record<number, number> = { 6: 4, 7: 5 }; // of buttons, their axes
const DEAD = 0.12; // of a gamepad's sticks
const GAIN = 4; // of a lever, for the whole way
const REACHED = 0.01; // of its way
const REACHED_BY_KEYS = 0.05; // which only run at full speed

function hasTriggers({ buttons }: WorldControl): boolean {
  return buttons.some((button) => button !== null && button in TRIGGERS);
}

function isOnStick({ springs, axis }: WorldControl): boolean {
  return springs && axis !== null && axis < 4;
}

export function planOf(controls: readonly WorldControl[]): Plan {
  const on = (axis: number): WorldControl | null => controls.find((one) => isOnStick(one) && one.axis === axis) ?? null;
  const sticks = ([0, 2] as const).map((axis) => ({ axis, x: on(axis), y: on(axis + 1) })).filter(({ x, y }) => x ?? y);
  const taken = new Set(sticks.flatMap(({ x, y }) => [x, y]));
  const rest = controls.filter((one) => !taken.has(one));
  const isLever = (one: WorldControl): boolean => !one.springs || hasTriggers(one);
  return { sticks, levers: rest.filter(isLever), buttons: rest.filter((one) => !isLever(one) && one.keys.some((key) => key !== null)) };
}

/** What two hands can do at once, over the view: sticks, pedals, the first lever that stays, and buttons. */
export function mainOf(plan: Plan): Plan {
  const first = plan.levers.find(({ springs }) => !springs);
  return { ...plan, levers: plan.levers.filter((one) => one.springs || one === first) };
}

/** Where hands are. */
export interface Held {
  /** By axis, -1 to 1: right and down are positive. */
  readonly axes: ReadonlyMap<number, number>;
  /** By control that springs back, where a hand holds it, 0 at its least to 1 at its most. */
  readonly pedals: ReadonlyMap<WorldControl, number>;
  /** By control that stays where it is put, how it gets there. */
  readonly runs: ReadonlyMap<WorldControl, Run>;
  readonly keys: ReadonlySet<string>;
}

/** A control on its way to where a hand wants it, 0 at its least to 1 at its most. */
export interface Run {
  readonly wanted: number;
  /** Up or down, 1 or -1. */
  readonly way: number;
}

export function runTo(wanted: number, now: number): Run {
  return { wanted, way: Math.sign(wanted - now) || 1 };
}

/** Whether it is there, or beyond: it never turns round, as what is known of it comes late. */
export function isThere({ wanted, way }: Run, now: number, byKeys: boolean): boolean {
  return !((wanted - now) * way > (byKeys ? REACHED_BY_KEYS : REACHED));
}

/**
 * Runs that are over: those that are there, and, while records are late, those that no hand holds any more. One that is
 * still held waits for the next record and goes on.
 */
export function ended(runs: ReadonlyMap<WorldControl, Run>, gripped: ReadonlySet<WorldControl>, isOld: boolean, now: (control: WorldControl) => number): WorldControl[] {
  const isOver = ([control, one]: [WorldControl, Run]): boolean => (isOld ? !gripped.has(control) : isThere(one, now(control), isByKeys(control)));
  return [...runs].filter(isOver).map(([control]) => control);
}

/** How far a stick is to be moved so that a control runs with a share of its full speed; the inverse of 0.6 x + 0.4 x³. */
export function stickFor(speed: number): number {
  const y = Math.min(1, Math.abs(speed));
  let x = y;
  for (let k = 0; k < 8; k += 1) x -= (0.6 * x + 0.4 * x ** 3 - y) / (0.6 + 1.2 * x * x);
  return Math.sign(speed) * (DEAD + (1 - DEAD) * Math.min(1, x));
}

/** @param now where controls are, 0 at their least to 1 at their most; NaN where nobody knows */
export function ofScreen(held: Held, now: (control: WorldControl) => number): DeviceSays {
  const axes = [0, 0, 0, 0, 0, 0];
  const keys = new Set(held.keys);
  for (const [axis, value] of held.axes) axes[axis] = value;
  for (const [control, wanted] of held.pedals) press(control, wanted, axes);
  for (const [control, one] of held.runs) if (!isThere(one, now(control), isByKeys(control))) run(control, one.wanted - now(control), axes, keys);
  const round = (value: number): number => Math.round(100 * value) / 100 || 0;
  return { device: "gamepad", axes: axes.map(round), buttons: 0, keys: STEERING_KEYS.filter((key) => keys.has(key)) };
}

/** A pedal: pressed as far as the hand is from its rest. */
function press({ least, most, rest, buttons }: WorldControl, wanted: number, axes: number[]): void {
  const way = least + wanted * (most - least) - rest;
  const button = buttons[way > 0 ? 1 : 0] ?? null;
  const axis = button === null ? undefined : TRIGGERS[button];
  if (axis !== undefined) axes[axis] = Math.min(1, Math.abs(way) / Math.max(1e-9, way > 0 ? most - rest : rest - least));
}

/** Keys only run at full speed; sticks and triggers as fast as they are moved. */
export function isByKeys(control: WorldControl): boolean {
  return !(control.axis !== null && control.axis < 4) && !hasTriggers(control);
}

/** A lever that stays: it runs, more slowly near the end of its way. */
function run(control: WorldControl, error: number, axes: number[], keys: Set<string>): void {
  const speed = Math.max(-1, Math.min(1, GAIN * error));
  const [axis, button] = [control.axis, control.buttons[error > 0 ? 1 : 0] ?? null];
  const key = control.keys[error > 0 ? 1 : 0] ?? null;
  if (axis !== null && axis < 4) axes[axis] = stickFor(control.turned ? -speed : speed);
  else if (button !== null && TRIGGERS[button] !== undefined) axes[TRIGGERS[button]] = Math.max(0.2, Math.abs(speed));
  else if (key !== null) keys.add(key);
}

/** Where a control is, 0 at its least to 1 at its most, however it is drawn. */
export function placeOfValue(control: WorldControl, value: number): number {
  return shareOf({ ...control, keys: [], axis: null }, value);
}
