/** The operator's panel of a driven model: set points, friction, its controller and gains, and whether all is well. */

import { h } from "../../core/dom";
import { computed, effect } from "../../core/signal";
import { undoKeys } from "../../core/undo";
import type { Panel } from "../../shell/panel";
import { accessBar } from "../common/access";
import { baseOf } from "../common/base";
import { note, whileVisible } from "../common/ui";
import { lately } from "../operator/faults";
import { health } from "../operator/health";
import { tunerOf } from "../tuning/tuner";
import { controls } from "./controls";
import { link, TORQUES } from "./link";
import { OF_ROBOTS, requests } from "./requests";

export const robot: Panel = {
  id: "robot",
  title: "Robot",
  suits: (app) => app.session.runsModel() && !app.session.runsRotor(),
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
      requests(app, OF_ROBOTS), trouble.element, ...controls(app), link(app, TORQUES), lately(app), health(app),
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
