/** A scale that runs behind its reading, as for airspeed and altitude. */

import type { WorldInstrument } from "../../net/types";
import { EDGE, FAINT, line, niceStep, plate, rangeOf, reading, SIZE, TEXT, TICK, titleOf, unitOf, write, type Look } from "./ink";

const [WIDTH, TOP, FOOT] = [68, 17, 95];
const MIDDLE = (TOP + FOOT) / 2;
const MAJOR = 5; // steps in sight
/** What is in sight, by unit. */
const SIGHT: Record<string, number> = { kn: 80, "km/h": 100, "m/s": 40, ft: 800, m: 200, "ft/min": 2000 };

function sightOf(of: WorldInstrument): number {
  const [low, high] = rangeOf(of);
  return Math.min(SIGHT[of.unit] ?? Infinity, high - low);
}

export const tape: Look = {
  width: WIDTH,
  height: SIZE,
  still(brush, of) {
    plate(brush, WIDTH, SIZE);
    write(brush, titleOf(of), WIDTH / 2, 9.5, 9.5, FAINT, 500, WIDTH - 10);
    write(brush, unitOf(of), WIDTH / 2, SIZE - 8, 9.5, FAINT, 500, WIDTH - 10);
    line(brush, 1, TOP, WIDTH - 1, TOP, EDGE);
    line(brush, 1, FOOT, WIDTH - 1, FOOT, EDGE);
  },
  moving(brush, of, shown) {
    if (Number.isFinite(shown.value)) {
      const sight = sightOf(of);
      const step = niceStep(sight, MAJOR);
      const px = (FOOT - TOP) / sight;
      brush.save();
      brush.beginPath();
      brush.rect(1, TOP, WIDTH - 2, FOOT - TOP);
      brush.clip();
      const within = (value: number): number => Math.min(of.high ?? Infinity, Math.max(of.low ?? -Infinity, value)) / (step / 5);
      const [first, last] = [Math.ceil(within(shown.value - sight / 2) - 1e-6), Math.floor(within(shown.value + sight / 2) + 1e-6)];
      for (let k = first; k <= last; k += 1) {
        const y = MIDDLE - (k * (step / 5) - shown.value) * px;
        const isMajor = k % 5 === 0;
        line(brush, WIDTH - 2, y, WIDTH - (isMajor ? 12 : 7), y, isMajor ? TICK : "#c3ced870", isMajor ? 1.5 : 1);
        if (isMajor) write(brush, String(Number((k * (step / 5)).toPrecision(6))).replace("-", "−"), 28, y, 10.5, TICK, 500, 46);
      }
      brush.restore();
    }
    brush.fillStyle = "#10202f";
    brush.strokeStyle = "#5ab0f0";
    brush.lineWidth = 1.2;
    brush.beginPath();
    brush.moveTo(WIDTH - 5, MIDDLE);
    brush.lineTo(WIDTH - 12, MIDDLE - 6);
    brush.lineTo(WIDTH - 12, MIDDLE - 12);
    brush.lineTo(4, MIDDLE - 12);
    brush.lineTo(4, MIDDLE + 12);
    brush.lineTo(WIDTH - 12, MIDDLE + 12);
    brush.lineTo(WIDTH - 12, MIDDLE + 6);
    brush.closePath();
    brush.fill();
    brush.stroke();
    write(brush, reading(of, shown), (WIDTH - 8) / 2, MIDDLE + 0.5, 15, TEXT, 650, WIDTH - 20);
  },
  state: (of, shown) => `${reading(of, shown)} ${Math.round((shown.value / sightOf(of)) * 2 * (FOOT - TOP))}`,
};
