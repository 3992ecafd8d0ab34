/** The one clock of the page, by the user's choice: seconds of the run, or UTC; for axes, transport and events. */

import { computed, signal, type Signal } from "../core/signal";
import { timeText, utcText } from "../core/times";
import type { Event, RecordingInfo } from "../net/types";
import type { LayoutStore } from "./layout";
import type { Session } from "./session";

export type ClockKind = "run" | "utc";

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

  /** UTC [s] of time 0 of what is shown; null where seconds of the run are wanted, or nobody knows. */
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

  /** With its unit, for a sentence. */
  text(t: number, step: number): string {
    return `${this.axis(t, step)} ${this.epoch() === null ? "s" : "UTC"}`;
  }

  /** When something happened: by the run that it belongs to, where that is the ring's, else by UTC. */
  event({ t, utc, source, generation }: Pick<Event, "t" | "utc" | "source" | "generation">): string {
    this.stamp();
    const ring = this.session.status.peek()?.sources.find((one) => one.source === source);
    if (this.kind.peek() === "utc" || !ring || generation !== ring.generation) return utcText(utc, 1);
    const text = timeText(t ?? utc - ring.epoch_utc, 1);
    return text.includes(":") ? text : `${text} s`;
  }
}
