/** The emergency stop: one press acts at once, wherever the page is. It replaces no hardware stop. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { effect } from "../../core/signal";
import { clock } from "../../core/format";
import { MOVING_MS, type ApiError } from "../../net/api";
import { StopPost } from "../../net/stop_post";
import type { Answer, Event } from "../../net/types";
import { askToken } from "../common/access";
import { baseOf } from "../common/base";
import { sentence } from "../common/ui";
import { StopRequest, type Phase } from "./stop_request";

const KEYS = "Ctrl+Shift+Space";
const VIEWER = "A viewer cannot stop the base. With the operator token this page can, also without the seat.";
const made = new WeakMap<App, Stop>();

const WORDS: Record<Phase, string> = {
  idle: "EMERGENCY STOP", asking: "STOPPING", unheard: "NOT STOPPED", acts: "STOPPED", latched: "LATCHED",
  asked: "ASKED FOR", refused: "NOT STOPPED",
};
const DETAILS: Record<Phase, string> = {
  idle: KEYS, asking: KEYS, unheard: "use the hardware stop", acts: "the emergency stop acts",
  latched: "the base will not rise", asked: "no answer from the base", refused: "use the hardware stop",
};
const FAILED: ReadonlySet<Phase> = new Set<Phase>(["unheard", "asked", "refused"]);

interface Stop {
  request: StopRequest;
  press(): void;
}

/** A button for any place; all of them show the same. */
export function estopButton(app: App): HTMLElement {
  const base = baseOf(app);
  const stop = stopOf(app);
  const word = h("strong", {}, "EMERGENCY STOP");
  const detail = h("small", {}, KEYS);
  const button = h(
    "button", { class: "estop", type: "button", "data-test": "estop", "aria-live": "assertive" }, word, detail,
  );
  // On the press, not on the release: a hand that slips off the button has stopped the base all the same. The focus
  // stays where it was, so that a space typed later does not press it again.
  button.addEventListener("pointerdown", (pressed) => {
    pressed.preventDefault();
    if (pressed.button === 0) stop.press();
  });
  button.addEventListener("click", (clicked) => clicked.detail === 0 && stop.press()); // by keyboard or assistive tools
  effect(() => {
    const phase = stop.request.phase();
    // an old record that showed a stop says nothing about the one that is asked for now
    const acts = base.estop() && (base.isFresh() || !FAILED.has(phase));
    const last = acts ? cause(app.session.events()) : undefined;
    const by = base.ring()?.estop_by ?? null;
    const confirmed = base.confirmedAt();
    toggleClass(button, "acts", acts || phase === "acts" || phase === "latched");
    toggleClass(button, "failed", FAILED.has(phase) && !acts);
    setText(word, acts ? WORDS.acts : WORDS[phase]);
    setText(detail, acts ? (confirmed === null ? origin(last, by, app.client) : `confirmed ${clock(confirmed)}`) : DETAILS[phase]);
    button.title = acts
      ? confirmed !== null ? `${sentence(confirmation(confirmed))}.` : `${sentence(last?.text ?? "the emergency stop acts")}${by ? `, asked for by ${by}` : ""}. Reset in the operator panel releases it.`
      : sentence(stop.request.text())
        || `Stops the base at once and brings it down; it asks nothing back (${KEYS}). It replaces no hardware stop.`;
  });
  return button;
}

function stopOf(app: App): Stop {
  const known = made.get(app);
  if (known) return known;
  const base = baseOf(app);
  const post = new StopPost(app.api);
  effect(() => post.learn(app.session.me()));
  const ofConsole = (press: string): (() => Promise<Answer>)[] =>
    [() => app.api.post<Answer>("/api/estop", undefined, { press }, MOVING_MS), () => app.socket.estop(press)];
  const request = new StopRequest(
    (press) => [...ofConsole(press), ...post.ways()],
    (phase, text, error) => {
      if (phase === "acts") base.confirm();
      told(app, phase, text, error);
    },
  );
  effect(() => base.estop() && base.isFresh() && request.settle());
  const stop: Stop = { request, press: () => (mayAsk() ? request.press() : void enterToken(app)) };
  /** A token whose role nobody has told yet may be an operator's. */
  function mayAsk(): boolean {
    return app.api.token !== "" && app.session.me.peek()?.role !== "viewer";
  }
  window.addEventListener(
    "keydown",
    (key) => {
      // three keys together write nothing anywhere, so they act in a text field too
      if (key.code !== "Space" || !key.ctrlKey || !key.shiftKey || key.altKey || key.metaKey || key.repeat) return;
      key.preventDefault();
      key.stopPropagation();
      stop.press();
    },
    { capture: true },
  );
  made.set(app, stop);
  return stop;
}

/** For the strip and the panel: when, and by whom, as far as anybody knows. */
export function stoppedBy(app: App): string {
  const base = baseOf(app);
  const confirmed = base.confirmedAt();
  if (confirmed !== null) return confirmation(confirmed);
  return origin(cause(app.session.events()), base.ring()?.estop_by ?? null, app.client);
}

/** @param at when a stop was confirmed of which no record has come yet [s UTC] */
export function confirmation(at: number): string {
  return `stop confirmed at ${clock(at)}; no record has come since`;
}

/** Who or what stopped it: the first event since the last release. */
export function cause(events: readonly Event[]): Event | undefined {
  const stops = events.filter((event) => event.what === "estop" && event.source === "live");
  return stops[stops.findLastIndex((event) => !event.is_bad) + 1];
}

/** @param by who stopped it, as the status has it; @param client this page's own name */
export function origin(cause: Event | undefined, by: string | null, client: string): string {
  // a page without the seat has only its own name, which is of no use to people
  const who = by?.replace(/^console: /, "").replace(client, "this page").replace(/\b([0-9a-f]{6})[0-9a-f]{26}\b/, "page $1");
  if (who) return cause ? `${clock(cause.utc)} by ${who}` : `by ${who}`;
  return cause ? `${clock(cause.utc)} ${cause.text.replace(/^emergency stop (asked for )?/, "")}` : "reset releases it";
}

function told(app: App, phase: Phase, text: string, error: ApiError | null): void {
  const said = error ? `The emergency stop was refused: ${text}. Use the hardware stop.` : sentence(text);
  app.say(said, phase === "acts" || phase === "latched" ? "info" : "error");
  if (error?.status === 401) void enterToken(app);
}

async function enterToken(app: App): Promise<void> {
  if (!document.querySelector('[data-test="token-dialog"]')) await askToken(app, VIEWER);
}
