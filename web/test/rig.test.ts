/** The rig in the operator's panel: what can be asked of legs and when, what comes next, and faults as sentences. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Channel } from "../src/net/types";
import { LEG_STATES, LEGS, RESTING, RIG_ACTIONS, type LegState } from "../src/net/words";
import type { Leg, Rig } from "../src/panels/common/rig";
import { ACTIONS, nextAction, underWay, whyNot, type Situation } from "../src/panels/operator/actions";
import { deviceCode, spoken } from "../src/panels/operator/legs";
import { faultsOf } from "../src/panels/operator/rig";
import { Recent } from "../src/panels/operator/rig_timing";
import { defaultPlots } from "../src/plots/spec";

function rig(states: LegState | null | readonly (LegState | null)[], change: Partial<Rig> = {}, faults: Record<number, Partial<Leg>> = {}): Rig {
  const legs = LEGS.map((leg, k) => ({ state: Array.isArray(states) ? (states[k] ?? null) : (states as LegState | null), fault: null, code: 0, ...faults[leg] }));
  return { isSilent: false, legs, stop: null, hasPowerUnit: false, powerFault: null, ...change };
}

function at(state: string, of: Rig | null, change: Partial<Situation> = {}): Situation {
  return { state, mode: "maintenance", fault: null, estop: false, host: null, rig: of, ...change };
}

test("without a rig nothing can be asked of legs, and all else is as it was", () => {
  for (const action of RIG_ACTIONS) assert.equal(whyNot(action, at("off", null)), "no rig moves the legs of this base");
  assert.equal(nextAction(at("off", null)), "down");
  assert.equal(whyNot("down", at("off", null)), "");
});

test("a base is brought up leg by leg: enable, home where legs must, then as any other", () => {
  const steps: [LegState, string | null, string][] = [
    ["off", "enable", ""], ["starting", null, "The legs are being switched on."], ["unhomed", "home", ""],
    ["homing", null, "The legs move to find their references."], ["ready", "down", ""],
  ];
  for (const [state, next, says] of steps) {
    const now = at("off", rig(state));
    assert.equal(nextAction(now), next, state);
    if (next) assert.equal(whyNot(next as "down", now), "", `${next} can be asked for`);
    else assert.equal(underWay(now), says);
  }
  assert.equal(nextAction(at("down", rig("ready"))), "standby");
  assert.equal(nextAction(at("drive", rig("following"))), "settle");
});

test("exactly the fitting states of all legs allow an action, and only while the base rests", () => {
  const fits: Record<(typeof RIG_ACTIONS)[number], (state: LegState) => boolean> = {
    enable: (state) => state === "off", home: (state) => state === "unhomed", disable: (state) => state !== "off",
  };
  for (const action of RIG_ACTIONS) for (const state of LEG_STATES) {
    for (const resting of RESTING) assert.equal(whyNot(action, at(resting, rig(state))) === "", fits[action](state), `${action}, ${state}, ${resting}`);
    assert.match(whyNot(action, at("drive", rig(state))), /works from off, down or held; the base is in drive/);
  }
  const mixed = rig(["off", "off", "off", "ready", "off", "off"]);
  assert.equal(whyNot("enable", at("off", mixed)), "enable works while all legs are off; legs 1, 2, 3, 5 and 6 are off; 4 ready");
  assert.equal(nextAction(at("off", mixed)), null);
  assert.equal(underWay(at("off", mixed)), "Legs 1, 2, 3, 5 and 6 are off; 4 ready.");
});

test("what is unknown or latched is in the way, and says what to do", () => {
  for (const action of RIG_ACTIONS) assert.equal(whyNot(action, at("off", rig(null))), "the states of the legs are unknown");
  const failed = rig("off", {}, { 3: { state: "fault", fault: "silent leg", code: 0x8130 } });
  assert.equal(whyNot("enable", at("held", failed)), "leg 3 has a fault: reset it first");
  assert.equal(whyNot("disable", at("held", failed)), "", "legs can always be switched off");
  assert.equal(whyNot("lower", at("held", failed)), "leg 3 has a fault: reset it first");
  assert.equal(nextAction(at("held", failed)), "reset");
  assert.equal(whyNot("reset", at("held", failed)), "", "a fault of a leg alone");
  assert.equal(whyNot("reset", at("held", rig("ready", { stop: "the guard stopped the law" }))), "", "a stop alone");
  assert.equal(whyNot("reset", at("held", rig("ready"))), "there is nothing to reset");
  const stopped = at("off", rig("off"), { estop: true });
  for (const action of ["enable", "home"] as const) assert.match(whyNot(action, stopped), /emergency stop is latched: reset it first/);
  assert.equal(whyNot("enable", at("held", rig("off"), { fault: "supply: no power" })), "", "a base may miss the power of legs that are off");
  assert.match(whyNot("standby", at("down", rig("off"))), /^the legs are off: enable them first$/);
  assert.match(whyNot("down", at("off", rig("unhomed"))), /^the legs are unhomed: home them first$/);
  assert.equal(whyNot("freeze", at("drive", failed)), "", "what calms is never refused for a leg");
});

test("a rig that does not answer is not believed", () => {
  for (const state of ["off", "unhomed", "ready"] as const) {
    const now = at("off", rig(state, { isSilent: true }));
    for (const action of RIG_ACTIONS) assert.equal(whyNot(action, now), "the rig does not answer");
    assert.equal(whyNot("down", now), "the rig does not answer");
    assert.equal(nextAction(now), null);
    assert.match(underWay(now), /does not answer/);
  }
});

test("what moves legs, or takes their power, is confirmed with who must be away", () => {
  for (const action of ["home", "disable"] as const) assert.match(ACTIONS[action].moves?.text ?? "", /Nobody must be on, under or beside the platform/);
  assert.equal(ACTIONS.enable.moves, undefined, "legs hold where they are");
});

test("faults are sentences with their legs and the devices' codes", () => {
  const found = rig("fault", { powerFault: "temperature" }, {
    2: { fault: "emergency stop" }, 3: { fault: "silent leg", code: 0x8130 }, 5: { fault: "emergency stop" }, 6: { fault: "emergency stop" },
  });
  assert.deepEqual(faultsOf(found), [
    "Legs 2, 5 and 6: emergency stop, somebody asked for a stop.",
    "Leg 3: silent leg, a drive or a sensor does not answer (code 0x8130).",
    "Power unit: temperature, motor, drive or oil is too hot.",
  ]);
  const all = rig("fault", {}, Object.fromEntries(LEGS.map((leg) => [leg, { fault: "device", code: -102 }])));
  assert.deepEqual(faultsOf(all), ["All legs: device, a fault of the device's own (code −102)."]);
  assert.deepEqual([deviceCode(0x80), deviceCode(65535), deviceCode(-200284)], ["0x0080", "0xffff", "−200284"]);
  assert.equal(spoken(rig(["off", "homing", "homing", "homing", "homing", "homing"]).legs), "leg 1 is off; 2, 3, 4, 5 and 6 homing");
});

test("cycles are counted over the last second, of one process and one run", () => {
  const recent = new Recent();
  const sample = (t: number, cycles: number, late = 0): void => recent.add({ t, cycles, values: { rig_latency: NaN, rig_age: 0.002, rig_lateness: late } });
  assert.equal(recent.rate(), null);
  for (let k = 0; k <= 300; k += 1) sample(k / 100, 2 * k, k === 100 ? 9e-3 : 1e-4);
  assert.ok(Math.abs((recent.rate() ?? 0) - 200) < 1);
  assert.deepEqual([recent.worst("rig_lateness"), recent.worst("rig_age"), recent.worst("rig_latency")], [1e-4, 0.002, NaN]);
  sample(3.01, 5);
  assert.equal(recent.rate(), null, "another process counts from the start");
  for (let k = 0; k <= 100; k += 1) sample(4 + k / 100, 5);
  assert.equal(recent.rate(), 0, "it has died");
});

test("a rig's first plots show what is measured on a rig", () => {
  const names = LEGS.flatMap((leg) => ["l_meas", "l_dot_meas", "f_meas", "valve_cmd", "p_cap", "l_cmd"].map((what) => `leg${leg}_${what}`));
  const pose = ["surge", "sway", "heave", "roll", "pitch", "yaw"].map((dof) => `pose_meas_${dof}`);
  const own = [...LEGS.flatMap((leg) => [`leg${leg}_rig_l`, `leg${leg}_rig_state`]), "rig_latency", "rig_age", "rig_lateness", "rig_compute"];
  const channel = (name: string): Channel => ({ place: 0, name, unit: "m", description: "", group: "legs", leg: null, dof: null, codes: null, bits: null, formula: null });
  const first = (of: readonly string[]) => defaultPlots(of.map(channel)).map(({ traces }) => traces[0]?.name);
  assert.deepEqual(first([...names, ...pose, ...own]), ["leg1_rig_l", "pose_meas_surge", "leg1_l_dot_meas", "leg1_l_cmd", "leg1_rig_state", "rig_latency"]);
  assert.equal(first([...names, ...pose])[3], "leg1_f_meas");
});

test("a law that looks on stands beside the one that commands", () => {
  const base = ["leg1_valve_cmd", "leg2_valve_cmd", "leg1_u_fb", "leg1_l_cmd", "state", "fault"];
  const channel = (name: string): Channel => ({ place: 0, name, unit: "m", description: "", group: "legs", leg: null, dof: null, codes: null, bits: null, formula: null });
  const names = [...base, ...base.map((name) => `${name}_done`)];
  const shown = defaultPlots(names.map(channel)).map(({ traces }) => traces.map(({ name }) => name));
  assert.deepEqual(shown, base.map((name) => [name, `${name}_done`]));
});
