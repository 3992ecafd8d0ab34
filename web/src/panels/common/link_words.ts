/** How well the host's datagrams come, in words: by the age of the newest, and by what grows. */

import { LINK } from "../../net/words";

export const STALE_S = 0.1; // longest use of a host frame as designed
export const SILENT_S = 1; // after so long a drive settles
const LOSS = 0.01; // of the frames: fewer that are missing are not worth a word
const RATE_S = 2; // over which rates are taken

export type Counter = (typeof LINK)[number];
export type Counters = Readonly<Record<Counter, number>>;

/** What is known of a link: counters since the start, and how fast they grow [1/s], NaN where that is not known yet. */
export interface Standing {
  readonly age: number; // [s] of the newest frame; NaN where there is none
  readonly counters: Counters;
  readonly rates: Counters;
}

export interface Judged {
  readonly level: "good" | "warn" | "bad" | "";
  readonly text: string;
  /** "" where nothing needs to be done */
  readonly todo: string;
}

export function judged({ age, counters, rates }: Standing): Judged {
  if (Number.isNaN(counters.frames)) return { level: "", text: "No live records arrive.", todo: "" };
  if (counters.frames === 0) return unheard(counters);
  if (age > SILENT_S) {
    const resume = "The platform comes to a stop and settles by itself. When frames arrive again, the automatic operator asks for drive, or else you do.";
    if (rates.malformed > 0) return { level: "bad", text: "Datagrams arrive, but none of them can be read any more.", todo: resume };
    if (rates.foreign > 0) return { level: "bad", text: "The host is silent, and another address sends, which is not allowed.", todo: resume };
    return { level: "bad", text: `The host has been silent for ${age < 100 ? age.toFixed(0) : "over 100"} s.`, todo: resume };
  }
  if (age > STALE_S) return { level: "warn", text: "Frames are late.", todo: "" };
  const lost = rates.lost > LOSS * rates.frames ? rates.lost : 0;
  const most = Math.max(rates.malformed, rates.foreign, lost);
  if (!(most > 0)) return { level: "good", text: "Frames arrive.", todo: "" };
  const how = most === rates.malformed ? "cannot be read" : most === rates.foreign ? "come from an address that is not allowed" : "are lost";
  return { level: "warn", text: `Frames arrive, but ${most < 1 ? "some datagrams" : `${most.toFixed(0)} datagrams a second`} ${how}.`, todo: "" };
}

function unheard({ malformed, foreign }: Counters): Judged {
  if (malformed > 0) {
    return { level: "bad", text: "Datagrams arrive, but none of them can be read.", todo: "Check the format= of --host: motionbase host listen shows what arrives and guesses its format." };
  }
  if (foreign > 0) {
    return { level: "bad", text: "Datagrams arrive only from addresses that are not allowed.", todo: "Add the host's address to the URL of --host: &from=ADDRESS." };
  }
  return { level: "bad", text: "Nothing has arrived from the host.", todo: "Start it, and check the address and port to which it sends; a firewall may block them." };
}

/** Counters of the records that are shown, with their growth over the last two seconds of them. */
export class LinkWatch {
  #seen: { t: number; counters: Counters }[] = [];

  /** @param t of the record [s] */
  take(t: number, age: number, counters: Counters): Standing {
    const last = this.#seen.at(-1);
    if (last && (t < last.t || LINK.some((name) => counters[name] < last.counters[name]))) this.#seen = []; // another run, or a step back
    if (Number.isFinite(t)) this.#seen.push({ t, counters });
    while (this.#seen.length > 2 && (this.#seen[1]?.t ?? t) < t - RATE_S) this.#seen.shift();
    while (this.#seen.length > 1 && (this.#seen[0]?.t ?? t) < t - 2 * RATE_S) this.#seen.shift(); // nobody looked meanwhile
    const [first] = this.#seen;
    const seconds = first ? t - first.t : 0;
    const rate = (name: Counter): number => (first && seconds > 0 ? (counters[name] - first.counters[name]) / seconds : NaN);
    return { age: counters.frames > 0 ? age : NaN, counters, rates: countersOf(rate) };
  }
}

/** One number for each. */
export function countersOf(value: (name: Counter) => number): Counters {
  return Object.fromEntries(LINK.map((name) => [name, value(name)])) as unknown as Counters;
}
