/** Steering the vehicle of a world from the page, and its instruments. */

import "./helm.css";
import type { App } from "../app";
import type { Panel } from "../shell/panel";
import { followsWorld } from "./helm";
import { panel } from "./panel";
import { WHEEL } from "./standing";

export { helmOf } from "./helm";
export { helmOverlay } from "./overlay";

export const helm: Panel = {
  id: "helm",
  title: "Steering",
  suits: (app) => followsWorld(app) || app.session.byName().has("world_hand"),
  icon: WHEEL,
  mount: (app: App) => panel(app),
};
