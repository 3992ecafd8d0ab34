/** Limits while nobody looks: what came meanwhile is asked for, and what nobody can tell any more is said. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { App } from "../src/app";
import { signal } from "../src/core/signal";
import { LiveStore } from "../src/data/live";
import type { WindowFrame } from "../src/net/frames";
import { Alarms } from "../src/plots/alarms";
import type { Limits } from "../src/plots/spec";
import type { PlotsState } from "../src/plots/state";
import type { AlarmChange } from "../src/net/types";

const NAME = "leg1_l_meas";
const LIMITS = { alarmLow: null, warnLow: null, warnHigh: null, alarmHigh: 5 };
const SETTLED = (): Promise<void> => new Promise((done) => setImmediate(done));

/** A page with one limit whose values are `value(t)`, a record a second; the server has history from `begins` on. */
function rig(value: (t: number) => number, begins = 0) {
  mock.timers.enable({ apis: ["setInterval"] });
  const live = new LiveStore();
  const asked: [number, number][] = [];
  const page = { source: "live", generation: 1, isAway: false, limits: signal<Record<string, Limits>>({ [NAME]: LIMITS }), liveLimits: signal<Record<string, Limits>>({ [NAME]: LIMITS }) };
  const columns = (from: number, to: number) => {
    const time = Float64Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k);
    const values = time.map(value);
    return { time, bands: [{ lo: values, hi: values }] };
  };
  const window = async (_: number[], from: number, to: number): Promise<WindowFrame> => {
    asked.push([from, to]);
    if (page.isAway) throw new Error("no answer came");
    const head = { kind: "window", id: 1, generation: 1, bucket: 1, count: 0, channels: [0], from, to, first_t: begins, last_t: to } as const;
    return { head: { ...head, channels: [0] }, ...columns(Math.max(begins, from), to) };
  };
  const session = { source: { peek: () => page.source }, ring: { peek: () => ({ generation: page.generation }) }, mayOperate: signal(true) };
  const told: string[] = [];
  const api = { post: async (_: string, { change, level, value }: AlarmChange) => told.push(`${change} ${level} ${value}`) };
  const app = { live, session, socket: { window }, api } as unknown as App;
  const state = { limits: page.limits, liveLimits: page.liveLimits, byName: signal(new Map([[NAME, { name: NAME, place: 0 }]])) } as unknown as PlotsState;
  const alarms = new Alarms(app, state);
  /** Frames of the seconds `from` to `to` come, as a whole, and are judged. */
  const come = async (from: number, to: number): Promise<void> => {
    const head = { kind: "live", frame: 1, generation: page.generation, t: to - 1, bucket: 1, first: from, count: to - from, channels: [0], backfill: true, width: 1 } as const;
    live.take({ head: { ...head, channels: [0] }, newest: Float64Array.of(value(to - 1)), ...columns(from, to) }, 100);
    alarms.judge();
    await SETTLED();
  };
  return { alarms, asked, come, page, told };
}

test("what came while the page was out of sight is asked for and judged, once", async () => {
  const { alarms, asked, come } = rig((t) => (t === 42 ? 7 : 0));
  await come(0, 10);
  await come(60, 70);
  assert.deepEqual(asked, [[9, 60]]);
  assert.deepEqual(alarms.raised.peek().get(NAME), { name: NAME, level: "alarm", value: 7, limit: 5, t: 42, isActive: false, isSeen: false });
  assert.equal(alarms.unseen(), 1);
  assert.equal(alarms.unwatched.peek(), null);
  await come(65, 75);
  assert.equal(asked.length, 1);
  mock.timers.reset();
});

test("an acknowledged alarm that comes back raises again, and each change is told", async () => {
  const { alarms, come, told } = rig((t) => (t < 5 ? 0 : t < 15 ? 7 : t < 18 ? 0 : t < 30 ? 6 : 0));
  await come(0, 10);
  alarms.acknowledge(NAME);
  assert.equal(alarms.raised.peek().get(NAME)?.isSeen, true);
  await come(5, 13);
  assert.equal(alarms.raised.peek().get(NAME)?.isSeen, true, "it is still the same");
  await come(10, 25);
  assert.deepEqual(alarms.raised.peek().get(NAME), { name: NAME, level: "alarm", value: 6, limit: 5, t: 18, isActive: true, isSeen: false });
  await come(20, 40);
  assert.deepEqual(told, ["raised alarm 7", "acknowledged alarm 7", "raised alarm 6", "over alarm 6"]);
  alarms.acknowledge(NAME);
  assert.equal(told.at(-1), "acknowledged alarm 6");
  assert.equal(alarms.raised.peek().size, 0);
  mock.timers.reset();
});

test("an acknowledged alarm that was less bad meanwhile raises again", async () => {
  const { alarms, come, page, told } = rig((t) => (t < 20 ? 7 : t < 30 ? 4 : 6), 0);
  page.limits.set({ [NAME]: { ...LIMITS, warnHigh: 3 } });
  await come(0, 10);
  alarms.acknowledge(NAME);
  await come(8, 25);
  assert.equal(alarms.raised.peek().get(NAME)?.level, "warn");
  await come(20, 35);
  assert.equal(alarms.raised.peek().get(NAME)?.isSeen, false);
  assert.deepEqual(told, ["raised alarm 7", "acknowledged alarm 7", "raised alarm 6"]);
  mock.timers.reset();
});

test("what has left the history, or is not answered, is said to be unwatched", async () => {
  const { alarms, come, page } = rig(() => 0, 30);
  await come(0, 10);
  await come(60, 70);
  assert.deepEqual(alarms.unwatched.peek(), [9, 30]);
  page.isAway = true;
  await come(200, 210);
  assert.deepEqual(alarms.unwatched.peek(), [9, 200], "one stretch from the first to the last of them");
  assert.equal(alarms.raised.peek().size, 0);
  mock.timers.reset();
});

test("a page that was opened late owes nothing, a new run is judged from its beginning, a replay is none", async () => {
  const { alarms, asked, come, page } = rig((t) => (t === 3 ? 9 : 0));
  await come(100, 110);
  assert.deepEqual(asked, []);
  page.source = "replay";
  page.generation = 2;
  await come(500, 510);
  assert.deepEqual(asked, []);
  page.source = "live";
  page.generation = 1;
  await come(150, 160);
  assert.deepEqual(asked, [[109, 150]], "the live run goes on where it was left");
  page.generation = 3;
  await come(20, 30);
  assert.deepEqual(asked.at(-1), [0, 20]);
  assert.equal(alarms.raised.peek().get(NAME)?.t, 3);
  mock.timers.reset();
});

test("an alarm of the base stays while a recording of another platform, with other limits, is looked at", async () => {
  const { alarms, come, page } = rig(() => 7);
  await come(0, 10);
  assert.equal(alarms.unseen(), 1);
  page.limits.set({});
  assert.equal(alarms.unseen(), 1);
  page.limits.set({ [NAME]: LIMITS });
  assert.equal(alarms.unseen(), 1);
  page.liveLimits.set({});
  assert.equal(alarms.unseen(), 0, "a limit that was taken away");
  mock.timers.reset();
});
