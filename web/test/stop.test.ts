/** What an operator's press becomes when the console answers, says no, or says nothing. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Api, ApiError } from "../src/net/api";
import type { Answer } from "../src/net/types";
import { StopRequest, type Phase } from "../src/panels/operator/stop_request";

const never = (): Promise<Answer> => new Promise(() => undefined);
const turn = (): Promise<void> => new Promise((done) => setTimeout(done));

function request(...ways: (() => Promise<Answer>)[]): { stop: StopRequest; told: Phase[] } {
  const told: Phase[] = [];
  return { stop: new StopRequest(ways, (phase) => told.push(phase)), told };
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
      assert.deepEqual([error instanceof ApiError && error.status, error.message], [0, "the console's server does not answer within 0.02 s"]);
      return true;
    });
  } finally {
    globalThis.fetch = before;
  }
});
