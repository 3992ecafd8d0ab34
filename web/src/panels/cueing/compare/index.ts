/** Two sets on the same motion of a vehicle: the console computes both, and nothing moves. */

import type { App } from "../../../app";
import { fill, h, setText } from "../../../core/dom";
import { computed, effect, signal } from "../../../core/signal";
import type { CueingTrial, Job } from "../../../net/types";
import { gate, note, section } from "../../common/ui";
import { form } from "./form";
import { result } from "./result";

export function compare(app: App): HTMLElement {
  const asked = form(app);
  const number = signal<number | null>(null);
  const isAsking = signal(false);
  const job = computed<Job | null>(() => app.session.status()?.jobs.find((one) => one.number === number()) ?? null);
  const trouble = note("bad", "compare-refused");
  const place = h("div", {});
  const bar = h("progress", { max: 1, "aria-label": "Comparison" });
  const doing = h("span", { class: "faint p-small grow" });
  const cancel = h("button", { type: "button", class: "quiet", "data-test": "compare-cancel", onclick: () => void app.attempt(app.api.delete<Job>(`/api/jobs/${number.peek()}`)) }, "Cancel");
  const progress = h("div", { class: "cue-progress", "data-test": "compare-progress" }, h("div", { class: "row" }, doing, cancel), bar);
  const run = h("button", { type: "button", class: "primary", "data-test": "compare-run", onclick: () => void start() }, "Compare");
  let shown: { element: HTMLElement; end(): void } | null = null;
  let fetched = -1;
  let wasRunning = false;

  async function start(): Promise<void> {
    trouble.say("");
    isAsking.set(true);
    try {
      number.set((await app.api.post<Job>("/api/cueing/trials", asked.wanted())).number);
    } catch (error) {
      trouble.say(error instanceof Error ? error.message : String(error));
    } finally {
      isAsking.set(false);
    }
  }

  async function show(of: number): Promise<void> {
    fetched = of;
    const trial = await app.attempt(app.api.get<CueingTrial>(`/api/cueing/trials/${of}`));
    if (!trial) return;
    shown?.end();
    shown = result(app, trial);
    fill(place, shown.element);
    place.scrollIntoView({ block: "nearest" });
  }

  effect(() => {
    const now = job();
    const isRunning = isAsking() || now?.state === "running";
    progress.hidden = !isRunning;
    bar.value = now?.share ?? 0;
    setText(doing, (now?.share ?? 0) > 0.25 ? "Computing …" : "Starting; the first comparison compiles …");
    gate(run, isRunning ? "a comparison runs already" : asked.whyNot(), "Compute both on the same motion; nothing moves");
    if (isRunning && !wasRunning) progress.scrollIntoView({ block: "nearest" });
    wasRunning = isRunning;
    if (now?.state === "done" && now.number !== fetched) void show(now.number);
    if (now?.state === "failed") trouble.say(now.text);
  });
  const element = section("Compare two sets", [], asked.element, h("div", { class: "row" }, run), progress, trouble.element, place);
  element.dataset["test"] = "cueing-compare";
  const seen = signal(false);
  app.onFrame(() => app.isBeat && seen.set(element.checkVisibility()));
  effect(() => {
    const isThere = seen() && app.socket.link() === "open";
    app.file(); // a recording that is opened may be new
    if (isThere) void asked.refresh();
  });
  return element;
}
