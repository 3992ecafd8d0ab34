/** The dialog of an export: which channels, from when to when, as what, and in how many pieces. */

import { h, setText, type Child } from "../core/dom";
import { duration } from "../core/format";
import { effect } from "../core/signal";
import type { Export, Job, RecordingInfo } from "../net/types";
import { nameProblem } from "../panels/common/names";
import { choice, gate, note } from "../panels/common/ui";
import { openModal } from "../shell/modal";
import { channelGrid } from "./grid";
import type { Recordings } from "./recordings";

const FORMATS = { mcap: "MCAP", csv: "CSV", parquet: "Parquet", pdf: "Strip chart" } as const;
const MOST_PENS = 16; // of a strip chart
const PAGE_S = 60;
const PIECES = { none: "One file", records: "By records", seconds: "By seconds" } as const;
const SHEET_ROWS = 65_000; // what old spreadsheets hold, with room for a heading

type Pieces = keyof typeof PIECES;

export function exportDialog(recordings: Recordings, info: RecordingInfo): void {
  const { app } = recordings;
  const grid = channelGrid(info.recording_schema.channels);
  const pattern = field(
    "text",
    "",
    { placeholder: "leg*_f_meas p_supply", "data-test": "export-pattern", spellcheck: "false" },
  );
  const from = field("number", info.start.toFixed(3), { step: "any", "data-test": "export-from" });
  const to = field("number", info.end.toFixed(3), { step: "any", "data-test": "export-to" });
  const name = field(
    "text",
    `${stem(info.file)}_export`,
    { required: true, maxlength: 80, "data-test": "export-name" },
  );
  const size = field("number", String(SHEET_ROWS), { min: 1, step: 1, "data-test": "export-size" });
  let format: Export["format"] = "csv";
  let pieces: Pieces = "none";
  const page = field("number", String(PAGE_S), { min: 0, step: "any", "data-test": "export-page" });
  const formats = choice("Format", FORMATS, (picked) => (formats.set((format = picked)), formed(), tell()), "export-format");
  const sizes = choice("Pieces", PIECES, (picked) => (sizes.set((pieces = picked)), sized(), tell()), "export-pieces");
  const said = note("bad", "export-trouble");
  const sum = h("p", { class: "dim", "data-test": "export-sum" });
  const go = h("button", { type: "submit", class: "primary", "data-test": "export-go" }, "Export");
  const put = (range: readonly [number, number] | null | undefined): void => {
    if (!range) return;
    from.value = Math.max(info.start, range[0]).toFixed(3);
    to.value = Math.min(info.end, range[1]).toFixed(3);
    tell();
  };
  const isShown = app.file.peek()?.file === info.file;
  const ranges = h(
    "div", { class: "row" },
    h("button", { type: "button", "data-test": "export-all", onclick: () => put([info.start, info.end]) }, "All"),
    h(
      "button",
      {
        type: "button",
        disabled: !isShown || !app.visibleRange,
        title: "What the plots show now",
        "data-test": "export-visible",
        onclick: () => put(app.visibleRange?.()),
      },
      "Visible",
    ),
    h(
      "button",
      {
        type: "button",
        disabled: !isShown || !app.markedRange?.(),
        title: "Between the cursors A and B of the plots",
        "data-test": "export-marked",
        onclick: () => put(app.markedRange?.()),
      },
      "A to B",
    ),
  );
  const inPieces = part("Pieces", sizes.element, size);
  const onPaper = part("Paper, A4", label("Seconds per page", page));
  const form = h(
    "form", { method: "dialog", class: "rec-export" },
    h(
      "header",
      { class: "sheet-head" },
      h("h2", { class: "grow ellipsis", title: info.file }, `Export ${stem(info.file)}`),
    ),
    part("Channels", grid.element, label("And those with matching names; * matches anything", pattern)),
    h(
      "div", { class: "rec-export-side" },
      part("Time", h("div", { class: "row" }, label("From [s]", from), label("To [s]", to)), ranges),
      part("Format", formats.element),
      inPieces, onPaper,
      part("File", label("Name", name)),
      sum, said.element,
    ),
    h("div", { class: "sheet-foot" }, h("button", { type: "button", onclick: () => dialog.close("") }, "Cancel"), go),
  );
  const dialog: HTMLDialogElement = h(
    "dialog",
    { class: "sheet wide", "data-test": "export-dialog", "aria-label": "Export" },
    form,
  );

  function wanted(): Export {
    const all = info.recording_schema.channels.filter((one) => one.group !== "time").length;
    const chosen = grid.chosen.peek();
    const patterns = pattern.value.split(/[\s,]+/).filter(Boolean);
    return {
      file: info.file, format, legs: [], groups: [], name: name.value.trim(),
      channels: chosen.length === all ? [] : [...chosen, ...patterns],
      start: Number(from.value) <= info.start ? null : Number(from.value),
      stop: Number(to.value) >= Number(info.end.toFixed(3)) ? null : Number(to.value),
      piece_records: pieces === "records" ? Number(size.value) : null,
      piece_seconds: pieces === "seconds" ? Number(size.value) : null,
      seconds_per_page: Number(page.value) || PAGE_S,
    };
  }
  function formed(): void {
    inPieces.hidden = format === "pdf";
    onPaper.hidden = format !== "pdf";
    if (format === "pdf") sizes.set((pieces = "none"));
    sized();
    gate(go, refused(), "Write the files");
  }
  function refused(): string {
    const count = grid.chosen.peek().length;
    if (recordings.whyNot.peek()) return recordings.whyNot.peek();
    if (count === 0 && pattern.value.trim() === "") return "choose at least one channel";
    return format === "pdf" && count > MOST_PENS ? `a strip chart has ${MOST_PENS} channels at most, and ${count} are chosen` : "";
  }
  function sized(): void {
    size.hidden = pieces === "none";
    size.value = String(pieces === "seconds" ? 60 : SHEET_ROWS);
    size.step = pieces === "seconds" ? "any" : "1";
    size.setAttribute("aria-label", pieces === "seconds" ? "Seconds per piece" : "Records per piece");
  }
  function tell(): void {
    const span = Math.max(0, Number(to.value) - Number(from.value));
    const records = Math.min(info.records, Math.round(span * info.rate_hz) + 1);
    const each = pieces === "records" ? Number(size.value) : pieces === "seconds" ? Number(size.value) * info.rate_hz : records;
    const files = each > 0 ? Math.max(1, Math.ceil(records / each)) : 1;
    const folder = recordings.whyNotSeated.peek() ? "viewers" : "exports";
    const where = files > 1 || pieces !== "none" ? `${files} files in ${folder}/${name.value}/` : `${folder}/${name.value}.${format}`;
    setText(sum, `${duration(span)}, about ${records.toLocaleString("en-GB")} records, into ${where}`);
    sum.title = where;
  }
  const stop = effect(() => {
    grid.chosen();
    recordings.whyNot();
    gate(go, refused(), "Write the files");
    tell();
  });
  form.addEventListener("input", () => {
    said.say("");
    tell();
    gate(go, refused(), "Write the files");
  });
  form.addEventListener("submit", (submitted) => {
    submitted.preventDefault();
    const bad = nameProblem(name.value.trim());
    if (bad) return said.say(bad);
    void app.api.post<Job>("/api/export", wanted()).then(
      () => (dialog.close(""), void recordings.look()),
      (error: unknown) => said.say(error instanceof Error ? error.message : String(error)),
    );
  });
  dialog.addEventListener("close", () => (stop(), dialog.remove()));
  formats.set(format);
  sizes.set(pieces);
  formed();
  tell();
  openModal(dialog);
  name.focus();
}

function field(type: string, value: string, more: Record<string, unknown>): HTMLInputElement {
  return h("input", { type, value, autocomplete: "off", class: type === "number" ? "num" : "", ...more });
}

function label(text: string, input: HTMLElement): HTMLElement {
  return h("label", { class: "grow" }, text, input);
}

function part(title: string, ...children: Child[]): HTMLElement {
  return h("section", {}, h("h3", {}, title), ...children);
}

function stem(file: string): string {
  return (file.split("/").at(-1) ?? file).replace(/\.[a-z]+$/i, "");
}
