/** The window that slides along: frames in, buckets out. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveStore } from "../src/data/live";
import type { LiveFrame } from "../src/net/frames";

/** Buckets `first` on, of one channel at place 3; bucket k begins at k seconds and goes from k to k + 0.5. */
function frame(first: number, count: number, more: Partial<LiveFrame["head"]> = {}): LiveFrame {
  const numbers = Array.from({ length: count }, (_, k) => first + k);
  return {
    head: {
      kind: "live", frame: 1, generation: 1, t: first + count - 1, bucket: 1, first, count, channels: [3], backfill: false, width: 4,
      ...more,
    },
    newest: Float64Array.of(0, 0, 0, first + count - 1),
    time: Float64Array.from(numbers),
    bands: [{ lo: Float64Array.from(numbers), hi: Float64Array.from(numbers, (k) => k + 0.5) }],
  };
}

test("frames that follow each other join, and the last bucket is replaced", () => {
  const store = new LiveStore();
  store.take(frame(0, 5, { backfill: true }), 100);
  store.take(frame(4, 3), 100);
  assert.deepEqual([...store.time()], [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...(store.band(3)?.hi ?? [])], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
  assert.equal(store.band(4), undefined);
  assert.equal(store.t, 6);
});

test("what has left the window is dropped, but for one bucket that reaches its edge", () => {
  const store = new LiveStore();
  store.take(frame(0, 20, { backfill: true }), 5);
  assert.deepEqual([...store.time()], [13, 14, 15, 16, 17, 18, 19]);
  assert.equal(store.first, 13);
});

test("a long run keeps its buckets in order, however often the columns are moved", () => {
  const store = new LiveStore();
  store.take(frame(0, 1, { backfill: true }), 50);
  for (let first = 0; first < 5000; first += 7) store.take(frame(first, 8), 50);
  const time = [...store.time()];
  assert.equal(time.at(-1), 5005);
  assert.deepEqual(time, Array.from(time, (_, k) => store.first + k));
  assert.deepEqual([...(store.band(3)?.lo ?? [])], time);
  assert.equal(store.resets, 1);
});

test("a gap, another generation, bucket or channel begins anew", () => {
  for (const other of [frame(9, 2), frame(3, 2, { generation: 2 }), frame(3, 2, { bucket: 2 }), frame(3, 2, { channels: [5] })]) {
    const store = new LiveStore();
    store.take(frame(0, 3, { backfill: true }), 100);
    store.take(other, 100);
    assert.equal(store.count, 2);
    assert.equal(store.first, other.head.first);
    assert.equal(store.resets, 2);
  }
});
