import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenOf } from "../src/net/token";

const TOKEN = "aB3._~-x9aB3._~-x9";

test("a token is found however it is pasted", () => {
  for (const text of [
    TOKEN, ` ${TOKEN}\n`, `http://127.0.0.1:8700/#token=${TOKEN}`, `#token=${TOKEN}`, `http://rig:8700/?token=${TOKEN}`,
    `to look only: http://127.0.0.1:8700/#token=${TOKEN} `, `"${TOKEN}"`, `http://h/?a=1&token=${TOKEN}#b`,
  ]) assert.equal(tokenOf(text), TOKEN, text);
});

test("anything else is something that can stand in a header", () => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  assert.equal(tokenOf(""), "");
  assert.equal(tokenOf("#token="), "");
  for (let k = 0; k < 2000; k += 1) {
    const letters = Array.from({ length: Math.floor(40 * random()) }, () => String.fromCharCode(Math.floor(0x2ff * random())));
    const text = (random() < 0.5 ? "#token=" : "") + letters.join("");
    assert.ok(/^[A-Za-z0-9._~-]*$/.test(tokenOf(text)), JSON.stringify(text));
  }
});
