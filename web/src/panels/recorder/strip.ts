/** A strip chart of the live ring, drawn by a process of its own, page by page. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { effect, signal } from "../../core/signal";
import type { StartStrip, Strip } from "../../net/types";
import { whyNotSeated } from "../common/access";
import { baseOf } from "../common/base";
import { saveFile } from "../common/files";
import { nameProblem } from "../common/names";
import { choice, gate, note, section } from "../common/ui";
import { pens } from "./pens";

const LONGEST_S = 86_400;

export function strip(app: App): HTMLElement {
  const chosen = pens(app);
  const format = signal<StartStrip["format"]>("pdf");
  const kind = choice("Format", { pdf: "PDF", png: "PNG" }, (picked) => format.set(picked), "strip-format");
  const seconds = signal(60);
  const page = h(
    "input",
    {
      class: "num", inputmode: "decimal", value: "60", "aria-label": "Seconds per page", "data-test": "strip-seconds",
      oninput: () => seconds.set(Number(page.value.replace(",", "."))),
    },
  );
  const name = signal("strip");
  const called = h(
    "input",
    {
      value: "strip", maxlength: 80, "aria-label": "Name of the file", "data-test": "strip-name",
      oninput: () => name.set(called.value.trim()),
    },
  );
  const start = h(
    "button", { type: "button", class: "grow", "data-test": "strip-start", onclick: () => void begin() },
    "Start the chart",
  );
  const stop = h(
    "button",
    {
      type: "button", class: "grow", "data-test": "strip-stop",
      onclick: () => void app.attempt(app.api.delete<Strip>("/api/strip")),
    },
    "End the chart",
  );
  const dot = h("span", { class: "dot" });
  const word = h("span", { class: "grow", "data-test": "strip-state" });
  const out = h(
    "button",
    { type: "button", class: "quiet p-link ellipsis", "data-test": "strip-out", onclick: () => void fetched() },
  );
  const failed = note("bad", "strip-failed");
  const ended = note("info", "strip-ended");

  const begin = async (): Promise<void> => {
    const wanted: StartStrip = {
      channels: chosen.list.peek(), format: format.peek(), seconds_per_page: seconds.peek(), name: name.peek(),
    };
    await app.attempt(app.api.post<Strip>("/api/strip", wanted));
  };
  const fetched = async (): Promise<void> => {
    const file = fileOf(app.session.status.peek()?.strip ?? null);
    const blob = file && (await app.attempt(app.api.blob("/api/recordings/download", { file })));
    if (file && blob) saveFile(file.split("/").at(-1) ?? file, blob);
  };
  const seat = whyNotSeated(app);
  effect(() => {
    const now = app.session.status()?.strip ?? null;
    const isDrawing = now?.state === "drawing";
    kind.set(format());
    toggleClass(dot, "good", isDrawing);
    toggleClass(dot, "bad", now?.state === "failed");
    setText(word, now === null ? "No chart yet." : spoken(now));
    failed.say(now?.state === "failed" ? now.text : "");
    ended.say(now?.state === "ended" ? now.text : "");
    out.hidden = now === null || now.pages === 0;
    setText(out, fileOf(now));
    out.title = now?.out.endsWith(".png")
      ? "Download the newest page; the others are in the same folder"
      : "Download the roll; it is readable at any time";
    const wrong = chosen.problem() || problem(seconds(), name());
    const noRing = baseOf(app).ring()?.state === "live" ? "" : "no base is running";
    gate(
      start, seat() || (isDrawing ? "a chart is being drawn: end it first" : noRing || wrong),
      "Runs as a separate process until you end it",
    );
    gate(stop, seat() || (isDrawing ? "" : "no chart is being drawn"), "The last page is written as it is");
  });
  const labelled = (text: string, input: HTMLElement): HTMLElement => h("label", { class: "grow" }, text, input);
  return section(
    "Strip chart", [], h("div", { class: "row" }, dot, word), out, failed.element, ended.element, chosen.element,
    h(
      "div", { class: "row p-ends" }, labelled("Name", called), labelled("Seconds per page", page),
      h("div", {}, h("span", { class: "faint p-small" }, "Format"), kind.element),
    ),
    h("div", { class: "row" }, start, stop),
  );
}

function spoken({ state, pages, channels }: Strip): string {
  const word = { drawing: "Drawing", ended: "Ended", failed: "Failed" }[state];
  return `${word}, ${pages} ${pages === 1 ? "page" : "pages"}, ${channels.length} ${channels.length === 1 ? "channel" : "channels"}.`;
}

function problem(seconds: number, name: string): string {
  if (!(seconds > 0 && seconds <= LONGEST_S)) return `seconds per page must be above 0 and at most ${LONGEST_S}`;
  return nameProblem(name);
}

/** What can be downloaded: the roll, or of pictures the newest one. */
function fileOf(now: Strip | null): string {
  if (!now) return "";
  return now.out.endsWith(".png") ? now.out.replace(/\.png$/, `_${String(now.pages).padStart(3, "0")}.png`) : now.out;
}
