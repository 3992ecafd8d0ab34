/** Numbers, names, ranges and limits as the plots show them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Channel } from "../src/net/types";
import { exceeded } from "../src/plots/alarms";
import { roundStep, settled } from "../src/plots/autorange";
import { tableText } from "../src/plots/exact";
import { find, groupsOf } from "../src/plots/families";
import { namingOf } from "../src/plots/naming";
import { axisTexts, reading, timeStep, timeText } from "../src/plots/numbers";

function channel(name: string, more: Partial<Channel> = {}): Channel {
  return { place: 0, name, unit: "m", description: "", group: "legs", leg: null, dof: null, codes: null, bits: null, formula: null, ...more };
}
const LEGS = [1, 2, 3].map((leg) => channel(`leg${leg}_l_dot_meas`, { leg, unit: "m/s", description: "rate of the leg" }));
const POSE = ["surge", "roll"].map((dof) => channel(`pose_meas_${dof}`, { dof, unit: dof === "roll" ? "rad" : "m", group: "pose" }));
const named = (channels: readonly Channel[]) => namingOf(channels.map(({ name }) => name), channels);

test("a range holds its values with room, and stays while they stay in it", () => {
  const range = settled(null, -1, 1);
  assert.ok(range[0] < -1 && range[1] > 1);
  assert.equal(settled(range, -0.9, 0.95), range, "values that move a little do not move the axis");
  assert.ok(settled(range, -0.9, 3)[1] > 3);
  assert.ok(settled(range, -0.01, 0.01)[1] < 0.1, "values that became small get a range of their size");
  assert.equal(settled(range, NaN, NaN), range);
  const flat = settled(null, 5, 5);
  assert.ok(flat[0] < 5 && flat[1] > 5, "a constant has a range too");
});

test("steps are 1, 2 or 5 times a power of ten", () => {
  assert.deepEqual([0.011, 0.02, 3, 60].map(roundStep).map((step) => Number(step.toPrecision(6))), [0.02, 0.02, 5, 100]);
  assert.deepEqual([0.3, 7, 40, 1000].map(timeStep).map((step) => Number(step.toPrecision(6))), [0.5, 10, 60, 1800]);
});

test("the worst limit that a bucket exceeds is told, by the extreme that exceeds it", () => {
  const limits = { alarmLow: -2, warnLow: -1, warnHigh: 1, alarmHigh: 2 };
  assert.equal(exceeded(limits, -1, 1), null, "at the limit is within it");
  assert.deepEqual(exceeded(limits, 0, 1.5), { level: "warn", value: 1.5, limit: 1 });
  assert.deepEqual(exceeded(limits, -3, 1.5), { level: "alarm", value: -3, limit: -2 });
  assert.deepEqual(exceeded({ ...limits, alarmHigh: null }, 0, 9), { level: "warn", value: 9, limit: 1 });
  assert.equal(exceeded(limits, NaN, NaN), null);
});

test("times have the decimals that their step needs", () => {
  assert.equal(timeText(12.345, 0.01), "12.35");
  assert.equal(timeText(185.2, 0.1), "3:05.2");
  assert.equal(timeText(3723, 1), "1:02:03");
  assert.equal(timeText(59.9996, 0.001), "1:00.000");
  assert.equal(timeText(-0.5, 0.1), "−0.5");
});

test("values carry a prefix where one is usual", () => {
  assert.deepEqual(reading(12_345, "N"), { text: "12.345", unit: "kN" });
  assert.deepEqual(reading(-0.5, "m/s^2"), { text: "−0.5000", unit: "m/s²" });
  assert.deepEqual(reading(NaN, "m"), { text: "–", unit: "m" });
  assert.deepEqual(axisTexts([-20_000, 0, 20_000]), ["−20k", "0k", "20k"]);
});

test("channels are found by words, else by letters in order", () => {
  const all = [...LEGS, ...POSE];
  assert.deepEqual(find(all, "rate 2").map(({ name }) => name), ["leg2_l_dot_meas"]);
  assert.deepEqual(find(all, "POSE roll").map(({ name }) => name), ["pose_meas_roll"]);
  assert.deepEqual(find(all, "l3md").map(({ name }) => name), []);
  assert.deepEqual(find(all, "g3dm").map(({ name }) => name), ["leg3_l_dot_meas"]);
  assert.equal(groupsOf(all)[0]?.families[0]?.title, "l_dot_meas");
});

test("what traces share is the title, what tells them apart the legend", () => {
  assert.deepEqual(named(LEGS), { title: "l_dot_meas [m/s]", labels: ["leg 1", "leg 2", "leg 3"], saysUnit: true });
  assert.deepEqual(named(POSE), { title: "pose_meas", labels: ["surge", "roll"], saysUnit: false });
  const forces = [1, 2].map((leg) => channel(`leg${leg}_f_meas`, { leg, unit: "N" }));
  assert.deepEqual(named(forces), { title: "f_meas", labels: ["leg 1", "leg 2"], saysUnit: false });
  const one = ["l_cmd", "l_meas"].map((name) => channel(`leg4_${name}`, { leg: 4 }));
  assert.deepEqual(named(one), { title: "leg 4", labels: ["l_cmd", "l_meas"], saysUnit: false });
  assert.deepEqual(named([...LEGS, ...POSE]).labels, [...LEGS, ...POSE].map(({ name }) => name));
  assert.deepEqual(namingOf(["gone", "leg1_l_meas"], [undefined, channel("leg1_l_meas", { leg: 1 })]).labels, ["gone", "leg1_l_meas"]);
  assert.equal(named(LEGS.slice(0, 1)).labels[0], "leg1_l_dot_meas");
});

test("a table is read back to the bit, and what is no number is an empty cell", () => {
  const third = 1 / 3;
  const text = tableText({ time: [0, 0.001], columns: [[third, NaN], [1e-20, 2]], isExact: true }, ["t [s]", "a [m]", "b [-]"], ",");
  const [head, first, second] = text.split("\n");
  assert.equal(head, "t [s],a [m],b [-]");
  assert.deepEqual(first?.split(",").map(Number), [0, third, 1e-20]);
  assert.equal(second, "0.001,,2");
});
