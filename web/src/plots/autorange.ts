/** Ranges that follow the values without jitter. */

import { roundStep } from "../core/times";
import type { Range } from "./spec";

const PADDING = 0.08;
const SMALLEST_SHARE = 0.4; // a range is tightened when the values take less of it than this
const RELATIVE_FLOOR = 1e-4; // of the values: what varies less is a flat line
const FLOOR = 1e-4;

/**
 * The range to show for values from `least` to `most`; the same object while it still does.
 *
 * @param floor least difference that is worth a picture: noise below it is a flat line in the middle
 */
export function settled(current: Range | null, least: number, most: number, floor = FLOOR): Range {
  if (!(least <= most)) return current ?? [0, 1];
  const middle = (least + most) / 2;
  const span = Math.max(most - least, RELATIVE_FLOOR * Math.abs(middle), floor);
  if (current && least >= current[0] && most <= current[1] && span >= SMALLEST_SHARE * (current[1] - current[0])) {
    return current;
  }
  const half = span * (0.5 + PADDING);
  const step = roundStep((2 * half) / 8);
  return [onGrid(Math.floor((middle - half) / step), step), onGrid(Math.ceil((middle + half) / step), step)];
}

/** So many steps, without the dust of a product: 3 times 0.1 is 0.3. */
function onGrid(count: number, step: number): number {
  return Number((count * step).toPrecision(12));
}
