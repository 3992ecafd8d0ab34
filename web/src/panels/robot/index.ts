/** The operator's panel of a driven model: set points, friction, its controller and gains, and whether all is well. */

import type { App } from "../../app";
import { fill, h } from "../../core/dom";
import { Latest } from "../../core/latest";
import { computed, effect } from "../../core/signal";
import { undoKeys } from "../../core/undo";
import type { Parameter } from "../../net/types";
import { platformOf } from "../../scene/platform_source";
import type { Panel } from "../../shell/panel";
import { accessBar, whyNotOperating } from "../common/access";
import { baseOf } from "../common/base";
import { gate, iconButton, ICONS, note, section, toggle, whileVisible } from "../common/ui";
import { lately } from "../operator/faults";
import { health } from "../operator/health";
import { row, type Row } from "../tuning/row";
import { tunerOf, type Values } from "../tuning/tuner";
import { demo } from "./demo";
import { link } from "./link";
import { requests } from "./requests";
import { settingsOf, type Settings } from "./settings";
import { frictionSlider, jointSlider, type Followed } from "./sliders";

const FRICTION = "friction";
const MOST_LETTERS = 14; // of a joint's name; all of it is in its hint

export const robot: Panel = {
  id: "robot",
  title: "Robot",
  suits: (app) => app.session.runsModel(),
  icon: "M5 21h8|M9 21v-4|M9 17l-3-7|M6 10l7-5|M13 5l5 4|M18 9l2 3|M18 9l-1 4|M4.6 10a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0-2.8 0|M11.6 5a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0-2.8 0",
  mount(app) {
    const tuner = tunerOf(app);
    const trouble = note("info", "robot-trouble");
    const refresh = async (): Promise<void> => {
      try {
        await tuner.refresh();
        trouble.say("");
      } catch (error) {
        trouble.say(`${error instanceof Error ? error.message : String(error)}. Set points are available while a model runs.`);
      }
    };
    const element = h(
      "div", { class: "panel p-robot", "data-test": "panel-robot" }, accessBar(app),
      requests(app), trouble.element, ...controls(app), link(app), lately(app), health(app),
    );
    undoKeys(element, () => void tuner.undo(), () => void tuner.redo(), "[data-typed]");
    const generation = computed(() => baseOf(app).ring()?.generation ?? -1);
    effect(() => {
      generation(); // another run begins as designed
      if (app.socket.link() === "open") void refresh();
    });
    whileVisible(element, refresh);
    return element;
  },
};

/** Sections of what can be set; made anew only where the table of parameters or the model is another one. */
function controls(app: App): HTMLElement[] {
  const tuner = tunerOf(app);
  const whyNot = whyNotOperating(app);
  const found = platformOf(app, "live");
  const joints = computed(() => {
    const now = found();
    return now.state === "here" && now.scene.kind === "model" ? now.scene.joints : [];
  });
  let wanted: Values = {}; // what a hand asks for while the last is on its way
  const sending = new Latest<string>(
    (key) => {
      const values = wanted;
      wanted = {};
      return app.attempt(tuner.change(values, key));
    },
    () => undefined,
  );
  let made: { followed: Followed[]; rows: Map<string, Row>; control: ((parameter: Parameter, why: string) => void) | null } | null = null;
  let settings: Settings = { setPoints: [], friction: null, control: null, others: [] };
  const show = (values: readonly number[]): Promise<unknown> => tuner.change(together(settings, values), "demo");
  const tourOf = demo(app, () => settings.setPoints, show);
  const undo = iconButton(ICONS.undo, "Undo (Ctrl+Z)", () => void tuner.undo(), "robot-undo");
  const redo = iconButton(ICONS.redo, "Redo (Ctrl+Shift+Z)", () => void tuner.redo(), "robot-redo");
  const [axes, gains] = [h("div", { class: "r-axes" }), h("div", { class: "p-parameters" })];
  const [rub, switched] = [h("div", { class: "r-axes" }), h("div", { class: "row" })];
  const more = h("details", { class: "r-more", "data-test": "robot-gains" }, h("summary", {}, "Gains"), gains);
  const points = section("Set points", [tourOf.button, undo, redo], axes);
  const plant = section("Controller and friction", [], switched, rub, more);
  const take = (values: Values, key: string): void => {
    tourOf.stop();
    wanted = { ...wanted, ...values };
    sending.ask(key);
  };
  const build = (of: Settings): void => {
    const followed = of.setPoints.map((one) => jointSlider(app, one, (value) => take({ [one.parameter.name]: [value] }, one.joint)));
    const friction = of.friction && frictionSlider(app, of.friction, (value) => take({ [of.friction?.name ?? ""]: [value] }, FRICTION));
    const on = toggle("Controller", (yes) => take({ [of.control?.name ?? ""]: [yes ? 1 : 0] }, ""), "robot-control");
    const rows = new Map(of.others.map((parameter) => [parameter.name, row(parameter, (values) => take({ [parameter.name]: values }, ""))]));
    const longest = Math.max(FRICTION.length, ...of.setPoints.map(({ joint }) => joint.length));
    for (const list of [axes, rub]) list.style.setProperty("--name", `${Math.min(MOST_LETTERS, longest)}ch`);
    fill(axes, ...followed.map(({ element }) => element));
    fill(rub, friction?.element);
    fill(switched, on.element, h("span", { class: "p-small" }, "Torques of the controller act on the joints"));
    fill(gains, ...[...rows.values()].map(({ element }) => element));
    switched.hidden = of.control === null;
    more.hidden = of.others.length === 0;
    const control = of.control && ((parameter: Parameter, why: string): void => {
      on.set((parameter.goal[0] ?? 0) > 0);
      gate(on.element, why, "Controller on or off: without it, joints move freely");
    });
    made = { followed: friction ? [...followed, friction] : followed, rows, control };
  };
  let table = "";
  effect(() => {
    const parameters = tuner.found()?.parameters ?? [];
    settings = settingsOf(parameters, joints());
    points.hidden = settings.setPoints.length === 0;
    plant.hidden = parameters.length === 0;
    const key = JSON.stringify([parameters.map(({ name, least, most }) => [name, least, most]), joints().map(({ name }) => name)]);
    if (key !== table) build(settings);
    table = key;
    const why = whyNot();
    for (const parameter of settings.others) made?.rows.get(parameter.name)?.show(parameter, parameter.tunable ? why : "it is fixed");
    if (settings.control) made?.control?.(settings.control, why);
  });
  const follow = (): void => {
    const why = whyNot.peek();
    const parameters = new Map((tuner.found.peek()?.parameters ?? []).map((one) => [one.name, one]));
    for (const one of made?.followed ?? []) one.follow(parameters, why);
  };
  effect(() => {
    tuner.found();
    whyNot();
    follow();
  });
  app.onFrame(() => app.isBeat && axes.checkVisibility() && follow());
  effect(() => {
    gate(undo, whyNot() || (tuner.canUndo() ? "" : "nothing was changed on this page"), "Undo (Ctrl+Z): back to the previous value");
    gate(redo, whyNot() || (tuner.canRedo() ? "" : "nothing was undone"), "Redo (Ctrl+Shift+Z)");
  });
  return [points, plant];
}

/** Set points of all joints as parameters. */
function together({ setPoints }: Settings, values: readonly number[]): Values {
  return Object.fromEntries(setPoints.map(({ parameter }, k) => [parameter.name, [values[k] ?? NaN]]));
}
