/** Bars, lamps and numbers. */

import { stepped } from "./dial";
import { FAINT, HAND, line, LIT, niceStep, plate, rangeOf, reading, share, SIZE, TEXT, TICK, ticks, titleOf, unitOf, write, type Look } from "./ink";

const [BAR, TOP, FOOT] = [58, 20, 90];
const [WIDE, LOW] = [100, 34];

export const bar: Look = {
  width: BAR,
  height: SIZE,
  still(brush, of) {
    plate(brush, BAR, SIZE);
    write(brush, titleOf(of), BAR / 2, 10, 9.5, FAINT, 500, BAR - 8);
    brush.fillStyle = "#ffffff1c";
    brush.fillRect(32, TOP, 12, FOOT - TOP);
    const [low, high] = rangeOf(of);
    for (const value of ticks(low, high, niceStep(high - low, 4))) {
      const y = FOOT - (FOOT - TOP) * share(of, value);
      line(brush, 27, y, 31, y, TICK);
      write(brush, String(Number(value.toPrecision(4))).replace("-", "−"), 15, y, 8.5, TICK, 500, 22);
    }
  },
  moving(brush, of, shown) {
    write(brush, `${reading(of, shown)}${unitOf(of) && ` ${unitOf(of)}`}`, BAR / 2, SIZE - 10, 11, TEXT, 600, BAR - 8);
    if (!Number.isFinite(shown.value)) return;
    const [at, zero] = [share(of, shown.value), share(of, 0)];
    const way = FOOT - TOP;
    brush.fillStyle = LIT;
    brush.fillRect(32, FOOT - way * Math.max(at, zero), 12, way * Math.abs(at - zero));
    line(brush, 30, FOOT - way * at, 46, FOOT - way * at, HAND, 2);
  },
  state: (of, shown) => stepped(of, shown, 2 * (FOOT - TOP)),
};

export const lamp: Look = {
  width: WIDE,
  height: LOW,
  still: (brush) => plate(brush, WIDE, LOW, undefined, 6),
  moving(brush, of, shown) {
    const isLit = Math.abs(shown.value) >= 0.5;
    if (isLit) plate(brush, WIDE, LOW, "#f0a92ee8", 6);
    write(brush, titleOf(of), WIDE / 2, LOW / 2 + 0.5, 12, isLit ? "#241700" : "#8b9aa8", isLit ? 700 : 500, WIDE - 12);
  },
  state: (_, { value }) => String(Math.abs(value) >= 0.5),
};

export const numeral: Look = {
  width: WIDE,
  height: LOW,
  still(brush, of) {
    plate(brush, WIDE, LOW, undefined, 6);
    write(brush, titleOf(of), WIDE / 2, 8.5, 9, FAINT, 500, WIDE - 12);
  },
  moving(brush, of, shown) {
    write(brush, `${reading(of, shown)}${unitOf(of) && ` ${unitOf(of)}`}`, WIDE / 2, 22.5, 14, TEXT, 650, WIDE - 12);
  },
  state: (of, shown) => reading(of, shown),
};
