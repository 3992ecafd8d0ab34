/** What a model does and what can be asked of it: drive to its set points, go home, stay, or close the brakes. */

import type { App } from "../../app";
import { h, setText } from "../../core/dom";
import { effect } from "../../core/signal";
import { MOVING_MS } from "../../net/api";
import type { Answer, Operate } from "../../net/types";
import { whyNotOperating, whyNotStopping } from "../common/access";
import { baseOf } from "../common/base";
import { answered, gate, section, sentence } from "../common/ui";

export interface Ask {
  label: string;
  does: string;
  /** States in which it changes nothing. */
  idle: readonly string[];
  /** Whether it only brings the model to rest: a fault is not in its way, nor a page that is behind. */
  calms: boolean;
}

/** What can be asked of a kind of model, and what its states are. */
export interface Manner {
  asks: Partial<Record<Operate["action"], Ask>>;
  does: Readonly<Record<string, string>>;
}

export const ASKS: Manner["asks"] = {
  drive: { label: "Drive", does: "open the brakes and go to the set points", idle: ["drive", "engaging"], calms: false },
  standby: { label: "Home", does: "go back to where the model started, and stay there", idle: ["standby", "settling"], calms: false },
  freeze: { label: "Freeze", does: "stay where it is, under control", idle: ["freeze", "off", "held", "stopping"], calms: true },
  off: { label: "Brake", does: "stop and close the brakes", idle: ["off", "held", "stopping"], calms: true },
};

export const OF_ROBOTS: Manner = {
  asks: ASKS,
  does: {
    off: "The brakes are closed.",
    held: "The brakes are closed by a fault.",
    engaging: "The brakes open.",
    stopping: "The brakes close.",
    drive: "It follows its set points.",
    settling: "On its way home.",
    standby: "At home, under control.",
    freeze: "It stays where it was stopped.",
  },
};

/** Why an action makes no sense now; "" where it does. */
export function whyNotAsk(ask: Ask, state: string | null, isLatched: boolean): string {
  if (state === null) return "the state of the model is unknown";
  if (!ask.calms && isLatched) return "a fault or an emergency stop is latched: reset it first";
  return ask.idle.includes(state) ? `the model is in ${state} already` : "";
}

const SILENT = /^controller silent/; // ends by itself when the controller answers

export function requests(app: App, { asks, does }: Manner): HTMLElement {
  const base = baseOf(app);
  const [operating, stopping] = [whyNotOperating(app), whyNotStopping(app)];
  const send = async (action: Operate["action"]): Promise<void> => {
    const drawn = base.drawn();
    if (!drawn) return app.say(`${sentence(action)} was not requested: the page has not shown a record yet.`, "error");
    const wanted: Operate = { action, seen: { ...drawn, generators_version: null } };
    await answered(app, app.api.post<Answer>("/api/operate", wanted, {}, MOVING_MS));
  };
  const button = (action: Operate["action"], label: string): HTMLButtonElement =>
    h("button", { type: "button", "data-test": `operate-${action}`, onclick: () => void send(action) }, label);
  const buttons = Object.entries(asks).map(([action, ask]) => ({ ask, one: button(action as Operate["action"], ask.label) }));
  const reset = button("reset", "Reset");
  const word = h("span", { class: "p-state", "data-test": "state" });
  const about = h("p", { class: "grow p-small", role: "status", "data-test": "robot-about" });
  const line = h("div", { class: "row r-about" }, about, reset);
  effect(() => {
    const state = base.state();
    const fault = base.fault();
    const isLatched = base.estop() || (fault !== null && !SILENT.test(fault));
    for (const { ask, one } of buttons) {
      const why = (ask.calms ? stopping() : operating()) || whyNotAsk(ask, state, isLatched);
      gate(one, why, `${ask.label}: ${ask.does}`);
      one.setAttribute("aria-pressed", String(state !== null && ask.idle[0] === state));
    }
    gate(reset, operating() || (isLatched ? "" : "there is nothing to reset"), "Reset: clear the fault and release the emergency stop");
    setText(word, state ?? "unknown");
    reset.hidden = !isLatched;
    line.className = `row r-about ${fault || base.estop() ? "bad" : "faint"}`;
    const wrong = fault ? `${sentence(fault)}.` : base.estop() ? "The emergency stop acts until it is reset." : "";
    setText(about, wrong || (app.session.source() === "replay" ? "State of the live model; the page shows a replay." : (does[state ?? ""] ?? "")));
  });
  return section("State", [word], h("div", { class: "r-asks" }, ...buttons.map(({ one }) => one)), line);
}
