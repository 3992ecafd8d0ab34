/** Horizon and compass. */

import { disc, EDGE, FAINT, HAND, line, SIZE, TEXT, TICK, titleOf, write, type Brush, type Look } from "./ink";

const MIDDLE = SIZE / 2;
const RADIUS = SIZE / 2 - 1;
const DEGREE = Math.PI / 180;
const PX = 1.5; // for a degree of pitch
const MOST_PITCH = 60; // drawn
const POINTS: Record<number, string> = { 0: "N", 90: "E", 180: "S", 270: "W" };

function turned(brush: Brush, angle: number, paint: () => void): void {
  brush.save();
  brush.translate(MIDDLE, MIDDLE);
  brush.rotate(angle);
  paint();
  brush.restore();
}

function pointer(brush: Brush, tip: number, base: number, half: number, colour: string): void {
  brush.fillStyle = colour;
  brush.beginPath();
  brush.moveTo(0, tip);
  brush.lineTo(half, base);
  brush.lineTo(-half, base);
  brush.fill();
}

/** The attitude of the vehicle, whatever its channel is. */
export const horizon: Look = {
  width: SIZE,
  height: SIZE,
  still: (brush) => disc(brush),
  moving(brush, of, { attitude }) {
    if (!attitude) return write(brush, "–", MIDDLE, MIDDLE, 16, FAINT);
    const pitch = Math.min(MOST_PITCH, Math.max(-MOST_PITCH, attitude.pitch / DEGREE));
    brush.save();
    brush.beginPath();
    brush.arc(MIDDLE, MIDDLE, RADIUS - 0.5, 0, 2 * Math.PI);
    brush.clip();
    turned(brush, -attitude.roll, () => {
      const y = pitch * PX;
      brush.fillStyle = "#2b78bd";
      brush.fillRect(-90, -220, 180, 220 + y);
      brush.fillStyle = "#7b5230";
      brush.fillRect(-90, y, 180, 220);
      line(brush, -90, y, 90, y, "#ffffff", 1.5);
      for (let mark = -60; mark <= 60; mark += 5) {
        const at = y - mark * PX;
        if (mark === 0 || Math.abs(at) > 34) continue;
        const half = mark % 10 === 0 ? 15 : 7;
        line(brush, -half, at, half, at, "#ffffffd8", 1);
        if (mark % 20 === 0) write(brush, String(Math.abs(mark)), half + 9, at, 8.5, "#ffffffd8");
      }
      for (const mark of [-60, -30, -20, -10, 10, 20, 30, 60]) {
        const [s, c] = [Math.sin(mark * DEGREE), -Math.cos(mark * DEGREE)];
        line(brush, 47 * s, 47 * c, (mark % 30 === 0 ? 54 : 51) * s, (mark % 30 === 0 ? 54 : 51) * c, "#ffffff", 1.3);
      }
      pointer(brush, -47, -54, 4.5, "#ffffff");
    });
    brush.restore();
    turned(brush, 0, () => {
      pointer(brush, -46, -38, 4.5, HAND);
      for (const side of [-1, 1]) line(brush, side * 11, 0, side * 30, 0, HAND, 2.6);
      line(brush, -11, 0, 0, 6, HAND, 2.2);
      line(brush, 11, 0, 0, 6, HAND, 2.2);
      write(brush, titleOf(of), 0, 43, 9, "#ffffffd0", 500, 54);
      brush.strokeStyle = EDGE;
      brush.lineWidth = 1.5;
      brush.beginPath();
      brush.arc(0, 0, RADIUS, 0, 2 * Math.PI);
      brush.stroke();
    });
  },
  state: (_, { attitude }) => (attitude ? `${Math.round(attitude.roll * 230)} ${Math.round(attitude.pitch * 170)}` : ""),
};

/** From 0 up to 360. */
export function headingOf(value: number): number {
  return ((value % 360) + 360) % 360;
}

/** A rose that turns under a mark; its value is in degrees, clockwise from north. */
export const compass: Look = {
  width: SIZE,
  height: SIZE,
  still(brush, of) {
    disc(brush);
    write(brush, titleOf(of), MIDDLE, MIDDLE + 14, 9.5, FAINT, 500, 44);
  },
  moving(brush, _, { value }) {
    const isKnown = Number.isFinite(value);
    turned(brush, isKnown ? -value * DEGREE : 0, () => {
      for (let mark = 0; mark < 360; mark += 10) {
        const isMajor = mark % 30 === 0;
        line(brush, 0, -51, 0, isMajor ? -44 : -47, isMajor ? TICK : "#c3ced880", isMajor ? 1.5 : 1);
        if (isMajor) write(brush, POINTS[mark] ?? String(mark / 10), 0, -36.5, POINTS[mark] ? 12 : 9, mark === 0 ? HAND : TICK, POINTS[mark] ? 700 : 500);
        brush.rotate(10 * DEGREE);
      }
    });
    turned(brush, 0, () => pointer(brush, -42, -54, 5, HAND));
    const whole = isKnown ? Math.round(headingOf(value)) % 360 : NaN;
    write(brush, isKnown ? `${String(whole).padStart(3, "0")}°` : "–", MIDDLE, MIDDLE - 2, 17, TEXT, 650);
  },
  state: (_, { value }) => (Number.isFinite(value) ? String(Math.round(2 * headingOf(value))) : ""),
};
