/** Small parts that all panels are made of. */

import type { App } from "../../app";
import { append, h, setText, toggleClass, type Child } from "../../core/dom";
import { icon } from "../../core/icon";

export const ICONS = {
  undo: "M4 9h10a6 6 0 0 1 0 12h-3|M8 5 4 9l4 4",
  redo: "M20 9H10a6 6 0 0 0 0 12h3|M16 5l4 4-4 4",
  open: "M9 6l6 6-6 6",
  close: "M6 6l12 12|M18 6 6 18",
  add: "M12 5v14|M5 12h14",
  reset: "M4 12a8 8 0 1 0 2.5-5.8|M4 4v5h5",
  down: "M12 4v12|M7 11l5 5 5-5|M5 20h14",
} as const;

/** A part of a panel with its heading; `tools` stand at the right of it. */
export function section(title: string, tools: Child[], ...children: Child[]): HTMLElement {
  const head = h("div", { class: "p-head" }, h("h3", {}, title), h("span", { class: "grow" }), ...tools);
  return h("section", { class: "p-section", "aria-label": title }, head, ...children);
}

/** Enable or disable a control, with the reason as its tooltip. */
export function gate(
  control: HTMLButtonElement | HTMLInputElement | HTMLSelectElement,
  whyNot: string,
  hint = "",
): void {
  control.disabled = whyNot !== "";
  const title = whyNot ? sentence(whyNot) : hint;
  if (control.title !== title) control.title = title;
}

/** With a capital, unless it begins with a name such as k_p. */
export function sentence(text: string): string {
  return /^[a-z]+[_[\d]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

export interface Switch {
  element: HTMLButtonElement;
  set(on: boolean): void;
}

export function toggle(label: string, onchange: (on: boolean) => void, test: string): Switch {
  const element = h("button", {
    class: "p-switch", type: "button", role: "switch", "aria-checked": "false", "aria-label": label, "data-test": test,
    onclick: () => onchange(element.getAttribute("aria-checked") !== "true"),
  });
  return { element, set: (on) => element.setAttribute("aria-checked", String(on)) };
}

export interface Choice<T extends string> {
  element: HTMLElement;
  buttons: Record<T, HTMLButtonElement>;
  set(chosen: T | null): void;
}

/** One of a few, side by side. */
export function choice<T extends string>(
  label: string, options: Record<T, string>, onpick: (value: T) => void, test: string,
): Choice<T> {
  const entries = Object.entries(options) as [T, string][];
  const buttons = Object.fromEntries(
    entries.map(([value, text]) => [
      value,
      h(
        "button",
        { type: "button", "aria-pressed": "false", "data-test": `${test}-${value}`, onclick: () => onpick(value) },
        text,
      ),
    ]),
  ) as Record<T, HTMLButtonElement>;
  const element = h("div", { class: "p-choice", role: "group", "aria-label": label });
  append(element, entries.map(([value]) => buttons[value]));
  const set = (chosen: T | null): void => {
    for (const [value] of entries) buttons[value].setAttribute("aria-pressed", String(value === chosen));
  };
  return { element, buttons, set };
}

/** A line that is only there while it has something to say. */
export function note(kind: "info" | "warn" | "bad", test = ""): { element: HTMLElement; say(text: string): void } {
  const element = h(
    "p",
    {
      class: `p-note ${kind}`, hidden: true, role: kind === "info" ? undefined : "alert",
      "data-test": test || undefined,
    },
  );
  const say = (text: string): void => {
    element.hidden = text === "";
    setText(element, text && sentence(text));
  };
  return { element, say };
}

export interface Meter {
  element: HTMLElement;
  /** `share`: 0 to 1 of the bar. */
  set(text: string, share: number, level: "good" | "warn" | "bad" | "none", title?: string): void;
}

export function meter(label: string, test: string): Meter {
  const value = h("span", { class: "num" }, "–");
  const bar = h("i", {});
  const element = h("div", { class: "p-meter", "data-test": test }, h("span", {}, label), value, h("b", {}, bar));
  const set: Meter["set"] = (text, share, level, title = "") => {
    setText(value, text);
    const wide = `${Math.round(100 * Math.min(1, Math.max(0, share || 0)))}%`;
    if (bar.style.width !== wide) bar.style.width = wide;
    for (const one of ["good", "warn", "bad"]) toggleClass(element, one, one === level);
    if (element.title !== title) element.title = title;
  };
  return { element, set };
}

export function iconButton(paths: string, label: string, onclick: () => void, test: string): HTMLButtonElement {
  return h(
    "button",
    { class: "quiet only-icon", type: "button", title: label, "aria-label": label, "data-test": test, onclick },
    icon(paths, 15),
  );
}

/** Ask again while the part is on the screen, at most once a second. */
export function whileVisible(element: HTMLElement, work: () => unknown, everyMs = 1000): void {
  setInterval(() => {
    if (document.visibilityState === "visible" && element.checkVisibility()) void work();
  }, Math.max(1000, everyMs));
}

/** Say what became of a request; whether it was accepted. */
export async function answered(app: App, work: Promise<{ accepted: boolean; text: string }>): Promise<boolean> {
  const answer = await app.attempt(work);
  if (answer) app.say(sentence(answer.text), answer.accepted ? "info" : "error");
  return answer?.accepted ?? false;
}
