/** What a recording holds: facts, sensor groups, events, damage, and what it says of itself. */

import { h, type Child } from "../core/dom";
import { duration, number } from "../core/format";
import type { RecordingInfo } from "../net/types";
import { sheet } from "../shell/modal";
import type { Recordings } from "./recordings";

const MOST_EVENTS = 500; // rows of the table

export function infoSheet(recordings: Recordings, info: RecordingInfo): void {
  const channels = info.recording_schema.channels;
  const facts: [string, Child][] = [
    ["Schema", `${info.recording_schema.name}, ${channels.length} channels`],
    ["Hash", h("span", { class: "num ellipsis" }, info.recording_schema.hash.slice(0, 16))],
    ["Platform", info.platform || "not stated"],
    ["Length", `${duration(info.end - info.start)}, from ${number(info.start, 6)} s to ${number(info.end, 6)} s`],
    ["Records", `${info.records.toLocaleString("en-GB")} at ${number(info.rate_hz)} Hz`],
    [
      "Epoch",
      info.epoch_utc ? `${new Date(info.epoch_utc * 1000).toISOString().replace("T", " ").slice(0, 23)} UTC` : "not stated",
    ],
  ];
  const dialog = sheet(
    info.file, "recording-info",
    h("div", { class: "rec-info" }, damage(info), definitions(facts), groups(info), events(), about(info)),
  );

  function events(): HTMLElement {
    const { app } = recordings;
    const all = app.file.peek()?.file === info.file ? app.happened.peek() : info.events; // as the panel lists them
    const rows = all.slice(0, MOST_EVENTS).map((event) =>
      h("tr", {}, h("td", { class: "num" }, jump(event.t)), h("td", {}, event.kind), h("td", {}, event.text)));
    const more = all.length > MOST_EVENTS ? `, the first ${MOST_EVENTS}` : "";
    const table = h("table", { class: "rec-events" }, h("tbody", {}, ...rows));
    return part(
      `${all.length === 1 ? "1 event" : `${all.length} events`}${more}`,
      rows.length ? table : h("p", { class: "faint" }, "No events."),
    );
  }

  /** A time that leads there, where this recording is the one that is open. */
  function jump(t: number): Child {
    if (recordings.app.file.peek()?.file !== info.file) return duration(t);
    return h(
      "button",
      {
        type: "button",
        class: "rec-link num",
        title: "Go to this time",
        onclick: () => (dialog.close(""), recordings.seek(t)),
      },
      duration(t),
    );
  }
}

function part(title: string, ...children: Child[]): HTMLElement {
  return h("section", {}, h("h3", {}, title), ...children);
}

function definitions(facts: [string, Child][]): HTMLElement {
  return h("dl", { class: "rec-facts" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function damage(info: RecordingInfo): Child {
  if (info.damage.length === 0) return null;
  return part(
    info.damage.length === 1 ? "Damage" : `${info.damage.length} damages`,
    h("ul", { class: "rec-damages" }, ...info.damage.map((text) => h("li", {}, text))),
  );
}

function groups(info: RecordingInfo): HTMLElement {
  const counts = new Map<string, number>();
  for (const { group } of info.recording_schema.channels) counts.set(group, (counts.get(group) ?? 0) + 1);
  const pills = [...counts].map(([name, count]) => h(
    "span",
    { class: "pill" },
    name.replaceAll("_", " "),
    h("span", { class: "num faint" }, count),
  ));
  return part(`${counts.size} sensor groups`, h("div", { class: "rec-pills" }, ...pills));
}

function about(info: RecordingInfo): Child {
  const said = Object.entries(info.about);
  return said.length === 0 ? null : part(
    "Metadata",
    definitions(said.map(([name, value]) => [name.replaceAll("_", " "), value])),
  );
}
