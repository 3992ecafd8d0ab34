/** Gamepads of this machine as a person checks them: what each says now, and how its axes are read. */

import { fill, h, setText, toggleClass } from "../core/dom";
import { padsNow } from "./helm";
import { ofPad, type Pad } from "./says";

const NAMES = ["left stick →", "left stick ↓", "right stick →", "right stick ↓", "left trigger", "right trigger"];

interface Shown {
  readonly index: number;
  readonly element: HTMLElement;
  follow(pad: Pad, isLeading: boolean): void;
}

/** Without the numbers that browsers add to names. */
export function padName({ id, index }: Pick<Pad, "id" | "index">): string {
  return id.replace(/\s*\((?:STANDARD GAMEPAD )?Vendor:.*\)$/i, "").trim() || `gamepad ${index + 1}`;
}

function shownPad(pad: Pad): Shown {
  const isStandard = pad.mapping === "standard";
  const axes = ofPad(pad).axes.map((_, k) => {
    const knob = h("i", { class: "helm-knob" });
    const track = h("span", { class: "helm-track" }, h("i", { class: "helm-rest", style: "left:50%" }), knob);
    return { knob, element: h("div", { class: "helm-row pad" }, h("span", { class: "helm-name ellipsis" }, NAMES[k] ?? `axis ${k + 1}`), track) };
  });
  const buttons = pad.buttons.map((_, k) => h("i", { class: "helm-dot", title: `button ${k}` }));
  const leads = h("span", { class: "tag" }, "steers");
  const element = h(
    "div", { class: "helm-pad", "data-test": `helm-pad-${pad.index}` },
    h("div", { class: "row" }, h("strong", { class: "grow ellipsis", title: pad.id }, padName(pad)), leads),
    !isStandard && h("p", { class: "p-small dim" }, "The browser does not know its layout: its first axes stand for the sticks, and its levers say the place."),
    ...axes.map((one) => one.element),
    h("div", { class: "helm-dots" }, ...buttons),
  ); // prettier-ignore
  const follow = (now: Pad, isLeading: boolean): void => {
    leads.hidden = !isLeading;
    const says = ofPad(now);
    axes.forEach(({ knob }, k) => (knob.style.transform = `translateX(${50 + 50 * (says.axes[k] ?? 0)}%)`));
    buttons.forEach((dot, k) => toggleClass(dot, "held", now.buttons[k]?.pressed ?? false));
  };
  return { index: pad.index, element, follow };
}

export class Pads {
  readonly #none = h("p", { class: "p-small dim" }, "None. Plug a gamepad in and press one of its buttons; then it steers as soon as it is moved.");
  readonly #more = h("p", { class: "p-small faint" });
  readonly element = h("div", { class: "column", "data-test": "helm-pads" });
  #shown: readonly Shown[] = [];
  #known = "";

  constructor() {
    setText(this.#more, "Joysticks and gamepads of the machine where the world runs steer too, without this page.");
  }

  /** Called in every animation frame in which it is seen. @param leader device of this page that leads */
  follow(leader: string | null): void {
    const now = padsNow();
    const known = now.map(({ index, id, mapping, buttons }) => `${index} ${id} ${mapping} ${buttons.length}`).join("|");
    if (known !== this.#known || this.element.childElementCount === 0) {
      this.#known = known;
      this.#shown = now.map(shownPad);
      fill(this.element, now.length === 0 && this.#none, ...this.#shown.map(({ element }) => element), this.#more);
    }
    now.forEach((pad, k) => this.#shown[k]?.follow(pad, leader === `pad ${pad.index}`));
  }
}
