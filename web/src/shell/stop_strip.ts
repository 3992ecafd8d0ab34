/** While the emergency stop acts: a line across the page with the button's text, who requested it, and how to reset it. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { effect } from "../core/signal";
import { baseOf } from "../panels/common/base";
import { stopShownOf } from "../panels/operator/estop";
import { closeModals } from "./modal";

export function stopStrip(app: App, openOperator: () => void): HTMLElement {
  const [base, shown] = [baseOf(app), stopShownOf(app)];
  const word = h("strong", {});
  const who = h("span", { class: "grow", "data-test": "stopped-by" });
  const way = h("button", { type: "button", "data-test": "stopped-reset", title: "Show the reset button in the operator panel", onclick: () => showReset(app, openOperator) }, "Reset …");
  const element = h(
    "div", { class: "stop-strip", role: "alert", "data-test": "stopped", hidden: true },
    word, who, way,
  );
  effect(() => {
    const { word: said, strip } = shown();
    element.hidden = strip === "";
    if (element.hidden) return;
    setText(word, said);
    setText(who, strip);
  });
  let acted = false;
  effect(() => {
    const begins = base.estop() && !acted;
    acted = base.estop();
    // nothing may cover an operator's page, and no earlier question is answered in a hurry
    if (begins && app.session.mayOperate.peek() && closeModals()) app.say("The open dialog was closed: the emergency stop acts.");
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
