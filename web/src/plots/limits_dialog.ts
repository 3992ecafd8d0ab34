/** The limits of one channel: four numbers, any of them empty. */

import type { App } from "../app";
import { h } from "../core/dom";
import { openModal } from "../shell/modal";
import type { Limits } from "./spec";
import type { PlotsState } from "./state";

const FIELDS: readonly (readonly [keyof Limits, string])[] = [
  ["alarmHigh", "Alarm above"],
  ["warnHigh", "Warning above"],
  ["warnLow", "Warning below"],
  ["alarmLow", "Alarm below"],
];

export function editLimits(app: App, state: PlotsState, name: string): void {
  const { unit, factor } = state.forms.of(state.byName.peek().get(name) ?? { name, unit: "" }); // as plot and legend tell it
  const now = state.limits.peek()[name];
  const inputs = FIELDS.map(([field, label]) => {
    const input = h("input", { type: "number", step: "any", class: "num", value: typed(now?.[field] ?? null, factor), "data-test": `limit-${field}` });
    return { field, input, row: h("label", {}, unit ? `${label} [${unit}]` : label, input) };
  });
  const wrong = h("p", { class: "bad", role: "alert" });
  const dialog = h("dialog", { class: "plot-dialog", "aria-label": `Limits of ${name}`, "data-test": "limits-dialog" });
  const save = (event: Event): void => {
    event.preventDefault();
    const limits = Object.fromEntries(inputs.map(({ field, input }) => [field, input.value === "" ? null : input.valueAsNumber * factor]));
    const found = limits as unknown as Limits;
    const order = [found.alarmLow, found.warnLow, found.warnHigh, found.alarmHigh].filter((value) => value !== null);
    if (order.some((value, k) => k > 0 && value <= (order[k - 1] ?? -Infinity))) {
      wrong.textContent = "From the lowest alarm to the highest, each limit must be larger than the one before.";
      return;
    }
    state.setLimits(name, order.length ? found : null);
    dialog.close();
  };
  const clear = (): void => {
    state.setLimits(name, null);
    app.say(`limits of ${name} were removed`);
    dialog.close();
  };
  dialog.append(
    h(
      "form",
      { class: "column", onsubmit: save },
      h("h2", {}, `Limits of ${name}`),
      h("p", { class: "dim" }, "Checked against the minimum and maximum of all records, so no spike is missed."),
      h("div", { class: "limit-fields" }, ...inputs.map(({ row }) => row)),
      wrong,
      h(
        "div",
        { class: "row plot-dialog-buttons" },
        now ? h("button", { type: "button", class: "quiet", onclick: clear }, "No limits") : null,
        h("span", { class: "grow" }),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: "primary", "data-test": "limits-save" }, "Set"),
      ),
    ),
  );
  showDialog(dialog);
}

/** Without what a division leaves behind the last digit. */
function typed(value: number | null, factor: number): string {
  return value === null ? "" : String(Number((value / factor).toPrecision(12)));
}

/** Put up a dialog that goes away for good when it is closed. */
export function showDialog(dialog: HTMLDialogElement): void {
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  openModal(dialog);
}
