/** Files of generators: what is read, and what is refused with the line. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseToml } from "../src/panels/generators/toml";

test("a file of generators is read", () => {
  const text = [
    'name = "heave \\"slow\\"" # of people', "", "[[generator]]", "enabled = true", "axes = [1, 'surge',", "  3]",
    "amplitude = 1_000.5e-3", "", "[[generator]]", "phase = -0.25",
  ].join("\r\n");
  assert.deepEqual(parseToml(text), {
    name: 'heave "slow"',
    generator: [{ enabled: true, axes: [1, "surge", 3], amplitude: 1.0005 }, { phase: -0.25 }],
  });
});

test("what is wrong is said with its line", () => {
  assert.throws(() => parseToml("a = 1\nb = wide"), /^Error: line 2: wide is not a number/);
  assert.throws(() => parseToml("a = 1\na = 2"), /line 2: a appears twice/);
  assert.throws(() => parseToml('a = "never'), /line 1: a string without an end/);
  assert.throws(() => parseToml("a = 1 b = 2"), /line 1: more than one value in a line/);
  assert.throws(() => parseToml("[table]"), /line 1: a table in single brackets/);
  assert.throws(() => parseToml("a = [1, 2"), /is expected/);
});
