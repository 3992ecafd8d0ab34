/** Who may do what from here, why not, and what to do about it. */

import type { App } from "../../app";
import { h, setText } from "../../core/dom";
import { computed, effect, type Signal } from "../../core/signal";
import { Api, ApiError } from "../../net/api";
import { tokenOf } from "../../net/token";
import type { Me, TakeSeat } from "../../net/types";
import { baseOf } from "./base";
import { ask, askText } from "./dialog";
import { sentence } from "./ui";

const NAME_KEY = "motionbase.name";
const SILENT = "the console has been silent for two seconds, so the state of the base is unknown";
const MOST_BEHIND_S = 0.5;
const made = new WeakMap<App, Reasons>();

interface Reasons {
  seat: Signal<string>;
  stopping: Signal<string>;
  base: Signal<string>;
}

/** Why this page cannot request any change; "" where it can. */
export function whyNotSeated(app: App): Signal<string> {
  return reasons(app).seat;
}

/** The same for requests to the base: it must also be running, and the page must be up to date. */
export function whyNotOperating(app: App): Signal<string> {
  return reasons(app).base;
}

/** The same for requests that only stop a motion: the page may be behind. */
export function whyNotStopping(app: App): Signal<string> {
  return reasons(app).stopping;
}

/** How far [s] the console is behind the live base; 0 where that does not matter. */
export function behind(app: App): number {
  const ring = baseOf(app).ring();
  return ring?.state === "live" && ring.behind_s > MOST_BEHIND_S ? ring.behind_s : 0;
}

function reasons(app: App): Reasons {
  const known = made.get(app);
  if (known) return known;
  const { session, socket } = app;
  const live = baseOf(app);
  const seat = computed(() => {
    if (socket.link() !== "open") return "the console server does not answer";
    if (!session.mayOperate()) return "viewers cannot operate: enter the operator token";
    if (session.operates()) return "";
    const holder = session.status()?.seat;
    return holder ? `${holder.name} has the operator's seat` : "take the operator's seat first";
  });
  const stopping = computed(() => {
    if (seat()) return seat();
    if (session.source() !== "live") return "the page shows a replay: return to live first";
    const ring = live.ring();
    if (ring?.state !== "live") return `no base is running: ${ring?.state_text ?? "no ring is known"}`;
    return ring.takes_commands ? "" : "the writer of this ring accepts no commands";
  });
  const base = computed(() => {
    if (stopping()) return stopping();
    if (socket.isSilent()) return SILENT;
    return behind(app) ? `the page is ${behind(app).toFixed(1)} s behind the base` : "";
  });
  const all = { seat, stopping, base };
  made.set(app, all);
  return all;
}

/** The line on top of a panel for those who cannot operate, with a button that helps. */
export function accessBar(app: App): HTMLElement {
  const text = h("span", { class: "grow" });
  const way = h(
    "button", { type: "button", class: "primary", "data-test": "access-way", onclick: () => void wayOut(app) },
  );
  const element = h("div", { class: "p-access", "data-test": "access", role: "status" }, text, way);
  const why = whyNotSeated(app);
  effect(() => {
    element.hidden = why() === "";
    setText(text, sentence(why()));
    way.hidden = app.socket.link() !== "open";
    const holder = app.session.status()?.seat;
    setText(way, !app.session.mayOperate() ? "Enter token" : holder ? "Take over" : "Take the seat");
  });
  return element;
}

async function wayOut(app: App): Promise<void> {
  if (app.session.mayOperate.peek()) await takeSeat(app);
  else await askToken(app, "With the operator token this page may take the seat and operate.");
}

/**
 * Ask for the token that the console printed at start. The page gives up its present token only for a valid one;
 * where it is a viewer already, only for the operator token.
 */
export async function askToken(app: App, why: string): Promise<void> {
  const input = h(
    "input", { type: "password", required: true, autocomplete: "off", spellcheck: "false", "data-test": "token" },
  );
  const where =
    "The console prints it at start, in the address after #token=. If its output does not go to a terminal, it names a file with the token instead. You can also paste the whole address.";
  const body = [h("p", {}, why), h("label", {}, "Operator token", input), h("p", { class: "faint" }, where)];
  const check = (): Promise<string> => tokenProblem(app, tokenOf(input.value));
  const yes = await ask({ title: "Become operator", body, act: "Use token", test: "token-dialog", check });
  if (yes) app.signIn(tokenOf(input.value));
}

/** What is wrong with a token, as the console judges it; "" where it may be used. */
async function tokenProblem(app: App, token: string): Promise<string> {
  try {
    const { role } = await new Api(app.client, token).get<Me>("/api/me");
    const looks = app.socket.link.peek() !== "refused";
    return role === "operator" || !looks ? "" : "that is the viewer token; operating needs the operator token";
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const stays = app.session.me.peek() ? ", and this page keeps its role" : "";
    return `that is not a token of this console${stays}: check for missing or extra characters`;
  }
}

export async function takeSeat(app: App): Promise<void> {
  const holder = app.session.status.peek()?.seat;
  const name = h(
    "input",
    { value: localStorage.getItem(NAME_KEY) ?? "operator", required: true, maxlength: 40, "data-test": "seat-name" },
  );
  const text = holder
    ? `${holder.name} is operating. Taking over ends that at once, and both of you are notified.`
    : "There is one seat: whoever holds it can move the base, everyone else can only watch.";
  const yes = await ask({
    title: holder ? `Take the seat from ${holder.name}?` : "Take the operator's seat",
    body: [h("p", {}, text), h("label", {}, "Your name, shown to others", name)],
    act: holder ? "Take over" : "Take the seat",
    kind: holder ? "danger" : "primary",
    test: "seat-dialog",
  });
  if (yes) await sit(app, name.value, { force: Boolean(holder), from_client: holder?.client ?? null, wait: false });
}

/** Join the queue for the seat; this page gets it when it is free and nobody is ahead. */
export async function waitForSeat(app: App): Promise<void> {
  const name = await askText(
    "Wait for the seat", "Your name, shown to others", localStorage.getItem(NAME_KEY) ?? "operator", "Wait", "seat-wait",
  );
  if (name) await sit(app, name, { force: false, from_client: null, wait: true });
}

/** After a connection that was lost; whether it is this page's again. */
export async function sitAgain(app: App): Promise<boolean> {
  const wanted: TakeSeat = { name: localStorage.getItem(NAME_KEY) ?? "operator", force: false, from_client: null, wait: false };
  const me = await app.api.post<Me>("/api/seat", wanted).catch(() => null); // somebody was quicker
  if (me) app.session.me.set(me);
  return me?.seated ?? false;
}

async function sit(app: App, typed: string, how: Omit<TakeSeat, "name">): Promise<void> {
  const name = typed.trim() || "operator";
  localStorage.setItem(NAME_KEY, name);
  const me = await app.attempt(app.api.post<Me>("/api/seat", { name, ...how }));
  if (me) app.session.me.set(me);
}
