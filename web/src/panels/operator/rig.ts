/**
 * The rig: what every leg does and why it stopped, with the buttons that switch legs on, home them and switch them off.
 * It is a part of the operator's panel and not a panel of its own, because legs come first when a base is brought up, and
 * whoever drives must see a leg fail beside the state and the reset. It stays hidden for a base without a rig.
 */

import type { App } from "../../app";
import { fill, h, setText, toggleClass } from "../../core/dom";
import { effect } from "../../core/signal";
import { LEGS, RIG_FAULTS, type LegState } from "../../net/words";
import { baseOf } from "../common/base";
import { rigOf, type Leg, type Rig } from "../common/rig";
import { note, section } from "../common/ui";
import { figure } from "./host";
import { deviceCode, listed } from "./legs";

type Level = "good" | "on" | "busy" | "bad" | "";
const LEVELS: Record<LegState, Level> = {
  off: "", starting: "busy", unhomed: "busy", homing: "busy", ready: "good", following: "on", stopping: "busy", fault: "bad",
};
const ALL_LEVELS: Level[] = ["good", "on", "busy", "bad"];
const KELVIN = 273.15;

/** @param buttons enable, home and disable, made with the other actions */
export function rig(app: App, buttons: readonly HTMLElement[]): HTMLElement {
  const base = baseOf(app);
  const known = rigOf(app);
  const tiles = LEGS.map((leg) => tile(leg));
  const legs = h("div", { class: "p-legs", role: "list", "aria-label": "Legs" }, ...tiles.map(({ element }) => element));
  const stop = note("bad", "rig-stop");
  const faults = h("div", { class: "p-list", role: "alert", "data-test": "rig-faults" });
  const power = powerLine(app);
  const about = h("p", { class: "faint p-small", "data-test": "rig-about" });
  const actions = h("div", { class: "p-actions" });
  const element = section("Rig", [], legs, stop.element, faults, power.element, about, actions);
  effect(() => {
    const now = known();
    element.hidden = now === null;
    if (actions.hasChildNodes() !== (now !== null)) fill(actions, ...(now ? buttons : [])); // kept where nothing changes: a button may have the focus
    if (now === null) return;
    tiles.forEach((one, k) => one.set(now.legs[k]));
    stop.say(now.stop === null ? "" : `A stop was asked for: ${now.stop}.`);
    const said = faultsOf(now);
    faults.hidden = said.length === 0;
    fill(faults, ...said.map((text) => h("p", { class: "p-note bad" }, text)));
    power.set(now);
  });
  effect(() => {
    const isElsewhere = app.session.source() !== "live";
    const isSilent = known()?.isSilent ?? false;
    const isOld = !isElsewhere && (isSilent || !base.isFresh());
    toggleClass(legs, "old", isOld);
    setText(about, isElsewhere ? "The page shows a replay; return to live to see the legs." : isSilent ? "The rig does not answer; this is what it told last." : isOld ? "As of the last record received." : "");
    about.className = !isElsewhere && isSilent ? "p-note bad" : "faint p-small";
    about.hidden = about.textContent === "";
  });
  app.onFrame(() => {
    if (!app.isBeat || element.hidden || !element.checkVisibility()) return;
    const isLive = base.isDrawn.peek();
    tiles.forEach((one, k) => one.length(isLive ? app.value(`leg${LEGS[k]}_rig_l`) : NaN));
    power.show(isLive);
  });
  return element;
}

/** A sentence for every fault, with the legs that have it. */
export function faultsOf({ legs, powerFault }: Rig): string[] {
  const groups = new Map<string, number[]>();
  legs.forEach(({ fault, code }, k) => {
    if (fault === null) return;
    const text = `${told(fault)}${code ? ` (code ${deviceCode(code)})` : ""}`;
    groups.set(text, [...(groups.get(text) ?? []), k + 1]);
  });
  const said = [...groups].map(([text, numbers]) => `${whose(numbers, legs.length)}: ${text}.`);
  return powerFault === null ? said : [...said, `Power unit: ${told(powerFault)}.`];
}

function whose(numbers: readonly number[], count: number): string {
  if (numbers.length === count) return "All legs";
  return `${numbers.length === 1 ? "Leg" : "Legs"} ${listed(numbers)}`;
}

/** A fault's word with its explanation. */
function told(fault: string): string {
  const why = RIG_FAULTS[fault];
  return why ? `${fault}, ${why}` : fault;
}

interface Tile {
  element: HTMLElement;
  set(leg: Leg | undefined): void;
  length(metres: number): void;
}

function tile(leg: number): Tile {
  const state = h("span", { class: "p-leg-state" }, "–");
  const length = h("span", { class: "num", "data-test": `rig-length-${leg}` }, "–");
  const element = h("div", { class: "p-leg", role: "listitem", "data-test": `rig-leg-${leg}` }, h("span", { class: "faint" }, leg), state, length);
  return {
    element,
    set(one) {
      const now = one?.state ?? null;
      const level = one?.fault ? "bad" : now && LEVELS[now];
      setText(state, now ?? "unknown");
      for (const name of ALL_LEVELS) toggleClass(element, name, name === level);
      element.title = `Leg ${leg}: ${one?.fault ? told(one.fault) : (now ?? "unknown")}`;
    },
    length: (metres) => setText(length, Number.isFinite(metres) ? `${metres.toFixed(4)} m` : "–"),
  };
}

interface PowerLine {
  element: HTMLElement;
  set(rig: Rig): void;
  show(isLive: boolean): void;
}

/** Pressures and temperature of the power unit, where one tells of itself. */
function powerLine(app: App): PowerLine {
  const [supply, back, oil] = ["Supply", "Return", "Oil"].map((label) => figure(label));
  const element = h("div", { class: "p-figures", "data-test": "rig-power", title: "Power unit: pressures of both lines, temperature of the oil" }, supply?.element, back?.element, oil?.element);
  return {
    element,
    set: ({ hasPowerUnit }) => void (element.hidden = !hasPowerUnit),
    show(isLive) {
      if (element.hidden) return;
      const bars = (name: string): string => (isLive ? `${(app.value(name) / 1e5).toFixed(1)} bar` : "–");
      const kelvin = app.value("power_oil");
      supply?.set(bars("power_supply"));
      back?.set(bars("power_return"));
      oil?.set(isLive && kelvin > 0 ? `${(kelvin - KELVIN).toFixed(0)} °C` : "–");
    },
  };
}
