/** While no records come: a line across the page that says that the base is starting, or how it ended, with a restart button. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { clock } from "../core/format";
import { effect } from "../core/signal";
import type { Answer } from "../net/types";
import { takeSeat } from "../panels/common/access";
import { baseOf } from "../panels/common/base";
import { ask } from "../panels/common/dialog";
import { answered, sentence } from "../panels/common/ui";

const REST = "It starts at rest, switched off, with the same platform and generators. Nothing moves until you switch it on and let it rise.";

export function baseStrip(app: App): HTMLElement {
  const base = baseOf(app);
  const word = h("strong", {});
  const text = h("span", { class: "grow", "data-test": "base-life" });
  const again = h("button", { type: "button", "data-test": "start-again", onclick: () => void startAgain(app) }, "Restart …");
  const element = h("div", { class: "base-strip", role: "status", "data-test": "base-strip", hidden: true }, word, text, again);
  effect(() => {
    const life = base.ring()?.life ?? null;
    element.hidden = life === null || app.socket.link() !== "open" || app.socket.isSilent();
    if (life === null || element.hidden) return;
    const isEnded = life.doing === "ended";
    element.className = `base-strip ${isEnded ? "ended" : ""}`;
    setText(word, isEnded ? "BASE ENDED" : "STARTING");
    const since = life.utc === null ? "" : `${clock(life.utc)} `;
    setText(text, isEnded
      ? `${since}${sentence(life.text)}. The last minutes are still shown; ${app.session.mayOperate() ? "you can restart it" : "an operator can restart it"}.`
      : `${sentence(life.text)}${since ? ` since ${since.trim()}` : ""}; records follow when that is done.`);
    again.hidden = !life.may_start || !app.session.mayOperate();
  });
  return element;
}

async function startAgain(app: App): Promise<void> {
  if (!app.session.operates.peek()) await takeSeat(app);
  if (!app.session.operates.peek()) return;
  const yes = await ask({
    title: "Restart the base?",
    body: [h("p", {}, REST)],
    act: "Restart",
    test: "start-again-dialog",
    isCautious: true,
    outdated: () => (baseOf(app).ring()?.life?.may_start ? "" : "it has been restarted already"),
    onOutdated: (why) => app.say(`Restart was not requested: ${why}.`, "error"),
  });
  if (yes) await answered(app, app.api.post<Answer>("/api/base/start"));
}
