/** One parameter: a slider and a field for each number; a change goes out on Enter or when the slider is let go. */

import { h, setText, toggleClass } from "../../core/dom";
import { number } from "../../core/format";
import type { Parameter } from "../../net/types";
import { gate, iconButton, ICONS, sentence } from "../common/ui";
import { numbersOf } from "./groups";

const STEPS = 200; // of a slider

export interface Row {
  element: HTMLElement;
  /** @param whyNot why nothing can be changed from here, "" where it can */
  show(parameter: Parameter, whyNot: string): void;
  refused(text: string): void;
}

interface NumberView {
  element: HTMLElement;
  show(parameter: Parameter, whyNot: string): void;
}

/** @param change takes all numbers of the parameter; none of them: back to the design */
export function row(parameter: Parameter, change: (values: number[]) => void): Row {
  let now = parameter;
  const reset = iconButton(ICONS.reset, "Reset to the design value", () => change([]), `reset-${parameter.name}`);
  const mark = h("span", { class: "p-mark" }, parameter.tunable ? (parameter.at_rest ? "at rest" : "") : "fixed");
  mark.title = parameter.at_rest ? "May be changed only while the base rests: off, down, standby or held" : "";
  const about = h(
    "span", { class: "faint grow ellipsis p-small", title: sentence(parameter.description) }, parameter.description,
  );
  const error = h("p", { class: "p-error", role: "alert", "data-test": `error-${parameter.name}` });
  const views = numbersOf(parameter).map((about, k) =>
    numberView(parameter, k, about, (value) => change(now.goal.map((other, at) => (at === k ? value : other)))),
  );
  const corrected = (): void => setText(error, ""); // it was about another number
  const element = h(
    "div", { class: "p-parameter", "data-test": `parameter-${parameter.name}` },
    h(
      "div", { class: "row" }, h("code", {}, parameter.name), about, mark, parameter.tunable ? reset : null,
    ), ...views.map((view) => view.element), error,
  );
  element.addEventListener("input", corrected);
  const show = (next: Parameter, whyNot: string): void => {
    if (next.goal.some((goal, k) => goal !== now.goal[k])) corrected();
    now = next;
    const asDesigned = next.goal.every((goal, k) => goal === next.designed[k]);
    toggleClass(element, "tuned", !asDesigned);
    gate(reset, whyNot || (asDesigned ? "it has its design value" : ""), "Reset to the design value");
    for (const view of views) view.show(next, whyNot);
  };
  const refused = (text: string): void => {
    setText(error, text && sentence(text));
    if (text) show(now, "");
  };
  return { element, show, refused };
}

function numberView(
  parameter: Parameter, k: number, about: { label: string; unit: string }, change: (value: number) => void,
): NumberView {
  const name = about.label ? `${parameter.name} ${about.label}` : parameter.name;
  const test = parameter.value.length > 1 ? `${parameter.name}-${k + 1}` : parameter.name;
  const label = about.label ? h("span", { class: "p-which" }, about.label) : null;
  const least = parameter.least[k] ?? 0;
  const most = parameter.most[k] ?? 0;
  const designed = parameter.designed[k] ?? 0;
  const limits = h("span", { class: "faint num p-about" });
  if (!parameter.tunable) {
    const value = h("span", { class: "num" });
    const show = (next: Parameter): void => setText(value, `${number(next.value[k])} ${about.unit}`);
    return { element: h("div", { class: "p-number fixed" }, label, value), show };
  }
  const slider = h(
    "input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": name, "data-test": `slider-${test}` },
  );
  const field = h(
    "input",
    {
      class: "num", inputmode: "decimal", autocomplete: "off", "aria-label": `${name}, number`,
      "data-test": `number-${test}`,
    },
  );
  const ofSlider = (): number => Number((least + ((most - least) * Number(slider.value)) / STEPS).toPrecision(4));
  let goal = parameter.goal[k] ?? 0;
  let isHeld = false;
  const give = (value: number): void => {
    isHeld = false;
    if (Number.isFinite(value) && value !== goal) change(value);
    else reset();
  };
  const reset = (): void => {
    slider.value = String(most > least ? (STEPS * (goal - least)) / (most - least) : 0);
    field.value = plain(goal);
    delete field.dataset["typed"];
  };
  slider.addEventListener("input", () => {
    isHeld = true;
    field.value = plain(ofSlider());
  });
  slider.addEventListener("change", () => give(Math.min(most, Math.max(least, ofSlider()))));
  field.addEventListener("input", () => (field.dataset["typed"] = "")); // and not sent yet: Ctrl+Z is about the text
  field.addEventListener("keydown", (key) => {
    if (key.key === "Enter") give(Number(field.value.trim().replace(",", ".").replace("−", "-") || NaN));
    if (key.key === "Escape") reset();
  });
  field.addEventListener("blur", reset); // a number that nobody confirmed was not sent, so it does not stay
  const show = (next: Parameter, whyNot: string): void => {
    const value = next.value[k] ?? NaN;
    const before = goal;
    goal = next.goal[k] ?? NaN;
    if (!isHeld && (document.activeElement !== field || goal !== before)) reset();
    const range = `${number(least)} to ${number(most)} ${about.unit}`.trim();
    for (const control of [slider, field]) gate(control, whyNot, `${name}: ${range}, designed ${number(designed)}`);
    const going = Math.abs(value - goal) > 1e-9 * Math.max(1, Math.abs(goal));
    toggleClass(limits, "going", going);
    setText(
      limits,
      going
        ? `${number(value)} → ${number(goal)}`
        : goal === designed
        ? range
        : `${range}, designed ${number(designed)}`,
    );
  };
  const element = h(
    "div", { class: "p-number" }, label, slider,
    h("span", { class: "p-with-unit" }, field, h("span", { class: "faint" }, about.unit)), limits,
  );
  return { element, show };
}

/** All digits that matter, none of the dust. */
function plain(value: number): string {
  return number(value, 6).replace(/−/g, "-");
}
