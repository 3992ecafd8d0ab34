/** A row for each control: the keys that move it to its ends, and where it is. */

import type { App } from "../app";
import { fill, h, toggleClass } from "../core/dom";
import type { WorldControl } from "../net/types";
import { controlEnds, controlName, isFlipped, keyName, padText } from "./caps";
import type { Helm } from "./helm";

/** Where a value is between the ends of a control, as drawn from the left, 0 to 1. */
export function shareOf(control: Pick<WorldControl, "least" | "most" | "keys" | "axis" | "turned">, value: number): number {
  const way = control.most - control.least;
  const share = way > 0 ? Math.min(1, Math.max(0, (value - control.least) / way)) : 0;
  return isFlipped(control) ? 1 - share : share;
}

const MANY = 5; // rows, from which on they stand closer

interface Cap {
  readonly code: string;
  readonly element: HTMLElement;
}

class Row {
  readonly element: HTMLElement;
  readonly #caps: readonly Cap[];
  readonly #knob = h("i", { class: "helm-knob" });
  readonly #bar = h("i", { class: "helm-bar" });
  #drawn = "";

  constructor(readonly control: WorldControl, withPads: boolean) {
    const caps = control.keys.map((code) => (code === null ? null : { code, element: h("kbd", { class: "helm-cap" }, keyName(code)) }));
    this.#caps = caps.filter((one) => one !== null);
    const [least, most] = isFlipped(control) ? [caps[1], caps[0]] : [caps[0], caps[1]];
    const rest = h("i", { class: "helm-rest", style: `left:${100 * shareOf(control, control.rest)}%` });
    const pad = padText(control);
    const hint = [controlEnds(control), pad && `gamepad: ${pad}`].filter(Boolean).join("; ");
    this.element = h(
      "div", { class: "helm-row unknown", title: hint || undefined, "data-test": `helm-row-${control.name}` },
      h("span", { class: "helm-name ellipsis" }, controlName(control)),
      least?.element ?? h("span", {}),
      h("span", { class: "helm-track" }, rest, this.#bar, this.#knob),
      most?.element ?? h("span", {}),
      withPads && h("span", { class: "helm-pad-text faint ellipsis" }, pad),
    ); // prettier-ignore
  }

  follow(value: number, held: ReadonlySet<string>): void {
    for (const { code, element } of this.#caps) toggleClass(element, "held", held.has(code));
    const [at, rest] = [shareOf(this.control, value), shareOf(this.control, this.control.rest)];
    // transforms alone: they move pictures and lay nothing out
    const drawn = Number.isNaN(value) ? "" : `${at.toFixed(3)}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    toggleClass(this.element, "unknown", drawn === "");
    if (drawn === "") return;
    this.element.dataset["at"] = drawn;
    this.#knob.style.transform = `translateX(${100 * at}%)`;
    this.#bar.style.transform = `translateX(${100 * Math.min(at, rest)}%) scaleX(${Math.abs(at - rest)})`;
  }
}

export class Rows {
  readonly element = h("div", { class: "helm-rows", "data-test": "helm-rows" });
  #rows: readonly Row[] = [];

  /** @param withPads also says what of a gamepad moves each */
  constructor(private readonly app: App, private readonly helm: Helm, private readonly withPads: boolean) {}

  show(controls: readonly WorldControl[]): void {
    this.#rows = controls.map((control) => new Row(control, this.withPads));
    toggleClass(this.element, "many", controls.length > MANY);
    fill(this.element, ...this.#rows.map(({ element }) => element));
  }

  /** Called in every animation frame in which it is seen. */
  follow(): void {
    const held = this.helm.held.peek();
    for (const row of this.#rows) row.follow(this.app.value(row.control.channel), held);
  }
}
