/** Whether a hand moves or holds a gamepad: small drifts of worn sticks are no hand. */

import type { DeviceSays } from "../net/types";
import { ofPad, type Pad, type Used } from "./says";

const MOVED = 0.15; // of an axis's way, as for the vehicle

export interface Look {
  readonly says: DeviceSays;
  readonly isMoved: boolean;
  readonly isTouched: boolean;
}

export class PadWatch {
  #seen = new Map<number, { axes: number[]; buttons: number }>();

  look(pad: Pad, used: Used): Look {
    const says = ofPad(pad);
    // where sticks are when a gamepad is first seen is no movement; a browser shows it at the first press of a button
    const seen = this.#seen.get(pad.index) ?? { axes: [...says.axes], buttons: 0 };
    this.#seen.set(pad.index, seen);
    const moved = says.axes.flatMap((value, k) => (used.axes.has(k) && Math.abs(value - (seen.axes[k] ?? 0)) > MOVED ? [k] : []));
    for (const k of moved) seen.axes[k] = says.axes[k] ?? 0;
    const pressed = says.buttons & used.buttons;
    const isMoved = moved.length > 0 || pressed !== seen.buttons;
    seen.buttons = pressed;
    const isOff = says.device === "gamepad" && says.axes.some((value, k) => used.axes.has(k) && Math.abs(value) > MOVED);
    return { says, isMoved, isTouched: isMoved || pressed !== 0 || isOff };
  }

  forget(index: number): void {
    this.#seen.delete(index);
  }
}
