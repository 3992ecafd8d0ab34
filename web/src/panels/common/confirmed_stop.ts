/** A confirmed stop counts until newer data says otherwise: without records nothing better is known. */

import { signal, type Signal } from "../../core/signal";

const SETTLED_MS = 2000; // what was on its way when the stop was confirmed has come by then

export class ConfirmedStop {
  /** When it was confirmed, by this machine's clock [s UTC]; null where none is. */
  readonly at: Signal<number | null> = signal<number | null>(null);
  #sinceMs = 0;
  #status: unknown = null;

  /** @param status the newest one, which is older than the stop */
  confirm(utc: number, nowMs: number, status: unknown): void {
    this.#sinceMs = nowMs;
    this.#status = status;
    this.at.set(utc);
  }

  /**
   * What is known now.
   * @param isFresh whether records come; @param shows whether they, or the status, show the stop
   */
  look(nowMs: number, isFresh: boolean, shows: boolean, status: unknown): void {
    if (this.at.peek() === null || !isFresh || shows) return;
    if (status !== this.#status && nowMs - this.#sinceMs > SETTLED_MS) this.at.set(null);
  }
}
