/** The operator's panel of a driven model: set points, friction, its controller and gains, and whether all is well. */

import type { Panel } from "../../shell/panel";
import { controls } from "./controls";
import { link, TORQUES } from "./link";
import { modelPanel } from "./panel";
import { OF_ROBOTS, requests } from "./requests";

export const robot: Panel = {
  id: "robot",
  title: "Robot",
  suits: (app) => app.session.runsModel() && !app.session.runsRotor(),
  icon: "M5 21h8|M9 21v-4|M9 17l-3-7|M6 10l7-5|M13 5l5 4|M18 9l2 3|M18 9l-1 4|M4.6 10a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0-2.8 0|M11.6 5a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0-2.8 0",
  mount: (app) => modelPanel(app, "robot", "Set points are available while a model runs.", requests(app, OF_ROBOTS), [...controls(app), link(app, TORQUES)]),
};
