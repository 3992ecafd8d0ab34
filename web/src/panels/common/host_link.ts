/** How the host's datagrams come, the counters of its link beside it; the words are in `link_words`. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { effect } from "../../core/signal";
import { LINK } from "../../net/words";
import { judged, LinkWatch, countersOf, type Standing } from "./link_words";
import { sentence } from "./ui";

const WRONG = LINK.filter((name) => name !== "frames");

/** A sentence and the counters; they follow the records while they can be seen. */
export function hostLink(app: App): HTMLElement {
  const dot = h("span", { class: "dot" });
  const word = h("span", { class: "grow", "data-test": "link-word" });
  const todo = h("p", { class: "p-note", "data-test": "link-todo", hidden: true });
  const figures = linkFigures(app, (now) => {
    const { level, text, todo: what } = judged(now);
    for (const one of ["good", "warn", "bad"]) toggleClass(dot, one, one === level);
    setText(word, text);
    todo.hidden = what === "";
    setText(todo, what);
  });
  return h("div", { class: "p-link-part" }, h("div", { class: "row" }, dot, word), todo, figures);
}

/** Rate, age and counters; hidden where records have none. */
export function linkFigures(app: App, told: (now: Standing) => void = () => undefined): HTMLElement {
  const element = h("div", { class: "p-counts" });
  const figures = new Map<string, HTMLElement>();
  for (const name of ["rate", "age", ...WRONG]) {
    const value = h("b", { class: "num", "data-test": `link-${name}` }, "–");
    figures.set(name, value);
    element.append(h("span", {}, name, value));
  }
  const write = (name: string, text: string, grows = false): void => {
    const value = figures.get(name);
    if (!value) return;
    setText(value, text);
    toggleClass(value, "grows", grows);
  };
  effect(() => {
    const byName = app.session.byName();
    element.hidden = !byName.has("link_frames");
    for (const name of WRONG) figures.get(name)?.parentElement?.setAttribute("title", sentence(byName.get(`link_${name}`)?.description ?? ""));
  });
  const watch = new LinkWatch();
  app.onFrame(() => {
    if (!app.isBeat || !element.parentElement?.checkVisibility()) return;
    const now = watch.take(app.live.t, app.value("host_age"), countersOf((name) => app.value(`link_${name}`)));
    write("rate", Number.isFinite(now.rates.frames) ? `${now.rates.frames.toFixed(0)} Hz` : "–");
    write("age", aged(now.age));
    for (const name of WRONG) write(name, counted(now.counters[name]), now.rates[name] > 0);
    told(now);
  });
  return element;
}

function aged(age: number): string {
  if (!Number.isFinite(age)) return "–";
  return age < 1 ? `${(1e3 * age).toFixed(0)} ms` : `${age < 100 ? age.toFixed(1) : age.toFixed(0)} s`;
}

function counted(count: number): string {
  if (!Number.isFinite(count)) return "–";
  return count < 1e6 ? count.toFixed(0) : count.toExponential(1);
}
