/** How the cueing does: what the platform follows, with which set, how far the feelings differ, late plans. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import { section } from "../common/ui";
import { figure } from "../operator/host";
import { blend } from "./axes";

/** Perceived error: below one threshold nobody notices the difference. */
const FINE = 1;
const MUCH = 3;

export function standing(app: App): HTMLElement {
  const follows = figure("Follows");
  const set = figure("Set");
  const error = figure("Error");
  const late = figure("Late");
  const element = section("Cueing", [], h("div", { class: "cue-standing" }, ...[follows, set, error, late].map((one) => one.element)));
  const named = (one: { element: HTMLElement }, name: string, about: string): void => {
    one.element.dataset["test"] = `cueing-${name}`;
    one.element.title = about;
  };
  named(follows, "follows", "The algorithm that the platform follows now");
  named(set, "set", "The set of parameters in use; it changes slowly between air and ground");
  named(error, "error", "How far apart the feelings in the vehicle and on the platform are, in thresholds of perception; below 1 nobody notices");
  named(late, "late", "Late plans: plans since the start that came too late, or not at all; the washout is followed then");
  app.onFrame(() => {
    if (!app.isBeat || !element.checkVisibility()) return;
    const word = app.session.meaning("cue_follows", app.value("cue_follows"));
    follows.set(word?.split(" ")[1]?.replace(/:$/, "") ?? "–");
    set.set(blend(app.value("cue_set")));
    const value = app.value("cue_error");
    error.set(Number.isFinite(value) ? value.toFixed(2) : "–");
    error.element.classList.toggle("warn", value > FINE && value <= MUCH);
    error.element.classList.toggle("bad", value > MUCH);
    const plans = app.value("cue_late");
    late.set(Number.isFinite(plans) ? plans.toFixed(0) : "–");
  });
  return element;
}
