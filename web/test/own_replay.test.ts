/** A page's own replay: time passes by its clock, and the records that it shows are asked for in small pieces. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { App } from "../src/app";
import { signal } from "../src/core/signal";
import { LiveStore } from "../src/data/live";
import type { Rows } from "../src/net/frames";
import type { RecordingInfo, Ring, Schema } from "../src/net/types";
import { OwnReplay } from "../src/recordings/own_replay";

const RATE = 100;
const RECORDS = 2000;
const WIDTH = 2;

/** Records of 20 s at 100 Hz: the time, and ten times the number of the record. */
function rowsOf(query: Record<string, unknown>): Rows {
  const { at, first, count = 1, every = 1 } = query as Record<string, number | undefined>;
  const begin = Math.min(RECORDS - 1, Math.max(0, first ?? Math.floor((at ?? 0) * RATE + 1e-6)));
  const numbers = Array.from({ length: count }, (_, k) => begin + k * every).filter((n) => n < RECORDS);
  return {
    head: { kind: "rows", first: begin, every, count: numbers.length, width: WIDTH },
    time: Float64Array.from(numbers, (n) => n / RATE),
    values: Float64Array.from(numbers.flatMap((n) => [n / RATE, 10 * n])),
  };
}

/** @param answer when a question is answered; the default is at once */
function rig(answer: () => Promise<unknown> = () => Promise.resolve()): {
  own: OwnReplay; live: LiveStore; pass(seconds: number): Promise<void>; asked: Record<string, unknown>[];
} {
  const info = {
    file: "a.mcap", start: 0, end: (RECORDS - 1) / RATE, records: RECORDS, rate_hz: RATE, damage: [], platform: "", epoch_utc: 0,
    recording_schema: { name: "", hash: "", channels: [] },
  } as unknown as RecordingInfo;
  let frame: (now: number) => void = () => undefined;
  const asked: Record<string, unknown>[] = [];
  const live = new LiveStore();
  const source = signal<"live" | "replay">("live");
  const app = {
    live,
    file: signal<RecordingInfo | null>(info),
    session: { source, played: signal<Ring | null>(null), schemas: signal<Partial<Record<string, Schema>>>({}) },
    socket: { link: signal("open") },
    api: { rows: (query: Record<string, unknown>) => (asked.push(query), answer().then(() => rowsOf(query))) },
    onFrame: (part: (now: number) => void) => (frame = part),
    show: (to: "live" | "replay") => source.set(to),
    attempt: <T>(work: Promise<T>) => work,
    say: (text: string) => assert.equal(text, ""),
  } as unknown as App;
  const own = new OwnReplay(app);
  own.open(info);
  let now = 1000;
  const pass = async (seconds: number): Promise<void> => {
    for (let k = 0; k < Math.round(60 * seconds); k += 1) {
      frame((now += 1000 / 60));
      await Promise.resolve().then(() => undefined); // answers come
      await new Promise<void>((done) => setImmediate(done));
    }
  };
  return { own, live, pass, asked };
}

test("it begins with the first record, plays by the clock and stops at the end with the last one", async () => {
  const { own, live, pass, asked } = rig();
  await pass(0.2);
  assert.deepEqual([own.state()?.state, own.state()?.record, live.newest[1]], ["paused", 0, 0]);
  await own.control("play");
  await pass(2);
  const t = own.state()?.time ?? NaN;
  assert.ok(t > 1.75 && t < 2.01, `${t}`); // it is told five times a second
  assert.ok(Math.abs(live.t - t) < 0.25 && live.newest[1] === Math.round(10 * live.t * RATE), `${live.t}`);
  assert.ok(asked.length < 10, `${asked.length} questions for 2 s`);
  assert.ok(asked.every(({ count, every }) => Number(count) <= 64 && Number(count) * Number(every) <= 4096));
  await own.control("speed", [100]);
  await pass(1);
  assert.deepEqual([own.state()?.state, own.state()?.record, live.newest[1]], ["paused", RECORDS - 1, 10 * (RECORDS - 1)]);
});

test("steps, seeks and loops lead to the very record", async () => {
  const { own, live, pass } = rig();
  await own.control("seek", [10]);
  await pass(0.1);
  assert.deepEqual([own.state()?.record, live.newest[1]], [1000, 10_000]);
  await own.control("step", [-10]);
  await own.control("step", [1]);
  await pass(0.1);
  assert.deepEqual([own.state()?.record, live.newest[1]], [991, 9910]);
  await own.control("seek", [5]);
  await own.control("step", [1]); // before anything of it was shown
  assert.deepEqual([own.state()?.record, live.newest[1]], [501, 5010]);
  assert.equal(await own.control("loop", [4, 4]), false);
  await own.control("loop", [4, 5]);
  await own.control("play");
  await pass(2.5);
  const t = own.state()?.time ?? NaN;
  assert.ok(t >= 4 && t <= 5, `${t}`);
  assert.equal(own.state()?.state, "playing");
  own.close();
  assert.equal(own.state(), null);
});

test("steps that come before the records of earlier ones are added up", async () => {
  let waiting: (() => void)[] = [];
  let isLate = false;
  const { own, live, pass } = rig(() => new Promise<void>((done) => (isLate ? waiting.push(done) : done())));
  const answered = (): Promise<void> => {
    waiting.forEach((done) => done());
    waiting = [];
    return pass(0.1);
  };
  await own.control("seek", [10]);
  await pass(0.1);
  isLate = true;
  void own.control("step", [1]);
  await pass(0.5); // the old record is shown meanwhile
  assert.equal(own.state()?.record, 1000);
  void own.control("step", [-10]);
  await answered();
  assert.deepEqual([own.state()?.record, live.newest[1]], [991, 9910]);
  void own.control("step", [1]);
  void own.control("seek", [5]);
  await answered();
  await answered();
  assert.deepEqual([own.state()?.record, live.newest[1]], [500, 5000], "a step before it was taken back");
  void own.control("step", [1]);
  void own.control("step", [1]);
  waiting.reverse(); // the later answer comes first
  await answered();
  assert.deepEqual([own.state()?.record, live.newest[1]], [502, 5020]);
});
