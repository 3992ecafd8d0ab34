/** Limits that cards exceed: as a list, and the question before they are armed all the same. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import { ApiError } from "../../net/api";
import type { Exceeded } from "../../net/types";
import { whyNotOperating, whyNotStopping } from "../common/access";
import { ask } from "../common/dialog";
import { sentence } from "../common/ui";
import { DEGREE, short } from "./model";

export function exceededList(exceeded: readonly Exceeded[], test: string): HTMLElement {
  return h(
    "ul", { class: "p-exceeded", "data-test": test, "aria-label": "Limits that would be exceeded" },
    ...exceeded.map((one) => h("li", {}, told(one))),
  );
}

export function counted(exceeded: readonly Exceeded[]): string {
  return exceeded.length === 1 ? "1 limit" : `${exceeded.length} limits`;
}

/** Those that a refusal lists; null where it was refused for something else. */
export function exceededOf(error: unknown): Exceeded[] | null {
  const listed = error instanceof ApiError ? error.body["exceeded"] : null;
  return Array.isArray(listed) && listed.length > 0 ? (listed as Exceeded[]) : null;
}

/** Whether to arm cards that exceed these. */
export function askBeyond(app: App, exceeded: readonly Exceeded[]): Promise<boolean> {
  const [gone, stale] = [whyNotStopping(app), whyNotOperating(app)];
  return ask({
    title: `Arm motion beyond ${counted(exceeded)}?`,
    body: [
      h("p", {}, "The control law enforces the limits: the platform would run into them again and again, and its motion would differ from the preview."),
      exceededList(exceeded, "beyond-list"),
    ],
    act: "Arm anyway",
    kind: "danger",
    test: "beyond",
    isCautious: true,
    outdated: () => gone(),
    waits: () => stale(),
    onOutdated: (why) => app.say(`Nothing was armed: ${why}.`, "error"),
  });
}

function told({ what, value, limit, unit, t }: Exceeded): string {
  const scale = unit.startsWith("rad") ? 1 / DEGREE : 1;
  const shown = (number: number): string => `${short(number * scale)} ${unit.replace(/^rad/, "°").replace("^2", "²")}`;
  return sentence(`${what} reaches ${shown(value)}, the limit is ${shown(limit)}; first at ${t.toFixed(2)} s.`);
}
