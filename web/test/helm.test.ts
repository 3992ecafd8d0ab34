/** Steering from the page: what devices say, who leads, what people read, and how instruments show numbers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { controlEnds, controlName, isFlipped, keyName, padText } from "../src/helm/caps";
import { attitudeOf } from "../src/helm/instruments/attitude";
import { angleOf } from "../src/helm/instruments/dial";
import { niceStep, reading, share, ticks } from "../src/helm/instruments/ink";
import { headingOf } from "../src/helm/instruments/rounds";
import { Keyboard } from "../src/helm/keyboard";
import { PadWatch } from "../src/helm/pad_watch";
import { keysOf, NOBODY, ofKeys, ofPad, SCRIPT, usedBy, type Pad } from "../src/helm/says";
import { Speaker } from "../src/helm/speaker";
import { ended, isThere, mainOf, ofScreen, placeOfValue, planOf, runTo, stickFor } from "../src/helm/screen_says";
import { keysInWords, speaks, whatToDo, whoSteers, whyNot, type Facts } from "../src/helm/words";
import type { DeviceSays, WorldControl } from "../src/net/types";

const CONTROL: WorldControl = {
  name: "x", label: "x", channel: "control_x", least: -1, most: 1, rest: 0, springs: true, keys: [null, null], gamepad: "", axis: null, turned: false,
  buttons: [null, null],
}; // prettier-ignore
const THROTTLE: WorldControl = { ...CONTROL, name: "throttle", label: "throttle: ahead and astern", springs: false, keys: ["ArrowDown", "ArrowUp"], axis: 1, turned: true, buttons: [6, 7] };
const RUDDER: WorldControl = { ...CONTROL, name: "rudder", label: "rudder: to the left is positive", keys: ["ArrowRight", "ArrowLeft"], axis: 0, turned: true };
const PEDAL: WorldControl = { ...CONTROL, name: "brake", label: "brake", least: 0, keys: [null, "ArrowDown"], buttons: [null, 6] };
const HAND: WorldControl = { ...CONTROL, name: "hand_brake", label: "hand brake", least: 0, keys: [null, "Space"], buttons: [null, 0] };
const BOAT = [THROTTLE, RUDDER];

function pad(axes: number[], pressed: number[] = [], more: Partial<Pad> = {}): Pad {
  const buttons = Array.from({ length: 17 }, (_, k) => ({ pressed: pressed.includes(k), value: Number(pressed.includes(k)) }));
  return { index: 0, id: "Pad", connected: true, mapping: "standard", axes, buttons, ...more };
}

test("people read which keys and which parts of a gamepad move a control", () => {
  const dvorak = new Map([["KeyQ", "'"], ["KeyW", ","], ["KeyE", "."]]);
  assert.deepEqual(["ArrowUp", "KeyW", "Space", "PageUp"].map((code) => keyName(code)), ["↑", "W", "Space", "PgUp"]);
  assert.deepEqual([keyName("KeyQ", dvorak), keyName("KeyA", new Map([["KeyA", "q"]]))], ["'", "Q"]);
  assert.deepEqual([THROTTLE, RUDDER, PEDAL].map(padText), ["left stick up and down, triggers", "left stick left and right", "left trigger"]);
  assert.deepEqual([THROTTLE, { ...PEDAL, label: "brake; from a standstill backwards" }].map(controlName), ["throttle", "brake"]);
  assert.deepEqual([THROTTLE, PEDAL].map(controlEnds), ["ahead and astern", ""]);
});

test("what goes right is drawn at the right", () => {
  assert.deepEqual([THROTTLE, RUDDER, { ...RUDDER, keys: [] }, { ...CONTROL, axis: 0 }].map(isFlipped), [false, true, true, false]);
});

test("a key steers unless something else wants it, and a key that repeats is pressed once", () => {
  const known = keysOf(BOAT);
  const [keyboard, up] = [new Keyboard(), { code: "ArrowUp", ctrlKey: false, altKey: false, metaKey: false, repeat: false, isComposing: false }];
  assert.deepEqual([...known], ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);
  assert.ok(keyboard.takes(up, "free", true, known) && keyboard.takes(up, "helm", false, known));
  for (const other of [{ ...up, ctrlKey: true }, { ...up, altKey: true }, { ...up, metaKey: true }, { ...up, isComposing: true }, { ...up, code: "KeyV" }]) {
    assert.equal(keyboard.takes(other, "free", false, known), false);
  }
  assert.equal(keyboard.takes(up, "taken", false, known), false);
  assert.equal(keyboard.takes({ ...up, code: "Space" }, "free", true, new Set(["Space"])), false); // it presses the button
  assert.deepEqual([keyboard.press(up), keyboard.press(up), keyboard.release("ArrowUp"), keyboard.release("ArrowUp")], [true, false, true, false]);
  const again = { ...up, repeat: true };
  assert.equal(keyboard.press(again), true); // held since before the vehicle was known
  assert.deepEqual([keyboard.clear(), keyboard.press(again), keyboard.press(up), keyboard.clear()], [true, false, true, true]);
  assert.deepEqual([keyboard.release("ArrowUp"), keyboard.press(again)], [false, true]);
  assert.deepEqual([keyboard.clear(false), keyboard.press(again)], [true, true]); // a connection was lost meanwhile
});

test("a gamepad speaks in the standard layout, another device with raw axes, and nothing with numbers that are none", () => {
  const says = ofPad(pad([0.5, -0.25, 0, 1.5], [7, 12]));
  assert.deepEqual(says, { device: "gamepad", axes: [0.5, -0.25, 0, 1, 0, 1], buttons: (1 << 7) | (1 << 12), keys: [] });
  const raw = ofPad(pad([NaN, 0.3], [16], { mapping: "" }));
  assert.deepEqual(raw, { device: "joystick", axes: [0, 0.3, 0, 0], buttons: 0, keys: [] });
  assert.deepEqual(ofKeys(new Set(["ArrowLeft", "ArrowUp"])).keys, ["ArrowUp", "ArrowLeft"]);
});

test("the drift of a worn stick is no hand, and where it was at first is no movement", () => {
  const [watch, used] = [new PadWatch(), usedBy(BOAT)];
  const look = (axes: number[], pressed: number[] = []): [boolean, boolean] => {
    const { isMoved, isTouched } = watch.look(pad(axes, pressed), used);
    return [isMoved, isTouched];
  };
  assert.deepEqual(look([0.4, 0, 0, 0]), [false, true]);
  assert.deepEqual(look([0.1, 0, 0, 0]), [true, true]);
  assert.deepEqual(look([0.2, 0.1, 0.9, 0]), [false, true]); // the right stick moves nothing here
  assert.deepEqual(look([0, 0, 0, 0], [3]), [false, false]); // nor does this button
  assert.deepEqual(look([0, 0, 0, 0], [7]), [true, true]);
});

test("the device that moved last speaks, again while it is there, and not when nobody has touched it for long", () => {
  const said: [DeviceSays, boolean][] = [];
  const speaker = new Speaker((says, isAgain) => void said.push([says, isAgain]));
  const [keys, stick] = [ofKeys(new Set(["ArrowUp"])), ofPad(pad([1, 0, 0, 0]))];
  speaker.hear("pad 0", stick, false, true, 0);
  speaker.beat(50);
  assert.equal(said.length, 0); // not moved
  speaker.hear("keyboard", keys, true, true, 100);
  speaker.hear("pad 0", stick, false, true, 110);
  speaker.beat(150);
  speaker.beat(210);
  assert.deepEqual(said, [[keys, false], [keys, true]]);
  speaker.hear("pad 0", stick, true, true, 220);
  assert.deepEqual([speaker.leader, said.at(-1)], ["pad 0", [stick, false]]);
  speaker.beat(23_000);
  assert.deepEqual([speaker.leader, said.at(-1)], [null, [NOBODY, false]]);
  speaker.askScript();
  assert.deepEqual(said.at(-1), [SCRIPT, false]);
});

test("the screen has a stick for what springs back, a lever for what stays, a button for what has keys alone", () => {
  const { sticks, levers, buttons } = planOf([THROTTLE, RUDDER, PEDAL, HAND]);
  assert.deepEqual(sticks.map(({ axis, x, y }) => [axis, x?.name, y?.name]), [[0, "rudder", undefined]]);
  assert.deepEqual([levers, buttons].map((some) => some.map(({ name }) => name)), [["throttle", "brake"], ["hand_brake"]]);
  const flaps = { ...THROTTLE, name: "flaps" };
  assert.deepEqual(mainOf(planOf([THROTTLE, flaps, PEDAL])).levers.map(({ name }) => name), ["throttle", "brake"]); // over the view
});

test("a lever on the screen runs until it is there, a pedal is as far down as the hand", () => {
  const none = { axes: new Map(), keys: new Set<string>(), pedals: new Map(), runs: new Map() };
  const says = (control: WorldControl, wanted: number, now: number, way = Math.sign(wanted - now)): DeviceSays =>
    ofScreen({ ...none, runs: new Map([[control, { wanted, way }]]) }, () => now);
  assert.deepEqual(says(THROTTLE, 1, 0.5).axes, [0, -1, 0, 0, 0, 0]); // up is negative, and ahead
  const near = says(THROTTLE, 0.52, 0.5).axes[1] ?? 0;
  assert.ok(near < -0.15 && near > -0.4, `${near} is beyond the dead band, and slow`);
  assert.deepEqual(says(THROTTLE, 0.505, 0.5).axes, [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(says(THROTTLE, 0.5, 0.9, 1).axes, [0, 0, 0, 0, 0, 0]); // beyond: it does not come back
  assert.deepEqual(ofScreen({ ...none, pedals: new Map([[PEDAL, 0.75]]) }, () => 0).axes, [0, 0, 0, 0, 0.75, 0]);
  const keyed = { ...THROTTLE, axis: null, buttons: [] };
  assert.deepEqual([says(keyed, 1, 0.5).keys, says(keyed, 0, 0.5).keys, says(keyed, 0.52, 0.5).keys], [["ArrowUp"], ["ArrowDown"], []]);
  assert.deepEqual([runTo(0.7, 0.5), runTo(0.2, 0.5)], [{ wanted: 0.7, way: 1 }, { wanted: 0.2, way: -1 }]);
  assert.deepEqual([0.4, 0.499, 0.8, NaN].map((now) => isThere(runTo(0.5, 0), now, false)), [false, true, true, true]);
  assert.equal(placeOfValue(RUDDER, 1), 1); // however it is drawn
});

test("a lever that a hand holds goes on when late records come again; one that was let go stays where it is", () => {
  const runs = new Map([[THROTTLE, runTo(1, 0)], [PEDAL, runTo(1, 0)]]);
  const over = (gripped: WorldControl[], isOld: boolean, now: number): string[] =>
    ended(runs, new Set(gripped), isOld, () => now).map(({ name }) => name);
  assert.deepEqual(over([THROTTLE], false, 0.5), []);
  assert.deepEqual(over([THROTTLE], true, 0.5), ["brake"]);
  assert.deepEqual(over([THROTTLE], true, NaN), ["brake"]);
  assert.deepEqual(over([THROTTLE], false, 1), ["throttle", "brake"]);
});

test("a stick on the screen moves a control as fast as wanted, through the curve that the vehicle applies", () => {
  for (const speed of [0, 0.01, 0.2, 0.5, 0.9, 1]) {
    const x = (stickFor(speed) - 0.12) / 0.88; // docs/steering.md: dead zone 12 %, 0.6 x + 0.4 x³
    if (speed > 0) assert.ok(Math.abs(0.6 * x + 0.4 * x ** 3 - speed) < 1e-6, `${speed}`);
    assert.equal(stickFor(-speed), -stickFor(speed));
  }
});

test("the page says who steers", () => {
  const known = { hand: 1, mine: "", script: "tour", holder: "", isLive: true } as const;
  assert.equal(whoSteers(known), "The script tour steers");
  assert.equal(whoSteers({ ...known, isLive: false }), "The script tour steered");
  assert.equal(whoSteers({ ...known, hand: 0 }), "Nobody steers");
  assert.equal(whoSteers({ ...known, hand: 2, mine: "keyboard" }), "You steer with the keyboard");
  assert.equal(whoSteers({ ...known, hand: 2, holder: "Anna" }), "Anna steers with a keyboard");
  assert.equal(whoSteers({ ...known, hand: 4, holder: "Anna" }), "A person steers with a joystick");
  assert.equal(whoSteers({ ...known, hand: NaN }), "Not known yet who steers");
});

test("the page says why it cannot steer, and what to press where it can", () => {
  const can: Facts = { shows: "live", isConnected: true, isSilent: false, isRunning: true, mayOperate: true, operates: true, holder: null, refused: "" };
  const cause = (facts: Partial<Facts>): string => whyNot({ ...can, ...facts }).cause;
  assert.deepEqual([cause({}), cause({ operates: false }), cause({ operates: false, holder: "Anna" })], ["", "free", "taken"]);
  assert.deepEqual([cause({ mayOperate: false }), cause({ shows: "replay" }), cause({ isConnected: false, mayOperate: false })], ["viewer", "shown", "away"]);
  assert.deepEqual([cause({ isRunning: false }), cause({ refused: "no" }), cause({ isSilent: true })], ["base", "refused", "silent"]);
  assert.deepEqual((["", "refused", "silent", "free", "viewer", "away", "shown"] as const).map(speaks), [true, true, true, false, false, false, false]);
  const keys = keysInWords(keysOf(BOAT));
  const says = (facts: Partial<Facts>, hand: number, isMine = false, takes: number | null = null): string => whatToDo({ whyNot: whyNot({ ...can, ...facts }), hand, isMine, takes, script: "tour", keys });
  assert.equal(says({}, 1), "press an arrow key to take over");
  assert.deepEqual([0, 3].map((takes) => says({}, 1, false, takes).slice(0, 24)), ["you take over …", "the vehicle does not ans"]);
  assert.equal(says({}, 4, false, 3), "press an arrow key to take over"); // a joystick moved later
  assert.equal(says({}, 0), "press an arrow key to steer");
  assert.equal(says({ operates: false }, 1), "press an arrow key: you take the operator's seat and steer");
  assert.equal(says({}, 2, true), "the script goes on 20 s after the last touch");
  assert.match(says({ mayOperate: false }, 1), /viewers cannot steer/);
  assert.equal(keysInWords(new Set(["KeyW", "KeyS"])), "W");
});

test("scales have steps that people count in, and numbers no more digits than can be followed", () => {
  assert.deepEqual([niceStep(16, 8), niceStep(360, 8), niceStep(0.9, 5)], [2, 50, 0.2]);
  assert.deepEqual(ticks(-100, 100, 50), [-100, -50, 0, 50, 100]);
  const of = { low: 0, high: 16, unit: "kn" };
  assert.deepEqual([7.46, -0.04, NaN].map((value) => reading(of, { value, word: null })), ["7.5", "0.0", "–"]);
  assert.equal(reading({ low: null, high: null, unit: "" }, { value: -3, word: null }), "−3");
  assert.equal(reading(of, { value: 2, word: "reverse" }), "reverse");
  assert.deepEqual([share(of, 20), share(of, -1), share({ low: 5, high: 5 }, 5)], [1, 0, 0]);
  assert.ok(Math.abs(angleOf(of, 8) - 1.5 * Math.PI) < 1e-12); // half way is straight up
  assert.deepEqual([headingOf(-40), headingOf(360), headingOf(725)], [320, 0, 5]);
});

test("the horizon shows a bank to the right and a nose that is up as positive", () => {
  const turn = (angle: number, axis: number): number[] => [Math.cos(angle / 2), 0, 0, 0].map((w, k) => (k === axis ? Math.sin(angle / 2) : w));
  const of = ([w = 0, x = 0, y = 0, z = 0]: number[]): number[] => {
    const found = attitudeOf(w, x, y, z);
    return [found?.roll ?? NaN, found?.pitch ?? NaN].map((angle) => Math.round(1e9 * angle) / 1e9 || 0);
  };
  assert.deepEqual(of(turn(0.3, 1)), [0.3, 0]); // about x, forward: the right side goes down
  assert.deepEqual(of(turn(-0.2, 2)), [0, 0.2]); // about y, to the left: positive lowers the nose
  assert.deepEqual(of(turn(1, 3)), [0, 0]);
  assert.equal(attitudeOf(NaN, 0, 0, 0), null);
  assert.equal(attitudeOf(0, 0, 0, 0), null);
});
