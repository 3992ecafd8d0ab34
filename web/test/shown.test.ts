/** What the page says of the stop, the recorder and the base: only what it knows, and the same everywhere. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clock } from "../src/core/format";
import { signal } from "../src/core/signal";
import { Clock } from "../src/data/clock";
import type { LayoutStore } from "../src/data/layout";
import { Newest } from "../src/data/newest";
import { Session } from "../src/data/session";
import { KinematicsStore } from "../src/kinematics/store";
import type { ClearanceAlarm, Event, Recorder, Ring, Status } from "../src/net/types";
import { CALMING } from "../src/panels/operator/actions";
import { cause, origin } from "../src/panels/operator/estop";
import { READY, readiness, stopShown, stopWay, type Reach, type StopKnown } from "../src/panels/operator/stop_shown";
import { recorderShown } from "../src/shell/recorder_shown";

type Life = NonNullable<Ring["life"]>;
const LIVE = { state: "live", takes_commands: true, life: null } as const;
const REACH: Reach = { link: "open", isSilent: false, mayStop: true, ring: LIVE, post: null };
const life = (doing: Life["doing"]): Life => ({ doing, platform: "", text: "", utc: null, may_start: false });

test("the stop button says what a press would do now", () => {
  const cases: [Partial<Reach>, string][] = [
    [{}, "armed"],
    [{ mayStop: false }, "token"],
    [{ mayStop: null }, "unknown"],
    [{ ring: { ...LIVE, takes_commands: false } }, "deaf"],
    [{ ring: { ...LIVE, state: "lost" } }, "nobody"],
    [{ ring: { ...LIVE, state: "lost", life: life("ended") } }, "nobody"],
    [{ ring: { ...LIVE, state: "none", life: life("starting") } }, "latched"],
    [{ ring: { ...LIVE, state: "waiting" } }, "latched"],
    [{ link: "refused" }, "token"],
    [{ link: "connecting", mayStop: null }, "unknown"],
    [{ link: "lost" }, "unheard"],
    [{ isSilent: true }, "unheard"],
    [{ link: "lost", post: { status: 200, accepted: true } }, "post"],
    [{ isSilent: true, post: { status: 200, accepted: false } }, "nobody"],
    [{ link: "lost", post: { status: 401, accepted: false } }, "token"],
    [{ link: "lost", mayStop: false, post: { status: 200, accepted: true } }, "token"],
  ];
  for (const [change, ready] of cases) assert.equal(readiness({ ...REACH, ...change }), ready, JSON.stringify(change));
  for (const ready of ["token", "deaf", "unheard", "nobody"] as const) assert.ok(/hardware stop/.test(READY[ready].title), ready);
  assert.ok(/stop button works, via the stop post, which answers/.test(stopWay("post")));
  for (const ready of ["unheard", "token", "nobody", "unknown"] as const) assert.ok(!/works/.test(stopWay(ready)), ready);
});

const KNOWN: StopKnown = { phase: "idle", shows: false, isFresh: true, ageS: NaN, confirmedAt: null, origin: "by Ann", ready: "armed" };

test("button and strip agree on the stop, whatever was answered and however old the records are", () => {
  const said = (change: Partial<StopKnown>): [string, string, string] => {
    const { word, look, strip } = stopShown({ ...KNOWN, ...change });
    return [word, look, strip];
  };
  assert.deepEqual(said({}), ["EMERGENCY STOP", "", ""]);
  assert.deepEqual(said({ ready: "token" }), ["EMERGENCY STOP", "unarmed", ""]);
  for (const phase of ["idle", "asking", "unheard", "asked", "refused", "acts"] as const) {
    assert.deepEqual(said({ phase, shows: true }), ["STOPPED", "acts", "by Ann"], `${phase}: a record shows that it acts`);
    assert.equal(said({ phase, confirmedAt: 1700 })[0], "STOPPED", `${phase}: somebody confirmed it`);
  }
  assert.deepEqual(said({ phase: "unheard" }), ["NO ANSWER", "failed", ""]);
  assert.deepEqual(said({ phase: "refused" }), ["REFUSED", "failed", ""]);
  const old = { shows: true, isFresh: false, ageS: 12, ready: "unheard" } as const;
  assert.deepEqual(said(old), ["WAS STOPPED", "acts", "by Ann; known 12 s ago, and nothing since"]);
  assert.deepEqual(said({ ...old, phase: "unheard" }), ["NO ANSWER", "failed", "by Ann; known 12 s ago, and nothing since"]);
});

test("REC only while the console answers and records come", () => {
  const recorder: Recorder = { state: "recording", file: "a.mcap", bytes: 1, files: 1, records: 7, lost: 0, gaps: 0, trouble: "", incident: "" };
  const word = (found: Recorder | null, isHeard: boolean, isLive: boolean): string => recorderShown(found, isHeard, isLive).word;
  assert.equal(word(recorder, true, true), "REC");
  assert.equal(word(recorder, true, false), "waits for records");
  assert.equal(word(recorder, false, true), "recorder unknown");
  assert.equal(word({ ...recorder, trouble: "the disk is full" }, true, true), "trouble");
  assert.equal(word({ ...recorder, state: "stopped" }, true, true), "stopped");
  assert.equal(word(null, true, true), "not recorded");
});

test("the newest decides, by record or status; a late frame does not bring back what was", () => {
  const newest = new Newest();
  assert.equal(newest.take(1, 10.0, 100), true);
  assert.equal(newest.take(1, 10.4, 200), true, "a status that is ahead of the page");
  assert.equal(newest.take(1, 10.2, 300), false, "the page draws what came before");
  assert.equal(newest.atMs, 200);
  assert.equal(newest.take(1, 10.4, 400), true, "the same record by the other way");
  assert.equal(newest.atMs, 200, "and no younger for it");
  assert.equal(newest.take(2, 0.1, 500), true, "another run");
  assert.equal(newest.take(1, 11, 600), false);
  assert.equal(newest.take(2, NaN, 700), true, "no time: in the order of arrival");
  newest.take(2, 90, 800);
  newest.forget();
  assert.equal(newest.take(1, 3, 900), true, "a console that was started again counts from 1");
});

test("what calms a base is what the console takes from a page that is old", () => {
  assert.deepEqual([...CALMING].sort(), ["abort", "freeze", "lower", "settle"]);
});

const NOON = 1_800_014_400; // 12:00:00 UTC
const event = (change: Partial<Event>): Event => ({
  kind: "event", number: 1, source: "live", generation: 2, t: 65, tick: null, utc: NOON + 70, what: "estop", text: "", person: "", is_bad: true,
  ...change,
});

test("times in sentences, in the list and on axes are by one clock, and say when they are of an earlier run", () => {
  const session = new Session();
  const ring = { source: "live", generation: 2, epoch_utc: NOON } as Ring;
  session.status.set({ sources: [ring] } as unknown as Status);
  const shown = new Clock(session, signal(null), { register: () => undefined } as unknown as LayoutStore);
  assert.equal(clock(NOON + 3661), "13:01:01 UTC");
  assert.deepEqual([event({}), event({ generation: 1 }), event({ generation: 0 })].map((one) => shown.event(one)), ["1:05", "12:01:10 UTC", "12:01:10 UTC"]);
  assert.deepEqual([1, 2, 0].map((generation) => shown.isOfRun(event({ generation }))), [false, true, false]);
  shown.kind.set("utc");
  assert.equal(shown.event(event({})), shown.axis(65, 1), "as the axis of the plots has it");
  assert.equal(shown.event(event({ generation: 1 })), "12:01:10");
});

test("a stop of an earlier run, which ended stopped, is not the cause of this one", () => {
  const before = event({ generation: 1, text: "emergency stop asked for by Ann (console)" });
  const now = event({ number: 3, utc: NOON + 99, text: "emergency stop asked for by Ben (console)" });
  assert.equal(cause([before, now], 2), now);
  assert.equal(cause([before], 2), undefined);
  assert.equal(origin(now, "console: Ben"), "12:01:39 UTC by Ben");
  assert.equal(origin(undefined, "console: a viewer"), "by a viewer");
  assert.equal(origin(now, null), "12:01:39 UTC by Ben (console)");
  assert.equal(origin(undefined, null), "reset releases it");
});

test("what somebody replays concerns those pages alone that show it", () => {
  const [session, store] = [new Session(), new KinematicsStore()];
  const near = (): string[] => store.near((source) => session.shows(source)).map(([source]) => source);
  for (const source of ["live", "replay"] as const) store.told({ source, is_alarm: true, verdict: "stop", least: 0.001 } as unknown as ClearanceAlarm);
  assert.deepEqual([session.shows("live"), session.shows("replay"), near()], [true, false, ["live"]]);
  session.source.set("replay");
  assert.deepEqual([session.shows("live"), session.shows("replay"), near()], [false, true, ["live", "replay"]]);
  session.played.set({ source: "replay" } as Ring);
  assert.deepEqual([session.shows("replay"), near()], [false, ["live"]], "a page that replays by itself");
});

test("events are those of the console that is connected, each once, however often it was started again", () => {
  const session = new Session();
  const [told, texts] = [(number: number, text: string): Event => event({ number, text }), (): string[] => session.events.peek().map(({ text }) => text)];
  let connection = session.connected();
  session.happened(told(8, "while it was asked"));
  session.caughtUp([told(6, "a"), told(7, "b"), told(8, "while it was asked")], connection);
  session.happened(told(9, "c"));
  assert.deepEqual(texts(), ["a", "b", "while it was asked", "c"]);
  const before = connection;
  connection = session.connected();
  session.happened(told(3, "new"));
  session.caughtUp([told(1, "b"), told(2, "c")], before);
  assert.deepEqual(texts().at(-1), "new", "an answer of the connection before");
  session.caughtUp([told(1, "b"), told(2, "c")], connection);
  assert.deepEqual(texts(), ["b", "c", "new"]);
});
