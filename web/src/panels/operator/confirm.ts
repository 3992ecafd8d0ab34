/** Before the base moves: what will happen, in words; the question goes away when the situation has changed. */

import type { App } from "../../app";
import { h, type Child } from "../../core/dom";
import { signal, type Signal } from "../../core/signal";
import { MOVING_MS } from "../../net/api";
import type { Generators } from "../../net/types";
import { ask } from "../common/dialog";
import { whyNotOperating, whyNotStopping } from "../common/access";
import { summary } from "../generators/model";
import { ACTIONS, CALMING, whyNot, type Situation } from "./actions";

const LOOK_MS = 500; // between looks at what is armed, while the question is open

/** What the operator said yes to. */
export interface Confirmed {
  /** Version of the armed generators that the question named; null where it named none. */
  generators: number | null;
}

/** What to go on with, null where not to; what moves nothing is not asked back. */
export async function confirmed(
  app: App, action: keyof typeof ACTIONS, now: Signal<Situation>,
): Promise<Confirmed | null> {
  const { moves, label } = ACTIONS[action];
  if (!moves) return { generators: null };
  const asked = now.peek();
  const isDrive = action === "drive";
  const block = isDrive ? await armedNow(app) : null;
  const body = isDrive ? driving(block, asked) : [h("p", {}, moves.text)];
  const version = signal(block?.version ?? null);
  const look = async (): Promise<void> => version.set((await armedNow(app))?.version ?? version.peek());
  const looking = isDrive ? setInterval(() => void look(), LOOK_MS) : undefined;
  const isCalming = CALMING.has(action); // a picture that is old, or changes meanwhile, does not take the question away
  const [seat, stale] = [isCalming ? whyNotStopping(app) : whyNotOperating(app), whyNotOperating(app)];
  const yes = await ask({
    title: moves.title,
    body,
    act: label,
    test: "confirm",
    isCautious: true,
    outdated: () => {
      const { state, mode } = now();
      if (seat()) return seat();
      if (isCalming) return stale() ? "" : whyNot(action, now());
      if (whyNot(action, now())) return whyNot(action, now());
      if (state !== asked.state) return `the base has gone to ${state} meanwhile`;
      if (mode !== asked.mode) return `the base has gone to ${mode} mode meanwhile`;
      return version() === (block?.version ?? null) ? "" : `version ${version()} of the generators is armed meanwhile`;
    },
    onOutdated: (why) => app.say(`${label} was not asked for: ${why}.`, "error"),
  });
  clearInterval(looking);
  return yes ? { generators: block?.version ?? null } : null;
}

function armedNow(app: App): Promise<Generators | null> {
  return app.api.get<Generators>("/api/generators", {}, MOVING_MS).catch(() => null);
}

function driving(block: Generators | null, { mode, host }: Situation): Child[] {
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
