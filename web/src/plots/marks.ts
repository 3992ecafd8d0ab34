/** Marks of events over the curves: events of one kind that follow each other closely are a burst, with one line and one text. */

const FEWEST = 4; // letters that say something

export interface Marker {
  readonly t: number;
  readonly text: string;
  /** Such as state or warning: only events of the same kind form a burst. */
  readonly kind: string;
  readonly isBad: boolean;
}

export interface Burst {
  /** Of its events, in their order [s]; one at least. */
  readonly times: readonly number[];
  /** Of its first bad event, or else of its last. */
  readonly text: string;
  readonly kind: string;
  readonly isBad: boolean;
}

/** In the order in which they begin. @param markers in order of time @param apart from the event before, at most [s] */
export function burstsOf(markers: readonly Marker[], apart: number): Burst[] {
  const all: (Burst & { times: number[] })[] = [];
  const newest = new Map<string, number>(); // place of the last burst of a kind
  for (const { t, text, kind, isBad } of markers) {
    const place = newest.get(kind) ?? -1;
    const burst = all[place];
    if (burst && t - (burst.times.at(-1) ?? t) <= apart) {
      burst.times.push(t);
      if (!burst.isBad) all[place] = { ...burst, text, isBad };
    } else {
      newest.set(kind, all.length);
      all.push({ times: [t], text, kind, isBad });
    }
  }
  return all;
}

/** A text that wants to stand at a place, and how much room it needs [px]. */
export interface Wish {
  readonly x: number;
  readonly width: number;
  /** The least come first; of equals the one at the left. */
  readonly rank: number;
}

/** Places of the texts that have room without touching another one. @param gap between two [px] */
export function withRoom(wishes: readonly Wish[], gap: number): Set<number> {
  const order = wishes.map((_, k) => k).sort((a, b) => (wishes[a]?.rank ?? 0) - (wishes[b]?.rank ?? 0) || (wishes[a]?.x ?? 0) - (wishes[b]?.x ?? 0));
  const kept = new Set<number>();
  for (const k of order) {
    const one = wishes[k];
    if (!one) continue;
    const isFree = [...kept].every((other) => {
      const { x, width } = wishes[other] ?? one;
      return one.x >= x + width + gap || x >= one.x + one.width + gap;
    });
    if (isFree) kept.add(k);
  }
  return kept;
}

/** As much of a text as fits, with how many more events there are; "" where not even a few letters fit. @param most letters */
export function labelOf({ text, times }: Pick<Burst, "text" | "times">, most: number): string {
  const more = times.length > 1 ? ` +${times.length - 1}` : "";
  const room = most - more.length;
  if (room < FEWEST) return "";
  return (text.length > room ? `${text.slice(0, room - 1).trimEnd()}…` : text) + more;
}


