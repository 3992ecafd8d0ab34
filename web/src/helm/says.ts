/** What devices say, as the vehicle of a world takes it. */

import type { DeviceSays, WorldControl } from "../net/types";
import { STEERING_KEYS } from "../net/words";

export type Key = DeviceSays["keys"][number];

/** What a browser tells of a gamepad. */
export interface Pad {
  readonly index: number;
  readonly id: string;
  readonly connected: boolean;
  readonly mapping: string;
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean; readonly value: number }[];
}

/** Axes and buttons of a gamepad that move something; what else a hand does with it says nothing. */
export interface Used {
  readonly axes: ReadonlySet<number>;
  /** bits */
  readonly buttons: number;
}

export const NOBODY: DeviceSays = { device: "nobody", axes: [], buttons: 0, keys: [] };
export const SCRIPT: DeviceSays = { ...NOBODY, device: "script" };

const FINE = 200; // parts of an axis's way: smaller changes are noise
const STICKS = 4;
const TRIGGERS = [6, 7] as const; // buttons of the standard layout
const MOST_BUTTONS = 24;
const RAW_BUTTONS = 12; // of a device without the standard layout, as with joysticks of the world's machine

/** Keys that are held, in the order that all of motionbase has. */
export function ofKeys(held: ReadonlySet<string>): DeviceSays {
  return { ...NOBODY, device: "keyboard", keys: STEERING_KEYS.filter((key) => held.has(key)) };
}

/** A gamepad in the standard layout; any other device as a joystick with raw axes. */
export function ofPad(pad: Pad): DeviceSays {
  const isStandard = pad.mapping === "standard";
  const axes = Array.from({ length: STICKS }, (_, k) => rounded(pad.axes[k]));
  if (isStandard) axes.push(...TRIGGERS.map((k) => rounded(pad.buttons[k]?.value)));
  const pressed = pad.buttons.slice(0, isStandard ? MOST_BUTTONS : RAW_BUTTONS);
  const buttons = pressed.reduce((bits, button, k) => bits | (button.pressed ? 1 << k : 0), 0);
  return { device: isStandard ? "gamepad" : "joystick", axes, buttons, keys: [] };
}

function rounded(value: number | undefined): number {
  if (value === undefined || !Number.isFinite(value)) return 0;
  return Math.round(FINE * Math.min(1, Math.max(-1, value))) / FINE || 0; // no -0
}

export function isSame(one: DeviceSays, other: DeviceSays): boolean {
  return (
    one.device === other.device &&
    one.buttons === other.buttons &&
    one.keys.join() === other.keys.join() &&
    one.axes.length === other.axes.length &&
    one.axes.every((value, k) => value === other.axes[k])
  );
}

/** Keys that steer a vehicle with these controls. */
export function keysOf(controls: readonly WorldControl[]): ReadonlySet<Key> {
  const named = new Set(controls.flatMap(({ keys }) => keys));
  return new Set(STEERING_KEYS.filter((key) => named.has(key)));
}

export function usedBy(controls: readonly WorldControl[]): Used {
  const buttons = controls.flatMap((one) => one.buttons).filter((one) => one !== null);
  const triggers = TRIGGERS.flatMap((button, k) => (buttons.includes(button) ? [STICKS + k] : []));
  const axes = controls.flatMap(({ axis }) => (axis === null ? [] : [axis]));
  return { axes: new Set([...axes, ...triggers]), buttons: buttons.reduce((bits, k) => bits | (1 << k), 0) };
}
