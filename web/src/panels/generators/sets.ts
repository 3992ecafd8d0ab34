/** Named sets on the server, and files of one's own. */

import type { App } from "../../app";
import { fill, h } from "../../core/dom";
import { icon } from "../../core/icon";
import { batch, effect, signal } from "../../core/signal";
import type { CardSet } from "../../net/types";
import { ask, askText } from "../common/dialog";
import { openFile, saveFile } from "../common/files";
import { nameProblem } from "../common/names";
import { gate, ICONS, section } from "../common/ui";
import type { Block } from "./block";
import { jsonText, readSet, tomlText } from "./file";
import { plainName } from "./model";

const PATH = "/api/generators/sets";
const STAYS = "comes with the platform and cannot be changed";

export function sets(app: App, block: Block): { element: HTMLElement; refresh(): Promise<void> } {
  const names = signal<string[]>([]);
  const ready = signal<string[]>([]); // of these, what comes with the platform
  const chosen = signal("");
  const select = h(
    "select",
    { class: "grow", "aria-label": "Saved set", "data-test": "set-select", onchange: () => chosen.set(select.value) },
  );
  const button = (label: (string | Node)[], test: string, work: () => Promise<void>): HTMLButtonElement =>
    h("button", { type: "button", "data-test": test, onclick: () => void app.attempt(work()) }, ...label);

  const refresh = async (): Promise<void> => {
    const found = await app.api.get<string[]>(PATH).catch(() => null);
    const fixed = await app.api.get<string[]>("/api/generators/ready").catch(() => null);
    batch(() => {
      if (found && found.join("\n") !== names.peek().join("\n")) names.set(found);
      if (fixed && fixed.join("\n") !== ready.peek().join("\n")) ready.set(fixed);
    });
  };
  const save = button(["Save as…"], "set-save", async () => {
    const plain = plainName(block.edited.peek().name || chosen.peek());
    const start = ready.peek().includes(plain) ? `${plain} 2` : plain;
    const taken = (name: string): string => ready.peek().includes(name) ? `set ${name} ${STAYS}; choose another name` : "";
    const check = (name: string): string => nameProblem(name) || taken(name);
    const name = await askText("Save this set", "Name", start, "Save", "set-name", check);
    if (!name) return;
    const isThere = names.peek().includes(name);
    if (isThere && !(await sure(`Replace ${name}?`, "A set of this name exists already.", "Replace"))) return;
    const named: CardSet = { ...block.edited.peek(), name };
    await app.api.put(`${PATH}/${encodeURIComponent(name)}`, named);
    block.take(named);
    await refresh();
    chosen.set(name);
    app.say(`Saved as ${name}.`);
  });
  const load = button(["Load"], "set-load", async () => {
    const name = chosen.peek();
    await block.takeNamed(name, app.api.get<CardSet>(`${PATH}/${encodeURIComponent(name)}`));
  });
  const remove = button(["Delete"], "set-delete", async () => {
    const name = chosen.peek();
    const text = "It is removed from the server; the cards here and in the block stay.";
    if (!(await sure(`Delete ${name}?`, text, "Delete"))) return;
    await app.api.delete(`${PATH}/${encodeURIComponent(name)}`);
    chosen.set("");
    await refresh();
  });
  const bring = button(["Open…"], "set-import", async () => {
    const file = await openFile(".toml,.json");
    if (file) block.take(readSet(file.name, file.text));
  });
  const fileName = (): string => block.edited.peek().name.replace(/[^A-Za-z0-9 _.-]+/g, "_").trim() || "generators";
  const toml = button(
    [icon(ICONS.down, 13), "TOML"], "set-toml",
    async () => saveFile(`${fileName()}.toml`, tomlText(block.edited.peek())),
  );
  const json = button(
    [icon(ICONS.down, 13), "JSON"], "set-json",
    async () => saveFile(`${fileName()}.json`, jsonText(block.edited.peek()), "application/json"),
  );

  effect(() => {
    const all = names();
    fill(
      select, h("option", { value: "" }, all.length ? "choose a set" : "no set is saved yet"),
      ...all.map((name) => h("option", { value: name }, name)),
    );
    select.value = all.includes(chosen()) ? chosen() : "";
    const none = chosen() && all.includes(chosen()) ? "" : "choose a saved set first";
    const token = app.session.mayOperate() ? "" : "saving and deleting need the operator token";
    const good = block.isGood() ? "" : "correct the numbers marked in red first";
    gate(bring, "", "Load a TOML or JSON file into the cards here; this arms nothing");
    gate(load, none || block.loading(), "Load it into the cards here; this arms nothing");
    const stays = ready().includes(chosen()) ? `the set ${chosen()} ${STAYS}` : "";
    gate(remove, none || stays || token, "Delete it from the server");
    gate(save, token || good, "Save these cards on the server");
    gate(toml, good, "Download as a TOML file");
    gate(json, good, "Download as a JSON file");
  });
  void refresh();
  const element = section(
    "Sets", [], h("div", { class: "row" }, select, load, remove),
    h("div", { class: "row p-wrap" }, save, bring, h("span", { class: "grow" }), toml, json),
  );
  return { element, refresh };
}

function sure(title: string, text: string, act: string): Promise<boolean> {
  return ask({ title, body: [h("p", {}, text)], act, kind: "danger", test: "sure" });
}
