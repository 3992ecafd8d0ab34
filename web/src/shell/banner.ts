/** A sentence while something is away: what it is, and that the page recovers by itself. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { duration } from "../core/format";
import { effect, signal } from "../core/signal";
import { askToken } from "../panels/common/access";
import { iconButton, ICONS } from "../panels/common/ui";
import { standingOf } from "./standing";

export function banner(app: App): HTMLElement {
  const text = h("span", { class: "grow" });
  const age = h("span", { class: "num dim banner-age", title: "Time since the last record" });
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
  const again = h("button", { type: "button", "data-test": "banner-again", onclick: () => app.socket.again() });
  const dot = h("span", { class: "dot" });
  const dismissed = signal(""); // the sentence that was read
  const away = iconButton(ICONS.close, "Dismiss; the title bar still shows it", () => dismissed.set(standing.peek().sentence), "banner-dismiss");
  const element = h(
    "div",
    { class: "banner", role: "status", "data-test": "banner", hidden: true },
    dot,
    text,
    age,
    way,
    again,
    away,
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
    if (!again.hidden) {
      const left = Math.max(0, Math.ceil((app.socket.full.peek().again - Date.now()) / 1000));
      setText(again, left ? `Try again (automatically in ${left} s)` : "Trying …");
    }
  });
  effect(() => {
    const { sentence, level } = standing();
    if (sentence === "") dismissed.set("");
    element.hidden = sentence === "" || sentence === dismissed();
    setText(text, sentence);
    dot.className = `dot ${level}`;
    way.hidden = app.socket.link() !== "refused";
    again.hidden = app.socket.link() !== "full";
  });
  effect(() => {
    age.hidden = !standing().isOld || Number.isNaN(sinceS());
    if (!age.hidden) setText(age, duration(sinceS()).replace(/\.\d+/, ""));
  });
  return element;
}
