/** While the emergency stop acts: a line across the page that says so, who asked for it and when, and the way out. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { effect } from "../core/signal";
import { baseOf } from "../panels/common/base";
import { stoppedBy } from "../panels/operator/estop";
import { closeModals } from "./modal";

export function stopStrip(app: App, openOperator: () => void): HTMLElement {
  const base = baseOf(app);
  const who = h("span", { class: "grow", "data-test": "stopped-by" });
  const way = h("button", { type: "button", "data-test": "stopped-reset", title: "Show the reset button in the operator panel", onclick: () => showReset(app, openOperator) }, "Reset …");
  const element = h(
    "div", { class: "stop-strip", role: "alert", "data-test": "stopped", hidden: true },
    h("strong", {}, "STOPPED"), who, way,
  );
  effect(() => {
    element.hidden = !base.estop();
    if (element.hidden) return;
    setText(who, stoppedBy(app));
  });
  let acted = false;
  effect(() => {
    const begins = base.estop() && !acted;
    acted = base.estop();
    // nothing covers the page of who may operate, and no question of before is answered by a hand in a hurry
    if (begins && app.session.mayOperate.peek() && closeModals()) app.say("What was being asked was put away: the emergency stop acts.");
  });
  return element;
}

/** Where the panel is open already, too: the button comes into sight and gets the focus, or says why it cannot act. */
function showReset(app: App, openOperator: () => void): void {
  openOperator();
  const reset = document.querySelector<HTMLButtonElement>('[data-test="operate-reset"]');
  if (!reset) return;
  reset.scrollIntoView({ block: "center" });
  if (reset.disabled) app.say(reset.title, "error");
  else reset.focus();
}
