/** Before the base moves: what will happen, in words; the question goes away when the situation has changed. */

import type { App } from "../../app";
import { h, type Child } from "../../core/dom";
import type { Signal } from "../../core/signal";
import type { Generators } from "../../net/types";
import { ask } from "../common/dialog";
import { whyNotOperating } from "../common/access";
import { summary } from "../generators/model";
import { ACTIONS, whyNot, type Situation } from "./actions";

/** Whether to go on; what moves nothing is not asked back. */
export async function confirmed(app: App, action: keyof typeof ACTIONS, now: Signal<Situation>): Promise<boolean> {
  const { moves, label } = ACTIONS[action];
  if (!moves) return true;
  const asked = now.peek();
  const body = action === "drive" ? await driving(app, asked) : [h("p", {}, moves.text)];
  const seat = whyNotOperating(app);
  return ask({
    title: moves.title,
    body,
    act: label,
    test: "confirm",
    outdated: () => {
      const { state, mode } = now();
      const changed = state !== asked.state || mode !== asked.mode;
      return seat() || whyNot(action, now()) || (changed ? `the base has gone to ${state} meanwhile` : "");
    },
    onOutdated: (why) => app.say(`${label} was not asked for: ${why}.`, "error"),
  });
}

async function driving(app: App, { mode, host }: Situation): Promise<Child[]> {
  const block = await app.api.get<Generators>("/api/generators").catch(() => null);
  const said: Child[] = [];
  if (mode === "host") {
    said.push(h("p", {}, "The platform blends into the host's trajectory and follows it."));
    said.push(
      h(
        "p", { class: "good" },
        `Frames come, the last ${(1e3 * (host?.age_s ?? 0)).toFixed(0)} ms ago, and stay within the limits.`,
      ),
    );
  } else {
    said.push(h("p", {}, "The platform follows the generators about its neutral pose."));
  }
  said.push(...armed(block));
  said.push(h("p", { class: "faint" }, "Settle brings it back to neutral, freeze stops it where it is."));
  return said;
}

function armed(block: Generators | null): Child[] {
  if (block === null) return [h("p", { class: "warn" }, "What the generators are set to could not be read.")];
  const on = block.armed.cards.flatMap((card, k) => (card.enabled ? [h("li", {}, `${k + 1}: ${summary(card)}`)] : []));
  const name = block.armed.name ? ` “${block.armed.name}”` : "";
  if (on.length === 0) return [h("p", {}, `No generator is on (version ${block.version}).`)];
  return [
    h("p", {}, `Generators that begin with it, version ${block.version}${name}:`), h("ul", { class: "p-armed" }, ...on),
  ];
}
