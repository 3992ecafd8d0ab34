/** Binary frames of the WebSocket and of windows of recordings; docs/console_protocol.md has the format. */

export interface LiveHead {
  kind: "live";
  frame: number;
  generation: number;
  t: number | null;
  bucket: number;
  first: number;
  count: number;
  channels: number[];
  backfill: boolean;
  width: number;
}

export interface WindowHead {
  kind: "window";
  id: number;
  generation: number;
  bucket: number;
  count: number;
  channels: number[];
  from: number;
  to: number;
  first_t: number | null;
  last_t: number | null;
}

/** Least and largest of each bucket; the same array twice where the values are exact. */
export interface Band {
  lo: Float64Array;
  hi: Float64Array;
}

export interface LiveFrame {
  head: LiveHead;
  newest: Float64Array;
  time: Float64Array;
  bands: Band[];
}

export interface WindowFrame {
  head: WindowHead;
  time: Float64Array;
  bands: Band[];
}

export class FrameError extends Error {}

export function decode(raw: ArrayBuffer): LiveFrame | WindowFrame {
  const { head, take } = opened<LiveHead | WindowHead>(raw);
  if (head.kind === "live") {
    const newest = take(head.width);
    const time = take(head.count);
    return { head, newest, time, bands: head.channels.map(() => ({ lo: take(head.count), hi: take(head.count) })) };
  }
  if (head.kind !== "window") throw new FrameError("a frame of unknown kind");
  const time = take(head.count);
  const bands = head.channels.map(() => {
    const lo = take(head.count);
    return { lo, hi: head.bucket === 1 ? lo : take(head.count) };
  });
  return { head, time, bands };
}

export interface RowsHead {
  kind: "rows";
  first: number;
  every: number;
  count: number;
  width: number;
}

/** Whole records: `values` has one after the other. */
export interface Rows {
  head: RowsHead;
  time: Float64Array;
  values: Float64Array;
}

export function decodeRows(raw: ArrayBuffer): Rows {
  const { head, take } = opened<RowsHead>(raw);
  if (head.kind !== "rows") throw new FrameError("a frame of another kind");
  return { head, time: take(head.count), values: take(head.count * head.width) };
}

/** The head of a frame, and what takes one column after the other behind it. */
function opened<Head>(raw: ArrayBuffer): { head: Head; take(count: number): Float64Array } {
  if (raw.byteLength < 8) throw new FrameError(`a frame of ${raw.byteLength} bytes`);
  const length = new DataView(raw).getUint32(0, true);
  if (4 + length > raw.byteLength || (4 + length) % 8 !== 0) throw new FrameError(`a header of ${length} bytes`);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(raw, 4, length))) as Head;
  let at = 4 + length;
  const take = (count: number): Float64Array => {
    if (at + 8 * count > raw.byteLength) throw new FrameError("a truncated frame");
    const column = new Float64Array(raw, at, count);
    at += 8 * count;
    return column;
  };
  return { head, take };
}
