/** Named layouts on the server, and as files. */

import type { App } from "../app";
import { h } from "../core/dom";
import { isPiece } from "../data/layout";
import type { Layout } from "../net/types";
import { nameProblem } from "../panels/common/names";
import { sentence } from "../panels/common/ui";
import { download } from "./export";
import { showDialog } from "./limits_dialog";
import { openMenu, type Item } from "./menu";
import { defaultPlots } from "./spec";
import type { PlotsState } from "./state";

const address = (name: string): string => `/api/layouts/${encodeURIComponent(name)}`;

export async function layoutMenu(app: App, state: PlotsState, at: HTMLElement): Promise<void> {
  const names = (await app.attempt(app.api.get<string[]>("/api/layouts"))) ?? [];
  const may = app.session.mayOperate.peek();
  const why = may ? "" : "operators";
  const known: Item[] = names.map((name) => ({ label: name, run: () => void open(app, name), test: `layout-${name}` }));
  const removal: Item[] = names.map((name) => ({ label: name, run: () => void remove(app, name) }));
  const channels = state.schema.peek()?.channels;
  openMenu(at, [
    ...(known.length ? known : [h("p", { class: "faint plot-menu-note" }, "No layout is saved yet")]),
    null,
    { label: "Save as…", hint: why, isDisabled: !may, run: () => saveAs(app), test: "layout-save" },
    ...(known.length ? [{ label: "Delete…", hint: why, isDisabled: !may, run: () => openMenu(at, removal) }] : []),
    { label: "Download as a file", run: () => toFile(app), test: "layout-download" },
    { label: "Open a file…", run: () => fromFile(app), test: "layout-upload" },
    null,
    { label: "Standard plots", isDisabled: !channels, run: () => channels && state.change(defaultPlots(channels)), test: "layout-standard" },
  ]);
}

async function open(app: App, name: string): Promise<void> {
  const found = await app.attempt(app.api.get<Layout>(address(name)));
  if (found) await app.attempt(Promise.resolve().then(() => app.layout.load(found.body)));
}

async function remove(app: App, name: string): Promise<void> {
  if (await app.attempt(app.api.delete(address(name)))) app.say(`layout ${name} was deleted`);
}

function saveAs(app: App): void {
  const input = h("input", { required: true, maxlength: 60, "data-test": "layout-name", title: "letters, digits, spaces, dots, - and _" });
  const wrong = h("p", { class: "bad", role: "alert", "data-test": "layout-wrong" });
  input.addEventListener("input", () => (wrong.textContent = ""));
  const dialog = h("dialog", { class: "plot-dialog", "aria-label": "Save this layout" });
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = input.value.trim();
    const bad = nameProblem(name);
    if (bad) return void (wrong.textContent = sentence(bad));
    try {
      await app.api.put<Layout>(address(name), { name, body: app.layout.whole() });
      app.say(`layout ${name} was saved`);
      dialog.close();
    } catch (error) {
      wrong.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  dialog.append(
    h(
      "form",
      { class: "column", onsubmit: (event: Event) => void save(event) },
      h("h2", {}, "Save this layout"),
      h("label", {}, "Name", input),
      wrong,
      h(
        "div",
        { class: "row plot-dialog-buttons" },
        h("span", { class: "grow" }),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: "primary", "data-test": "layout-save-now" }, "Save"),
      ),
    ),
  );
  showDialog(dialog);
}

function toFile(app: App): void {
  const text = JSON.stringify(app.layout.whole(), null, 2);
  download(new Blob([text], { type: "application/json" }), "motionbase_layout.json");
}

function fromFile(app: App): void {
  const input = h("input", { type: "file", accept: ".json,application/json" });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void app.attempt(file.text().then((text) => app.layout.load(parsed(text, file.name))));
  });
  input.click();
}

function parsed(text: string, name: string): Record<string, unknown> {
  let found: unknown = null;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON`);
  }
  if (!isPiece(found)) throw new Error(`${name} is not a layout: it must be a JSON object`);
  return found;
}
