/** A gamepad moves controls: its sticks say how fast, and let go they leave everything as it is. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import { effect, signal } from "../../core/signal";
import { whyNotOperating } from "../common/access";
import { gate } from "../common/ui";
import type { Values } from "../tuning/tuner";
import type { Setting } from "./settings";

const DEAD = 0.12; // of a stick's way
const FULL_S = 6; // from one end of a control to the other
/** Axes of a gamepad of the standard layout, in the order of the controls: left stick up, right stick right and up, left stick right. */
export const AXES: readonly (readonly [number, number])[] = [[1, -1], [2, 1], [3, -1], [0, 1]]; // prettier-ignore

/** Set points after `seconds` with the sticks so; null where none moves. */
export function moved(settings: readonly Setting[], goals: readonly number[], axes: readonly number[], seconds: number): number[] | null {
  let isMoved = false;
  const next = settings.map(({ parameter }, k) => {
    const [least = 0, most = 0, at = 0] = [parameter.least[0], parameter.most[0], goals[k]];
    const [axis, sign] = AXES[k] ?? [-1, 0];
    const given = sign * (axes[axis] ?? 0);
    const way = Math.abs(given) <= DEAD ? 0 : (Math.sign(given) * (Math.abs(given) - DEAD)) / (1 - DEAD);
    if (way === 0) return at;
    isMoved = true;
    return Math.min(most, Math.max(least, at + (way * seconds * (most - least)) / FULL_S));
  });
  return isMoved ? next : null;
}

/** @param send takes set points by name */
export function gamepad(app: App, settings: () => readonly Setting[], send: (values: Values) => void): HTMLElement {
  const [isThere, isUsed] = [signal(false), signal(false)];
  const whyNot = whyNotOperating(app);
  const button = h("button", { type: "button", class: "quiet", "data-test": "rotor-gamepad", onclick: () => isUsed.set(!isUsed.peek()) }, "Gamepad");
  const look = (): void => isThere.set(navigator.getGamepads?.().some((one) => one?.connected) ?? false);
  for (const what of ["gamepadconnected", "gamepaddisconnected"]) window.addEventListener(what, look);
  effect(() => {
    button.hidden = !isThere();
    if (!isThere() || whyNot()) isUsed.set(false);
    gate(button, whyNot(), "Sticks move the controls: left up and down, right to all sides, left to the sides");
    button.setAttribute("aria-pressed", String(isUsed()));
  });
  let last = NaN;
  let goals: number[] = [];
  app.onFrame((now) => {
    const seconds = Math.min(0.1, (now - last) / 1000);
    last = now;
    if (!isUsed.peek() || !(seconds > 0)) return;
    const pad = navigator.getGamepads().find((one) => one?.connected);
    const list = settings();
    const next = pad ? moved(list, goals.length === list.length ? goals : goalsOf(list), pad.axes, seconds) : null;
    if (!next) {
      goals = []; // begins where the controls have been sent meanwhile
      return;
    }
    goals = next;
    send(Object.fromEntries(list.map(({ parameter }, k) => [parameter.name, [next[k] ?? 0]])));
  });
  return button;
}

function goalsOf(settings: readonly Setting[]): number[] {
  return settings.map(({ parameter }) => parameter.goal[0] ?? 0);
}
