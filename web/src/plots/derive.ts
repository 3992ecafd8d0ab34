/** A channel by formula: the server checks and computes it, the page only asks. */

import type { App } from "../app";
import { h } from "../core/dom";
import { effect } from "../core/signal";
import type { Channel, Schema } from "../net/types";
import { channelProblem } from "../panels/common/names";
import { completion } from "./completion";
import { showDialog } from "./limits_dialog";
import { forgetFormula, keepFormula, keptFormulas, lostFormulas, type Formula } from "./kept_formulas";
import type { PlotsState } from "./state";

const EXAMPLE = "leg1_l_cmd - leg1_l_meas";
const HELP = [
  "Names of channels, numbers, pi, + - * / ** and comparisons (< <= > >= == !=, which give 1 or 0).",
  "abs sqrt exp log sin cos tan deg rad of one value, atan2 min max of two, rate(x): change per second.",
  "Units must match: m and rad cannot be added. A number may carry a unit, as in leg1_f_meas + 5e3 * leg1_l_meas.",
];
const KEPT = "A channel added by an operator appears on all pages and for all recordings until an operator deletes it.";
const PASSING = "Without the operator token, it exists on this page only, as long as the page is open.";

/** @param old the channel that is replaced; null for a new one */
export function deriveDialog(app: App, state: PlotsState, old: Channel | null = null): void {
  const name = h("input", { required: true, value: old?.name ?? "", placeholder: "leg1_error", title: "lower-case letters, digits and _, beginning with a letter", "data-test": "derive-name" });
  const formula = h("input", { required: true, class: "num", value: old?.formula ?? "", placeholder: EXAMPLE, spellcheck: "false", autocomplete: "off", "data-test": "derive-formula" });
  const unit = h("input", { value: old?.unit ?? "", placeholder: "automatic", title: "Empty: the unit that follows from the formula. Give one where a number in the formula changes it, such as mm for 1000 * x", "data-test": "derive-unit" });
  const wrong = h("p", { class: "bad", role: "alert", "data-test": "derive-error" });
  const dialog = h("dialog", { class: "plot-dialog", "aria-label": "Derived channel", "data-test": "derive-dialog" });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const bad = channelProblem(name.value.trim());
    if (bad) return void (wrong.textContent = bad);
    try {
      const body = { name: name.value.trim(), formula: formula.value.trim(), unit: unit.value.trim() };
      const schema = await app.api.post<Schema>("/api/derive", body, place(app));
      const made = schema.channels.find((channel) => channel.name === body.name);
      if (!app.session.mayOperate.peek()) keepFormula({ ...body, unit: made?.unit ?? "-" }); // an operator's is kept by the console
      take(app, state, schema);
      if (!old) state.add([body.name]);
      else if (old.name !== body.name) {
        state.rename(old.name, body.name);
        await removeDerived(app, state, old); // only now: a wrong formula loses nothing
      }
      dialog.close();
    } catch (error) {
      wrong.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  dialog.append(
    h(
      "form",
      { class: "column", onsubmit: (event: Event) => void submit(event) },
      h("h2", {}, old ? `Edit ${old.name}` : "New derived channel"),
      h("p", { class: "dim" }, ...[...HELP, app.session.mayOperate.peek() ? KEPT : PASSING].flatMap((line, k) => (k ? [h("br", {}), line] : [line]))),
      h("div", { class: "derive-fields" }, h("label", {}, "Name", name), h("label", {}, "Unit", unit)),
      h("label", {}, "Formula", formula),
      completion(formula, state),
      wrong,
      h(
        "div",
        { class: "row plot-dialog-buttons" },
        h("span", { class: "grow" }),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: "primary", "data-test": "derive-save" }, old ? "Change" : "Add"),
      ),
    ),
  );
  dialog.addEventListener("input", () => (wrong.textContent = "")); // of what was there before
  showDialog(dialog);
}

export async function removeDerived(app: App, state: PlotsState, channel: Channel): Promise<void> {
  const isOfFile = app.file.peek() !== null && !app.session.mayOperate.peek(); // of which the console knows nothing
  const schema = isOfFile ? null : await app.attempt(app.api.delete<Schema>(`/api/derive/${channel.name}`, place(app)));
  forgetFormula(channel.name);
  if (schema) take(app, state, schema);
  else if (isOfFile) state.derivedOfFile.set(state.derivedOfFile.peek().filter((one) => one.name !== channel.name));
}

/** Asks again for this page's channels whenever a schema comes without them, and has them in recordings as well. */
export function restoreDerived(app: App, state: PlotsState): void {
  let asked: Schema | null = null;
  effect(() => {
    const schema = app.session.schema();
    if (!schema || schema === asked || app.session.played.peek()) return; // no ring is behind a replay of the page's own
    asked = schema;
    void restore(app, lostFormulas(keptFormulas(), app.session.byName.peek()));
  });
  effect(() => {
    const info = app.file();
    if (!info) return;
    const channels = [...info.recording_schema.channels, ...info.derived];
    const made = lostFormulas(keptFormulas(), new Map(channels.map((channel) => [channel.name, channel])));
    state.derivedOfFile.set([...info.derived, ...made.map((one, k) => channelOf(one, channels.length + k))]);
  });
}

async function restore(app: App, lost: readonly Formula[]): Promise<void> {
  for (const body of lost)
    try {
      const source = app.session.source.peek();
      const schema = await app.api.post<Schema>("/api/derive", body, { source });
      app.session.schemas.set({ ...app.session.schemas.peek(), [source]: schema });
    } catch {
      return; // of another platform, or there are too many: the next schema asks again
    }
}

/** Of what is shown: a recording, or a ring. */
function place(app: App): { source: string; file?: string } {
  const file = app.file.peek()?.file;
  return { source: app.session.source.peek(), ...(file === undefined ? {} : { file }) };
}

function take(app: App, state: PlotsState, schema: Schema): void {
  if (!app.file.peek()) return app.session.schemas.set({ ...app.session.schemas.peek(), [app.session.source.peek()]: schema });
  const made = schema.channels.filter(({ formula }) => formula !== null);
  const kept = state.derivedOfFile.peek().filter(({ name }) => !made.some((one) => one.name === name) && keptFormulas().some((one) => one.name === name));
  const base = schema.channels.length - made.length;
  state.derivedOfFile.set([...made, ...kept].map((channel, k) => ({ ...channel, place: base + k })));
}

function channelOf({ name, formula, unit }: Formula, at: number): Channel {
  return { place: at, name, unit, description: formula, group: "derived", leg: null, dof: null, codes: null, bits: null, formula };
}
