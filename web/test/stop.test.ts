/** What an operator's press becomes when the console answers, says no, or says nothing. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Api, ApiError } from "../src/net/api";
import { StopPost } from "../src/net/stop_post";
import type { Answer } from "../src/net/types";
import { ConfirmedStop } from "../src/panels/common/confirmed_stop";
import { StopRequest, type Phase } from "../src/panels/operator/stop_request";

const never = (): Promise<Answer> => new Promise(() => undefined);
const turn = (): Promise<void> => new Promise((done) => setTimeout(done));

function request(...ways: (() => Promise<Answer>)[]): { stop: StopRequest; told: Phase[] } {
  const told: Phase[] = [];
  return { stop: new StopRequest(() => ways, (phase) => told.push(phase)), told };
}

test("a console that hangs is asked again every second, and the button does not say that it stops", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let asked = 0;
  const { stop, told } = request(() => ((asked += 1), never()));
  stop.press();
  assert.equal(stop.phase.peek(), "asking");
  mock.timers.tick(999);
  assert.equal(stop.phase.peek(), "asking");
  mock.timers.tick(1);
  assert.equal(stop.phase.peek(), "unheard");
  for (let second = 0; second < 60; second += 1) mock.timers.tick(1000);
  assert.equal(asked, 62);
  assert.equal(stop.phase.peek(), "unheard");
  stop.settle();
  mock.timers.tick(5000);
  assert.deepEqual([asked, stop.phase.peek(), told], [62, "idle", []]);
  mock.timers.reset();
});

test("the first good answer wins, whichever way it came, and its text alone decides", async () => {
  const acts = request(never, () => Promise.resolve({ accepted: true, text: "the emergency stop acts" }));
  acts.stop.press();
  await turn();
  assert.deepEqual([acts.stop.phase.peek(), acts.told], ["acts", ["acts"]]);
  const text = "asked for, but the base has not answered: use the hardware stop";
  const asked = request(() => Promise.reject(new ApiError(0, "away")), () => Promise.resolve({ accepted: true, text }));
  asked.stop.press();
  await turn();
  assert.deepEqual([asked.stop.phase.peek(), asked.stop.text.peek()], ["asked", text]);
  for (const { stop } of [acts, asked]) stop.end();
});

test("a base that has not begun keeps the stop: that is no failure, and gives way to a record that shows it", async () => {
  const text = "latched: the base has not begun, it will not rise; the operator's reset ends it";
  const { stop, told } = request(() => Promise.resolve({ accepted: true, text }));
  stop.press();
  await turn();
  assert.deepEqual([stop.phase.peek(), stop.text.peek(), told], ["latched", text, ["latched"]]);
  stop.end();
});

test("an answer gives way to a better one that comes later, via the stop post while the console hangs, say", async () => {
  let late: (answer: Answer) => void = () => undefined;
  const slow = (): Promise<Answer> => new Promise((done) => (late = done));
  const text = "asked for, but the base has not answered: use the hardware stop";
  const { stop, told } = request(
    () => Promise.reject(new ApiError(409, "nobody writes the ring")), () => Promise.resolve({ accepted: true, text }), slow,
  );
  stop.press();
  await turn();
  assert.equal(stop.phase.peek(), "asked");
  late({ accepted: true, text: "the emergency stop acts" });
  await turn();
  assert.deepEqual([stop.phase.peek(), told.at(-1)], ["acts", "acts"]);
  stop.end();
  const worse = request(() => Promise.resolve({ accepted: true, text: "the emergency stop acts" }), slow);
  worse.stop.press();
  await turn();
  late({ accepted: true, text });
  await turn();
  assert.deepEqual([worse.stop.phase.peek(), worse.told], ["acts", ["acts"]]);
  worse.stop.end();
});

test("each press has a name of its own, which all its ways and repetitions have", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const names: string[] = [];
  const stop = new StopRequest((press) => [() => (names.push(press), never()), () => (names.push(press), never())], () => undefined);
  stop.press();
  mock.timers.tick(1000);
  assert.equal(new Set(names).size, 1);
  assert.equal(names.length, 4);
  stop.end();
  stop.press();
  assert.equal(new Set(names).size, 2);
  stop.end();
  mock.timers.reset();
});

test("a confirmed stop stays until records, or a status that came later, say otherwise", () => {
  const [before, after] = [{}, {}];
  const stop = new ConfirmedStop();
  stop.confirm(1700, 0, before);
  stop.look(60_000, false, false, before);
  assert.equal(stop.at.peek(), 1700, "the console is away");
  stop.look(61_000, true, false, before);
  assert.equal(stop.at.peek(), 1700, "a connection that came back has said nothing yet");
  stop.look(62_000, true, true, after);
  assert.equal(stop.at.peek(), 1700, "records show it");
  stop.look(63_000, true, false, after);
  assert.equal(stop.at.peek(), null, "it was reset");
  stop.confirm(1800, 70_000, after);
  stop.look(70_500, true, false, {});
  assert.equal(stop.at.peek(), 1800, "what was on its way at the time counts for nothing");
});

test("the stop posts that a page was told of are kept, also when the console is gone", async () => {
  const before = globalThis.fetch;
  const asked: [string, string | undefined, string | null][] = [];
  globalThis.fetch = ((address: string, init: RequestInit) => {
    asked.push([address, init.method, new Headers(init.headers).get("Authorization")]);
    return Promise.resolve(new Response(JSON.stringify({ accepted: true, text: "the emergency stop acts" })));
  }) as typeof fetch;
  Object.defineProperty(globalThis, "location", { value: { hostname: "127.0.0.1" }, configurable: true });
  try {
    const post = new StopPost(new Api("c", "secret"));
    assert.deepEqual(post.ways(), []);
    const me = { role: "operator", client: "c", seated: false, waiting: null, may_stop: true } as const;
    post.learn({ ...me, stop_port: 8701 });
    post.learn(null);
    post.learn({ ...me, stop_port: null });
    post.learn({ ...me, stop_port: 9001 });
    const { stop, told } = request(...post.ways());
    stop.press();
    await turn();
    assert.deepEqual([stop.phase.peek(), told], ["acts", ["acts"]]);
    assert.deepEqual(asked, [8701, 9001].map((port) => [`http://127.0.0.1:${port}/api/estop`, "POST", "Bearer secret"]));
    stop.end();
  } finally {
    globalThis.fetch = before;
    Reflect.deleteProperty(globalThis, "location");
  }
});

test("a refusal ends it; a server that fails, or one way that says no, does not", async () => {
  const refused = request(() => Promise.reject(new ApiError(401, "no token")));
  refused.stop.press();
  await turn();
  assert.deepEqual([refused.stop.phase.peek(), refused.told], ["refused", ["refused"]]);
  const failing = request(
    () => Promise.reject(new ApiError(500, "the console failed")),
    () => Promise.resolve({ accepted: false, text: "this needs the operator token" }),
  );
  failing.stop.press();
  await turn();
  assert.deepEqual([failing.stop.phase.peek(), failing.told], ["asking", []]);
  for (const { stop } of [refused, failing]) stop.end();
});

test("a request that nobody answers ends by itself", async () => {
  const before = globalThis.fetch;
  globalThis.fetch = ((_: unknown, init: RequestInit) =>
    new Promise((_done, failed) => init.signal?.addEventListener("abort", () => failed(new Error("aborted"))))
  ) as typeof fetch;
  try {
    await assert.rejects(new Api("c", "").post("/api/operate", {}, {}, 20), (error) => {
      assert.deepEqual([error instanceof ApiError && error.status, error.message], [0, "the console server does not answer within 0.02 s"]);
      return true;
    });
  } finally {
    globalThis.fetch = before;
  }
});
