/** What happened, live or in the recording that is shown: find it, go to it in the plots and the replay, add a note. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { computed, effect, signal, type Signal } from "../../core/signal";
import { duration } from "../../core/format";
import type { Event, RecordingEvent } from "../../net/types";
import type { Panel } from "../../shell/panel";
import { section } from "../common/ui";
import { noteLine } from "../recorder/note";

type Kind = Event["what"];

const KINDS: Record<Kind, string> = {
  state: "State", mode: "Mode", request: "Request", seat: "Seat", generators: "Generators", tuning: "Tuning",
  fault: "Fault", warning: "Warning", alarm: "Alarm", estop: "Stop", note: "Note", recorder: "Recorder",
  writer: "Writer", gap: "Gap",
};
/** Kinds that only recordings have, and where they are found. */
const ALSO: Record<string, Kind> = { recording: "recorder", file: "recorder", disk: "recorder", time: "gap", damage: "gap" };
const MOST_ROWS = 2000;

/** An event of either sort. `when` is what stands before it, `go` leads there; none for what has no time. */
interface Entry {
  readonly key: object;
  readonly kind: Kind;
  readonly text: string;
  readonly when: string;
  readonly title: string;
  readonly t: number | null;
  readonly isBad: boolean;
}

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
        type: "search", class: "grow", placeholder: "Search text, people, kinds", "aria-label": "Search events",
        "data-test": "events-search", oninput: () => words.set(search.value.trim().toLowerCase()),
      },
    );
    const count = h("span", { class: "faint num", "data-test": "events-count" });
    const whose = h("p", { class: "faint ellipsis", "data-test": "events-of" });
    effect(() => {
      const file = app.file();
      whose.hidden = file === null;
      setText(whose, file ? `From ${file.file}, oldest first` : "");
    });
    return h(
      "div", { class: "panel p-events", "data-test": "panel-events" }, noteLine(app, "events-note"),
      section(
        "Events", [count], whose, chips(app, hidden), h("div", { class: "row" }, search),
      ), list(app, hidden, words, count),
    );
  },
};

function chips(app: App, hidden: Signal<ReadonlySet<Kind>>): HTMLElement {
  const all = (Object.entries(KINDS) as [Kind, string][]).map(([kind, label]) => {
    const chip = h(
      "button",
      {
        type: "button", class: `p-chip kind-${kind}`, title: "Click to hide or show; double-click to show only these",
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
    "div", { class: "p-chips", role: "group", "aria-label": "Kinds shown" }, ...all.map(([, chip]) => chip),
  );
}

/** A row is made once for each event; live the newest is on top, of a recording the first. */
function list(app: App, hidden: () => ReadonlySet<Kind>, words: () => string, count: HTMLElement): HTMLElement {
  const made = new Map<object, { entry: Entry; element: HTMLElement }>();
  const body = h("ol", { class: "p-event-list", "data-test": "events-list", "aria-label": "Events" });
  const empty = h("p", { class: "empty" });
  const entries = computed(() => (app.file() ? app.happened().map((event) => ofRecording(app, event)) : liveEntries(app)));
  effect(() => {
    const all = entries();
    const found = all.filter((one) => !hidden().has(one.kind) && isLike(one, words()));
    const shown = found.slice(0, MOST_ROWS);
    const gone = new Set(made.keys());
    let before: Element | null = body.firstElementChild;
    for (const entry of shown) {
      gone.delete(entry.key);
      const known = made.get(entry.key);
      const isSame = known !== undefined && (known.entry.t === null) === (entry.t === null);
      const own = isSame ? known.element : row(app, entry);
      if (known && !isSame) {
        if (known.element === before) before = known.element.nextElementSibling;
        known.element.remove(); // its run is over
      }
      made.set(entry.key, { entry, element: own });
      const time = own.querySelector("time") ?? own;
      setText(time, entry.when); // by another clock, if that was chosen since
      toggleClass(time, "p-dated", entry.when.endsWith("UTC"));
      if (own === before) before = own.nextElementSibling;
      else body.insertBefore(own, before);
    }
    for (const key of gone) {
      made.get(key)?.element.remove();
      made.delete(key);
    }
    setText(count, shown.length === all.length ? `${all.length}` : `${shown.length} of ${all.length}`);
    empty.hidden = shown.length > 0;
    setText(
      empty,
      all.length
        ? "No events match. Show more kinds, or change the search."
        : "No events yet. Changes of state, requests, faults, gaps and notes appear here.",
    );
  });
  return h("div", {}, body, empty);
}

function isLike({ kind, text }: Entry, words: string): boolean {
  const said = `${KINDS[kind]} ${text}`.toLowerCase();
  return words.split(/\s+/).every((word) => said.includes(word));
}

function liveEntries(app: App): Entry[] {
  const known = [...app.session.events()].sort((a, b) => b.utc - a.utc || b.number - a.number);
  return known.map((event) => {
    const when = new Date(event.utc * 1000).toISOString();
    const t = app.clock.isOfRun(event) ? event.t : null; // the plots have no time of an earlier run
    const at = t === null ? "" : `, ${duration(t)} of the ring${tickText(event.tick)}; click to show it in the plots`;
    const text = event.text.replace(new RegExp(`^${event.what}:? `), ""); // the kind stands beside it
    return {
      key: event, kind: event.what, t, when: app.clock.event(event), title: when + at, isBad: event.is_bad,
      text: signedBy(text, event.person),
    };
  });
}

function ofRecording(app: App, event: RecordingEvent): Entry {
  const kind = event.kind in KINDS ? (event.kind as Kind) : (ALSO[event.kind] ?? "note");
  return {
    key: event, kind, t: event.t, when: app.clock.epoch() === null ? duration(event.t) : app.clock.axis(event.t, 0.1), isBad: event.is_bad,
    text: signedBy(event.text.replace(new RegExp(`^${event.kind}:? `), ""), event.person),
    title: `${event.kind}${tickText(event.tick)}; click to go there`,
  };
}

/** Notes have no name in their text. */
function signedBy(text: string, person: string): string {
  return person && !text.includes(person) ? `${text} (${person})` : text;
}

function tickText(tick: number | null): string {
  return tick === null ? "" : `, tick ${tick}`;
}

function row(app: App, { kind, text, when, title, t, isBad }: Entry): HTMLElement {
  const inner = [
    h("time", { class: "num" }, when), h("span", { class: `p-kind kind-${kind}` }, KINDS[kind]), h("span", { class: "p-text" }, text),
  ];
  const own = h("li", { class: `kind-${kind}` });
  toggleClass(own, "bad", isBad);
  const go = (): void => {
    if (t === null) return;
    app.goTo?.(t, true);
    if (app.file.peek()) app.seek?.(t);
  };
  if (t === null) own.append(h("div", { class: "p-event", title }, ...inner));
  else own.append(h("button", { type: "button", class: "p-event", title, onclick: go }, ...inner));
  return own;
}
