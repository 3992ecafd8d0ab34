import assert from "node:assert/strict";
import { test } from "node:test";
import { strokes } from "../src/core/icon";

test("every line and arc of an icon is a path of its own", () => {
  assert.deepEqual(strokes("M12 3v12"), ["M12 3v12"]);
  assert.deepEqual(strokes("m8 11 4 4 4-4"), ["M8 11l4 4", "M12 15l4 -4"]);
  assert.deepEqual(strokes("M3 5h18v11H3z"), ["M3 5h18", "M21 5v11", "M21 16H3", "M3 16L3 5"]);
  assert.deepEqual(strokes("M9 12 6 24M11 12l4 12"), ["M9 12L6 24", "M11 12l4 12"]);
});

test("arcs keep their flags, and relative ends add up", () => {
  assert.deepEqual(strokes("M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z"), [
    "M12 8a4 4 0 1 0 0 8",
    "M12 16a4 4 0 0 0 0 -8",
    "M12 8L12 8",
  ]);
  assert.deepEqual(strokes("M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z").slice(0, 2), ["M20 14.5A8 8 0 0 1 9.5 4", "M9.5 4A8 8 0 1 0 20 14.5"]);
});

test("a smooth curve stays with what it continues", () => {
  assert.deepEqual(strokes("M3 12c2-8 5-8 7 0s5 8 7 0h1"), ["M3 12c2 -8 5 -8 7 0s5 8 7 0", "M17 12h1"]);
});

test("what cannot be read is said", () => {
  assert.throws(() => strokes("M1 2q1 2 3 4"), /icon M1 2q1 2 3 4: q1 2 3 4/);
  assert.throws(() => strokes("M1 2 3"), /M1 2 3/);
});
