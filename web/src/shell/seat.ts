/** Who looks and who operates: the button in the title bar, its menu, and a clear word when the seat was taken away. */

import type { App } from "../app";
import { fill, h, setText, toggleClass } from "../core/dom";
import { icon } from "../core/icon";
import { clock } from "../core/format";
import { effect } from "../core/signal";
import type { Me } from "../net/types";
import { askToken, takeSeat } from "../panels/common/access";
import { menuButton } from "./menu";
import { sheet } from "./modal";

const EYE = "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12z|M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z";
const WHEEL = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z|M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z|M3.5 10.5 10 12|M20.5 10.5 14 12|M12 14v7";

let isLeaving = false; // this page gave the seat back itself

export function seatButton(app: App): HTMLElement {
  const { session } = app;
  const picture = h("span", { class: "row" });
  const word = h("span", { class: "seat-word ellipsis" });
  const menu = h("div", { class: "menu-body", "data-test": "seat-menu" });
  const { element, button, close } = menuButton([picture, word], menu, "seat", "Role and seat");
  let pictured = "";
  effect(() => {
    const holder = session.status()?.seat;
    const isRefused = app.socket.link() === "refused";
    const [mine, may] = [session.operates() && !isRefused, session.mayOperate() && !isRefused];
    const look = may ? WHEEL : EYE;
    if (look !== pictured) fill(picture, icon((pictured = look), 15));
    setText(word, isRefused ? "Not let in" : mine ? "You operate" : holder ? `${holder.name} operates` : may ? "Seat is free" : "Viewer");
    toggleClass(button, "mine", mine);
    const who = holder ? `${holder.name} has the operator's seat since ${clock(holder.since_utc)}.` : "Nobody has the operator's seat.";
    button.title = isRefused ? "The console did not let this page in: its token is not the right one." : `${may ? "Operator" : "Viewer"}. ${who}`;
  });
  effect(() => {
    const status = session.status();
    const isRefused = app.socket.link() === "refused";
    const [mine, may, holder] = [session.operates() && !isRefused, session.mayOperate() && !isRefused, status?.seat];
    const pages = status ? (status.viewers === 1 ? "1 page is connected" : `${status.viewers} pages are connected`) : "not connected";
    const act = (text: string, test: string, kind: string, work: () => unknown): HTMLElement =>
      h("button", { type: "button", class: kind, "data-test": test, onclick: () => (close(), void work()) }, text);
    const key = JSON.stringify([mine, may, isRefused, holder, pages]);
    if (menu.dataset["key"] === key) return; // buttons stay while somebody presses them
    menu.dataset["key"] = key;
    fill(
      menu,
      h(
        "p",
        {},
        may ? "This page has the operator token." : isRefused ? "The console did not let this page in: its token is not the right one." : "This page looks on: without the operator token it can change nothing.",
      ),
      h(
        "p",
        { class: "dim" },
        holder
          ? `${mine ? `You (${holder.name}) operate` : `${holder.name} operates`} since ${clock(holder.since_utc)}; `
          : "The operator's seat is free; ",
        `${pages}.`,
      ),
      !may && act(
        "Enter the operator token",
        "seat-token",
        "primary",
        () => askToken(app, "With the operator token this page may take the seat and operate."),
      ),
      may && !mine && act(
        holder ? `Take over from ${holder.name}` : "Take the seat",
        "seat-take",
        "primary",
        () => takeSeat(app),
      ),
      mine && act("Release the seat", "seat-release", "", () => release(app)),
      app.api.token !== "" && act("Forget the token", "seat-forget", "quiet", () => forget(app)),
    );
  });
  watch(app);
  return element;
}

async function release(app: App): Promise<void> {
  isLeaving = true;
  const me = await app.attempt(app.api.delete<Me>("/api/seat"));
  if (me) app.session.me.set(me);
  isLeaving = false;
}

async function forget(app: App): Promise<void> {
  if (app.session.operates.peek()) await release(app);
  isLeaving = true;
  app.signIn("");
  app.session.me.set(null);
  setTimeout(() => (isLeaving = false), 2000);
}

/** Tell who operated that somebody else does now. */
function watch(app: App): void {
  let was = false;
  effect(() => {
    const me = app.session.me();
    const isLost = was && me !== null && !me.seated && !isLeaving;
    was = me?.seated ?? false;
    if (isLost) setTimeout(() => lost(app), 100); // the status that says who has it comes right after
  });
}

function lost(app: App): void {
  if (app.session.operates.peek()) return;
  const holder = app.session.status.peek()?.seat;
  if (holder?.client === app.client) {
    setTimeout(() => lost(app), 100); // the status that says who has it now has not come yet
    return;
  }
  const text = holder
    ? `${holder.name} took the operator's seat at ${clock(holder.since_utc)}. ` +
      "Nothing you press here moves the base any more; the emergency stop still does what it says."
    : "This page was away for too long, and the operator's seat became free. Take it again to go on.";
  const again = h(
    "button",
    { type: "button", "data-test": "seat-again", onclick: () => (dialog.close(""), void takeSeat(app)) },
    holder ? "Take it back" : "Take the seat",
  );
  const fine = h(
    "button",
    { type: "button", class: "primary", "data-test": "seat-lost-ok", onclick: () => dialog.close("") },
    "I look on",
  );
  const dialog = sheet(
    holder ? `${holder.name} operates now` : "The seat is free",
    "seat-lost",
    h("p", {}, text),
    h("div", { class: "sheet-foot" }, again, fine),
  );
  fine.focus();
}
