/** Keys and the parts of a gamepad that move a control, as people call them. */

import type { WorldControl } from "../net/types";

const NAMES: Record<string, string> = {
  ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Space: "Space", ShiftLeft: "Shift", PageUp: "PgUp", PageDown: "PgDn",
}; // prettier-ignore
const BUTTONS = [
  "A", "B", "X", "Y", "LB", "RB", "left trigger", "right trigger", "Back", "Start", "left stick pressed", "right stick pressed",
  "cross up", "cross down", "cross left", "cross right",
]; // prettier-ignore
const STICKS = ["left stick", "right stick"];
const LETTERS = 1; // characters of a key of this keyboard's layout

/** On this keyboard, by key; empty where the browser does not tell. */
const layout = new Map<string, string>();

interface Layouts {
  readonly keyboard?: { getLayoutMap(): Promise<ReadonlyMap<string, string>> };
}

/** Learn the letters of this keyboard, where a browser tells them; keys are meant by their places. */
export async function learnLayout(): Promise<void> {
  const found = await (navigator as Layouts).keyboard?.getLayoutMap().catch(() => null);
  found?.forEach((letter, code) => layout.set(code, letter));
}

export function keyName(code: string, letters: ReadonlyMap<string, string> = layout): string {
  const letter = letters.get(code);
  if (code.startsWith("Key") && letter?.length === LETTERS) return letter.toUpperCase();
  return NAMES[code] ?? code.replace(/^Key/, "");
}

/** For people: what stands before the colon or semicolon of its label. */
export function controlName({ name, label }: Pick<WorldControl, "name" | "label">): string {
  return label.split(/[:;]/)[0]?.trim() || name;
}

/** What of a gamepad moves it, such as "left stick up and down, triggers"; "" for nothing. */
export function padText({ axis, buttons }: Pick<WorldControl, "axis" | "buttons">): string {
  const parts: string[] = [];
  if (axis !== null && axis < 4) parts.push(`${STICKS[axis >> 1]} ${axis % 2 === 0 ? "left and right" : "up and down"}`);
  else if (axis === 4 || axis === 5) parts.push(BUTTONS[axis + 2] ?? "");
  const named = buttons.flatMap((one) => (one === null ? [] : [BUTTONS[one] ?? `button ${one}`]));
  if (named.join() === "left trigger,right trigger") parts.push("triggers");
  else if (named.length > 0) parts.push(named.join(" and "));
  return parts.join(", ");
}

/** What it does: the rest of its label; "" where there is none. */
export function controlEnds({ label }: Pick<WorldControl, "label">): string {
  return label.replace(/^[^:;]*[:;]?/, "").trim();
}

const TO_LEFT = new Set(["ArrowLeft", "KeyA", "KeyQ"]);
const TO_RIGHT = new Set(["ArrowRight", "KeyD", "KeyE"]);

/** Whether its least is drawn at the right, because the key or the stick that moves it there goes right. */
export function isFlipped({ keys, axis, turned }: Pick<WorldControl, "keys" | "axis" | "turned">): boolean {
  const [least, most] = keys;
  if (TO_RIGHT.has(least ?? "") || TO_LEFT.has(most ?? "")) return true;
  if (TO_LEFT.has(least ?? "") || TO_RIGHT.has(most ?? "")) return false;
  return axis !== null && axis < 4 && axis % 2 === 0 && turned;
}
