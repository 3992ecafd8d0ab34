/** Pills, one for each channel that exceeded a limit, and one for a time that nobody watched; a click acknowledges. */

import { fill, h } from "../core/dom";
import { effect } from "../core/signal";
import type { Alarms } from "./alarms";
import { timeText } from "./numbers";
import type { PlotsState } from "./state";

const UNWATCHED = "The page was out of sight or away, and these records have left the history: nobody can tell whether a limit was exceeded. A click acknowledges.";

export function alarmBar(state: PlotsState, alarms: Alarms): HTMLElement {
  const bar = h("div", { class: "alarm-bar", role: "status", "aria-live": "polite", "data-test": "alarms" });
  const pill = (level: "alarm" | "warn", isSeen: boolean, title: string, test: string, text: string, word: string, run: () => void): HTMLElement =>
    h(
      "button",
      { class: `pill alarm-pill ${level}${isSeen ? " is-seen" : ""}`, title, "data-test": test, onclick: run },
      h("span", { class: `dot ${level === "alarm" ? "bad" : "warn"}` }),
      h("span", { class: "num" }, text),
      h("span", { class: "faint" }, word),
    );
  effect(() => {
    const raised = [...alarms.raised().values()];
    const unwatched = alarms.unwatched();
    bar.hidden = raised.length === 0 && unwatched === null;
    const pills = raised.map(({ name, level, value, limit, t, isActive, isSeen }) => {
      const channel = state.byName().get(name) ?? { name, unit: "" };
      const beyond = `${state.forms.text(channel, value)} ${value > limit ? ">" : "<"} ${state.forms.quantity(channel, limit)}`;
      const how = isSeen ? "acknowledged, still outside" : isActive ? "outside now; click acknowledges" : "was outside; click acknowledges";
      const word = isSeen ? "seen" : isActive ? "now" : "past";
      return pill(level, isSeen, how, `alarm-${name}`, `${name} ${beyond} at ${timeText(t, 0.01)} s`, word, () => alarms.acknowledge(name));
    });
    if (unwatched) {
      const text = `limits not watched from ${timeText(unwatched[0], 0.1)} to ${timeText(unwatched[1], 0.1)} s`;
      pills.push(pill("warn", false, UNWATCHED, "alarms-unwatched", text, "", () => alarms.unwatched.set(null)));
    }
    fill(bar, ...pills);
  });
  return bar;
}
