/** Who steers, and why this page does not, as sentences. */

import type { DeviceSays } from "../net/types";

export const [NOBODY, SCRIPT, KEYBOARD, GAMEPAD, JOYSTICK] = [0, 1, 2, 3, 4];
const KINDS: Record<DeviceSays["device"], number> = { nobody: NOBODY, script: SCRIPT, keyboard: KEYBOARD, gamepad: GAMEPAD, joystick: JOYSTICK };

/** The number that `world_hand` has while a device steers. */
export function handOf(device: DeviceSays["device"]): number {
  return KINDS[device];
}

/** Whether a person steers. */
export function isSteered(hand: number): boolean {
  return hand >= KEYBOARD;
}

export interface Steered {
  /** `world_hand` of the newest record; NaN where there is none. */
  readonly hand: number;
  /** What leads on this page, and is accepted: "" for nothing. */
  readonly mine: "" | "keyboard" | "screen" | "pad";
  /** Name of the script; "" for none, or none known. */
  readonly script: string;
  /** Who has the operator's seat; "" for nobody, or this page. */
  readonly holder: string;
  readonly isLive: boolean;
}

const BY: Record<number, string> = { [KEYBOARD]: "a keyboard", [GAMEPAD]: "a gamepad", [JOYSTICK]: "a joystick" };
const MINE = { keyboard: "the keyboard", screen: "the screen", pad: "the gamepad" } as const;

export function whoSteers({ hand, mine, script, holder, isLive }: Steered): string {
  if (Number.isNaN(hand)) return "Not known yet who steers";
  const steers = isLive ? "steers" : "steered";
  if (hand === SCRIPT) return script ? `The script ${script} ${steers}` : `The script ${steers}`;
  const by = BY[hand];
  if (by === undefined) return `Nobody ${steers}`;
  if (mine) return `You steer with ${MINE[mine]}`;
  if (isLive && holder && hand === KEYBOARD) return `${holder} steers with ${by}`;
  return `A person ${steers} with ${by}`;
}

/** Why a page cannot steer; `free`: it may take the operator's seat. */
export type Cause = "" | "shown" | "away" | "silent" | "base" | "viewer" | "taken" | "free" | "refused";

/** Here a page goes on saying what its devices do: it may be heard again at once, and a vehicle that hears nothing lets go by itself. */
export function speaks(cause: Cause): boolean {
  return cause === "" || cause === "refused" || cause === "silent";
}

/** What passes by itself: a key that is held meanwhile steers after it. */
export function passes(cause: Cause): boolean {
  return cause === "away" || cause === "base";
}

export interface WhyNot {
  readonly cause: Cause;
  /** One sentence without a capital; "" where it can, or may by pressing a key. */
  readonly text: string;
}

export interface Facts {
  readonly shows: "live" | "replay" | "recording";
  readonly isConnected: boolean;
  /** Connected, and yet nothing comes. */
  readonly isSilent: boolean;
  readonly isRunning: boolean;
  readonly mayOperate: boolean;
  readonly operates: boolean;
  readonly holder: string | null;
  /** The console's answer to what devices of this page said. */
  readonly refused: string;
}

export function whyNot({ shows, isConnected, isSilent, isRunning, mayOperate, operates, holder, refused }: Facts): WhyNot {
  if (!isConnected) return { cause: "away", text: "the console does not answer, so nothing can be steered from here" };
  if (shows !== "live") return { cause: "shown", text: `the page shows a ${shows}: return to live to steer` };
  if (!isRunning) return { cause: "base", text: "no base is running" };
  if (!mayOperate) return { cause: "viewer", text: "viewers cannot steer: enter the operator token" };
  if (!operates) return holder === null ? { cause: "free", text: "" } : { cause: "taken", text: `${holder} has the operator's seat and steers` };
  if (isSilent) return { cause: "silent", text: "the console is silent: what is steered from here may not arrive" };
  return refused ? { cause: "refused", text: refused } : { cause: "", text: "" };
}

const LONG_S = 3;
const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/** What to press to take over, such as "an arrow key"; "" where no key moves anything. */
export function keysInWords(keys: ReadonlySet<string>): string {
  if (ARROWS.some((key) => keys.has(key))) return "an arrow key";
  const [first = ""] = keys;
  return first.replace(/^Key/, "");
}

export interface Standing {
  readonly whyNot: WhyNot;
  readonly hand: number;
  /** What leads on this page steers. */
  readonly isMine: boolean;
  /** Where it was moved and no record shows yet that it steers, since when [s]; null else. */
  readonly takes: number | null;
  readonly script: string;
  readonly keys: string;
}

/** What a person may do next, as a sentence without a capital; or why nothing. */
export function whatToDo({ whyNot: { cause, text }, hand, isMine, takes, script, keys }: Standing): string {
  if (cause !== "" && cause !== "free") return text;
  if (isMine) return script ? "the script goes on 20 s after the last touch" : "let go, and the controls go to rest";
  if (takes !== null && !isSteered(hand)) return takes < LONG_S ? "you take over …" : "the vehicle does not answer: its world does not run, or is very slow";
  const press = keys ? `press ${keys}` : "move a gamepad";
  if (cause === "free") return `${press}: you take the operator's seat and steer`;
  return isSteered(hand) || hand === SCRIPT ? `${press} to take over` : `${press} to steer`;
}
