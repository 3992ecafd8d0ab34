/** Exact columns of a stretch of time, fetched piece by piece, and numbers about them. */

import type { StatisticsRow } from "../net/socket";
import type { Source } from "./source";

/** Columns as they were recorded; `isExact` false where the server only has extremes left. */
export interface Table {
  time: number[];
  columns: number[][];
  isExact: boolean;
}

const PIECE_RECORDS = 8000;
const MOST_CURVE_PIXELS = 1 << 19;
const MOST_CELLS = 20_000_000;
const SHORTEST_S = 1e-4;

export async function exactTable(source: Source, places: readonly number[], from: number, to: number): Promise<Table> {
  const rate = source.rate() || 100;
  const records = Math.min(PIECE_RECORDS, Math.floor(MOST_CURVE_PIXELS / Math.max(1, places.length)));
  const cells = (to - from) * rate * (places.length + 1);
  if (cells > MOST_CELLS) {
    throw new Error(`${Math.round(cells / 1e6)} million numbers are too many for a page; zoom in, or export the recording`);
  }
  const table: Table = { time: [], columns: places.map(() => []), isExact: true };
  let piece = records / rate;
  for (let begin = from; begin < to; ) {
    const end = Math.min(to, begin + piece);
    const frame = await source.window(places, begin, end, records);
    if (frame.head.bucket > 1 && piece > SHORTEST_S && frame.head.count > records / 2) {
      piece /= 2;
      continue;
    }
    table.isExact &&= frame.head.bucket === 1;
    const last = table.time[table.time.length - 1] ?? -Infinity;
    frame.time.forEach((t, k) => {
      if (t <= last || t < from || t > to) return;
      table.time.push(t);
      frame.bands.forEach((band, c) => table.columns[c]?.push((band.lo[k]! + band.hi[k]!) / 2));
    });
    begin = end;
  }
  return table;
}

/** As the server's statistics, for recordings. */
export async function statisticsOf(source: Source, places: readonly number[], from: number, to: number): Promise<StatisticsRow[]> {
  const table = await exactTable(source, places, from, to);
  return places.map((place, c) => {
    const values = (table.columns[c] ?? []).filter((value) => !Number.isNaN(value));
    let [min, max, sum, squares] = [Infinity, -Infinity, 0, 0];
    for (const value of values) {
      if (value < min) min = value;
      if (value > max) max = value;
      sum += value;
      squares += value * value;
    }
    const n = values.length;
    const known = (value: number): number | null => (n > 0 ? value : null);
    return {
      place,
      n,
      min: known(min),
      max: known(max),
      mean: table.isExact ? known(sum / n) : null,
      rms: table.isExact ? known(Math.sqrt(squares / n)) : null,
      first: values[0] ?? null,
      last: values[n - 1] ?? null,
    };
  });
}

/** Numbers as short as they can be read back to the bit; an empty cell is no number. */
export function tableText(table: Table, titles: readonly string[], separator: string): string {
  const lines = [titles.join(separator)];
  table.time.forEach((t, k) => {
    const cells = table.columns.map((column) => (Number.isNaN(column[k]) ? "" : String(column[k])));
    lines.push([String(t), ...cells].join(separator));
  });
  return `${lines.join("\n")}\n`;
}
