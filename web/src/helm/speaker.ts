/** What goes to the vehicle: the words of the device that moved last, at once when they change, and again while it is there. */

import type { DeviceSays } from "../net/types";
import { isSame, NOBODY, SCRIPT } from "./says";

/** `keyboard`, `screen`, or `pad 0` with the number of a gamepad. */
export type Device = string;

const REPEAT_MS = 100; // the vehicle takes 500 ms of silence for nobody
const UNTOUCHED_MS = 22_000; // a little later than the script goes on by itself

export class Speaker {
  /** The device that steers from this page; null where none does. */
  leader: Device | null = null;
  #says = NOBODY;
  #saidAt = 0;
  #touchedAt = 0;

  /** @param send `isAgain`: the same as before */
  constructor(private readonly send: (says: DeviceSays, isAgain: boolean) => void) {}

  /**
   * A device says something.
   * @param isMoved by a hand, just now: it leads from now on
   * @param isTouched a hand moves or holds it
   */
  hear(device: Device, says: DeviceSays, isMoved: boolean, isTouched: boolean, now: number): void {
    if (device !== this.leader && !isMoved) return;
    const isNew = device !== this.leader || !isSame(says, this.#says);
    this.leader = device;
    if (isMoved || isTouched) this.#touchedAt = now;
    if (isNew) this.#say(says, false, now);
  }

  /** Called often: repeats, and lets go of a device that nobody has touched for long. */
  beat(now: number): void {
    if (this.leader === null) return;
    if (now - this.#touchedAt > UNTOUCHED_MS) this.letGo();
    else if (now - this.#saidAt >= REPEAT_MS) this.#say(this.#says, true, now);
  }

  letGo(): void {
    if (this.leader === null) return;
    this.leader = null;
    this.send(NOBODY, false);
  }

  askScript(): void {
    this.leader = null;
    this.send(SCRIPT, false);
  }

  #say(says: DeviceSays, isAgain: boolean, now: number): void {
    this.#says = says;
    this.#saidAt = now;
    this.send(says, isAgain);
  }
}
