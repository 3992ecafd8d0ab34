/** What is wrong now, and what was lately: sentences with times, and the way to reset. */

import type { App } from "../../app";
import { fill, h, setText } from "../../core/dom";
import { effect } from "../../core/signal";
import type { Event } from "../../net/types";
import { baseOf } from "../common/base";
import { section, sentence } from "../common/ui";
import { stopShownOf } from "./estop";

const SHOWN = 5;
const BAD: Event["what"][] = ["fault", "estop", "warning", "alarm"];

/** @param reset the button that resets, made with the other actions */
export function faults(app: App, reset: HTMLElement): HTMLElement {
  const base = baseOf(app);
  const stopped = stopShownOf(app);
  const what = h("p", { class: "grow", "data-test": "fault", role: "alert" });
  const now = h("div", { class: "p-fault row" }, what, reset);
  const warnings = h("p", { class: "warn", "data-test": "warnings" });
  effect(() => {
    const { strip } = stopped();
    const fault = base.fault() ?? (strip && `emergency stop: ${base.isFresh() ? "it acts until it is reset" : strip}`);
    now.className = `p-fault row ${fault ? "bad" : ""}`;
    setText(what, fault ? `${sentence(fault)}.` : base.state() === null ? "Unknown." : "No fault.");
  });
  effect(() => {
    warnings.hidden = base.warnings() === "";
    setText(warnings, `Warning: ${base.warnings()}`);
  });
  return section("Faults", [], now, warnings, recent(app));
}

/** What was wrong lately, as a part of its own: for a panel that says elsewhere what is wrong now. */
export function lately(app: App): HTMLElement {
  const list = recent(app);
  const none = h("p", { class: "faint p-small" }, "Nothing was wrong so far.");
  effect(() => {
    app.session.events();
    none.hidden = !list.hidden;
  });
  return section("Recent faults and warnings", [], none, list);
}

function recent(app: App): HTMLElement {
  const lately = h("ol", { class: "p-lately", "aria-label": "Recent" });
  effect(() => {
    const found = app.session.events().filter(
      (event) => event.source === "live" && BAD.includes(event.what),
    ).slice(-SHOWN).reverse();
    lately.hidden = found.length === 0;
    fill(
      lately,
      ...found.map(
        (event) => h(
          "li", { class: event.is_bad ? "bad" : "" }, h("time", { class: "num faint" }, app.clock.event(event)),
          h("span", {}, event.text),
        ),
      ),
    );
  });
  return lately;
}
