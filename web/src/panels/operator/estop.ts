/** The emergency stop: one press acts at once, wherever the page is. It replaces no hardware stop. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { effect, signal, type Signal } from "../../core/signal";
import { clock } from "../../core/format";
import type { Answer, Event } from "../../net/types";
import { askToken } from "../common/access";
import { baseOf } from "../common/base";
import { sentence } from "../common/ui";

const KEYS = "Ctrl+Shift+Space";
const FAILED_MS = 15_000;
const VIEWER = "A viewer cannot stop the base. With the operator token this page can, also without the seat.";
const made = new WeakMap<App, Stop>();

interface Stop {
  press(): void;
  failure: Signal<string>;
  isAsking: Signal<boolean>;
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
    const acts = base.estop();
    const last = acts ? cause(app.session.events()) : undefined;
    const failure = stop.failure();
    toggleClass(button, "acts", acts);
    toggleClass(button, "failed", failure !== "" && !acts);
    setText(word, acts ? "STOPPED" : failure ? "NOT STOPPED" : stop.isAsking() ? "STOPPING" : "EMERGENCY STOP");
    setText(detail, acts ? origin(last) : failure ? "use the hardware stop" : KEYS);
    button.title = acts
      ? `${sentence(last?.text ?? "the emergency stop acts")}. Reset in the operator panel releases it.`
      : failure
        || `Stops the base at once and brings it down; it asks nothing back (${KEYS}). It replaces no hardware stop.`;
  });
  return button;
}

function stopOf(app: App): Stop {
  const known = made.get(app);
  if (known) return known;
  const stop: Stop = { failure: signal(""), isAsking: signal(false), press: () => void pressed(app, stop) };
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

/** Who or what stopped it: the first event since the last release. */
function cause(events: readonly Event[]): Event | undefined {
  const stops = events.filter((event) => event.what === "estop" && event.source === "live");
  return stops[stops.findLastIndex((event) => !event.is_bad) + 1];
}

function origin(cause: Event | undefined): string {
  return cause ? `${clock(cause.utc)} ${cause.text.replace(/^emergency stop (asked for )?/, "")}` : "reset releases it";
}

async function pressed(app: App, stop: Stop): Promise<void> {
  if (app.socket.link.peek() === "open" && !app.session.mayOperate.peek()) {
    if (!document.querySelector('[data-test="token-dialog"]')) await askToken(app, VIEWER);
    return;
  }
  stop.isAsking.set(true);
  try {
    const answer = await app.api.post<Answer>("/api/estop");
    stop.failure.set(answer.accepted ? "" : answer.text);
    app.say(sentence(answer.text), answer.accepted ? "info" : "error");
  } catch (error) {
    stop.failure.set(error instanceof Error ? error.message : String(error));
    app.say(`The emergency stop was not heard: ${stop.failure.peek()}. Use the hardware stop.`, "error");
  } finally {
    stop.isAsking.set(false);
  }
  if (stop.failure.peek()) setTimeout(() => stop.failure.set(""), FAILED_MS);
}
