/** Dialogs: Enter confirms, except for questions about motion; Esc cancels. */

import { h, setText, type Child } from "../../core/dom";
import { effect } from "../../core/signal";
import { openModal } from "../../shell/modal";
import { note, sentence } from "./ui";

interface Question {
  title: string;
  body: Child[];
  /** What the button that acts says. */
  act: string;
  kind?: "primary" | "danger" | (() => "primary" | "danger");
  test: string;
  /** For motion: Cancel has the focus, so that Enter alone does nothing. */
  isCautious?: boolean;
  /** A sentence as soon as the question no longer makes sense: the dialog closes unanswered. */
  outdated?: () => string;
  onOutdated?: (why: string) => void;
  /** A sentence while yes cannot be answered, for a reason that may pass: the question stays open. */
  waits?: () => string;
  /** Before it closes with yes: a sentence about what is wrong, which is shown until something is changed; "" where nothing is. */
  check?: () => string | Promise<string>;
}

/** Whether the answer was yes. */
export function ask(question: Question): Promise<boolean> {
  return new Promise((answer) => {
    const yes = h(
      "button",
      { type: "submit", value: "yes", "data-test": `${question.test}-yes` },
      question.act,
    );
    const no = h(
      "button", { type: "button", "data-test": `${question.test}-no`, onclick: () => dialog.close("") }, "Cancel",
    );
    const wrong = h("p", { class: "p-error", role: "alert", "data-test": `${question.test}-wrong` });
    const waits = note("warn", `${question.test}-waits`);
    const form = h(
      "form", { method: "dialog", class: "p-dialog" },
      h("h2", {}, question.title), ...question.body, waits.element, wrong, h("div", { class: "row p-answers" }, no, yes),
    );
    const dialog = h("dialog", { "data-test": question.test, "aria-label": question.title }, form);
    let stop = (): void => undefined;
    // a key that is still held down from opening the dialog does not answer it
    form.addEventListener("keydown", (pressed) => pressed.repeat && pressed.preventDefault());
    form.addEventListener("input", () => setText(wrong, "")); // of what was there before
    const { check } = question;
    if (check) form.addEventListener("submit", (sent) => {
      sent.preventDefault();
      yes.disabled = true;
      void Promise.resolve(check()).catch((error: Error) => error.message).then((why) => {
        yes.disabled = false;
        if (why === "") return dialog.close("yes");
        setText(wrong, sentence(why));
        form.querySelector<HTMLInputElement>("input")?.select();
      });
    });
    dialog.addEventListener("close", () => {
      stop();
      dialog.remove();
      answer(dialog.returnValue === "yes");
    });
    openModal(dialog);
    const first = form.querySelector<HTMLElement>("input, select, textarea");
    (question.isCautious ? no : (first ?? yes)).focus();
    const { kind = "primary" } = question;
    stop = effect(() => {
      yes.className = typeof kind === "string" ? kind : kind();
      if (question.waits) {
        const until = question.waits();
        waits.say(until && `${until}. You can confirm as soon as the page is up to date.`);
        yes.disabled = until !== "";
      }
      const why = question.outdated?.() ?? "";
      if (why === "" || !dialog.open) return;
      dialog.close("");
      question.onOutdated?.(why);
    });
  });
}

/** A line of text; null where it was cancelled. @param check what is wrong with a text, "" for nothing */
export async function askText(
  title: string, label: string, start: string, act: string, test: string, check: (text: string) => string = () => "",
): Promise<string | null> {
  const input = h(
    "input", { value: start, required: true, maxlength: 64, autocomplete: "off", "data-test": `${test}-text` },
  );
  setTimeout(() => input.select());
  const yes = await ask({
    title, body: [h("label", {}, label, input)], act, test, check: () => check(input.value.trim()),
  });
  return yes ? input.value.trim() : null;
}
