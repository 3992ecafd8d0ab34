/** The host's link in words, how fast its counters grow, and the groups of cueing's parameters. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { axisPlot, beyond, blend, isCued } from "../src/panels/cueing/axes";
import { cueingGroups, type Situation } from "../src/panels/cueing/groups";
import { judged, LinkWatch, type Counters } from "../src/panels/common/link_words";
import type { Parameter } from "../src/net/types";

const NONE: Counters = { frames: 0, lost: 0, late: 0, duplicate: 0, malformed: 0, foreign: 0 };

test("a host that sends nothing, nonsense, or from elsewhere is told apart, with what to do", () => {
  const said = (counters: Partial<Counters>): string => Object.values(judged({ age: NaN, counters: { ...NONE, ...counters }, rates: NONE })).join(" ");
  assert.match(said({}), /^bad Nothing has arrived.*port.*firewall/);
  assert.match(said({ malformed: 3 }), /^bad .*none of them can be read.*host listen/);
  assert.match(said({ foreign: 3 }), /^bad .*not allowed.*from=/);
  assert.match(said({ frames: NaN }), /No live records/);
});

test("a link is good, late or silent by the age of its newest frame", () => {
  const of = (age: number, rates: Partial<Counters> = {}) => judged({ age, counters: { ...NONE, frames: 9 }, rates: { ...NONE, frames: 60, ...rates } });
  assert.equal(of(0.016).level, "good");
  assert.equal(of(0.016, { lost: 0.5 }).level, "good"); // of 60 a second
  assert.match(of(0.016, { lost: 6 }).text, /6 datagrams a second are lost/);
  assert.match(of(0.016, { malformed: 200, foreign: 3 }).text, /200 datagrams a second cannot be read/);
  assert.equal(of(0.4).level, "warn");
  assert.match(of(3.2).text, /silent for 3 s/);
  assert.match(of(1e5).text, /over 100 s/);
  assert.match(of(3.2, { malformed: 60 }).text, /none of them can be read any more/);
});

test("rates are those of the last two seconds, and begin anew with another run", () => {
  const watch = new LinkWatch();
  let now = watch.take(0, 0.01, { ...NONE, frames: 1 });
  assert.ok(Number.isNaN(now.rates.frames));
  assert.equal(judged(now).level, "good");
  for (let k = 1; k <= 40; k += 1) now = watch.take(k / 4, 0.01, { ...NONE, frames: 1 + 15 * k, lost: k < 20 ? k : 20 });
  assert.equal(now.rates.frames, 60);
  assert.equal(now.rates.lost, 0);
  now = watch.take(60, 0.01, { ...NONE, frames: 1000, malformed: 9 });
  assert.ok(Number.isNaN(now.rates.malformed), "nobody looked for a while: what grew then does not grow now");
  now = watch.take(0.5, 0.01, { ...NONE, frames: 3 });
  assert.ok(Number.isNaN(now.rates.frames));
});

test("parameters of cueing are grouped by situation, fixed ones and those of the law left out", () => {
  const made = (name: string, tunable = true): Parameter =>
    ({ name, unit: "-", description: "", value: [1], goal: [1], designed: [1], least: [0], most: [2], tunable, at_rest: false });
  const names = ["k_p", "cue_gain", "cue_tilt_rate", "cue_high_pass", "cue_saturation", "cue_pivot", "cue_ground_gain"];
  const all = [...names.map((name) => made(name)), made("cue_damping", false)];
  const groups = (situation: Situation) => cueingGroups(all, situation).map(([name, listed]) => [name, ...listed.map((one) => one.name)]);
  assert.deepEqual(groups("air"), [
    ["Gains", "cue_gain"], ["Filters", "cue_high_pass"], ["Tilt", "cue_tilt_rate"], ["Limits", "cue_saturation"], ["Other", "cue_pivot"],
  ]); // prettier-ignore
  assert.deepEqual(groups("ground"), [["Gains", "cue_ground_gain"]]);
});

test("curves that are hidden stay in their plot", () => {
  const traces = axisPlot("f_x", new Set(["cue"])).traces;
  assert.deepEqual(traces.map(({ name, hidden }) => [name, hidden]), [
    ["demand_f_x", false], ["felt_vehicle_f_x", false], ["cue_f_x", true], ["felt_cue_f_x", false],
  ]); // prettier-ignore
  assert.equal(isCued(undefined), false);
});

test("the set in use is a word, or how far it is on the way", () => {
  assert.deepEqual([0, 1, 0.42, NaN].map(blend), ["air", "ground", "42 % ground", "–"]);
});

test("a tilt is what the platform turns beyond the vehicle", () => {
  assert.deepEqual([beyond(0.05, 0), beyond(-0.05, 0), beyond(0.3, 0.5), beyond(0.5, 0.3), beyond(0.2, -0.5)].map((x) => Number(x.toFixed(6))), [0.05, 0.05, 0, 0.2, 0.2]);
  assert.ok(Number.isNaN(beyond(NaN, 0)));
});
