/** A note of the operator, at the time it is made, in the recording and among the events. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import { effect } from "../../core/signal";
import type { Answer } from "../../net/types";
import { whyNotSeated } from "../common/access";
import { answered, gate } from "../common/ui";

export function noteLine(app: App, test: string): HTMLElement {
  const input = h(
    "input",
    {
      class: "grow", maxlength: 4096, placeholder: "Note, then Enter", "aria-label": "Note",
      "data-test": `${test}-text`,
    },
  );
  const send = h("button", { type: "submit", "data-test": `${test}-send` }, "Note");
  const form = h("form", { class: "row p-note-line" }, input, send);
  form.addEventListener("submit", (submitted) => {
    submitted.preventDefault();
    void noted();
  });
  const noted = async (): Promise<void> => {
    const text = input.value.trim();
    if (text && (await answered(app, app.api.post<Answer>("/api/recorder", { do: "note", text })))) input.value = "";
  };
  const seat = whyNotSeated(app);
  effect(() => {
    const where = app.session.status()?.recorder?.state === "recording" ? "to the recording" : "to the events (nothing is being recorded)";
    gate(input, seat(), `Adds a note ${where}, with the current time`);
    gate(send, seat(), `Adds a note ${where}, with the current time`);
  });
  return form;
}
