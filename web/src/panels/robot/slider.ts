/** A number with a slider and a field that follow what the base has; a hand on the slider is followed as it moves. */

import { h, setText, toggleClass } from "../../core/dom";
import { number } from "../../core/format";
import { gate } from "../common/ui";

const STEPS = 1000; // of a slider
const ANSWER_MS = 2000; // in which what was sent comes back as the goal; until then it stays shown

export interface Scale {
  readonly least: number;
  readonly most: number;
  readonly designed: number;
  readonly unit: string;
  readonly decimals: number;
}

export interface Slider {
  element: HTMLElement;
  /** @param goal what was asked for; @param now what is, NaN where that is unknown; @param whyNot why it cannot be changed */
  show(goal: number, now: number, whyNot: string): void;
}

/** All in the unit that is shown. @param change called while the slider moves, and when a number is entered */
export function slider(name: string, test: string, scale: Scale, change: (value: number) => void): Slider {
  const { least, most, designed, unit, decimals } = scale;
  const share = (value: number): number => (most > least ? Math.min(1, Math.max(0, (value - least) / (most - least))) : 0);
  const range = h("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": name, "data-test": `robot-slider-${test}` });
  const field = h("input", {
    class: "num", inputmode: "decimal", autocomplete: "off", "aria-label": `${name}, number`, "data-test": `robot-number-${test}`,
  }); // prettier-ignore
  const mark = h("i", { class: "r-now", "aria-hidden": "true" });
  const ends = h("span", { class: "faint num r-ends" }, h("span", {}, number(least)), h("span", {}, `${number(most)} ${unit}`));
  const element = h("div", { class: "r-axis", "data-test": `robot-${test}` },
    h("span", { class: "r-name ellipsis", title: name }, name), h("div", { class: "r-track" }, range, mark, ends),
    h("span", { class: "p-with-unit" }, field, h("span", { class: "faint" }, unit))); // prettier-ignore
  let goal = NaN;
  let isHeld = false;
  const nothing = { value: NaN, at: -Infinity };
  let sent = nothing;
  const forget = (): void => void (sent = nothing);
  const isUnanswered = (): boolean => performance.now() - sent.at < ANSWER_MS;
  const write = (): void => {
    const shown = isUnanswered() ? sent.value : goal; // or the next key would go on from before
    if (!isHeld) range.value = String(Math.round(STEPS * share(shown)));
    field.value = Number.isFinite(shown) ? shown.toFixed(decimals).replace(/^-(0\.?0*)$/, "$1") : "";
    delete field.dataset["typed"];
  };
  const give = (value: number): void => {
    if (Number.isFinite(value) && value !== goal) {
      sent = { value, at: performance.now() };
      change(value);
    } else write();
  };
  const ofRange = (): number => Number((least + ((most - least) * Number(range.value)) / STEPS).toFixed(decimals));
  const clamped = (value: number): number => Math.min(most, Math.max(least, value));
  range.addEventListener("input", () => {
    isHeld = true;
    field.value = ofRange().toFixed(decimals);
    change(clamped(ofRange()));
  });
  range.addEventListener("change", () => {
    isHeld = false;
    give(clamped(ofRange()));
  });
  range.addEventListener("dblclick", () => give(designed));
  field.addEventListener("input", () => (field.dataset["typed"] = "")); // and not sent yet: Ctrl+Z is about the text
  field.addEventListener("keydown", (key) => {
    if (key.key === "Enter") give(Number(field.value.trim().replace(",", ".").replace("−", "-") || NaN));
    if (key.key === "Escape") {
      forget();
      write();
    }
  });
  field.addEventListener("blur", write); // a number that nobody confirmed was not sent, so it does not stay
  const show = (asked: number, now: number, whyNot: string): void => {
    const before = goal;
    goal = asked;
    if (whyNot !== "") forget();
    if (!isHeld && (document.activeElement !== field || asked !== before)) write();
    mark.hidden = !Number.isFinite(now);
    mark.style.setProperty("--at", share(now).toFixed(4));
    toggleClass(element, "tuned", Math.abs(asked - designed) > 0.5 * 10 ** -decimals);
    for (const control of [range, field]) {
      gate(control, whyNot, `${name}: ${number(least)} to ${number(most)} ${unit}; double click: ${number(designed)} ${unit}, as designed`);
    }
    const text = Number.isFinite(now) ? `${name} is at ${now.toFixed(decimals)} ${unit}` : name;
    setText(mark, "");
    if (mark.title !== text) mark.title = text;
  };
  return { element, show };
}
