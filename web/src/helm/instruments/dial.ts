/** A round instrument with a hand, and the number in its lower gap. */

import type { WorldInstrument } from "../../net/types";
import { disc, FAINT, HAND, line, niceStep, rangeOf, reading, share, SIZE, TEXT, TICK, ticks, titleOf, unitOf, write, type Brush, type Look, type Shown } from "./ink";

const MIDDLE = SIZE / 2;
const BEGIN = (135 * Math.PI) / 180; // from the right, clockwise
const SWEEP = (270 * Math.PI) / 180;
const MAJOR = 8; // steps at most
const MANY = 1000; // from which its numbers count thousands
const STEPS = 360; // positions of the hand that can be told apart

/** Where a value is, clockwise from the right [rad]. */
export function angleOf(of: Pick<WorldInstrument, "low" | "high">, value: number): number {
  return BEGIN + SWEEP * share(of, value);
}

function ray(brush: Brush, angle: number, from: number, to: number, colour: string, width: number): void {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  line(brush, MIDDLE + from * c, MIDDLE + from * s, MIDDLE + to * c, MIDDLE + to * s, colour, width);
}

export const dial: Look = {
  width: SIZE,
  height: SIZE,
  still(brush, of) {
    disc(brush);
    const [low, high] = rangeOf(of);
    const step = niceStep(high - low, MAJOR);
    const factor = Math.max(Math.abs(low), Math.abs(high)) >= MANY ? 1000 : 1;
    for (const value of ticks(low, high, step / 5)) ray(brush, angleOf(of, value), 46, 50, "#c3ced870", 1);
    for (const value of ticks(low, high, step)) {
      const angle = angleOf(of, value);
      ray(brush, angle, 42, 50, TICK, 1.6);
      const text = String(Number((value / factor).toPrecision(6))).replace("-", "−");
      write(brush, text, MIDDLE + 32.5 * Math.cos(angle), MIDDLE + 32.5 * Math.sin(angle), 9.5, TICK, 500, 24);
    }
    write(brush, [titleOf(of), factor > 1 && "×1000", unitOf(of)].filter(Boolean).join("  "), MIDDLE, MIDDLE + 43, 9.5, FAINT, 500, 68);
  },
  moving(brush, of, shown) {
    write(brush, reading(of, shown), MIDDLE, MIDDLE + 28, 15, TEXT, 650, 34);
    if (!Number.isFinite(shown.value)) return;
    const angle = angleOf(of, shown.value);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    brush.fillStyle = HAND;
    brush.beginPath();
    brush.moveTo(MIDDLE + 46 * c, MIDDLE + 46 * s);
    brush.lineTo(MIDDLE - 9 * c - 2.6 * s, MIDDLE - 9 * s + 2.6 * c);
    brush.lineTo(MIDDLE - 9 * c + 2.6 * s, MIDDLE - 9 * s - 2.6 * c);
    brush.fill();
    brush.fillStyle = "#dfe7ee";
    brush.beginPath();
    brush.arc(MIDDLE, MIDDLE, 4, 0, 2 * Math.PI);
    brush.fill();
  },
  state: (of, shown) => `${reading(of, shown)} ${Math.round(STEPS * share(of, shown.value))}`,
};

/** The same for states of other looks. */
export function stepped(of: WorldInstrument, shown: Shown, steps: number): string {
  return `${reading(of, shown)} ${Math.round(steps * share(of, shown.value))}`;
}
