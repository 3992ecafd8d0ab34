/** Motion cueing: how the vehicle's motion becomes the platform's, how much of it people feel, and its parameters. */

import "./cueing.css";
import { h } from "../../core/dom";
import { computed, effect } from "../../core/signal";
import { undoKeys } from "../../core/undo";
import type { Panel } from "../../shell/panel";
import { accessBar } from "../common/access";
import { baseOf } from "../common/base";
import { hostLink } from "../common/host_link";
import { section, whileVisible } from "../common/ui";
import { tunerOf } from "../tuning/tuner";
import { isCued } from "./axes";
import { compare } from "./compare";
import { curves } from "./curves";
import { parameters } from "./parameters";
import { standing } from "./standing";
import { stroke } from "./stroke";

export const cueing: Panel = {
  id: "cueing",
  title: "Cueing",
  suits: (app) => isCued(app.session.schemas().live?.channels) || isCued(app.session.schema()?.channels) || isCued(app.file()?.recording_schema.channels),
  icon: "M2 15c3 0 3-9 6-9s3 9 6 9 3-5 4-5 2 2 4 2|M3 20h18",
  mount(app) {
    const tuner = tunerOf(app);
    const base = baseOf(app);
    const refresh = async (): Promise<void> => {
      if (base.ring.peek()?.has_parameters) await tuner.refresh().catch(() => undefined); // Tuning says what is wrong
    };
    const element = h(
      "div", { class: "panel p-cueing", "data-test": "panel-cueing" }, accessBar(app),
      section("Host link", [], hostLink(app)), standing(app), curves(app), stroke(app), parameters(app), compare(app),
    ); // prettier-ignore
    undoKeys(element, () => void tuner.undo(), () => void tuner.redo(), "[data-typed]");
    const generation = computed(() => base.ring()?.generation ?? -1);
    effect(() => {
      generation(); // another run begins as designed
      if (app.socket.link() === "open") void refresh();
    });
    whileVisible(element, refresh);
    return element;
  },
};
