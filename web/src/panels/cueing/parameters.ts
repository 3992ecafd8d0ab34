/** The parameters of cueing, changed while it runs by the same requests as all others. */

import type { App } from "../../app";
import { fill, h, setText } from "../../core/dom";
import { effect, signal } from "../../core/signal";
import type { CueingSetText, Parameter } from "../../net/types";
import { whyNotOperating } from "../common/access";
import { baseOf, isAtRest } from "../common/base";
import { ask } from "../common/dialog";
import { saveFile } from "../common/files";
import { choice, gate, section } from "../common/ui";
import { undoButtons } from "../robot/panel";
import { row, type Row } from "../tuning/row";
import { tunerOf, type Tuner } from "../tuning/tuner";
import { cueingGroups, isCueing, type Situation } from "./groups";

export function parameters(app: App): HTMLElement {
  const tuner = tunerOf(app);
  const whyNot = whyNotOperating(app);
  const base = baseOf(app);
  const lists = h("div", { class: "cue-groups" });
  const none = h("p", { class: "faint p-small" }, "This run has no parameters of cueing that can be changed.");
  const rows = new Map<string, Row>();
  const situation = signal<Situation>("air");
  let isChosen = false; // by a person; until then it is the one in use
  const situations = choice<Situation>("Situation", { air: "In the air", ground: "On the ground" }, choose, "cueing-situation");
  const tools = h("div", { class: "row p-wrap" }, situations.element, h("span", { class: "grow" }), saveButton(app, tuner), resetButton(app, tuner, whyNot));
  let table = "";
  effect(() => {
    const all = tuner.found()?.parameters ?? [];
    const groups = cueingGroups(all, situation());
    situations.set(situation());
    situations.element.hidden = cueingGroups(all, "ground").length === 0;
    const key = JSON.stringify(groups.map(([name, listed]) => [name, listed.map(({ name: one, designed, least, most }) => [one, designed, least, most])]));
    if (key !== table) build(groups);
    table = key;
    none.hidden = groups.length > 0;
    tools.hidden = groups.length === 0;
    const moving = isAtRest(base.state()) ? "" : `it may be changed only while the base rests; it is in ${base.state() ?? "an unknown state"}`;
    for (const [, listed] of groups) for (const one of listed) rows.get(one.name)?.show(one, whyNot() || (one.at_rest ? moving : ""));
  });

  app.onFrame(() => {
    if (app.isBeat && !isChosen && tools.checkVisibility()) situation.set(app.value("cue_set") > 0.5 ? "ground" : "air");
  });

  function choose(one: Situation): void {
    isChosen = true;
    situation.set(one);
  }

  function build(groups: readonly [string, Parameter[]][]): void {
    rows.clear();
    const open = new Set([...lists.children].flatMap((one) => (one instanceof HTMLDetailsElement && one.open ? (one.dataset["test"] ?? "") : [])));
    fill(lists, ...groups.map(([name, listed]) => {
      const made = listed.map((one) => {
        const view = row(one, (values) => void change(one.name, values));
        rows.set(one.name, view);
        return view.element;
      });
      const summary = h("summary", {}, name, h("span", { class: "faint" }, ` ${listed.length}`));
      const test = `cueing-group-${name.toLowerCase()}`;
      return h("details", { class: "r-more", open: open.has(test), "data-test": test }, summary, h("div", { class: "p-parameters" }, ...made));
    })); // prettier-ignore
  }

  async function change(name: string, values: number[]): Promise<void> {
    rows.get(name)?.refused("");
    try {
      await tuner.change({ [name]: values });
    } catch (error) {
      rows.get(name)?.refused(error instanceof Error ? error.message : String(error));
    }
  }

  return section("Parameters", undoButtons(tuner, "cueing", whyNot), none, tools, lists);
}

/** The numbers to which the parameters go, as the file of a set. */
function saveButton(app: App, tuner: Tuner): HTMLElement {
  const save = async (): Promise<void> => {
    const { name, text } = await app.api.get<CueingSetText>("/api/cueing/set");
    saveFile(name, text, "application/toml");
  };
  const button = h("button", { type: "button", class: "quiet", "data-test": "cueing-save", onclick: () => void app.attempt(save()) }, "Save…");
  effect(() => gate(button, tuner.found()?.parameters.some(isCueing) ? "" : "no parameters of cueing yet", "Download the parameters in use as the file of a set"));
  return button;
}

function resetButton(app: App, tuner: Tuner, whyNot: () => string): HTMLElement {
  const differing = (parameters: readonly Parameter[]): string[] =>
    parameters.filter(isCueing).filter(({ goal, designed }) => goal.some((x, k) => x !== designed[k])).map(({ name }) => name);
  const reset = async (): Promise<void> => {
    const names = differing(tuner.found.peek()?.parameters ?? []);
    const body = [h("p", {}, "These return to their design values within a second:"), h("p", {}, names.join(", "))];
    if (await ask({ title: `Reset ${names.length === 1 ? "one parameter" : `${names.length} parameters`} of cueing?`, body, act: "Reset", test: "cueing-reset-all" })) {
      await tuner.change(Object.fromEntries(names.map((name) => [name, []])));
    }
  };
  const button = h("button", { type: "button", class: "quiet", "data-test": "cueing-reset", onclick: () => void app.attempt(reset()) });
  effect(() => {
    const count = differing(tuner.found()?.parameters ?? []).length;
    setText(button, count ? `Reset ${count}` : "Reset");
    gate(button, whyNot() || (count ? "" : "all have their design values"), "Reset the parameters of cueing to their design values");
  });
  return button;
}
