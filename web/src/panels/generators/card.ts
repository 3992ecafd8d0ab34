/** One generator: a line while closed, all numbers of its shape while open. Built once, then kept up to date. */

import { h, setText, toggleClass } from "../../core/dom";
import { icon } from "../../core/icon";
import type { Card } from "../../net/types";
import { choice, ICONS, sentence, toggle } from "../common/ui";
import { DOFS, LEGS, SHAPES } from "../../net/words";
import {
  FIELDS, isAngular, kindOf, problems, shown, summary, typed, type Axis, type Field, type Kind, type Shape,
} from "./model";

export interface CardView {
  element: HTMLElement;
  show(card: Card): void;
}

interface FieldView {
  label: HTMLElement;
  input: HTMLInputElement;
  unit: HTMLElement;
  error: HTMLElement;
}

/** @param change takes the new card and a key for what was changed */
export function cardView(number: number, change: (card: Card, key: string) => void): CardView {
  let card: Card | null = null;
  let lastKind: Kind | null = null; // so that taking the last axis away and another one forgets no unit
  const edit = (changes: Partial<Card>, key: string): void => {
    if (card) change({ ...card, ...changes }, `${number} ${key}`);
  };
  const moved = (axes: Axis[], space: Card["space"], key: string): void => {
    const next = kindOf({ ...(card as Card), axes, space });
    const isOther = next !== null && lastKind !== null && (next === "angular") !== (lastKind === "angular");
    edit({ axes, space, ...(isOther ? { amplitude: 0, offset: 0 } : {}) }, key); // metres are not degrees
  };

  const on = toggle(`Generator ${number} on`, (enabled) => edit({ enabled }, "enabled"), `generator-${number}-enabled`);
  const line = h("span", { class: "grow ellipsis" });
  const opener = h(
    "button",
    {
      type: "button", class: "quiet p-opener grow", "aria-expanded": "false", "data-test": `generator-${number}-open`,
      onclick: () => open(body.hidden !== false),
    },
    icon(ICONS.open, 13), h("span", { class: "num faint" }, number), line,
  );
  const shape = h(
    "select", {
      "aria-label": "Shape", "data-test": `generator-${number}-shape`,
      onchange: () => edit({ shape: shape.value as Shape }, "shape"),
    },
    ...SHAPES.map((name) => h("option", { value: name }, name)),
  );
  const space = choice(
    "Space", { dof: "Axes", leg: "Legs" }, (picked) => card?.space !== picked && moved([], picked, "space"),
    `generator-${number}-space`,
  );
  const chips = new Map<Axis, HTMLButtonElement>(
    [...DOFS, ...LEGS].map((axis) => [
      axis,
      h(
        "button",
        {
          type: "button", class: "p-chip", "aria-pressed": "false", "data-test": `generator-${number}-${axis}`,
          onclick: () => pick(axis),
        },
        axis,
      ),
    ]),
  );
  const axesError = h("p", { class: "p-error", role: "alert" });
  const fields = new Map(
    FIELDS.map(
      (field) => [field.key, fieldView(field, number, (value) => edit({ [field.key]: value }, field.key), () => card)],
    ),
  );
  const body = h(
    "div", { class: "p-card-body", hidden: true },
    h("div", { class: "row" }, shape, h("span", { class: "grow" }), space.element),
    h("div", { class: "p-chips" }, ...chips.values()), axesError,
    h("div", { class: "p-fields" }, ...[...fields.values()].map((view) => view.label)),
  );
  const element = h(
    "div", { class: "p-card", "data-test": `generator-${number}` },
    h("div", { class: "row p-card-head" }, opener, on.element), body,
  );

  function open(isOpen: boolean): void {
    body.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) element.scrollIntoView({ block: "nearest" }); // the preview may lie over it
  }

  function pick(axis: Axis): void {
    if (!card) return;
    const isOn = card.axes.includes(axis);
    const kept = card.space === "leg" ? card.axes : card.axes.filter((other) => isAngular(other) === isAngular(axis));
    const order: readonly Axis[] = card.space === "leg" ? LEGS : DOFS;
    moved(order.filter((other) => (other === axis ? !isOn : kept.includes(other))), card.space, "axes");
  }

  function show(next: Card): void {
    card = next;
    lastKind = kindOf(next) ?? lastKind;
    const wrong = problems(next);
    on.set(next.enabled);
    setText(line, summary(next));
    line.title = summary(next);
    toggleClass(element, "on", next.enabled);
    toggleClass(element, "wrong", Object.keys(wrong).length > 0);
    if (shape.value !== next.shape) shape.value = next.shape;
    space.set(next.space);
    for (const [axis, chip] of chips) {
      chip.hidden = (typeof axis === "number") !== (next.space === "leg");
      chip.setAttribute("aria-pressed", String(next.axes.includes(axis)));
      const replaces = next.axes.some((other) => isAngular(other) !== isAngular(axis));
      chip.title = replaces
        ? `instead of ${next.axes.join(", ")}: a generator moves either linear or angular axes; amplitude and offset become 0`
        : "";
    }
    setText(axesError, wrong.axes ? sentence(wrong.axes) : "");
    for (const field of FIELDS) update(field, next, fields.get(field.key) as FieldView, wrong[field.key] ?? "");
  }

  return { element, show };
}

function fieldView(field: Field, number: number, change: (value: number) => void, card: () => Card | null): FieldView {
  const id = `generator-${number}-${field.key}`;
  const input = h(
    "input",
    { id, inputmode: "decimal", autocomplete: "off", class: "num", "data-test": id, "aria-describedby": `${id}-error` },
  );
  const unit = h("span", { class: "faint" });
  const error = h("small", { class: "p-error", id: `${id}-error`, role: "alert" });
  input.addEventListener("input", () => {
    const now = card();
    if (!now) return;
    const { factor } = shown(field, now);
    const text = input.value.trim().replace(",", ".").replace("−", "-");
    change(text === "" ? NaN : Number(text) / factor);
  });
  const label = h(
    "label", { class: "p-field", title: sentence(field.hint) }, field.label,
    h("span", { class: "p-with-unit" }, input, unit), error,
  );
  return { label, input, unit, error };
}

function update(field: Field, card: Card, view: FieldView, wrong: string): void {
  view.label.hidden = !field.has(card.shape) && wrong === "";
  const { factor, unit } = shown(field, card);
  const text = typed(card[field.key], factor);
  const isTyped = document.activeElement === view.input && Number(view.input.value.replace(",", ".")) === Number(text);
  const isUnread = Number.isNaN(card[field.key]); // what was typed stays to be mended
  if (!isTyped && !isUnread && view.input.value !== text) view.input.value = text;
  setText(view.unit, unit);
  setText(view.error, wrong && sentence(wrong));
  view.input.setAttribute("aria-invalid", String(wrong !== ""));
}
