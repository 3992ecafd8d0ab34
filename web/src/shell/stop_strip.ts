/** While the emergency stop acts: a line across the page that says so, who asked for it and when, and the way out. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { effect } from "../core/signal";
import { baseOf } from "../panels/common/base";
import { cause, origin } from "../panels/operator/estop";

export function stopStrip(app: App, openOperator: () => void): HTMLElement {
  const base = baseOf(app);
  const who = h("span", { class: "grow", "data-test": "stopped-by" });
  const way = h("button", { type: "button", "data-test": "stopped-reset", title: "Open the operator panel", onclick: openOperator }, "Reset …");
  const element = h(
    "div", { class: "stop-strip", role: "alert", "data-test": "stopped", hidden: true },
    h("strong", {}, "STOPPED"), who, way,
  );
  effect(() => {
    element.hidden = !base.estop();
    if (element.hidden) return;
    setText(who, origin(cause(app.session.events()), base.ring()?.estop_by ?? null, app.client));
  });
  return element;
}
