/** Stick, levers and buttons on the screen, for a mouse or fingers. */

import type { App } from "../app";
import { fill, h, toggleClass } from "../core/dom";
import type { WorldControl } from "../net/types";
import { controlEnds, controlName, keyName } from "./caps";
import type { Helm } from "./helm";
import { ended, mainOf, ofScreen, placeOfValue, planOf, runTo, type Run, type Stick } from "./screen_says";

const SEND_MS = 40; // while a lever runs
const OLD_MS = 400; // without a record: where a lever is nobody knows, so it runs no further
const NO_RUNS: ReadonlyMap<WorldControl, Run> = new Map();

/** @param x, y 0 to 1 from the left and from the top of what is touched; null when the hand is gone */
type Touched = (at: { x: number; y: number } | null) => void;

/**
 * Hands on an element: a finger or the mouse stays its own until it is lifted. Places are told from where the element was
 * when it was touched: texts above it change as one begins to steer, and it must not move under a hand that rests.
 */
function touches(element: HTMLElement, told: Touched): void {
  let box = new DOMRect();
  const where = (event: PointerEvent): { x: number; y: number } => {
    const within = (value: number): number => Math.min(1, Math.max(0, value));
    return { x: within((event.clientX - box.left) / box.width), y: within((event.clientY - box.top) / box.height) };
  };
  let pointer = NaN;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !Number.isNaN(pointer)) return;
    pointer = event.pointerId;
    box = element.getBoundingClientRect();
    element.setPointerCapture(pointer);
    event.preventDefault(); // or a picture is dragged, and the focus moves
    told(where(event));
  });
  element.addEventListener("pointermove", (event) => event.pointerId === pointer && told(where(event)));
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
    element.addEventListener(end, (event) => {
      if (event.pointerId !== pointer) return;
      pointer = NaN;
      told(null);
    });
  }
}

interface Part {
  readonly element: HTMLElement;
  follow(): void;
}

export class Screen {
  readonly element = h("div", { class: "helm-screen", "data-test": "helm-screen", "aria-label": "Controls on the screen", role: "group" });
  readonly #axes = new Map<number, number>();
  readonly #pedals = new Map<WorldControl, number>();
  readonly #runs = new Map<WorldControl, Run>();
  readonly #gripped = new Set<WorldControl>(); // levers that a hand holds
  readonly #keys = new Set<string>();
  #parts: readonly Part[] = [];
  #hands = 0;
  #timer = 0;
  #version = -1; // of the newest record seen
  #newAt = 0;

  /** @param isMain has only what matters most */
  constructor(private readonly app: App, private readonly helm: Helm, private readonly isMain: boolean) {}

  show(controls: readonly WorldControl[]): void {
    this.#runs.clear();
    this.#gripped.clear();
    this.#stop();
    const plan = planOf(controls);
    const { sticks, levers, buttons } = this.isMain ? mainOf(plan) : plan;
    this.#parts = [...sticks.map((one) => this.#stick(one)), ...levers.map((one) => this.#lever(one))];
    this.#parts[sticks.length - 1]?.element.classList.add("helm-stick-last");
    const keys = buttons.flatMap((one) => this.#buttons(one));
    fill(this.element, ...this.#parts.map(({ element }) => element), keys.length > 0 && h("div", { class: "helm-buttons" }, ...keys));
    this.element.hidden = this.#parts.length + keys.length === 0;
  }

  /** Called in every animation frame in which it is seen. */
  follow(): void {
    for (const part of this.#parts) part.follow();
  }

  #now(control: WorldControl): number {
    return placeOfValue(control, this.app.value(control.channel));
  }

  #speak(isMoved: boolean): void {
    const now = (control: WorldControl): number => this.#now(control);
    const isOld = this.#age() > OLD_MS;
    for (const control of ended(this.#runs, this.#gripped, isOld, now)) this.#runs.delete(control);
    const held = { axes: this.#axes, pedals: this.#pedals, runs: isOld ? NO_RUNS : this.#runs, keys: this.#keys };
    this.helm.hear("screen", ofScreen(held, now), isMoved, this.#hands > 0 || this.#runs.size > 0);
    if (this.#runs.size === 0) this.#stop();
    else this.#timer ||= window.setInterval(() => this.#speak(false), SEND_MS);
  }

  /** Of the newest record [ms]. */
  #age(): number {
    if (this.app.live.version !== this.#version) [this.#version, this.#newAt] = [this.app.live.version, performance.now()];
    return performance.now() - this.#newAt;
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = 0;
  }

  /** @param change what a hand does to axes, levers or keys; called with null when it is gone */
  #touched(element: HTMLElement, change: Touched): void {
    touches(element, (at) => {
      const isBegin = at !== null && !element.classList.contains("held");
      if (isBegin) this.#hands += 1;
      else if (at === null) this.#hands -= 1;
      element.classList.toggle("held", at !== null);
      change(at);
      this.#speak(at !== null);
    });
  }

  #stick({ x, y, axis }: Stick): Part {
    const knob = h("i", { class: "helm-thumb" });
    const kind = x && y ? "both" : x ? "wide" : "high";
    const element = h("div", { class: `helm-stick ${kind}`, "data-test": `helm-stick-${axis}` }, h("i", { class: "helm-cross" }), knob);
    const names = [x, y].flatMap((one) => (one ? [controlName(one)] : []));
    this.#touched(element, (at) => {
      if (x) this.#axes.set(axis, at ? 2 * at.x - 1 : 0);
      if (y) this.#axes.set(axis + 1, at ? 2 * at.y - 1 : 0);
    });
    const side = (control: WorldControl | null, place: number): number => {
      if (!control) return 0.5;
      const given = this.#axes.get(place) ?? 0;
      const share = (this.#now(control) - placeOfValue(control, control.rest)) * (control.turned ? -1 : 1);
      return element.classList.contains("held") ? (given + 1) / 2 : 0.5 + (Number.isNaN(share) ? 0 : share);
    };
    const follow = (): void => move(knob, side(x, axis), side(y, axis + 1));
    return { element: h("div", { class: "helm-hand" }, element, h("span", { class: "helm-hand-name" }, names.join(", "))), follow };
  }

  #lever(control: WorldControl): Part {
    const knob = h("i", { class: "helm-thumb" });
    const mark = h("i", { class: "helm-rest", style: `top:${100 * (1 - placeOfValue(control, control.rest))}%` });
    const element = h("div", { class: "helm-lever", title: controlEnds(control) || undefined, "data-test": `helm-lever-${control.name}` }, mark, knob);
    this.#touched(element, (at) => {
      if (at && control.springs) this.#pedals.set(control, 1 - at.y);
      else if (at) this.#runs.set(control, runTo(1 - at.y, this.#now(control)));
      else this.#pedals.delete(control);
      if (at) this.#gripped.add(control);
      else this.#gripped.delete(control);
    });
    const shown = (): number => this.#pedals.get(control) ?? this.#runs.get(control)?.wanted ?? this.#now(control);
    const follow = (): void => move(knob, 0.5, 1 - (shown() || 0));
    return { element: h("div", { class: "helm-hand" }, element, h("span", { class: "helm-hand-name" }, controlName(control))), follow };
  }

  #buttons(control: WorldControl): HTMLElement[] {
    const codes = control.keys.filter((code) => code !== null);
    return codes.map((code) => {
      const text = codes.length > 1 ? `${controlName(control)} ${code === control.keys[1] ? "+" : "−"}` : controlName(control);
      const element = h("div", { class: "helm-button", title: `Key ${keyName(code)}`, "data-test": `helm-button-${control.name}-${code}` }, text);
      this.#touched(element, (at) => void (at ? this.#keys.add(code) : this.#keys.delete(code)));
      return element;
    });
  }
}

/** By a transform: nothing is laid out again. The knob's carrier fills what it moves in. */
function move(knob: HTMLElement, x: number, y: number): void {
  const text = `translate(${(100 * x).toFixed(1)}%, ${(100 * y).toFixed(1)}%)`;
  if (knob.style.transform !== text) knob.style.transform = text;
  toggleClass(knob, "there", true);
}
