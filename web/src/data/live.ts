/** The buckets of the window that slides along: the newest `span` of every subscribed channel. */

import type { Band, LiveFrame } from "../net/frames";

const MARGIN = 2; // columns hold so many times what is shown, and are moved to their front when full

export class LiveStore {
  /** Places of the channels of `lo` and `hi`, in order. */
  channels: number[] = [];
  generation = -1;
  bucket = 1;
  /** The newest record, derived channels included. */
  newest: Float64Array = new Float64Array(0);
  t = NaN;
  /** When the newest record came [ms of the page]. */
  arrivedAt = NaN;
  /** Counts up with every change, so that a drawing knows whether it is old. */
  version = 0;
  /** Counts up whenever all old buckets were discarded: everything must be redrawn. */
  resets = 0;

  #time: Float64Array = new Float64Array(0);
  #bands: Band[] = [];
  #begin = 0;
  #end = 0;
  #first = 0; // number of the bucket at #begin
  #capacity = 0;

  get count(): number {
    return this.#end - this.#begin;
  }

  /** Number of the first bucket there is; the k-th of the views has number `first + k`. */
  get first(): number {
    return this.#first;
  }

  time(): Float64Array {
    return this.#time.subarray(this.#begin, this.#end);
  }

  /** Of a place; undefined where it is not subscribed. */
  band(place: number): Band | undefined {
    const own = this.#bands[this.channels.indexOf(place)];
    return own && { lo: own.lo.subarray(this.#begin, this.#end), hi: own.hi.subarray(this.#begin, this.#end) };
  }

  /** @param keep seconds of buckets that stay */
  take(frame: LiveFrame, keep: number): void {
    const { head, newest, time, bands } = frame;
    this.newest = newest;
    this.t = head.t ?? NaN;
    this.arrivedAt = performance.now();
    this.version += 1;
    const offset = head.first - this.#first; // behind #begin
    if (head.backfill || !this.#matches(frame) || offset < 0 || offset > this.count) this.#reset(frame);
    const kept = this.count === 0 ? 0 : offset;
    this.#room(kept + head.count);
    const to = this.#begin + kept;
    this.#time.set(time, to);
    bands.forEach((band, k) => {
      this.#bands[k]?.lo.set(band.lo, to);
      this.#bands[k]?.hi.set(band.hi, to);
    });
    this.#end = to + head.count;
    this.#drop(keep);
  }

  /** Whether the frame goes on where the last one ended. */
  #matches({ head }: LiveFrame): boolean {
    return (
      head.generation === this.generation &&
      head.bucket === this.bucket &&
      head.channels.length === this.channels.length &&
      head.channels.every((place, k) => place === this.channels[k])
    );
  }

  #reset(frame: LiveFrame): void {
    this.channels = [...frame.head.channels];
    this.generation = frame.head.generation;
    this.bucket = frame.head.bucket;
    this.#capacity = Math.max(256, MARGIN * frame.head.count);
    this.#time = new Float64Array(this.#capacity);
    this.#bands = this.channels.map(() => ({ lo: new Float64Array(this.#capacity), hi: new Float64Array(this.#capacity) }));
    this.#begin = this.#end = 0;
    this.#first = frame.head.first;
    this.resets += 1;
  }

  /** Room for so many buckets from #begin on. */
  #room(count: number): void {
    if (this.#begin + count <= this.#capacity) return;
    const grown = count > this.#capacity / MARGIN ? MARGIN * count : this.#capacity;
    const moved = (column: Float64Array): Float64Array => {
      if (grown === this.#capacity) {
        column.copyWithin(0, this.#begin, this.#end);
        return column;
      }
      const wider = new Float64Array(grown);
      wider.set(column.subarray(this.#begin, this.#end));
      return wider;
    };
    this.#time = moved(this.#time);
    for (const band of this.#bands) {
      band.lo = moved(band.lo);
      band.hi = moved(band.hi);
    }
    this.#capacity = grown;
    this.#end -= this.#begin;
    this.#begin = 0;
  }

  #drop(keep: number): void {
    const oldest = (this.#time[this.#end - 1] ?? 0) - keep;
    while (this.#end - this.#begin > 2 && (this.#time[this.#begin + 1] ?? 0) < oldest) {
      this.#begin += 1;
      this.#first += 1;
    }
  }
}
