/** Speeds of a replay: times as fast as it was, or a record every so many milliseconds. */

import { h } from "../core/dom";
import type { Replay } from "../net/types";

const TIMES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const PERIODS_MS = [10, 100];
const [SLOWEST, FASTEST] = [0.01, 100];

export interface Speed {
  element: HTMLSelectElement;
  show(replay: Replay | null, rate: number): void;
}

/** @param onpick gets the factor */
export function speedChoice(onpick: (speed: number) => void): Speed {
  const element = h(
    "select",
    { "aria-label": "Speed of the replay", title: "Speed of the replay", "data-test": "replay-speed" },
  );
  element.addEventListener("change", () => {
    onpick(Number(element.value));
    element.blur(); // keys go to the replay again, and the choice follows its status
  });
  let key = "";
  const show = (replay: Replay | null, rate: number): void => {
    const speed = replay?.speed ?? 1;
    const isNew = `${rate} ${TIMES.includes(speed) ? "" : speed}`;
    if (isNew !== key && document.activeElement !== element) {
      key = isNew;
      element.replaceChildren(...options(rate, speed));
    }
    const off = (option: HTMLOptionElement): number => Math.abs(Number(option.value) / speed - 1);
    const [found] = [...element.options].filter((option) => off(option) < 1e-6).sort((one, other) => off(one) - off(other));
    if (found && document.activeElement !== element) element.value = found.value;
  };
  show(null, 0);
  return { element, show };
}

function options(rate: number, speed: number): HTMLOptGroupElement[] {
  const isKnown = TIMES.includes(speed) || PERIODS_MS.some((ms) => isSame(factor(ms, rate), speed));
  const all = isKnown ? TIMES : [...TIMES, speed].sort((one, other) => one - other);
  const times = all.map((value) => h("option", { value }, `${text(value)}×`));
  const periods = PERIODS_MS.map((ms) => {
    const value = factor(ms, rate);
    // a tiny bit beside the factor of the same size, so that both can be chosen
    return h(
      "option",
      { value: value * (1 + 1e-9), disabled: !(value >= SLOWEST && value <= FASTEST) },
      `${ms} ms per record`,
    );
  });
  return [h("optgroup", { label: "Speed factor" }, ...times), h("optgroup", { label: "By record" }, ...periods)];
}

/** How fast a record every `ms` is, for a recording of `rate` records a second. */
function factor(ms: number, rate: number): number {
  return rate > 0 ? 1000 / (ms * rate) : NaN;
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one / other - 1) < 1e-6;
}

function text(value: number): string {
  return String(Number(value.toPrecision(3)));
}
