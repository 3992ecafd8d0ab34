/** The emergency stop: one press acts at once, wherever the page is. It does not replace a hardware stop. */

import type { App } from "../../app";
import { h, setText } from "../../core/dom";
import { computed, effect, signal, type Signal } from "../../core/signal";
import { clock } from "../../core/format";
import { MOVING_MS, type ApiError } from "../../net/api";
import { StopPost, type PostAnswer } from "../../net/stop_post";
import type { Answer, Event } from "../../net/types";
import { askToken } from "../common/access";
import { baseOf } from "../common/base";
import { sentence } from "../common/ui";
import { StopRequest, type Phase } from "./stop_request";
import { READY, readiness, stopShown, type Ready, type StopShown } from "./stop_shown";

const VIEWER = "A viewer cannot stop the base. With the operator token this page can, even without the seat.";
const made = new WeakMap<App, Stop>();

const LOOK_MS = 2000; // between looks at the stop posts, while the console is away

interface Stop {
  request: StopRequest;
  /** What a press would do now. */
  ready: Signal<Ready>;
  shown: Signal<StopShown>;
  press(): void;
}

/** What a press of the stop would do now, and what the page says of it; the same for all that show it. */
export function stopReady(app: App): Signal<Ready> {
  return stopOf(app).ready;
}

export function stopShownOf(app: App): Signal<StopShown> {
  return stopOf(app).shown;
}

/** A button for any place; all of them show the same. */
export function estopButton(app: App): HTMLElement {
  const base = baseOf(app);
  const stop = stopOf(app);
  const word = h("strong", {}, "EMERGENCY STOP");
  const detail = h("small", {});
  const button = h(
    "button", { class: "estop", type: "button", "data-test": "estop", "aria-live": "assertive" }, word, detail,
  );
  // On the press, not on the release: a hand that slips off the button has still stopped the base. The focus
  // stays where it was, so that a space typed later does not press it again.
  button.addEventListener("pointerdown", (pressed) => {
    pressed.preventDefault();
    if (pressed.button === 0) stop.press();
  });
  button.addEventListener("click", (clicked) => clicked.detail === 0 && stop.press()); // by keyboard or assistive tools
  effect(() => {
    const { word: said, detail: small, look } = stop.shown();
    const last = causeOf(app);
    const by = base.ring()?.estop_by ?? null;
    button.className = `estop ${look}`;
    setText(word, said);
    setText(detail, small);
    button.dataset["ready"] = stop.ready();
    button.title = base.shows() && base.isFresh()
      ? `${sentence(last?.text ?? "the emergency stop acts")}${by ? `, asked for by ${by}` : ""}. Reset in the operator panel releases it.`
      : sentence(stop.request.text()) || READY[stop.ready()].title;
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
  effect(() => base.shows() && base.isFresh() && request.settle());
  const answered = signal<PostAnswer | null>(null);
  const isAway = computed(() => {
    const link = app.socket.link();
    return app.session.me()?.may_stop === true && (link === "lost" || link === "full" || app.socket.isSilent());
  });
  const look = async (): Promise<void> => answered.set(isAway.peek() ? await post.look() : null);
  effect(() => void (isAway(), look()));
  setInterval(() => isAway.peek() && void look(), LOOK_MS);
  const ready = computed(() => readiness({
    link: app.socket.link(),
    isSilent: app.socket.isSilent(),
    mayStop: app.session.me()?.may_stop ?? null,
    ring: base.ring(),
    post: answered(),
  }));
  const shown = computed(() => stopShown({
    phase: request.phase(),
    shows: base.shows(),
    isFresh: base.isFresh(),
    ageS: base.shows() && !base.isFresh() ? base.ageS() : NaN,
    confirmedAt: base.confirmedAt(),
    origin: origin(causeOf(app), base.ring()?.estop_by ?? null),
    ready: ready(),
  }));
  const stop: Stop = { request, ready, shown, press: () => (mayAsk() ? request.press() : void enterToken(app)) };
  /** Until the server has sent the role, the page may be an operator's. */
  function mayAsk(): boolean {
    const me = app.session.me.peek();
    return me?.may_stop ?? app.api.token !== "";
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

function causeOf(app: App): Event | undefined {
  return cause(app.session.events(), baseOf(app).ring()?.generation ?? 0);
}

/** Who or what stopped it: the first event since the last release. @param generation of the run: an earlier one may have ended stopped */
export function cause(events: readonly Event[], generation: number): Event | undefined {
  const stops = events.filter((event) => event.what === "estop" && event.source === "live" && event.generation === generation);
  return stops[stops.findLastIndex((event) => !event.is_bad) + 1];
}

/** @param by who stopped it, as the status has it */
export function origin(cause: Event | undefined, by: string | null): string {
  const who = by?.replace(/^console: /, "");
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
