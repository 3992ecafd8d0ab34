/** Before the base moves: what will happen, in words; the question goes away when the situation has changed. */

import type { App } from "../../app";
import { fill, h, type Child } from "../../core/dom";
import { effect, signal, type Signal } from "../../core/signal";
import { MOVING_MS } from "../../net/api";
import type { Generators } from "../../net/types";
import { ask } from "../common/dialog";
import { whyNotOperating, whyNotStopping } from "../common/access";
import { sentence } from "../common/ui";
import { counted, exceededList } from "../generators/exceeded";
import { differences, summary } from "../generators/model";
import { ACTIONS, CALMING, whyNot, type Situation } from "./actions";

const LOOK_MS = 500; // between looks at what is armed, while the question is open

/** What the operator said yes to. */
export interface Confirmed {
  /** Version of the armed generators that the question named; null where it named none. */
  generators: number | null;
}

/** What was confirmed; null where it was cancelled. Requests that move nothing need no confirmation. */
export async function confirmed(
  app: App, action: keyof typeof ACTIONS, now: Signal<Situation>,
): Promise<Confirmed | null> {
  const { moves, label } = ACTIONS[action];
  if (!moves) return { generators: null };
  const asked = now.peek();
  const isDrive = action === "drive";
  const shown = signal(isDrive ? await armedNow(app) : null);
  let named = shown.peek()?.version ?? null; // that of the first answer, be it a late one
  const look = async (): Promise<void> => {
    const found = await armedNow(app);
    named ??= found?.version ?? null;
    if (found && JSON.stringify(found) !== JSON.stringify(shown.peek())) shown.set(found); // limits that were judged since
  };
  const said = h("div", { class: "p-dialog", "data-test": "confirm-said" });
  const stop = isDrive ? effect(() => fill(said, ...driving(shown(), asked))) : undefined;
  const body = isDrive ? [said] : [h("p", {}, moves.text)];
  const looking = isDrive ? setInterval(() => void look(), LOOK_MS) : undefined;
  const isCalming = CALMING.has(action); // it may be answered while the page is behind, and when the state has changed
  const [gone, stale] = [whyNotStopping(app), whyNotOperating(app)];
  const yes = await ask({
    title: moves.title,
    body,
    act: label,
    kind: () => (shown()?.exceeded?.length ? "danger" : "primary"),
    test: "confirm",
    isCautious: true,
    outdated: () => {
      const { state, mode } = now();
      if (gone()) return gone();
      if (stale()) return ""; // what is known is old: nothing follows from it
      if (whyNot(action, now())) return whyNot(action, now());
      if (isCalming) return "";
      if (state !== asked.state) return `the base has gone to ${state} in the meantime`;
      if (mode !== asked.mode) return `the base has gone to ${mode} mode in the meantime`;
      const armed = shown()?.version ?? null;
      return armed === named ? "" : `version ${armed} of the generators has been armed in the meantime`;
    },
    waits: () => (isCalming ? "" : stale()),
    onOutdated: (why) => app.say(`${label} was not requested: ${why}.`, "error"),
  });
  clearInterval(looking);
  stop?.();
  return yes ? { generators: named } : null;
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
        `Frames arrive, the last ${(1e3 * (host?.age_s ?? 0)).toFixed(0)} ms ago, and stay within the limits.`,
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
  if (block === null) return [h("p", { class: "warn" }, "The generator settings could not be read.")];
  const on = block.armed.cards.flatMap((card, k) => (card.enabled ? [h("li", {}, `${k + 1}: ${summary(card)}`)] : []));
  const name = block.armed.name ? ` “${block.armed.name}”` : "";
  if (on.length === 0) return [h("p", {}, `No generator is on (version ${block.version}).`)];
  return [
    h("p", {}, `Generators that start with it, version ${block.version}${name}:`), h("ul", { class: "p-armed" }, ...on),
    ...beyond(block), ...sinceLastRun(block),
  ];
}

function beyond({ exceeded, judged }: Generators): Child[] {
  if (exceeded === null) return [h("p", { class: "warn", "data-test": "confirm-unjudged" }, `${sentence(judged)}.`)];
  if (exceeded.length === 0) return [h("p", { class: "good" }, `Within all limits (${judged}).`)];
  const text = `Beyond ${counted(exceeded)} (${judged}). The control law enforces them: the platform will run into them again and again.`;
  return [h("p", { class: "bad" }, h("strong", {}, text)), exceededList(exceeded, "confirm-exceeded")];
}

/** What is new for an operator who remembers the last drive. */
function sinceLastRun({ armed, version, running_version: ran, last_run: before }: Generators): Child[] {
  const line = (text: string): Child[] => [h("p", { class: "dim", "data-test": "confirm-differs" }, text)];
  if (ran === null || ran === 0) return line("No generators have run since this base started.");
  if (ran === version) return line(`Same as in the last run, version ${ran}.`);
  if (!before) return line(`The last run used version ${ran}, which this console has not seen, so they cannot be compared.`);
  const changed = differences(before, armed);
  if (changed.length === 0) return line(`The same motion as in the last run, version ${ran}.`);
  return [
    h("p", {}, `Changes since the last run, version ${ran}${before.name ? ` “${before.name}”` : ""}:`),
    h("ul", { class: "p-armed", "data-test": "confirm-differs" }, ...changed.map((one) => h("li", {}, sentence(one)))),
  ];
}
