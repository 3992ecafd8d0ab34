/** The operator's panel: where the base is, where it can go, and whether all is well. */

import type { App } from "../../app";
import { h, setText } from "../../core/dom";
import { computed, effect } from "../../core/signal";
import { MOVING_MS } from "../../net/api";
import type { Answer, Operate } from "../../net/types";
import { RIG_ACTIONS } from "../../net/words";
import type { Panel } from "../../shell/panel";
import { accessBar, whyNotOperating, whyNotStopping } from "../common/access";
import { baseOf } from "../common/base";
import { rigOf } from "../common/rig";
import { answered, choice, gate, section, sentence } from "../common/ui";
import { ACTIONS, CALMING, nextAction, underWay, whyNot, whyNotMode, type Action, type Situation } from "./actions";
import { confirmed } from "./confirm";
import { diagram } from "./diagram";
import { faults } from "./faults";
import { health } from "./health";
import { host } from "./host";
import { rig } from "./rig";
import { rigTiming } from "./rig_timing";

type Known = keyof typeof ACTIONS;
const ORDER: Known[] = ["down", "standby", "drive", "off", "lower", "settle", "freeze", "abort"];

export const operator: Panel = {
  id: "operator",
  title: "Operator",
  suits: (app) => !app.session.runsModel(),
  icon: "M12 3v9|M7.5 6.5a7.5 7.5 0 1 0 9 0",
  mount(app) {
    const { resetButton, legButtons, element } = actions(app);
    return h(
      "div", { class: "panel p-operator", "data-test": "panel-operator" },
      accessBar(app), state(app), rig(app, legButtons), element, faults(app, resetButton), host(app), rigTiming(app), health(app),
    );
  },
};

function state(app: App): HTMLElement {
  const base = baseOf(app);
  const picture = diagram();
  const word = h("span", { class: "p-state", "data-test": "state" });
  const about = h("p", { class: "faint" });
  effect(() => {
    picture.set(base.state());
    setText(word, base.state() ?? "unknown");
    const isOld = !base.isFresh() && base.state() !== null;
    picture.element.classList.toggle("old", isOld);
    setText(
      about,
      app.session.source() === "replay"
        ? "State of the live base; the page shows a replay."
        : isOld
        ? "As of the last record received."
        : "",
    );
    about.hidden = about.textContent === "";
  });
  return section("State", [word], picture.element, about);
}

function actions(app: App): { resetButton: HTMLElement; legButtons: HTMLElement[]; element: HTMLElement } {
  const base = baseOf(app);
  const seat = whyNotOperating(app);
  const rigged = rigOf(app);
  const now = computed<Situation>(() => ({
    state: base.state(), mode: base.mode(), fault: base.fault(), estop: base.estop(), host: base.ring()?.host ?? null, rig: rigged(),
  }));
  const send = async (action: Action, version: number | null = null): Promise<void> => {
    const drawn = base.drawn();
    if (!drawn && !isCalming(action)) return app.say(`${sentence(action)} was not requested: the page has not shown a record yet.`, "error");
    const wanted: Operate = { action, seen: drawn && { ...drawn, generators_version: version } };
    await answered(app, app.api.post<Answer>("/api/operate", wanted, {}, MOVING_MS));
  };
  const act = async (action: Known): Promise<void> => {
    const yes = await confirmed(app, action, now);
    if (yes) await send(action, yes.generators);
  };
  const button = (action: Known): HTMLButtonElement =>
    h(
      "button", { type: "button", "data-test": `operate-${action}`, onclick: () => void act(action) },
      ACTIONS[action].label,
    );
  const stopping = whyNotStopping(app);
  const isStale = computed(() => seat() !== stopping());
  // requests that calm the base are allowed on a page that is behind
  const whyNotAsk = (action: Known, situation: Situation): string =>
    CALMING.has(action) ? stopping() || (isStale() ? "" : whyNot(action, situation)) : seat() || whyNot(action, situation);
  const buttons = new Map([...ORDER, "reset" as const, ...RIG_ACTIONS].map((action) => [action, button(action)]));
  const mode = choice("Mode", { host: "Host", maintenance: "Maintenance" }, (picked) => void send(picked), "mode");
  effect(() => {
    const situation = now();
    const next = seat() === "" ? nextAction(situation) : null;
    for (const [action, one] of buttons) {
      const why = whyNotAsk(action, situation);
      gate(one, why, `${ACTIONS[action].label}: ${ACTIONS[action].does}`);
      one.classList.toggle("primary", action === next && why === "");
    }
    mode.set(situation.mode === "host" || situation.mode === "maintenance" ? situation.mode : null);
    for (const [name, one] of Object.entries(mode.buttons)) {
      gate(
        one, seat() || whyNotMode(situation),
        name === "host" ? "Follow the host, plus the generators" : "Generators about neutral, without a host",
      );
    }
  });
  const follows = h("p", { class: "faint p-follows" });
  effect(() => {
    const next = nextAction(now());
    const isThere = base.ring()?.state === "live";
    const said = next ? `Next: ${ACTIONS[next].label.toLowerCase()}, ${ACTIONS[next].does}.` : underWay(now());
    setText(follows, isThere ? said : "No base is running, so nothing can be requested.");
  });
  const grid = h("div", { class: "p-actions" }, ...ORDER.map((action) => buttons.get(action)));
  const legButtons = RIG_ACTIONS.flatMap((action) => buttons.get(action) ?? []);
  return { resetButton: buttons.get("reset") ?? h("span"), legButtons, element: section("Requests", [mode.element], grid, follows) };
}

function isCalming(action: Action): boolean {
  return (CALMING as ReadonlySet<Action>).has(action);
}
