/** The line at the bottom: what is away, what was answered, else what happened last. It covers nothing. */

import type { App } from "../app";
import { h, setText, toggleClass } from "../core/dom";
import { effect } from "../core/signal";
import { banner } from "./banner";
import { toasts } from "./toasts";

/** @param openEvents shows all that happened */
export function messageLine(app: App, openEvents: () => void): HTMLElement {
  const when = h("time", { class: "num" });
  const what = h("span", { class: "ellipsis" });
  const last = h(
    "button", { type: "button", class: "last-event quiet", title: "Latest event; click to open the events", "data-test": "last-event", onclick: openEvents },
    when, what,
  );
  effect(() => {
    const event = app.session.events().at(-1);
    last.hidden = event === undefined;
    if (!event) return;
    setText(when, app.clock.event(event));
    setText(what, event.text);
    toggleClass(last, "bad", event.is_bad);
  });
  const element = h("footer", { class: "line", "aria-label": "Messages" }, banner(app), toasts(app), last);
  // on a phone the open panel stands on it
  new ResizeObserver(() => document.documentElement.style.setProperty("--line-px", `${element.offsetHeight}px`)).observe(element);
  return element;
}
