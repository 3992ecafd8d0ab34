/** Sets of generators: what they are called once they were edited, what differs, and taking steps back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Undo } from "../src/core/undo";
import { nameProblem } from "../src/panels/common/names";
import { BLANK, differences, nameOf, whole } from "../src/panels/generators/model";
import { Tuner } from "../src/panels/tuning/tuner";
import type { App } from "../src/app";
import type { Card, Parameter, Parameters } from "../src/net/types";

const HEAVE: Card = { ...BLANK, enabled: true, axes: ["heave"], amplitude: 0.05, frequency: 0.5 };
const set = (...cards: Card[]): { name: string; cards: Card[] } => ({ name: "gentle", cards });

test("a set that was edited is called so, and not any more once it is as it was", () => {
  const original = whole(set(HEAVE)).cards;
  const edited = whole(set({ ...HEAVE, amplitude: 4 })).cards;
  assert.equal(nameOf("gentle", edited, original), "gentle (edited)");
  assert.equal(nameOf("gentle (edited)", edited, original), "gentle (edited)");
  assert.equal(nameOf("gentle (edited)", original, original), "gentle");
  assert.equal(nameOf("", edited, undefined), "");
  assert.equal(nameOf("of a file", edited, undefined), "of a file");
});

test("what differs from the last run is told in the units of the page", () => {
  const roll: Card = { ...HEAVE, axes: ["roll"], amplitude: Math.PI / 18 };
  assert.deepEqual(differences(set(HEAVE), set(HEAVE)), []);
  assert.deepEqual(differences(set(HEAVE), set({ ...HEAVE, amplitude: 4, frequency: 0.2 })), [
    "generator 1: amplitude 0.05 m → 4 m, frequency 0.5 Hz → 0.2 Hz",
  ]);
  assert.deepEqual(differences(set(HEAVE), set(BLANK, roll)), [
    "generator 1 is off now, it was heave · sine · 0.05 m · 0.5 Hz", "generator 2 is on now: roll · sine · 10° · 0.5 Hz",
  ]);
  assert.deepEqual(differences(set(HEAVE), set({ ...HEAVE, axes: ["sway"], shape: "triangle" })), [
    "generator 1: sine → triangle, heave → sway",
  ]);
  assert.deepEqual(differences(set({ ...HEAVE, enabled: false }), set(BLANK)), []);
});

test("steps are taken back and again; quick ones in the same place are one", () => {
  const steps = new Undo<number>();
  let now = 0;
  const to = (next: number, key: string, at: number): void => {
    steps.push(now, key, at);
    now = next;
  };
  to(1, "amplitude", 0);
  to(2, "amplitude", 500);
  to(3, "amplitude", 5000);
  assert.equal((now = steps.undo(() => now) ?? -1), 2);
  assert.equal((now = steps.undo(() => now) ?? -1), 0);
  assert.equal(steps.undo(() => now), null);
  assert.equal((now = steps.redo(() => now) ?? -1), 2);
  to(9, "", 6000);
  assert.equal(steps.canRedo, false);
});

test("a name that cannot be is refused with the letter and the rule", () => {
  for (const good of ["calm", "my set 2", "a.b-c_d", "x"]) assert.equal(nameProblem(good), "");
  assert.match(nameProblem("a/b"), /^“\/” cannot be in a name: a name has letters, digits, spaces, - _ and \./);
  assert.match(nameProblem("größer"), /^“ö” cannot be in a name/);
  assert.match(nameProblem(".hidden"), /^“\.hidden” cannot be a name/);
  assert.match(nameProblem("x".repeat(81)), /81 characters; at most 80/);
  assert.equal(nameProblem(""), "enter a name");
});

test("a step back that the base refuses is still there to be taken, and none of an earlier run is", async () => {
  const base = { k_p: 15, refuses: false };
  const answer = (): Parameters => ({ law: "law", version: 1, parameters: [{ name: "k_p", goal: [base.k_p] } as Parameter] });
  const app = {
    api: {
      get: async () => answer(),
      patch: async (_: string, { values }: { values: Record<string, number[]> }) => {
        if (base.refuses) throw new Error("the base is in drive");
        base.k_p = values["k_p"]?.[0] ?? 15;
        return answer();
      },
    },
    attempt: <T>(work: Promise<T>) => work.catch(() => undefined),
  } as unknown as App;
  const tuner = new Tuner(app);
  await tuner.refresh();
  await tuner.change({ k_p: [12] });
  base.refuses = true;
  await tuner.undo();
  assert.deepEqual([base.k_p, tuner.canUndo.peek(), tuner.canRedo.peek()], [12, true, false]);
  base.refuses = false;
  await tuner.undo();
  assert.deepEqual([base.k_p, tuner.canUndo.peek(), tuner.canRedo.peek()], [15, false, true]);
  base.refuses = true;
  await tuner.redo();
  assert.deepEqual([base.k_p, tuner.canUndo.peek(), tuner.canRedo.peek()], [15, false, true]);
  tuner.forget();
  assert.equal(tuner.canRedo.peek(), false);
});
