/** The one clock of the page, by the user's choice: seconds of the run, or UTC; for axes, transport and events. */

import { computed, signal, type Signal } from "../core/signal";
import { timeText, utcText } from "../core/times";
import type { Event, RecordingInfo, Ring } from "../net/types";
import type { LayoutStore } from "./layout";
import type { Session } from "./session";

export type ClockKind = "run" | "utc";

type When = Pick<Event, "t" | "utc" | "source" | "generation">;

const DAY_S = 86_400;

export class Clock {
  readonly kind = signal<ClockKind>("run");
  /** Changes when times are to be written anew. */
  readonly stamp: Signal<string>;

  constructor(
    private readonly session: Session,
    private readonly file: Signal<RecordingInfo | null>,
    layout: LayoutStore,
  ) {
    this.stamp = computed(() => JSON.stringify([
      this.kind(), this.file()?.epoch_utc, session.source(),
      session.status()?.sources.map(({ source, generation, epoch_utc }) => [source, generation, epoch_utc]),
    ]));
    layout.register("clock", {
      save: () => ({ kind: this.kind.peek() }),
      load: ({ kind }) => (kind === "run" || kind === "utc") && this.kind.set(kind),
    });
  }

  /** UTC [s] at time 0 of what is shown; null where run time is chosen, or UTC is unknown. */
  epoch(): number | null {
    this.stamp();
    if (this.kind.peek() === "run") return null;
    const file = this.file.peek();
    return (file ? file.epoch_utc : this.session.ring.peek()?.epoch_utc) ?? null;
  }

  /** A time near zero at which a round time begins: that of the run, or of the day. */
  zero(): number {
    const epoch = this.epoch();
    return epoch === null ? 0 : -(epoch % DAY_S);
  }

  /** A time of what is shown, for an axis with such a step. */
  axis(t: number, step: number): string {
    const epoch = this.epoch();
    return epoch === null ? timeText(t, step) : utcText(epoch + t, step);
  }

  /** With its unit, for a sentence; 2:09.76 tells minutes and seconds by itself. */
  text(t: number, step: number): string {
    const text = this.axis(t, step);
    return this.epoch() !== null ? `${text} UTC` : text.includes(":") ? text : `${text} s`;
  }

  /** When something happened: by the run that it belongs to, where that is the ring's, else by UTC, which is said. */
  event({ t, utc, source, generation }: When): string {
    const ring = this.#ringOf({ source, generation });
    if (this.kind.peek() === "utc") return utcText(ring && t !== null ? ring.epoch_utc + t : utc, 1); // as axes have it
    if (!ring) return `${utcText(utc, 1)} UTC`;
    const text = timeText(t ?? utc - ring.epoch_utc, 1);
    return text.includes(":") ? text : `${text} s`;
  }

  /** Whether an event is of the run that the ring has now: only there its time leads anywhere. */
  isOfRun(event: Pick<When, "source" | "generation">): boolean {
    return this.#ringOf(event) !== undefined;
  }

  #ringOf({ source, generation }: Pick<When, "source" | "generation">): Ring | undefined {
    this.stamp();
    if (generation === 0) return undefined; // of no run, or of an earlier console's
    return this.session.status.peek()?.sources.find((one) => one.source === source && one.generation === generation);
  }
}
