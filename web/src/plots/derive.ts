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
  "The unit is that of the result; a comparison or a ratio has none, which is written -.",
];

/** @param old the channel that is replaced; null for a new one */
export function deriveDialog(app: App, state: PlotsState, old: Channel | null = null): void {
  const name = h("input", { required: true, value: old?.name ?? "", placeholder: "leg1_error", title: "lower-case letters, digits and _, beginning with a letter", "data-test": "derive-name" });
  const formula = h("input", { required: true, class: "num", value: old?.formula ?? "", placeholder: EXAMPLE, spellcheck: "false", autocomplete: "off", "data-test": "derive-formula" });
  const unit = h("input", { value: old?.unit ?? "", placeholder: "m, or - for none", title: "Of the result; a comparison or a ratio has none: -", "data-test": "derive-unit" });
  const wrong = h("p", { class: "bad", role: "alert", "data-test": "derive-error" });
  const dialog = h("dialog", { class: "plot-dialog", "aria-label": "Derived channel", "data-test": "derive-dialog" });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const bad = channelProblem(name.value.trim());
    if (bad) return void (wrong.textContent = bad);
    try {
      const body = { name: name.value.trim(), formula: formula.value.trim(), unit: unit.value.trim() || "-" };
      take(app, await app.api.post<Schema>("/api/derive", body, { source: app.session.source.peek() }));
      keepFormula(body);
      if (!old) state.add([body.name]);
      else if (old.name !== body.name) {
        state.rename(old.name, body.name);
        await removeDerived(app, old); // only now: a wrong formula loses nothing
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
      h("h2", {}, old ? `Change ${old.name}` : "New derived channel"),
      h("p", { class: "dim" }, ...HELP.flatMap((line, k) => (k ? [h("br", {}), line] : [line]))),
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

export async function removeDerived(app: App, channel: Channel): Promise<void> {
  const schema = await app.attempt(app.api.delete<Schema>(`/api/derive/${channel.name}`, { source: app.session.source.peek() }));
  if (schema) take(app, schema);
  forgetFormula(channel.name);
}

/** Asks again for this page's channels whenever a schema comes without them. */
export function restoreDerived(app: App): void {
  let asked: Schema | null = null;
  effect(() => {
    const schema = app.session.schema();
    if (!schema || schema === asked || app.session.played.peek()) return; // no ring is behind a replay of the page's own
    asked = schema;
    void restore(app, lostFormulas(keptFormulas(), app.session.byName.peek()));
  });
}

async function restore(app: App, lost: readonly Formula[]): Promise<void> {
  for (const body of lost)
    try {
      take(app, await app.api.post<Schema>("/api/derive", body, { source: app.session.source.peek() }));
    } catch {
      return; // of another platform, or there are too many: the next schema asks again
    }
}

function take(app: App, schema: Schema): void {
  app.session.schemas.set({ ...app.session.schemas.peek(), [app.session.source.peek()]: schema });
}
