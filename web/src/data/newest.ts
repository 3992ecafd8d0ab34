/** What is known of a base is the newest of records and status, whichever way it came and however late. */

export class Newest {
  #generation = -Infinity;
  #t = -Infinity;
  /** When it came [ms of the page]; NaN before anything has. */
  atMs = NaN;

  /**
   * Whether what has come now is as new as what is known.
   * @param generation counts up with every run; @param t time stamp of the record [s], NaN where it has none
   */
  take(generation: number, t: number, nowMs: number): boolean {
    if (generation < this.#generation) return false;
    const isSameRun = generation === this.#generation;
    if (isSameRun && t < this.#t) return false; // false for NaN: a ring without times is believed in the order of arrival
    if (!isSameRun || !(t <= this.#t)) this.atMs = nowMs;
    [this.#generation, this.#t] = [generation, Number.isNaN(t) ? -Infinity : t];
    return true;
  }

  /** The connection is gone: a console that was started again counts its runs from 1, and all it says is believed. */
  forget(): void {
    [this.#generation, this.#t] = [-Infinity, -Infinity];
  }
}
