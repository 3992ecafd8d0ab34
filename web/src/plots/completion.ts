/** Names of channels while a formula is typed: those that fit the word at the cursor, to be chosen by key or pointer. */

import { fill, h } from "../core/dom";
import type { PlotsState } from "./state";

const SHOWN = 8;
const LATER_MS = 250; // or the button that was pressed would move away from under the pointer
const FUNCTIONS = ["abs", "atan2", "cos", "deg", "exp", "log", "max", "min", "pi", "rad", "rate", "sin", "sqrt", "tan"];

/** The word that ends at a place of a text, and where it begins. */
export function wordAt(text: string, place: number): { word: string; begin: number } {
  const word = /[A-Za-z_][A-Za-z0-9_]*$/.exec(text.slice(0, place))?.[0] ?? "";
  return { word, begin: place - word.length };
}

/** What a word may become: names that begin with it, then those that contain it; none where it is a name already. */
export function fitting(word: string, names: readonly string[], most = SHOWN): string[] {
  if (word === "" || names.includes(word)) return [];
  const low = word.toLowerCase();
  const begins = names.filter((name) => name.startsWith(low));
  return [...begins, ...names.filter((name) => !name.startsWith(low) && name.includes(low))].slice(0, most);
}

/** A list below a field: arrows choose, Tab or Enter takes, Esc closes. */
export function completion(field: HTMLInputElement, state: PlotsState): HTMLElement {
  const list = h("ul", { class: "completion", id: "derive-names", role: "listbox", "aria-label": "Matching names", "data-test": "derive-names", hidden: true });
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-autocomplete", "list");
  let found: string[] = [];
  let at = 0;
  const show = (names: string[]): void => {
    found = names;
    at = 0;
    list.hidden = names.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    draw();
  };
  const draw = (): void => {
    const byName = state.byName.peek();
    fill(
      list,
      ...found.map((name, k) => h(
        "li",
        { id: `derive-name-${k}`, role: "option", "aria-selected": String(k === at), onpointerdown: (pressed: Event) => (pressed.preventDefault(), take(name)) },
        h("span", { class: "num" }, name), h("span", { class: "faint ellipsis" }, about(byName.get(name))),
      )),
    );
    if (list.hidden) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", `derive-name-${at}`);
  };
  const look = (): void => {
    const { word } = wordAt(field.value, field.selectionStart ?? field.value.length);
    const names = [...state.byName.peek().values()].filter((one) => one.formula === null).map((one) => one.name);
    show(fitting(word, [...names, ...FUNCTIONS]));
  };
  const take = (name: string): void => {
    const place = field.selectionStart ?? field.value.length;
    const { begin } = wordAt(field.value, place);
    field.setRangeText(name, begin, place, "end");
    show([]);
  };
  field.addEventListener("input", look);
  field.addEventListener("blur", () => setTimeout(() => document.activeElement !== field && show([]), LATER_MS));
  field.addEventListener("keydown", (key) => {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key.key];
    const chosen = found[at];
    if (step !== undefined) {
      at = (at + step + found.length) % found.length;
      draw();
    } else if (key.key === "Escape") show([]);
    else if ((key.key === "Enter" || key.key === "Tab") && chosen !== undefined) take(chosen);
    else return;
    key.preventDefault();
    key.stopPropagation();
  });
  return list;
}

function about(channel: { description: string; unit: string } | undefined): string {
  if (!channel) return "function";
  return channel.unit === "-" ? channel.description : `${channel.description} [${channel.unit}]`;
}
