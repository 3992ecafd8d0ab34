/** A rotor: its settings, its blades in records, axes that turn with it, and a gamepad's sticks. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Channel, Parameter } from "../src/net/types";
import { azimuthOf, quantitiesOf, Swept } from "../src/panels/rotor/blades";
import { moved } from "../src/panels/rotor/gamepad";
import { dividedOf } from "../src/panels/rotor/settings";
import { defaultPlots } from "../src/plots/spec";
import { backOf, seen } from "../src/scene/model/spin";
import type { Turn } from "../src/scene/pose";

function channel(place: number, name: string, unit: string, group: string): Channel {
  return { place, name, unit, description: "", group, leg: null, dof: null, codes: null, bits: null, formula: null };
}
const NAMES: [string, string, string][] = [
  ["t", "s", "time"], ["collective", "rad", "settings"], ["wind", "m/s", "settings"], ["thrust", "N", "outputs"], ["torque", "N m", "outputs"],
  ["b1_root_moment", "N m", "outputs"], ["b2_root_moment", "N m", "outputs"], ["b1_flap", "rad", "positions"], ["b2_flap", "rad", "positions"],
  ["b1_flap_speed", "rad/s", "speeds"], ["b1_lone", "rad", "positions"], ["hub_x", "m", "bodies"], ["load", "-", "timing"],
]; // prettier-ignore
const CHANNELS = NAMES.map(([name, unit, group], k) => channel(k, name, unit, group));

function parameter(name: string, unit: string, goal: number, least: number, most: number): Parameter {
  return { name, unit, description: "", value: [goal], goal: [goal], designed: [goal], least: [least], most: [most], tunable: true, at_rest: false };
}
const TABLE = [parameter("collective", "rad", 0.1, 0, 0.3), parameter("wind_speed", "m/s", 0, 0, 80), parameter("cyclic_cos", "rad", 0, -0.1, 0.1)];
const ROTOR = { hub: "hub", summary: "", illustrative: [], controls: ["collective", "cyclic_cos", "gone"], flight: ["wind_speed"] };

test("controls are apart from flight, angles in degrees", () => {
  const { controls, flight } = dividedOf(TABLE, ROTOR);
  assert.deepEqual(controls.map(({ name, unit }) => [name, unit]), [["collective", "°"], ["cyclic cos", "°"]]);
  assert.deepEqual(flight.map(({ name, unit, factor, decimals }) => [name, unit, factor, decimals]), [["wind speed", "m/s", 1, 2]]);
  assert.equal(dividedOf(TABLE, null).flight.length, 3); // of an older ring that does not say which is which
});

test("the same quantity of all blades is found in records", () => {
  const found = quantitiesOf(CHANNELS);
  assert.deepEqual(found.map(({ name, places, unit }) => [name, places, unit]), [["flap", [7, 8], "°"], ["root_moment", [5, 6], "N m"]]);
});

test("plots of a rotor: what acts, what it gives, how blades flap", () => {
  const shown = defaultPlots(CHANNELS).map(({ traces }) => traces.map(({ name }) => name));
  assert.deepEqual(shown, [["collective", "wind"], ["thrust"], ["torque"], ["b1_flap", "b2_flap"], ["load"]]);
});

test("azimuth is 0 over the tail", () => {
  assert.ok(Math.abs(azimuthOf(-1, 1, 0) - (2 * Math.PI - 1)) < 1e-12); // as recorded
  assert.ok(Math.abs(azimuthOf(NaN, 1, 0) - Math.PI) < 1e-12); // a blade along x, to the front
  assert.ok(Math.abs(azimuthOf(NaN, Math.cos(Math.PI / 4), Math.sin(Math.PI / 4)) - 1.5 * Math.PI) < 1e-12); // to the left
});

test("what is swept keeps the newest, and no number that is none", () => {
  const swept = new Swept(2);
  for (const value of [9, 1, NaN, 3]) swept.add(0, [value, value + 1]);
  assert.deepEqual(swept.rows.map(({ values }) => values[0]), [1, 3]);
  assert.deepEqual(swept.range(), { least: 1, mean: 2.5, most: 4 });
});

function turnAbout(axis: readonly number[], angle: number): Turn {
  const [s, [x = 0, y = 0, z = 0]] = [Math.sin(angle / 2), axis];
  return [Math.cos(angle / 2), s * x, s * y, s * z];
}
function times([a, b, c, d]: Turn, [e, f, g, h]: Turn): Turn {
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
}

test("in axes that turn, a hub on a tilted shaft stands still whatever its azimuth", () => {
  const tilt = turnAbout([0, 1, 0], 0.3);
  for (const psi of [0, 0.7, 2, 3.5, 6]) {
    const hub = { p: [1, 2, 3] as const, q: times(tilt, turnAbout([0, 0, 1], psi)) };
    const back = backOf(hub);
    assert.ok(back);
    const still = seen(back, hub);
    tilt.forEach((part, k) => assert.ok(Math.abs(Math.abs(still.q[k] ?? NaN) - Math.abs(part)) < 1e-12));
    still.p.forEach((part) => assert.ok(Math.abs(part) < 1e-12)); // it goes with the hub
  }
  assert.equal(backOf(null), null);
});

test("sticks move set points within their bounds, and let go nothing", () => {
  const { controls } = dividedOf(TABLE, ROTOR);
  assert.equal(moved(controls, [0.1, 0], [0, 0.05, 0, 0], 0.1), null);
  const next = moved(controls, [0.1, 0], [0, -1, 0, 0], 0.6);
  assert.ok(next);
  assert.ok(Math.abs((next[0] ?? NaN) - 0.13) < 1e-12 && next[1] === 0); // a tenth of the range in a tenth of six seconds
  assert.deepEqual(moved(controls, [0.29, 0.1], [0, -1, 1, 0], 6), [0.3, 0.1]);
});
