/** One calm line over the centre while something is away: what, and that nothing has to be done about it. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { duration } from "../core/format";
import { effect, signal } from "../core/signal";
import { askToken } from "../panels/common/access";
import { standingOf } from "./standing";

export function banner(app: App): HTMLElement {
  const text = h("span", { class: "grow" });
  const age = h("span", { class: "num faint", title: "Since the last record came" });
  const way = h(
    "button",
    {
      type: "button",
      class: "primary",
      "data-test": "banner-token",
      onclick: () => void askToken(app, "Open the address that the console printed, or enter its token."),
    },
    "Enter token",
  );
  const dot = h("span", { class: "dot" });
  const element = h(
    "div",
    { class: "banner", role: "status", "data-test": "banner", hidden: true },
    dot,
    text,
    age,
    way,
  );
  const standing = standingOf(app);
  const sinceS = signal(NaN); // counted from a record that this page saw come
  let version = app.live.version;
  let at = NaN;
  app.onFrame((now) => {
    const isNew = app.live.version !== version;
    version = app.live.version;
    if (isNew && !standing.peek().isOld) at = now;
    sinceS.set(Math.floor((now - at) / 1000));
  });
  effect(() => {
    const { sentence, level } = standing();
    element.hidden = sentence === "";
    setText(text, sentence);
    dot.className = `dot ${level}`;
    way.hidden = app.socket.link() !== "refused";
  });
  effect(() => {
    age.hidden = !standing().isOld || Number.isNaN(sinceS());
    if (!age.hidden) setText(age, duration(sinceS()).replace(/\.\d+/, ""));
  });
  return element;
}
