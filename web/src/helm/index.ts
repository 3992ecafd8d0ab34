/** Steering the vehicle of a world from the page, and its instruments. */

import "./helm.css";
import type { App } from "../app";
import { h } from "../core/dom";
import type { Panel } from "../shell/panel";

/** Instruments and who steers, over the view outside; it fills the element that it is put into, which is positioned. */
export function helmOverlay(_app: App): HTMLElement {
  return h("div", { class: "helm-overlay", "data-test": "helm-overlay" });
}

export const helm: Panel = {
  id: "helm",
  title: "Steering",
  suits: (app) => app.session.schemas().live?.channels.some(({ name }) => name === "world_hand") ?? false,
  icon: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z|M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z|M3.5 10.5 10 12|M20.5 10.5 14 12|M12 14v7",
  mount: () => h("div", { class: "panel p-helm", "data-test": "panel-helm" }),
};
