/** Pills, one for each channel that exceeded a limit, and one for a time that nobody watched; a click acknowledges. */

import { fill, h } from "../core/dom";
import { effect } from "../core/signal";
import { gapText, type Raised } from "../kinematics/store";
import type { SourceName } from "../net/socket";
import type { Alarms } from "./alarms";
import type { PlotsState } from "./state";

const UNWATCHED = "The page was hidden or away, and these records have left the history: whether a limit was exceeded is unknown. Click to acknowledge.";

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
  // limits of channels, and parts too near
  const nearOnes = (): [SourceName, Raised][] => state.app.kinematics.near((source) => state.app.session.shows(source));
  effect(() => state.app.alarms.set(alarms.unseen() + nearOnes().filter(([, one]) => !one.isSeen).length));
  effect(() => {
    const raised = [...alarms.raised().values()];
    const unwatched = alarms.unwatched();
    const near = nearOnes();
    bar.hidden = raised.length === 0 && unwatched === null && near.length === 0;
    const pills = raised.map(({ name, level, value, limit, t, isActive, isSeen }) => {
      const channel = state.byName().get(name) ?? { name, unit: "" };
      const beyond = `${state.forms.text(channel, value)} ${value > limit ? ">" : "<"} ${state.forms.quantity(channel, limit)}`;
      const { how, word } = standing(isSeen, isActive);
      return pill(level, isSeen, how, `alarm-${name}`, `${name} ${beyond} at ${state.app.clock.text(t, 0.01)}`, word, () => alarms.acknowledge(name));
    });
    for (const [source, { worst, isSeen, isActive }] of near) {
      const { how, word } = standing(isSeen, isActive);
      const pair = `${source === "replay" ? "replay: " : ""}clearance ${worst.first} – ${worst.second} ${gapText(worst.least)}`;
      const when = worst.t === null ? "" : ` at ${state.app.clock.text(worst.t, 0.01)}`;
      const title = `Clearance below ${gapText(worst.thresholds.stop)}: ${how}`;
      pills.unshift(pill("alarm", isSeen, title, `alarm-clearance-${source}`, pair + when, word, () => state.app.kinematics.acknowledge(source)));
    }
    if (unwatched) {
      const text = `limits not watched from ${state.app.clock.axis(unwatched[0], 0.1)} to ${state.app.clock.text(unwatched[1], 0.1)}`;
      pills.push(pill("warn", false, UNWATCHED, "alarms-unwatched", text, "", () => alarms.unwatched.set(null)));
    }
    fill(bar, ...pills);
  });
  return bar;
}

function standing(isSeen: boolean, isActive: boolean): { how: string; word: string } {
  if (isSeen) return { how: "acknowledged, still outside", word: "seen" };
  return isActive ? { how: "outside now; click to acknowledge", word: "now" } : { how: "was outside; click to acknowledge", word: "past" };
}
