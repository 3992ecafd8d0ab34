/** One recording of the list: its name and facts; once chosen, what can be done with it. */

import { h, setText, toggleClass } from "../core/dom";
import { bytes, duration } from "../core/format";
import { effect } from "../core/signal";
import type { RecordingFile, RecordingInfo } from "../net/types";
import { gate } from "../panels/common/ui";
import { download } from "./download";
import { exportDialog } from "./export";
import { infoSheet } from "./info";
import type { Recordings } from "./recordings";

export interface FileRow {
  element: HTMLElement;
  readonly file: string;
  show(file: RecordingFile, length: number | null): void;
  choose(on: boolean): void;
}

export function fileRow(recordings: Recordings, file: string, onchoose: () => void): FileRow {
  const { app } = recordings;
  const folder = file.includes("/") ? `${file.slice(0, file.lastIndexOf("/"))}/` : "";
  const facts = ["when", "length", "size"].map((kind) => h("span", { class: `num rec-${kind}` }));
  const [when, length, size] = facts;
  const written = h(
    "span",
    { class: "rec-written", hidden: true, title: "A recorder is writing this file" },
    h("span", { class: "dot bad" }),
    "being written",
  );
  const format = h("span", { class: "tag" });
  const head = h(
    "button", {
      type: "button",
      class: "rec-row-head",
      "aria-expanded": "false",
      title: file,
      onclick: onchoose,
      ondblclick: () => void recordings.open(file),
    },
    h(
      "span",
      { class: "rec-row-name" },
      folder && h("span", { class: "faint ellipsis" }, folder),
      h("span", { class: "ellipsis" }, file.slice(folder.length)),
    ), format,
    h("span", { class: "rec-row-facts" }, written, ...facts),
  );
  const act = (text: string, test: string, kind: string, work: () => unknown): HTMLButtonElement =>
    h("button", { type: "button", class: kind, "data-test": test, onclick: () => void work() }, text);
  const open = act("Open", "recording-open", "primary", () => recordings.open(file));
  /** The first look at a large file takes a while: the button says so, and asks once. */
  const looked = async (button: HTMLButtonElement, show: (info: RecordingInfo) => void): Promise<void> => {
    if (button.getAttribute("aria-busy") === "true") return;
    const word = button.textContent ?? "";
    button.setAttribute("aria-busy", "true");
    setText(button, "Reading …");
    const info = await app.attempt(recordings.info(file));
    button.removeAttribute("aria-busy");
    setText(button, word);
    if (info) show(info);
  };
  const about = act("Info", "recording-info-button", "", () => looked(about, (info) => infoSheet(recordings, info)));
  const write = act("Export …", "recording-export", "", () => looked(write, (info) => exportDialog(recordings, info)));
  const save = act("Download", "recording-download", "", () => download(app, file));
  const actions = h("div", { class: "rec-row-actions", hidden: true }, open, about, write, save);
  const element = h("li", { class: "rec-row", "data-test": "recording", "data-file": file }, head, actions);
  effect(() => {
    const isOpen = app.file()?.file === file;
    toggleClass(element, "open", isOpen);
    const opens = recordings.opening() === file;
    gate(
      open,
      opens ? "it is being opened" : isOpen ? "it is open already" : "",
      "Show it in the plots, and replay it",
    );
    setText(open, opens ? "Opening …" : isOpen ? "Opened" : "Open");
    gate(write, recordings.whyNot(), "Export a part of it to another format, or split it");
  });
  const show = (now: RecordingFile, seconds: number | null): void => {
    if (when) setText(when, dated(now.modified_utc));
    if (when) when.title = `Last changed ${new Date(now.modified_utc * 1000).toISOString().replace("T", " ").slice(0, 19)} UTC`;
    if (length) setText(length, seconds === null ? "" : duration(seconds));
    if (size) setText(size, bytes(now.bytes));
    setText(format, now.format);
    written.hidden = !now.is_written;
    if (when) when.hidden = now.is_written; // it is of this moment
  };
  const choose = (on: boolean): void => {
    actions.hidden = !on;
    head.setAttribute("aria-expanded", String(on));
    toggleClass(element, "chosen", on);
  };
  return { element, file, show, choose };
}

/** The time for files of today, else the date as well. */
function dated(utc: number): string {
  const then = new Date(utc * 1000);
  const isToday = then.toDateString() === new Date().toDateString();
  const time = then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (isToday) return `today ${time}`;
  return `${then.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })} ${time}`;
}
