/** Who watches and who operates: the button in the title bar, its menu, and a message when the seat was taken away. */

import type { App } from "../app";
import { fill, h, setText, toggleClass } from "../core/dom";
import { icon } from "../core/icon";
import { clock } from "../core/format";
import { effect } from "../core/signal";
import type { Me } from "../net/types";
import { askToken, sitAgain, takeSeat, waitForSeat } from "../panels/common/access";
import { menuButton } from "./menu";

const EYE = "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12z|M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z";
const WHEEL = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z|M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z|M3.5 10.5 10 12|M20.5 10.5 14 12|M12 14v7";

const SOON_MS = 100;
const RETURNS_MS = 300_000; // a page that is away for longer does not get the seat back

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
    const others = holder?.away ? `${holder.name} is away` : `${holder?.name} operates`;
    setText(word, isRefused ? "No access" : mine ? "You operate" : holder ? others : may ? "Seat is free" : "Viewer");
    toggleClass(button, "mine", mine);
    const who = holder ? `${holder.name} has had the operator's seat since ${clock(holder.since_utc)}.` : "Nobody has the operator's seat.";
    button.title = isRefused ? "The console refused this page: its token is not valid." : `${may ? "Operator" : "Viewer"}. ${who}`;
  });
  effect(() => {
    const status = session.status();
    const isRefused = app.socket.link() === "refused";
    const [mine, may] = [session.operates() && !isRefused, session.mayOperate() && !isRefused];
    const [holder, place] = [status?.seat, session.me()?.waiting ?? null];
    const pages = status ? (status.viewers === 1 ? "1 page is connected" : `${status.viewers} pages are connected`) : "not connected";
    const act = (text: string, test: string, kind: string, work: () => unknown): HTMLElement =>
      h("button", { type: "button", class: kind, "data-test": test, onclick: () => (close(), void work()) }, text);
    const key = JSON.stringify([mine, may, isRefused, holder, place, pages]);
    if (menu.dataset["key"] === key) return; // buttons stay while somebody presses them
    menu.dataset["key"] = key;
    fill(
      menu,
      h(
        "p",
        {},
        may ? "This page has the operator token." : isRefused ? "The console refused this page: its token is not valid." : "This page can only watch: without the operator token it can change nothing.",
      ),
      h(
        "p",
        { class: "dim" },
        holder
          ? `${mine ? `You (${holder.name}) operate` : `${holder.name} operates`} since ${clock(holder.since_utc)}; `
          : "The operator's seat is free; ",
        `${pages}.`,
      ),
      holder?.away && h("p", { class: "warn" }, `The page of ${holder.name} has lost its connection; the seat is kept for half a minute.`),
      holder && holder.waiting.length > 0 && h("p", { class: "dim" }, `Waiting for the seat: ${holder.waiting.join(", ")}.`),
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
      may && !mine && holder && place === null && act("Wait for the seat …", "seat-wait", "", () => waitForSeat(app)),
      place !== null && act("Stop waiting", "seat-wait-end", "", () => release(app)),
      mine && act("Release the seat", "seat-release", "", () => release(app)),
      app.api.token !== "" && act("Forget the token", "seat-forget", "quiet", () => forget(app)),
    );
  });
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

/**
 * A strip above the page when it lost the seat without giving it up. A page that comes
 * back soon takes the seat again by itself if it is free.
 */
export function seatStrip(app: App): HTMLElement {
  const text = h("span", { class: "grow" });
  const again = h("button", { type: "button", "data-test": "seat-again", onclick: () => (hide(), void takeSeat(app)) });
  const fine = h("button", { type: "button", "data-test": "seat-lost-ok", onclick: () => hide() }, "Keep watching");
  const element = h(
    "div", { class: "seat-strip", role: "alert", "data-test": "seat-lost", hidden: true }, text, again, fine,
  );
  const hide = (): void => void (element.hidden = true);
  const show = (): void => {
    const holder = app.session.status.peek()?.seat;
    setText(
      text,
      holder
        ? `${holder.name} took the operator's seat at ${clock(holder.since_utc)}. ` +
          "Nothing you press here moves the base any more; the emergency stop still works as it says."
        : "This page was away for too long and lost the operator's seat. Take it again to continue.",
    );
    setText(again, holder ? "Take it back …" : "Take the seat …");
    element.hidden = false;
  };
  let was = false;
  let waited = false;
  let heardAt = Date.now();
  effect(() => void (app.session.status(), (heardAt = Date.now())));
  effect(() => {
    const me = app.session.me();
    const isLost = was && me !== null && !me.seated && !isLeaving;
    if (me?.seated) hide();
    if (me?.seated && waited) app.say("The operator's seat was free: you have it now.");
    was = me?.seated ?? false;
    waited = (me?.waiting ?? null) !== null;
    if (isLost) void lost(Date.now() - heardAt);
  });
  const lost = async (awayMs: number): Promise<void> => {
    await new Promise((done) => setTimeout(done, SOON_MS)); // the status that says who has it comes right after
    const holder = app.session.status.peek()?.seat;
    if (app.session.operates.peek()) return;
    if (holder?.client === app.client) return lost(awayMs); // of before
    if (!holder && awayMs < RETURNS_MS && (await sitAgain(app))) return app.say("The connection was lost; you have the operator's seat again.");
    show();
  };
  return element;
}
