/** The parameters of the control law: what they are, what they may be, and changing them while it runs. */

import type { App } from "../../app";
import { fill, h, setText } from "../../core/dom";
import { computed, effect } from "../../core/signal";
import { undoKeys } from "../../core/undo";
import { isPiece } from "../../data/layout";
import type { Panel } from "../../shell/panel";
import { accessBar, whyNotOperating } from "../common/access";
import { baseOf, isAtRest } from "../common/base";
import { ask } from "../common/dialog";
import { openFile, saveFile } from "../common/files";
import { gate, iconButton, ICONS, note, section, whileVisible } from "../common/ui";
import { grouped } from "./groups";
import { row, type Row } from "./row";
import { tunerOf, type Tuner, type Values } from "./tuner";

export const tuning: Panel = {
  id: "tuning",
  title: "Tuning",
  icon: "M4 6h9|M17 6h3|M15 4v4|M4 12h3|M11 12h9|M9 10v4|M4 18h7|M15 18h5|M13 16v4",
  mount(app) {
    const tuner = tunerOf(app);
    const { found } = tuner;
    const trouble = note("info", "tuning-trouble");
    const refresh = async (): Promise<void> => {
      try {
        await tuner.refresh();
        trouble.say("");
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        trouble.say(`${why}. Parameters are available while a base runs, such as \`motionbase run simona\`.`);
      }
    };
    const list = h("div", { class: "p-parameters" });
    const search = h(
      "input",
      {
        type: "search", class: "grow", placeholder: "Find a parameter", "aria-label": "Find a parameter",
        "data-test": "tuning-search",
      },
    );
    const law = h("p", { class: "dim" });
    effect(() => setText(law, found()?.law ?? ""));
    const none = h("p", { class: "empty", "data-test": "tuning-none", hidden: true }, "No parameter matches. Change the search.");
    rows(app, tuner, list, search, none);
    const element = h(
      "div", { class: "panel p-tuning", "data-test": "panel-tuning" }, accessBar(app),
      section("Control law", tools(app, tuner), law, h("div", { class: "row" }, search)), trouble.element, none, list,
    );
    undoKeys(element, () => void tuner.undo(), () => void tuner.redo(), '[type="search"], [data-typed]');
    const base = baseOf(app);
    const generation = computed(() => base.ring()?.generation ?? -1);
    effect(() => {
      generation(); // another law has other parameters, and another run begins as designed
      tuner.forget();
      if (app.socket.link() === "open") void refresh();
    });
    whileVisible(element, refresh);
    return element;
  },
};

/** Rows are made anew only when the table of parameters is another one. */
function rows(app: App, tuner: Tuner, list: HTMLElement, search: HTMLInputElement, none: HTMLElement): void {
  const { found } = tuner;
  const shown = new Map<string, Row>();
  const groups: { element: HTMLElement; texts: Map<HTMLElement, string> }[] = [];
  const seat = whyNotOperating(app);
  const base = baseOf(app);
  let table = "";
  const change = async (name: string, values: number[]): Promise<void> => {
    shown.get(name)?.refused("");
    try {
      await tuner.change({ [name]: values });
    } catch (error) {
      shown.get(name)?.refused(error instanceof Error ? error.message : String(error));
    }
  };
  const filter = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { element, texts } of groups) {
      for (const [one, text] of texts) one.hidden = !words.every((word) => text.includes(word));
      element.hidden = [...texts.keys()].every((one) => one.hidden);
    }
    none.hidden = groups.length === 0 || groups.some(({ element }) => !element.hidden);
  };
  search.addEventListener("input", filter);
  effect(() => {
    const parameters = found()?.parameters ?? [];
    const key = JSON.stringify(parameters.map(({ name, designed, least, most }) => [name, designed, least, most]));
    if (key !== table) {
      table = key;
      shown.clear();
      groups.length = 0;
      fill(list, ...grouped(parameters).map(([name, listed]) => {
        const texts = new Map<HTMLElement, string>();
        for (const parameter of listed) {
          const made = row(parameter, (values) => void change(parameter.name, values));
          shown.set(parameter.name, made);
          texts.set(made.element, `${parameter.name} ${parameter.description} ${name} ${parameter.unit}`.toLowerCase());
        }
        const element = section(name, [], ...texts.keys());
        groups.push({ element, texts });
        return element;
      }));
      filter();
    }
    const moving = isAtRest(base.state())
      ? ""
      : `it may be changed only while the base rests; it is in ${base.state() ?? "an unknown state"}`;
    for (const parameter of parameters) {
      const whyNot = !parameter.tunable ? "it is fixed" : seat() || (parameter.at_rest ? moving : "");
      shown.get(parameter.name)?.show(parameter, whyNot);
    }
  });
}

function tools(app: App, tuner: Tuner): HTMLElement[] {
  const { found } = tuner;
  const differing = (): [string, number[]][] =>
    (found.peek()?.parameters ?? []).filter(
      (p) => p.tunable && p.goal.some((goal, k) => goal !== p.designed[k]),
    ).map((p) => [p.name, p.goal]);
  const button = (label: string, test: string, work: () => Promise<void>): HTMLButtonElement =>
    h("button", { type: "button", class: "quiet", "data-test": test, onclick: () => void app.attempt(work()) }, label);
  const save = button("Save…", "tuning-save", async () => {
    saveFile(
      "parameters.json",
      `${JSON.stringify({ law: found.peek()?.law, parameters: Object.fromEntries(differing()) }, null, 2)}\n`,
      "application/json",
    );
  });
  const load = button("Load…", "tuning-load", async () => {
    const file = await openFile(".json");
    if (file) await tuner.change(valuesOf(file.name, file.text));
  });
  const reset = button("Reset all", "tuning-reset", async () => {
    const names = differing().map(([name]) => name);
    const body = [h("p", {}, "These return to their design values within a second:"), h("p", {}, names.join(", "))];
    if (await ask({ title: `Reset ${names.length} parameters?`, body, act: "Reset all", test: "tuning-reset-all" })) {
      await tuner.change(Object.fromEntries(names.map((name) => [name, []])));
    }
  });
  const undo = iconButton(ICONS.undo, "Undo (Ctrl+Z)", () => void tuner.undo(), "tuning-undo");
  const redo = iconButton(ICONS.redo, "Redo (Ctrl+Shift+Z)", () => void tuner.redo(), "tuning-redo");
  const seat = whyNotOperating(app);
  effect(() => {
    gate(undo, seat() || (tuner.canUndo() ? "" : "nothing was changed on this page"), "Undo (Ctrl+Z): back to the previous value");
    gate(redo, seat() || (tuner.canRedo() ? "" : "nothing was undone"), "Redo (Ctrl+Shift+Z)");
  });
  effect(() => {
    const isNone = found() === null ? "no parameters yet" : "";
    gate(save, isNone, "Download what differs from the design as a JSON file");
    gate(load, seat() || isNone, "Set all parameters that a JSON file has");
    gate(reset, seat() || isNone || (differing().length ? "" : "all have their design values"), "Reset everything to the design values");
  });
  return [undo, redo, save, load, reset];
}

function valuesOf(name: string, text: string): Values {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON`);
  }
  const listed = isPiece(data) ? data["parameters"] : null;
  if (!isPiece(listed)) throw new Error(`${name} has no table “parameters”`);
  for (const [key, values] of Object.entries(listed)) {
    if (!Array.isArray(values) || !values.every((value) => typeof value === "number")) throw new Error(
      `${name}: ${key} must be a list of numbers`,
    );
  }
  return listed as Values;
}
