/** Numbers, names, ranges and limits as the plots show them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Channel } from "../src/net/types";
import { number } from "../src/core/format";
import { exceeded, worstOf } from "../src/plots/alarms";
import { roundStep, timeStep, timeText, timeTicks, utcText } from "../src/core/times";
import { settled } from "../src/plots/autorange";
import { fitting, wordAt } from "../src/plots/completion";
import { tableText } from "../src/plots/exact";
import { find, groupsOf, splitName } from "../src/plots/families";
import { Forms } from "../src/plots/forms";
import { lostFormulas } from "../src/plots/kept_formulas";
import { burstsOf, labelOf, withRoom, type Marker } from "../src/plots/marks";
import { defaultPlots } from "../src/plots/spec";
import { turned } from "../src/plots/view";
import { commonWords, namingOf, wordsOf } from "../src/plots/naming";
import { judgedShare } from "../src/scene/resting";
import { axisScale, axisTexts, axisSplits, fixedText, unitText } from "../src/plots/numbers";

function channel(name: string, more: Partial<Channel> = {}): Channel {
  return { place: 0, name, unit: "m", description: "", group: "legs", leg: null, dof: null, codes: null, bits: null, formula: null, ...more };
}
const LEGS = [1, 2, 3].map((leg) => channel(`leg${leg}_l_dot_meas`, { leg, unit: "m/s", description: `leg ${leg}: measured rate, which is filtered` }));
const POSE = ["surge", "roll"].map((dof) => channel(`pose_meas_${dof}`, { dof, unit: dof === "roll" ? "rad" : "m", group: "pose" }));
const named = (channels: readonly Channel[]) => namingOf(channels.map(({ name }) => name), channels, unitText);

test("a range holds its values with room, and stays while they stay in it", () => {
  const range = settled(null, -1, 1);
  assert.ok(range[0] < -1 && range[1] > 1);
  assert.equal(settled(range, -0.9, 0.95), range, "values that move a little do not move the axis");
  assert.ok(settled(range, -0.9, 3)[1] > 3);
  assert.ok(settled(range, -0.01, 0.01)[1] < 0.1, "values that became small get a range of their size");
  assert.equal(settled(range, NaN, NaN), range);
});

test("a constant, and noise below what is measured, is a flat line in the middle", () => {
  for (const [least, most] of [[5, 5], [0, 0], [-1e-15, 1e-15], [16e6, 16e6 + 1e-3]] as const) {
    const [low, high] = settled(null, least, most, 1e-4);
    const share = (value: number) => (value - low) / (high - low);
    assert.ok(share(least) > 0.35 && share(most) < 0.65, `${least} lies at ${share(least)}`);
    assert.ok(share(most) - share(least) < 1e-3);
    assert.equal(axisTexts([low, high]).join().length < 24, true);
  }
  assert.ok(settled(null, 0, 1e-5, 1e-6)[1] < 1e-4, "what is measured finely gets a fine range");
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

test("a channel keeps the digits of the largest of its family, and noise around zero reads zero", () => {
  const forms = new Forms();
  const [one, two] = [channel("leg1_l_meas", { leg: 1 }), channel("leg2_l_meas", { leg: 2 })];
  forms.note(one, 0.5);
  assert.equal(forms.text(one, -0.25), "−0.2500");
  assert.equal(forms.text(one, -1.7e-17), "0.0000");
  assert.equal(forms.text(one, 4.9e-5), "0.0000");
  forms.note(two, -12.5);
  assert.equal(forms.text(one, -0.25), "−0.250", "one leg has as many digits as the other");
  assert.equal(forms.text(one, NaN), "–");
  assert.equal(forms.of(one).resolution, 1e-3);
  const error = channel("leg1_error", { formula: "leg1_l_cmd - leg1_l_meas" });
  forms.note(error, 1.2345e-4);
  assert.equal(forms.text(error, 1.2345e-4), "0.00012345", "a difference may be smaller than what is measured");
});

test("forces and pressures are told in thousands as soon as one is large, all of them", () => {
  const forms = new Forms();
  const [force, other] = [channel("leg1_f_meas", { leg: 1, unit: "N" }), channel("friction", { unit: "N" })];
  forms.note(force, 900);
  assert.equal(forms.quantity(force, 900), "900.00 N");
  const before = forms.changes.peek();
  forms.note(force, -12_345);
  assert.ok(forms.changes.peek() > before, "whoever has written the unit is told");
  assert.equal(forms.quantity(force, -12_345), "−12.345 kN");
  assert.equal(forms.quantity(other, 500), "0.5000 kN");
  assert.equal(forms.unit("m/s^2"), "m/s²");
});

test("counts have no fraction, short times have as many places as they need", () => {
  const forms = new Forms();
  const [count, late, tiny] = [channel("overruns", { unit: "-" }), channel("lateness", { unit: "s" }), channel("leak", { unit: "m^3/s" })];
  forms.note(count, 1488);
  forms.note(late, 0.018);
  forms.note(tiny, 3.2e-9);
  assert.equal(forms.text(count, 1488), "1488");
  assert.equal(forms.text(late, 6.2e-5), "0.000062");
  assert.equal(forms.text(tiny, 3.2e-9), "3.20e−9");
  assert.equal(forms.text(tiny, 1e-19), "0.00000000");
  forms.note(count, 0.5);
  assert.equal(forms.text(count, 3), "3.0");
});

test("numbers that are measured on an axis have the digits that the axis shows", () => {
  const forms = new Forms();
  const length = channel("leg1_l_meas", { leg: 1 });
  forms.note(length, 2.7061);
  assert.equal(forms.text(length, 2.70612345), "2.7061");
  assert.equal(forms.text(length, 2.70612345, 2e-4), "2.7061235");
  assert.equal(forms.text(length, 1.2e-5, 2e-4), "0.0000120", "a difference of two such values");
  assert.equal(forms.text(length, 2.70612345, 3), "2.7061", "a wide axis takes none away");
  const force = channel("leg1_f_meas", { leg: 1, unit: "N" });
  forms.note(force, 15_000);
  assert.equal(forms.text(force, 14_321.5678, 2), "14.321568");
  const state = channel("state", { unit: "-" });
  forms.note(state, 5);
  assert.equal(forms.text(state, 5, 2), "5", "what is counted has no fraction");
});

test("a word in a formula becomes the names that fit it", () => {
  const names = ["leg1_l_cmd", "leg1_l_meas", "pose_meas_heave", "rate", "max"];
  assert.deepEqual(wordAt("leg1_l_cmd - leg1_l", 19), { word: "leg1_l", begin: 13 });
  assert.deepEqual(wordAt("2 * ", 4), { word: "", begin: 4 });
  assert.deepEqual(fitting("leg1_l", names), ["leg1_l_cmd", "leg1_l_meas"]);
  assert.deepEqual(fitting("ma", names), ["max"]);
  assert.deepEqual(fitting("meas", names), ["leg1_l_meas", "pose_meas_heave"], "those that begin with it first, then those that have it");
  assert.deepEqual(fitting("rate", names), [], "it is one already");
  assert.deepEqual(fitting("", names), []);
});

test("legs of a base that rests are short, and that is no warning", () => {
  assert.deepEqual([0.0, 0.01, 0.9, NaN].map((share) => judgedShare(share, true)), [0.5, 0.5, 0.9, NaN]);
  assert.equal(judgedShare(0.01, false), 0.01);
});

test("settings are as short as they can be", () => {
  assert.deepEqual([600, 0.25, -3.17483, 4.2661e-6, 0].map((value) => number(value)), ["600", "0.25", "−3.175", "4.266e−6", "0"]);
});

test("labels of an axis say their thousands once, in the unit, and stay readable however deep the zoom", () => {
  const force = axisScale([-20_000, 20_000], "N");
  assert.deepEqual(force, { factor: 1000, unit: "kN" });
  assert.equal(axisScale([0, 500_000], "Pa", 2).unit, "MPa", "an axis has the thousands of its legend");
  assert.deepEqual(axisTexts([-20_000, 0, 20_000], force.factor), ["−20", "0", "20"]);
  const small = axisScale([0, 1e-3], "m/s²");
  assert.deepEqual([small.unit, axisTexts([0, 2.5e-4, 5e-4], small.factor).join(" ")], ["mm/s²", "0.00 0.25 0.50"]);
  assert.equal(axisScale([0, 1e5], "").unit, "×10³");
  assert.deepEqual(axisScale([-0.1, 0.1], "rad"), { factor: 1, unit: "rad" });
  assert.deepEqual(axisTexts([1 - 1e-10, 1, 1 + 1e-10]), ["−1e−10", "1", "+1e−10"]);
  assert.equal(fixedText(-0.00001, 3), "0.000");
});

test("the worst bucket of a stretch is found, and whether the last one is within", () => {
  const limits = { alarmLow: null, warnLow: null, warnHigh: 1, alarmHigh: 2 };
  const time = Float64Array.of(10, 11, 12, 13);
  const band = { lo: Float64Array.of(0, 0, 0, 0), hi: Float64Array.of(9, 1.5, 2.5, 0.5) };
  assert.deepEqual(worstOf(limits, time, band, 1), { worst: { level: "alarm", value: 2.5, limit: 2, t: 12 }, last: null, back: null });
  assert.deepEqual(worstOf(limits, time, { ...band, hi: Float64Array.of(9, 0.5, 2.5, 1.5) }, 0).back, { level: "alarm", value: 2.5, limit: 2, t: 12 });
  assert.equal(worstOf(limits, time, band, 3).worst, null);
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
  assert.deepEqual(named(LEGS), { title: "Measured rate [m/s]", labels: ["leg 1", "leg 2", "leg 3"], saysUnit: true, isShort: true });
  assert.deepEqual(named(POSE), { title: "pose_meas", labels: ["surge", "roll"], saysUnit: false, isShort: true });
  const forces = [1, 2].map((leg) => channel(`leg${leg}_f_meas`, { leg, unit: "N" }));
  assert.deepEqual(named(forces), { title: "f_meas [N]", labels: ["leg 1", "leg 2"], saysUnit: true, isShort: true });
  const wheels = [1, 2, 3].map((k) => channel(`wheel${k}_speed`, { unit: "rad/s" }));
  assert.deepEqual(named(wheels), { title: "wheel_speed [rad/s]", labels: ["wheel 1", "wheel 2", "wheel 3"], saysUnit: true, isShort: true });
  const turns = ["roll", "pitch", "yaw"].map((axis) => channel(`sphere_${axis}`, { unit: "rad" }));
  assert.deepEqual(named(turns), { title: "sphere [rad]", labels: ["roll", "pitch", "yaw"], saysUnit: true, isShort: true });
  assert.equal(groupsOf(wheels)[0]?.families[0]?.title, "wheel_speed");
  const drives = [1, 2].map((leg) => channel(`leg${leg}_valve_cmd`, { leg, unit: "-", description: `leg ${leg}: speed command, -1 to 1` }));
  assert.equal(named(drives).title, "Speed command", "in the words of the platform's legs");
  assert.equal(named([...drives, channel("leg3_valve_cmd", { leg: 3, unit: "-", description: "leg 3: other words" })]).title, "valve_cmd");
  const one = ["l_cmd", "l_meas"].map((name) => channel(`leg4_${name}`, { leg: 4 }));
  assert.deepEqual(named(one), { title: "leg 4", labels: ["l_cmd", "l_meas"], saysUnit: false, isShort: true });
  assert.deepEqual(named([...LEGS, ...POSE]).labels, [...LEGS, ...POSE].map(({ name }) => name));
  assert.deepEqual(namingOf(["gone", "leg1_l_meas"], [undefined, channel("leg1_l_meas", { leg: 1 })], unitText).labels, ["gone", "leg1_l_meas"]);
  assert.equal(named(LEGS.slice(0, 1)).labels[0], "leg1_l_dot_meas");
  const mixed = named([...LEGS, ...POSE]);
  assert.deepEqual([mixed.title, mixed.isShort], ["l_dot_meas, pose_meas", false], "what shares nothing has a title all the same");
  assert.equal(named(LEGS.slice(0, 1)).title, "");
});

test("a description without what tells channels apart", () => {
  assert.equal(wordsOf("leg 1: measured length, joint to joint", "1"), "Measured length");
  assert.equal(wordsOf("wheel 2: torque of its motor, at the motor's shaft", "2"), "Torque of its motor");
  assert.equal(wordsOf("surge: rate of the estimated pose", "surge"), "Rate of the estimated pose");
  assert.equal(wordsOf("specific force along platform x, at the accelerometers", "x"), "Specific force");
  assert.equal(wordsOf("sum of the generators on leg 3", "3"), "Sum of the generators");
  assert.equal(wordsOf("output of function generator 7, m or rad by its axis", "7"), "Output of function generator");
  assert.equal(wordsOf("pressure at the cap end (extends the leg)", "1"), "Pressure at the cap end");
  assert.equal(wordsOf("roll of the sphere, yaw then pitch then roll", "roll"), "Sphere");
  assert.equal(wordsOf("the roll rate of the sphere", "roll"), "");
  assert.equal(wordsOf("", "1"), "");
  assert.equal(wordsOf("supply pressure", ""), "");
});

test("what descriptions begin with is the title of channels of one axis", () => {
  const force = (rest: string): string => `specific force along x ${rest}`;
  assert.equal(commonWords([force("of the vehicle"), force("of the platform")]), "Specific force along x");
  assert.equal(commonWords(["surge: demand", "surge: pose"]), "");
  assert.equal(commonWords(["measured length", "demanded length"]), "");
  const both = ["demand", "cue"].map((row) => channel(`${row}_f_x`, { unit: "m/s^2", description: force(`of ${row}`) }));
  assert.deepEqual([named(both).title, named(both).labels], ["Specific force along x [m/s²]", ["demand", "cue"]]);
});

test("a table is read back to the bit, and what is no number is an empty cell", () => {
  const third = 1 / 3;
  const text = tableText({ time: [0, 0.001], columns: [[third, NaN], [1e-20, 2]], isExact: true }, ["t [s]", "a [m]", "b [-]"], ",");
  const [head, first, second] = text.split("\n");
  assert.equal(head, "t [s],a [m],b [-]");
  assert.deepEqual(first?.split(",").map(Number), [0, third, 1e-20]);
  assert.equal(second, "0.001,,2");
});

test("formulas of the page are asked for again where their channels are there and they are not", () => {
  const made = (name: string, formula: string) => ({ name, formula, unit: "-" });
  const kept = [made("speed", "rate(leg1_l) * 1e3 + pi"), made("twice", "2 * speed"), made("other", "wing_flap")];
  const known = (...names: string[]) => new Map(names.map((name) => [name, channel(name)]));
  const lost = (...names: string[]) => lostFormulas(kept, known(...names)).map(({ name }) => name);
  assert.deepEqual(lost("leg1_l"), ["speed", "twice"]);
  assert.deepEqual(lost("leg1_l", "speed"), ["twice"]);
  assert.deepEqual(lost(), ["twice"]); // its own "speed" is kept as well; the server says no, and nothing is lost
  assert.deepEqual(lost("leg1_l", "speed", "twice", "wing_flap"), ["other"]);
});

test("a sphere on a hexapod opens with what turns and drives it, a hexapod alone with its legs", () => {
  const legs = [1, 2, 3, 4, 5, 6].flatMap((leg) => ["l_meas", "l_dot_meas", "f_meas", "valve_cmd", "p_cap"].map((what) => `leg${leg}_${what}`));
  const stage = [...legs, ...["surge", "sway", "heave", "roll", "pitch", "yaw"].map((dof) => `pose_meas_${dof}`)];
  const sphere = ["roll", "pitch", "yaw", "omega_x", "omega_y", "omega_z"].map((what) => `sphere_${what}`);
  const wheels = [1, 2, 3].flatMap((wheel) => ["speed", "torque", "slip"].map((what) => `wheel${wheel}_${what}`));
  const opened = (names: readonly string[]) => defaultPlots(names.map((name) => channel(name))).map(({ traces }) => traces.map(({ name }) => name));
  const found = opened([...stage, ...sphere, ...wheels]);
  assert.deepEqual(found.slice(0, 4).map(([first]) => first), ["sphere_roll", "sphere_omega_x", "wheel1_speed", "wheel1_torque"]);
  assert.deepEqual([found[2]?.length, found.length, found[4]?.[0]], [3, 6, "pose_meas_surge"]);
  assert.deepEqual(opened(stage).map(([first]) => first), ["leg1_l_meas", "pose_meas_surge", "leg1_l_dot_meas", "leg1_f_meas", "leg1_valve_cmd", "leg1_p_cap"]);
  const felt = ["x", "y", "z"].map((axis) => channel(`acc_${axis}`));
  const electric = [...stage.map((name) => channel(name, name.endsWith("_p_cap") ? { group: "not_fitted" } : {})), ...felt];
  assert.equal(defaultPlots(electric)[5]?.traces[0]?.name, "acc_x", "legs without oil have no pressures to show");
});

test("only what stands apart tells a channel from its family", () => {
  const split = (name: string): [string, string] => {
    const { key, label } = splitName(channel(name));
    return [key, label];
  };
  assert.deepEqual(["acc_x", "generator3", "rig_latency", "flex", "tune_2"].map(split), [["acc", "x"], ["generator", "3"], ["rig_latency", ""], ["flex", ""], ["tune", "2"]]);
});

test("an axis of values has two labels at least, however low the plot", () => {
  for (const [least, most] of [[-0.13, 0.17], [0.9, 1.4], [-3, 8], [1.2, 1.9], [0, 1]] as const)
    for (const pixels of [20, 40, 60, 90, 200]) {
      const found = axisSplits(least, most, pixels, 28);
      assert.ok(found.length >= 2, `${least} to ${most} on ${pixels} px: ${found.join()}`);
      assert.ok(found.every((split) => split >= least - 1e-9 && split <= most + 1e-9));
    }
  assert.deepEqual(axisSplits(0, 1, 200, 28), [0, 0.2, 0.4, 0.6, 0.8, 1]);
});

test("an axis of time has two labels at least, which do not overlap", () => {
  for (const span of [0.01, 1, 10, 47, 300, 5000])
    for (const from of [0.3, 3_600, 100_000.7])
      for (const room of [16, 22, 30, 60]) {
        const labels = timeTicks(from, from + span, 0, room, timeText).filter(({ text }) => text !== "");
        const needed = Math.max(...[from, from + span].map((t) => timeText(t, span / 10).length));
        if (2 * needed + 2 <= room) assert.ok(labels.length >= 2, `${span} s from ${from} in ${room} digits`);
        const ends = labels.map(({ at, text }) => [at - text.length / 2 / room, at + text.length / 2 / room] as const);
        ends.forEach(([begin], k) => assert.ok(begin >= (ends[k - 1]?.[1] ?? -1e-9) - 1e-9));
      }
});

test("round times of UTC begin at midnight", () => {
  const epoch = 20_000 * 86_400 + 50_607.25; // 14:03:27.25
  assert.equal(utcText(epoch, 1), "14:03:27");
  assert.equal(utcText(epoch, 0.01), "14:03:27.25");
  assert.equal(utcText(86_399.999, 0.1), "00:00:00.0");
  const ticks = timeTicks(0, 20, -(epoch % 86_400), 60, (t, step) => utcText(epoch + t, step));
  assert.ok(ticks.filter(({ text }) => text).every(({ text }) => /:[0-5][05]$/.test(text)), ticks.map(({ text }) => text).join());
});

test("zoomed plots turn the page when a playhead comes to their edge, and leave alone who looks elsewhere", () => {
  assert.equal(turned([10, 20], 12, 12.1), null);
  assert.deepEqual(turned([10, 20], 19.7, 19.85), [18.85, 28.85]);
  assert.deepEqual(turned([10, 20], 15, 3), [2, 12], "a loop, or a step back");
  assert.equal(turned([10, 20], 25, 25.1), null);
  assert.equal(turned([10, 20], null, 15), null);
  assert.equal(turned([10, 20], 19.95, 19.9), null, "a step back at the edge");
});

test("a channel by formula stands beside the short names of the others", () => {
  const error = channel("leg1_error", { formula: "leg1_l_cmd - leg1_l_meas", unit: "m/s", group: "derived" });
  const both = named([...LEGS, error]);
  assert.deepEqual(both, { title: "Measured rate [m/s]", labels: ["leg 1", "leg 2", "leg 3", "leg1_error"], saysUnit: true, isShort: true });
  assert.deepEqual(named([error, ...LEGS]).labels, ["leg1_error", "leg 1", "leg 2", "leg 3"]);
  assert.equal(named([...LEGS, { ...error, unit: "N" }]).saysUnit, false);
  assert.deepEqual(named([error]).labels, ["leg1_error"]);
});

test("angles are told in one unit, degrees or radians, with round labels", () => {
  const forms = new Forms();
  const roll = channel("pose_meas_roll", { unit: "rad", dof: "roll" });
  forms.note(roll, 0.1);
  assert.deepEqual([forms.text(roll, Math.PI / 36), forms.unit("rad"), forms.unit("rad/s^2"), forms.unit("m")], ["5.000", "°", "°/s²", "m"]);
  assert.ok(Math.abs(forms.of(roll).factor - Math.PI / 180) < 1e-15);
  const before = forms.changes.peek();
  forms.tellAngles("rad");
  assert.deepEqual([forms.text(roll, 0.1), forms.unit("rad/s"), forms.changes.peek()], ["0.1000", "rad/s", before + 1]);
});

test("events of one kind that follow each other closely are a burst: it says what was bad first, or else what came last", () => {
  const mark = (t: number, kind: string, text: string, isBad = false): Marker => ({ t, kind, text, isBad });
  const warnings = [0, 0.4, 0.9, 1.2, 4].map((t, k) => mark(t, "warning", k % 2 === 0 ? "no warning any more" : `warning leg limit ${k}`, k % 2 === 1));
  const found = burstsOf([...warnings, mark(4.1, "state", "state drive")], 0.5);
  assert.deepEqual(found.map(({ times, text, isBad }) => [times, text, isBad]), [
    [[0, 0.4, 0.9, 1.2], "warning leg limit 1", true], [[4], "no warning any more", false], [[4.1], "state drive", false],
  ]);
  assert.deepEqual(burstsOf([mark(1, "state", "state drive"), mark(1.1, "warning", "warning x", true), mark(1.2, "state", "state freeze")], 0.5).map(({ times, text }) => [times, text]), [[[1, 1.2], "state freeze"], [[1.1], "warning x"]]);
  assert.deepEqual(burstsOf([], 1), []);
});

test("a text says how many more events there are, and is left out where only a few letters fit", () => {
  const burst = { text: "warning leg limit", times: [1, 2, 3] };
  assert.deepEqual([30, 14, 6].map((most) => labelOf(burst, most)), ["warning leg limit +2", "warning le… +2", ""]);
  assert.equal(labelOf({ text: "state drive", times: [1] }, 11), "state drive");
});

test("texts over the curves touch each other nowhere, and those that matter most stay", () => {
  const wish = (x: number, width: number, rank: number) => ({ x, width, rank });
  const all = [wish(0, 50, 1), wish(40, 60, 0), wish(90, 50, 1), wish(120, 20, 1)];
  assert.deepEqual([...withRoom(all, 4)].sort(), [1, 3]);
  assert.deepEqual([...withRoom([wish(0, 50, 1), wish(53, 10, 1), wish(54, 10, 1)], 4)], [0, 2]);
});
