/** A multibody model: its bodies in records, its plots, and what an operator sets. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Channel, ModelJoint, ModelScene, Parameter } from "../src/net/types";
import { ASKS, whyNotAsk } from "../src/panels/robot/requests";
import { sentOf, settingsOf, shownOf, tour } from "../src/panels/robot/settings";
import { groupsOf } from "../src/plots/families";
import { Forms } from "../src/plots/forms";
import { namingOf } from "../src/plots/naming";
import { unitText } from "../src/plots/numbers";
import { defaultPlots } from "../src/plots/spec";
import { BodyPlaces, samePoses } from "../src/scene/model/bodies";

const JOINTS = ["elbow", "rail"];
const UNITS: Record<string, [string, string]> = { elbow: ["rad", "N m"], rail: ["m", "N"] };

function channels(): Channel[] {
  const made: Channel[] = [];
  const add = (name: string, unit: string, description: string, group: string): void =>
    void made.push({ place: made.length, name, unit, description, group, leg: null, dof: null, codes: null, bits: null, formula: null });
  add("t", "s", "time", "time");
  const endings = [["_ref", "set point, as it is followed", "set_points"], ["", "position", "positions"], ["_speed", "speed", "speeds"]] as const;
  for (const [ending, what, group] of endings) for (const joint of JOINTS) add(`${joint}${ending}`, UNITS[joint]?.[0] ?? "", `joint ${joint}: ${what}`, group);
  for (const joint of JOINTS) add(`${joint}_torque`, UNITS[joint]?.[1] ?? "", `joint ${joint}: torque of its drive, or force`, "torques");
  for (const joint of JOINTS) add(`${joint}_friction`, UNITS[joint]?.[1] ?? "", `joint ${joint}: friction and brake`, "friction");
  for (const body of ["arm", "cart"]) for (const part of ["x", "y", "z", "qw", "qx", "qy", "qz"]) add(`${body}_${part}`, "-", `body ${body}: its ${part}`, "bodies");
  add("residual", "-", "of the step", "step");
  add("load", "-", "load", "timing");
  return made;
}

function joint(name: string, unit: "rad" | "m" | null): ModelJoint {
  return { name, type: "revolute", parent: "ground", child: "arm", p: [0, 0, 0], q: [1, 0, 0, 0], axis: [0, 0, 1], channel: unit && name, unit };
}

const SCENE: ModelScene = {
  kind: "model", name: "crane", ground: { shapes: [] }, limits: {},
  bodies: [{ name: "arm", channel: "arm", shapes: [] }, { name: "cart", channel: "cart", shapes: [] }],
  joints: [joint("elbow", "rad"), joint("rail", "m"), joint("weld", null)], rods: [], rotor: null,
}; // prettier-ignore

function parameter(name: string, goal: number, least: number, most: number, designed = goal): Parameter {
  return { name, unit: "rad", description: "", value: [goal], goal: [goal], designed: [designed], least: [least], most: [most], tunable: true, at_rest: false };
}
const TABLE = [parameter("set_elbow", 0.5, -1, 1), parameter("set_rail", 0.1, 0, 0.4), parameter("kp_elbow", 10, 0, 40), parameter("friction", 1, 0, 3), parameter("control", 1, 0, 1)];

function record(poses: Record<string, number[]>): number[] {
  return channels().map(({ name }) => {
    const [body = "", part = ""] = name.split("_");
    return poses[body]?.[["x", "y", "z", "qw", "qx", "qy", "qz"].indexOf(part)] ?? 0;
  });
}

test("bodies are found in a record, their quaternions made whole", () => {
  const places = new BodyPlaces(SCENE, new Map(channels().map((one) => [one.name, one])));
  const poses = places.read(record({ arm: [1, 2, 3, 1.01, 0, 0, 0], cart: [0, 0, 0, 0, 1, 0, 0] }));
  assert.deepEqual(poses, [{ p: [1, 2, 3], q: [1, 0, 0, 0] }, { p: [0, 0, 0], q: [0, 1, 0, 0] }]);
  assert.equal(places.trouble(poses), "");
  assert.ok(samePoses(poses, places.read(record({ arm: [1, 2, 3, 1.01, 0, 0, 0], cart: [0, 0, 0, 0, 1, 0, 0] }))));
  assert.ok(!samePoses(poses, [poses[0] ?? null, null]));
});

test("what is no pose is not drawn, and said", () => {
  const places = new BodyPlaces(SCENE, new Map(channels().map((one) => [one.name, one])));
  for (const arm of [[NaN, 0, 0, 1, 0, 0, 0], [1e40, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 2, 0, 0, 0], [0, 0, Infinity, 1, 0, 0, 0]]) {
    const poses = places.read(record({ arm, cart: [0, 0, 0, 1, 0, 0, 0] }));
    assert.equal(poses[0], null, String(arm));
    assert.ok(poses[1] !== null);
    assert.equal(places.trouble(poses), "This record has no valid pose of arm.");
  }
  const none = new BodyPlaces(SCENE, new Map());
  assert.deepEqual(none.read([]), [null, null]);
  assert.equal(none.trouble(none.read([])), "The records have no pose of arm, cart.");
});

test("set points are those of joints with a coordinate; what is left are gains", () => {
  const found = settingsOf(TABLE, SCENE.joints);
  assert.deepEqual(found.setPoints.map(({ joint, channel, isAngle }) => [joint, channel, isAngle]), [["elbow", "elbow", true], ["rail", "rail", false]]);
  assert.equal(found.friction?.name, "friction");
  assert.equal(found.control?.name, "control");
  assert.deepEqual(found.others.map(({ name }) => name), ["kp_elbow"]);
  const none = settingsOf([{ ...TABLE[0]!, tunable: false }], []);
  assert.deepEqual([none.setPoints.length, none.friction, none.control, none.others.length], [0, null, null, 1]);
});

test("angles are shown in degrees and sent in radians, a bound exactly", () => {
  assert.equal(shownOf(Math.PI, true), 180);
  assert.equal(shownOf(0.25, false), 0.25);
  for (const bound of [0.1, 2.2, Math.PI, 2.7925268]) {
    assert.equal(sentOf(shownOf(bound, true), true, -bound, bound), bound, "what is shown of a bound may be sent");
    assert.equal(sentOf(shownOf(-bound, true), true, -bound, bound), -bound);
  }
  assert.ok(sentOf(181, true, -Math.PI, Math.PI) > Math.PI, "what is beyond stays beyond: the base refuses it with a sentence");
  assert.equal(sentOf(0.3, false, 0, 0.4), 0.3);
});

test("a tour stays within the bounds, moves one joint at a time, and ends where it began", () => {
  const { setPoints } = settingsOf(TABLE, SCENE.joints);
  const way = tour(setPoints, 1);
  assert.deepEqual(way.at(-1), [0.5, 0.1]);
  for (const at of way) at.forEach((value, k) => assert.ok(value >= (setPoints[k]?.parameter.least[0] ?? 0) && value <= (setPoints[k]?.parameter.most[0] ?? 0)));
  assert.deepEqual(way[0], [1, 0.1]);
  for (const at of way) assert.ok(at.filter((value, k) => value !== [0.5, 0.1][k]).length <= 1);
});

test("a model cannot drive over a fault, and is braked in spite of one", () => {
  const [drive, off] = [ASKS.drive!, ASKS.off!];
  assert.equal(whyNotAsk(drive, "off", false), "");
  assert.match(whyNotAsk(drive, "held", true), /reset it first/);
  assert.match(whyNotAsk(drive, "drive", false), /drive already/);
  assert.equal(whyNotAsk(off, "drive", true), "");
  assert.match(whyNotAsk(off, null, false), /unknown/);
});

test("plots of a model: joints with what they should do and take, then how well it is computed", () => {
  const plots = defaultPlots(channels());
  const names = plots.map(({ traces }) => traces.map(({ name }) => name));
  assert.deepEqual(names, [
    ["elbow", "rail"], ["elbow_ref", "rail_ref"], ["elbow_speed", "rail_speed"], ["elbow_torque", "rail_torque"],
    ["elbow_friction", "rail_friction"], ["load", "residual"],
  ]); // prettier-ignore
  assert.deepEqual(plots.at(-1)?.traces.map(({ axis }) => axis), ["left", "right"]);
  const naming = namingOf(names[1] ?? [], channels().filter(({ group }) => group === "set_points"), unitText);
  assert.deepEqual([naming.title, naming.labels], ["Set point", ["elbow", "rail"]]);
  const bodies = groupsOf(channels()).find(({ name }) => name === "bodies");
  assert.equal(bodies?.families.length, 7);
  assert.deepEqual(bodies?.families[0]?.members.map(({ label }) => label), ["arm", "cart"]);
});

test("a residual keeps its digits; a measured number without a unit reads zero where it is noise", () => {
  const forms = new Forms();
  const residual = channels().find(({ name }) => name === "residual")!;
  forms.note(residual, 3e-10);
  assert.equal(forms.text(residual, 2.5e-10), "2.50e−10");
  const measured = { ...residual, name: "valve", group: "valve" };
  forms.note(measured, 3e-10);
  assert.equal(forms.text(measured, 2.5e-10), "0.0000");
});
