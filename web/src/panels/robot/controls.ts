/** What can be set of a driven model: set points, friction, whether its controller acts, and gains. */

import type { App } from "../../app";
import { fill, h } from "../../core/dom";
import { Latest } from "../../core/latest";
import { computed, effect } from "../../core/signal";
import type { ModelJoint, Parameter } from "../../net/types";
import { platformOf } from "../../scene/platform_source";
import { whyNotOperating } from "../common/access";
import { gate, section, toggle } from "../common/ui";
import { row, type Row } from "../tuning/row";
import { tunerOf, type Tuner, type Values } from "../tuning/tuner";
import { demo, type Demo } from "./demo";
import { undoButtons } from "./panel";
import { settingsOf, type Settings } from "./settings";
import { frictionSlider, jointSlider, type Followed } from "./sliders";

const FRICTION = "friction";
const MOST_LETTERS = 14; // of a joint's name; all of it is in its hint

export function controls(app: App): HTMLElement[] {
  const tuner = tunerOf(app);
  const whyNot = whyNotOperating(app);
  const made = new Controls(app, tuner);
  const found = platformOf(app, "live");
  const joints = computed(() => {
    const now = found();
    return now.state === "here" && now.scene.kind === "model" ? now.scene.joints : [];
  });
  effect(() => made.show(tuner.found()?.parameters ?? [], joints(), whyNot()));
  app.onFrame(() => app.isBeat && made.points.checkVisibility() && made.follow());
  return [made.points, made.plant];
}

class Controls {
  readonly points: HTMLElement;
  readonly plant: HTMLElement;
  readonly #demo: Demo;
  readonly #lists = { axes: h("div", { class: "r-axes" }), rub: h("div", { class: "r-axes" }), gains: h("div", { class: "p-parameters" }) };
  readonly #acts = h("div", { class: "row" }, h("span", { class: "p-small" }, "Torques of the controller act on the joints"));
  readonly #more = h("details", { class: "r-more", "data-test": "robot-gains" }, h("summary", {}, "Gains"), this.#lists.gains);
  readonly #control = toggle("Controller", (yes) => this.#take(this.#settings.control, yes ? 1 : 0), "robot-control");
  readonly #sending: Latest<string>;
  #settings: Settings = { setPoints: [], friction: null, control: null, others: [] };
  #table = "";
  #followed: Followed[] = [];
  #rows = new Map<string, Row>();
  #wanted: Values = {}; // what a hand asks for while the last is on its way
  #whyNot = "";

  constructor(
    readonly app: App,
    readonly tuner: Tuner,
  ) {
    this.#sending = new Latest((key) => app.attempt(tuner.change(this.#taken(), key)), () => undefined);
    this.#demo = demo(app, () => this.#settings.setPoints, (values) => tuner.change(together(this.#settings, values), "demo"));
    this.#acts.prepend(this.#control.element);
    this.points = section("Set points", [this.#demo.button, ...undoButtons(tuner, "robot", whyNotOperating(app))], this.#lists.axes);
    this.plant = section("Controller and friction", [], this.#acts, this.#lists.rub, this.#more);
  }

  /** The parts are made anew only where the table of parameters or the model is another one. */
  show(parameters: readonly Parameter[], joints: readonly ModelJoint[], whyNot: string): void {
    this.#whyNot = whyNot;
    this.#settings = settingsOf(parameters, joints);
    const { setPoints, control, others } = this.#settings;
    const table = JSON.stringify([parameters.map(({ name, least, most }) => [name, least, most]), joints.map(({ name }) => name)]);
    if (table !== this.#table) this.#build();
    this.#table = table;
    this.points.hidden = setPoints.length === 0;
    this.plant.hidden = parameters.length === 0;
    this.#acts.hidden = control === null;
    this.#more.hidden = others.length === 0;
    for (const parameter of others) this.#rows.get(parameter.name)?.show(parameter, parameter.tunable ? whyNot : "it is fixed");
    this.#control.set((control?.goal[0] ?? 0) > 0);
    gate(this.#control.element, whyNot, "Controller on or off: without its torques the joints move freely");
    this.follow();
  }

  /** Sliders show where the joints are. */
  follow(): void {
    const parameters = new Map((this.tuner.found.peek()?.parameters ?? []).map((one) => [one.name, one]));
    for (const one of this.#followed) one.follow(parameters, this.#whyNot);
  }

  #build(): void {
    const { setPoints, friction, others } = this.#settings;
    const joints = setPoints.map((one) => jointSlider(this.app, one, (value) => this.#take(one.parameter, value)));
    const rub = friction ? [frictionSlider(this.app, friction, (value) => this.#take(friction, value))] : [];
    this.#followed = [...joints, ...rub];
    this.#rows = new Map(others.map((one) => [one.name, row(one, (values) => this.#send({ [one.name]: values }, ""))]));
    const { axes, rub: below, gains } = this.#lists;
    const longest = Math.max(FRICTION.length, ...setPoints.map(({ joint }) => joint.length));
    for (const list of [axes, below]) list.style.setProperty("--name", `${Math.min(MOST_LETTERS, longest)}ch`);
    fill(axes, ...joints.map(({ element }) => element));
    fill(below, ...rub.map(({ element }) => element));
    fill(gains, ...[...this.#rows.values()].map(({ element }) => element));
  }

  /** A hand on a slider is one step to take back, however far it goes. */
  #take(parameter: Parameter | null, value: number): void {
    if (parameter) this.#send({ [parameter.name]: [value] }, parameter.name);
  }

  #send(values: Values, key: string): void {
    this.#demo.stop();
    this.#wanted = { ...this.#wanted, ...values };
    this.#sending.ask(key);
  }

  #taken(): Values {
    const values = this.#wanted;
    this.#wanted = {};
    return values;
  }
}

/** Set points of all joints as parameters. */
function together({ setPoints }: Settings, values: readonly number[]): Values {
  return Object.fromEntries(setPoints.map(({ parameter }, k) => [parameter.name, [values[k] ?? NaN]]));
}
