/** The panel of recordings: find one, open it, take a part of it, send one. */

import { fill, h, setText } from "../core/dom";
import { bytes } from "../core/format";
import { effect, signal } from "../core/signal";
import type { RecordingFile } from "../net/types";
import { gate, section, whileVisible } from "../panels/common/ui";
import type { Panel } from "../shell/panel";
import { take } from "./drop";
import { jobs } from "./jobs";
import { Lengths } from "./lengths";
import type { Recordings } from "./recordings";
import { fileRow, type FileRow } from "./row";
import { ENDINGS } from "./upload";

const EVERY_MS = 3000;
const ORDERS = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
  size: "Largest first",
  length: "Longest first",
} as const;

const NONE =
  "No recordings yet. motionbase run records automatically, motionbase record records any ring. " +
  "You can also drop a file on this page.";

type Order = keyof typeof ORDERS;

export function recordingsPanel(recordings: Recordings): Panel {
  return {
    id: "recordings",
    title: "Recordings",
    icon: "M3 6.5A1.5 1.5 0 0 1 4.5 5H9l2 2.5h8.5A1.5 1.5 0 0 1 21 9v9.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18.5z|M10.5 11v5l4-2.5z",
    mount: () => {
      const element = h(
        "div",
        { class: "panel rec-panel", "data-test": "panel-recordings" },
        jobs(recordings),
        list(recordings),
      );
      effect(() => void (recordings.app.socket.link() === "open" && recordings.refresh()));
      whileVisible(element, () => recordings.refresh(), EVERY_MS);
      return element;
    },
  };
}

function list(recordings: Recordings): HTMLElement {
  const sought = signal("");
  const order = signal<Order>("newest");
  const chosen = signal("");
  const lengths = new Lengths(recordings);
  const search = h(
    "input",
    {
      type: "search",
      class: "grow",
      placeholder: "Search",
      "aria-label": "Search recordings",
      "data-test": "recordings-search",
      oninput: () => sought.set(search.value),
    },
  );
  const sort = h(
    "select",
    { "aria-label": "Order of recordings", "data-test": "recordings-sort" },
    ...Object.entries(ORDERS).map(([value, text]) => h("option", { value }, text)),
  );
  sort.addEventListener("change", () => order.set(sort.value as Order));
  const rows = new Map<string, FileRow>();
  const found = h("ul", { class: "rec-list", "data-test": "recordings" });
  const empty = h("p", { class: "empty" });
  const sum = h("p", { class: "faint rec-sum num" });
  const watcher = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      const name = (target as HTMLElement).dataset["file"];
      const file = isIntersecting ? recordings.files.peek()?.find((one) => one.file === name) : undefined;
      if (file) lengths.want(file);
    }
  });
  effect(() => {
    lengths.changes();
    const all = recordings.files();
    const shown = sorted(all ?? [], order(), lengths).filter((file) => fits(file, sought()));
    for (const file of shown) {
      let row = rows.get(file.file);
      if (!row) {
        row = fileRow(recordings, file.file, () => chosen.set(chosen.peek() === file.file ? "" : file.file));
        rows.set(file.file, row);
        watcher.observe(row.element);
      }
      row.show(file, lengths.of(file));
    }
    const wanted = shown.map((file) => rows.get(file.file)?.element ?? null);
    if (wanted.length !== found.children.length || wanted.some((one, k) => one !== found.children[k])) fill(found, ...wanted);
    empty.hidden = shown.length > 0;
    setText(
      empty,
      all === null ? "Reading the folder …" : all.length > 0 ? "No recordings match the search." : NONE,
    );
    sum.hidden = shown.length === 0;
    setText(
      sum,
      `${shown.length === 1 ? "1 file" : `${shown.length} files`}, ${bytes(shown.reduce((total, file) => total + file.bytes, 0))}`,
    );
  });
  effect(() => {
    const name = chosen();
    for (const row of rows.values()) row.choose(row.file === name);
  });
  return section("Recordings", [sendButton(recordings)], h("div", { class: "row" }, search, sort), found, empty, sum);
}

function sendButton(recordings: Recordings): HTMLElement {
  const input = h(
    "input",
    { type: "file", accept: ENDINGS.join(","), multiple: true, hidden: true, "data-test": "recordings-file" },
  );
  const button = h(
    "button",
    { type: "button", class: "quiet", "data-test": "recordings-upload", onclick: () => input.click() },
    "Upload …",
  );
  input.addEventListener("change", () => {
    void take(recordings, [...(input.files ?? [])], () => undefined);
    input.value = "";
  });
  effect(() => gate(button, recordings.whyNotSeated(), "Upload a recording from this computer, or drop it on the page"));
  return h("span", {}, button, input);
}

function fits(file: RecordingFile, sought: string): boolean {
  const name = `${file.file} ${file.format}`.toLowerCase();
  return sought.toLowerCase().split(/\s+/).every((word) => name.includes(word));
}

function sorted(files: readonly RecordingFile[], order: Order, lengths: Lengths): RecordingFile[] {
  const orders: Record<Order, (one: RecordingFile, other: RecordingFile) => number> = {
    newest: (one, other) => other.modified_utc - one.modified_utc,
    oldest: (one, other) => one.modified_utc - other.modified_utc,
    name: (one, other) => one.file.localeCompare(other.file),
    size: (one, other) => other.bytes - one.bytes,
    length: (one, other) => (lengths.of(other) ?? -1) - (lengths.of(one) ?? -1),
  };
  return [...files].sort(orders[order]);
}
