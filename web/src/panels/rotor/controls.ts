/** Sliders of a rotor's controls and flight, with marks where the settings are. */

import type { App } from "../../app";
import { fill, h } from "../../core/dom";
import { Latest } from "../../core/latest";
import { computed, effect } from "../../core/signal";
import type { ModelRotor, Parameter } from "../../net/types";
import { platformOf } from "../../scene/platform_source";
import { whyNotOperating } from "../common/access";
import { section } from "../common/ui";
import { undoButtons } from "../robot/panel";
import { sentOf } from "../robot/settings";
import { slider, type Slider } from "../robot/slider";
import { tunerOf, type Tuner, type Values } from "../tuning/tuner";
import { gamepad } from "./gamepad";
import { dividedOf, type Setting } from "./settings";

const MOST_LETTERS = 16; // of a name; all of it is in its hint

export function controls(app: App): HTMLElement[] {
  const made = new Controls(app, tunerOf(app));
  const whyNot = whyNotOperating(app);
  const found = platformOf(app, "live");
  const rotor = computed<ModelRotor | null>(() => {
    const now = found();
    return now.state === "here" && now.scene.kind === "model" ? now.scene.rotor : null;
  });
  effect(() => made.show(made.tuner.found()?.parameters ?? [], rotor(), whyNot()));
  app.onFrame(() => app.isBeat && made.controls.checkVisibility() && made.follow());
  return [made.controls, made.flight];
}

class Controls {
  readonly controls: HTMLElement;
  readonly flight: HTMLElement;
  readonly #lists = { controls: h("div", { class: "r-axes" }), flight: h("div", { class: "r-axes" }) };
  readonly #sending: Latest<string>;
  #table = "";
  #sliders: { setting: Setting; made: Slider }[] = [];
  #wanted: Values = {}; // what a hand asks for while the last is on its way
  #whyNot = "";
  #set: readonly Setting[] = [];

  constructor(
    readonly app: App,
    readonly tuner: Tuner,
  ) {
    this.#sending = new Latest((key) => app.attempt(tuner.change(this.#taken(), key)), () => undefined);
    const pad = gamepad(app, () => this.#set, (values) => this.#send(values, "gamepad"));
    this.controls = section("Controls", [pad, ...undoButtons(tuner, "rotor", whyNotOperating(app))], this.#lists.controls);
    this.flight = section("Flight", [], this.#lists.flight);
  }

  /** Sliders are made anew only where the table of parameters or the rotor is another one. */
  show(parameters: readonly Parameter[], rotor: ModelRotor | null, whyNot: string): void {
    this.#whyNot = whyNot;
    const { controls, flight } = dividedOf(parameters, rotor);
    this.#set = controls;
    const table = JSON.stringify([...controls, null, ...flight].map((one) => one && [one.parameter.name, one.parameter.least, one.parameter.most]));
    if (table !== this.#table) this.#build(controls, flight);
    this.#table = table;
    this.controls.hidden = controls.length === 0;
    this.flight.hidden = flight.length === 0;
    this.follow();
  }

  /** Marks show what acts now. */
  follow(): void {
    const isLive = this.app.session.source.peek() === "live";
    const goals = new Map((this.tuner.found.peek()?.parameters ?? []).map(({ name, goal }) => [name, goal[0] ?? NaN]));
    for (const { setting: { parameter, factor }, made } of this.#sliders) {
      const now = isLive ? factor * this.app.value(parameter.name) : NaN;
      made.show(factor * (goals.get(parameter.name) ?? NaN), now, this.#whyNot);
    }
  }

  #build(controls: readonly Setting[], flight: readonly Setting[]): void {
    this.#sliders = [];
    const longest = Math.max(0, ...[...controls, ...flight].map(({ name }) => name.length));
    for (const [list, settings] of [[this.#lists.controls, controls], [this.#lists.flight, flight]] as const) {
      list.style.setProperty("--name", `${Math.min(MOST_LETTERS, longest)}ch`);
      fill(list, ...settings.map((one) => this.#slider(one)));
    }
  }

  #slider(setting: Setting): HTMLElement {
    const { parameter, name, factor, unit, decimals } = setting;
    const [least = 0, most = 0, designed = 0] = [parameter.least[0], parameter.most[0], parameter.designed[0]];
    const scale = { least: factor * least, most: factor * most, designed: factor * designed, unit, decimals };
    const isAngle = factor !== 1;
    const made = slider(name, parameter.name, scale, (shown) => {
      this.#send({ [parameter.name]: [sentOf(shown, isAngle, least, most)] }, parameter.name);
    });
    made.element.querySelector(".r-name")?.setAttribute("title", parameter.description);
    this.#sliders.push({ setting, made });
    return made.element;
  }

  /** A hand on a slider is one step to take back, however far it goes. */
  #send(values: Values, key: string): void {
    this.#wanted = { ...this.#wanted, ...values };
    this.#sending.ask(key);
  }

  #taken(): Values {
    const values = this.#wanted;
    this.#wanted = {};
    return values;
  }
}
