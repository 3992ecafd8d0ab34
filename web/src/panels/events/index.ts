/** What happened, newest first: find it, go to it in the plots, add a note. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { effect, signal, type Signal } from "../../core/signal";
import { duration } from "../../core/format";
import type { Event } from "../../net/types";
import type { Panel } from "../../shell/panel";
import { section } from "../common/ui";
import { noteLine } from "../recorder/note";

const KINDS: Record<Event["what"], string> = {
  state: "State", mode: "Mode", fault: "Fault", warning: "Warning", estop: "Stop", note: "Note", gap: "Gap",
  writer: "Writer", seat: "Seat", recorder: "Recorder",
};
type Kind = Event["what"];

export const events: Panel = {
  id: "events",
  title: "Events",
  icon: "M9 6h11|M9 12h11|M9 18h11|M4.5 6h.01|M4.5 12h.01|M4.5 18h.01",
  mount(app) {
    const hidden = signal<ReadonlySet<Kind>>(new Set());
    const words = signal("");
    app.layout.register("events", {
      save: () => ({ hidden: [...hidden.peek()] }),
      load: (piece) => Array.isArray(piece["hidden"]) && hidden.set(
        new Set((piece["hidden"] as unknown[]).filter((one): one is Kind => typeof one === "string" && one in KINDS)),
      ),
    });
    const search = h(
      "input",
      {
        type: "search", class: "grow", placeholder: "Find", "aria-label": "Find among the events",
        "data-test": "events-search", oninput: () => words.set(search.value.trim().toLowerCase()),
      },
    );
    const count = h("span", { class: "faint num", "data-test": "events-count" });
    return h(
      "div", { class: "panel p-events", "data-test": "panel-events" }, noteLine(app, "events-note"),
      section(
        "Events", [count], chips(app, hidden), h("div", { class: "row" }, search),
      ), list(app, hidden, words, count),
    );
  },
};

function chips(app: App, hidden: Signal<ReadonlySet<Kind>>): HTMLElement {
  const all = (Object.entries(KINDS) as [Kind, string][]).map(([kind, label]) => {
    const chip = h(
      "button",
      {
        type: "button", class: `p-chip kind-${kind}`, title: "Click hides or shows, double click shows these alone",
        "data-test": `events-${kind}`,
      },
      label,
    );
    chip.addEventListener("click", () => {
      const next = new Set(hidden.peek());
      if (!next.delete(kind)) next.add(kind);
      change(next);
    });
    chip.addEventListener(
      "dblclick", () => change(new Set((Object.keys(KINDS) as Kind[]).filter((other) => other !== kind))),
    );
    return [kind, chip] as const;
  });
  const change = (next: Set<Kind>): void => {
    hidden.set(next);
    app.layout.changed();
  };
  effect(() => all.forEach(([kind, chip]) => chip.setAttribute("aria-pressed", String(!hidden().has(kind)))));
  return h(
    "div", { class: "p-chips", role: "group", "aria-label": "Kinds that are shown" }, ...all.map(([, chip]) => chip),
  );
}

/** A row is made once for each event, and then only shown or hidden. */
function list(app: App, hidden: () => ReadonlySet<Kind>, words: () => string, count: HTMLElement): HTMLElement {
  const made = new Map<Event, HTMLElement>();
  const body = h("ol", { class: "p-event-list", "data-test": "events-list", "aria-label": "Events, newest first" });
  const empty = h("p", { class: "empty" });
  effect(() => {
    const known = [...app.session.events()].sort((a, b) => a.utc - b.utc || a.number - b.number);
    const gone = new Set(made.keys());
    let before: HTMLElement | null = null;
    for (const event of known) {
      gone.delete(event);
      const own = made.get(event) ?? eventRow(app, event);
      made.set(event, own);
      if (own.nextElementSibling !== before || !own.isConnected) body.insertBefore(own, before);
      before = own;
    }
    for (const event of gone) {
      made.get(event)?.remove();
      made.delete(event);
    }
    let shown = 0;
    for (const [event, own] of made) {
      own.hidden = hidden().has(event.what) || !event.text.toLowerCase().includes(words());
      if (!own.hidden) shown += 1;
    }
    setText(count, shown === made.size ? `${shown}` : `${shown} of ${made.size}`);
    empty.hidden = shown > 0;
    setText(
      empty,
      made.size
        ? "No event is like that. Show more kinds, or find something else."
        : "Nothing has happened yet. Changes of state, faults, gaps and notes come here.",
    );
  });
  effect(() => {
    app.clock.stamp();
    for (const [event, own] of made) own.querySelector("time")?.replaceChildren(app.clock.event(event));
  });
  return h("div", {}, body, empty);
}

function eventRow(app: App, event: Event): HTMLElement {
  const t = event.t;
  const text = event.text.replace(new RegExp(`^${event.what}:? `), ""); // the kind stands beside it
  const inner = [
    h("time", { class: "num" }, app.clock.event(event)),
    h("span", { class: `p-kind kind-${event.what}` }, KINDS[event.what]),
    h("span", { class: "p-text" }, event.source === "replay" ? `replay: ${text}` : text),
  ];
  const when = new Date(event.utc * 1000).toISOString();
  const own = h("li", { class: `kind-${event.what}` });
  toggleClass(own, "bad", event.is_bad);
  if (t === null) own.append(h("div", { class: "p-event", title: when }, ...inner));
  else own.append(
    h(
      "button",
      {
        type: "button", class: "p-event", title: `${when}, ${duration(t)} of the ring; shows this moment in the plots`,
        onclick: () => app.goTo?.(t),
      },
      ...inner,
    ),
  );
  return own;
}
