/** Traces as pixels: nothing is lost, nothing is drawn where there is nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Raster, type Buckets, type Mapping } from "../src/plots/raster";

class Picture {
  readonly data: Uint8ClampedArray;
  constructor(readonly width: number, readonly height: number) {
    this.data = new Uint8ClampedArray(4 * width * height);
  }
}
Object.assign(globalThis, { ImageData: Picture }); // node has no pictures

const PEN = { colour: 0xff00ff00, thickness: 1, isStep: false };
/** One column a second, one row a unit, zero at row 10. */
const MAP: Mapping = { origin: 0, xScale: 1, yZero: 10, yScale: -1, gap: 1.5 };

function buckets(...values: readonly (readonly [number, number, number])[]): Buckets {
  const column = (k: 0 | 1 | 2) => Float64Array.from(values, (value) => value[k]);
  return { time: column(0), lo: column(1), hi: column(2) };
}

/** Rows of a column that are painted by more than half. */
function rows(raster: Raster, column: number): number[] {
  const at = (row: number) => raster.image.data[4 * (row * raster.width + raster.place(column)) + 3] ?? 0;
  return Array.from({ length: raster.height }, (_, row) => row).filter((row) => at(row) > 127);
}

function drawn(given: Buckets, map = MAP, first = 0, pen = PEN): Raster {
  const raster = new Raster(8, 20);
  raster.trace(given, 0, given.time.length, map, pen, first, 8);
  return raster;
}

test("a spike in one bucket of very many is drawn to its full height", () => {
  const many = Array.from({ length: 8000 }, (_, k): [number, number, number] => [k / 1000, 0, k === 4321 ? 9 : 0]);
  const raster = drawn(buckets(...many));
  assert.ok(!rows(raster, 3).includes(5), "and beside it there is none");
  assert.ok(rows(raster, 4).includes(1) && rows(raster, 4).includes(5) && rows(raster, 4).includes(9));
});

test("a gap in time or a NaN is left empty", () => {
  const raster = drawn(buckets([0.5, 0, 0], [1.5, 0, 0], [4.5, 0, 0], [5.5, NaN, NaN], [6.5, 0, 0]));
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7].map((column) => rows(raster, column).length > 0), [
    true, true, false, false, true, false, true, false,
  ]);
});

test("codes hold their value until the next, lines go straight", () => {
  const jump = buckets([0.5, 0, 0], [4.5, 4, 4]);
  const map = { ...MAP, gap: 10, yZero: 9.5 };
  const held = drawn(jump, map, 0, { ...PEN, isStep: true });
  assert.deepEqual(rows(held, 2), [9]);
  assert.deepEqual(rows(held, 4), [5, 6, 7, 8, 9]);
  const line = drawn(jump, map);
  assert.ok(rows(line, 2).includes(7) && !rows(line, 2).includes(9));
});

test("columns are kept modulo the width, and cleared alone", () => {
  const given = buckets(...Array.from({ length: 8 }, (_, k): [number, number, number] => [21.5 + k, 0, 0]));
  const raster = drawn(given, MAP, 21);
  assert.equal(raster.place(21), 5);
  assert.equal(raster.place(-1), 7);
  raster.clear(23, 2);
  assert.deepEqual([21, 22, 23, 24, 25].map((column) => rows(raster, column).length > 0), [true, true, false, false, true]);
});
