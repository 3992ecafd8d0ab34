/** Times as text, of a run or of the day, and where an axis of time has its labels. */

const SECOND_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/** Between labels of a time axis, not less than given [s]. */
export function timeStep(atLeast: number): number {
  if (atLeast <= 1) return roundStep(atLeast);
  return SECOND_STEPS.find((step) => step >= atLeast) ?? roundStep(atLeast);
}

/** 12.5, 3:05.20 or 1:02:03: seconds of the ring, with the decimals that the step needs. */
export function timeText(t: number, step: number): string {
  const decimals = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
  const sign = t < -step / 2 ? "−" : "";
  const rounded = Number(Math.abs(t).toFixed(decimals));
  if (rounded < 60) return sign + rounded.toFixed(decimals);
  const seconds = (rounded % 60).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${sign}${minutes}:${seconds}`;
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}`;
}

/** 14:03:27.5: time of the day of a UTC [s], with the decimals that the step needs. */
export function utcText(utc: number, step: number): string {
  const decimals = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
  const day = Number((((utc % 86_400) + 86_400) % 86_400).toFixed(decimals)) % 86_400;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${two(day / 3600)}:${two((day / 60) % 60)}:${(day % 60).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0")}`;
}

export interface Tick {
  readonly t: number;
  /** "" for a line alone */
  readonly text: string;
  /** middle of the label, as a share of the width */
  readonly at: number;
}

/**
 * Lines of an axis of time from `from` to `to`, and labels on those that have room; two of them wherever two have room.
 *
 * @param zero time at which round numbers begin, as midnight does; @param room widths of a digit that the axis has
 * @param write a time with the decimals for a step; @param apart digits between two labels
 */
export function timeTicks(
  from: number, to: number, zero: number, room: number, write: (t: number, step: number) => string, apart = 3,
): readonly Tick[] {
  const span = to - from;
  const longest = Math.max(...[from, to].map((t) => write(t, span / 10).length));
  const usual = timeStep((span * (longest + apart)) / room);
  let first: readonly Tick[] | null = null;
  for (const step of [usual, timeStep(usual / 2.5), timeStep(usual / 6)]) {
    const ticks: Tick[] = [];
    let [count, free] = [0, -Infinity];
    for (let k = Math.ceil((from - zero) / step); zero + k * step <= to; k += 1) {
      const t = zero + k * step;
      const [text, at] = [write(t, step), (t - from) / span];
      const half = text.length / 2 / room;
      const fits = at >= half && at <= 1 - half && at - half >= free;
      if (fits) [count, free] = [count + 1, at + half + 1 / room];
      ticks.push({ t, at, text: fits ? text : "" });
    }
    if (count >= 2) return ticks;
    first ??= ticks;
  }
  return (first ?? []).map((tick) => ({ ...tick, text: "" })).concat(edges(from, to, room, write));
}

/** Where no two round times have room: the ends themselves, or the beginning alone. */
function edges(from: number, to: number, room: number, write: (t: number, step: number) => string): Tick[] {
  const ends = [from, to].map((t) => ({ t, text: write(t, (to - from) / 10) }));
  const placed = ends.map(({ t, text }, k) => ({ t, text, at: k ? 1 - text.length / 2 / room : text.length / 2 / room }));
  const both = ends.reduce((sum, { text }) => sum + text.length + 1, 0);
  return both <= room ? placed : placed.slice(0, 1);
}

/** 1, 2 or 5 times a power of ten, not less than the given. */
export function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const share = atLeast / power;
  return power * (share <= 1.0000001 ? 1 : share <= 2.0000001 ? 2 : share <= 5.0000001 ? 5 : 10);
}
