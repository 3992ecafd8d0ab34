/** What is compared: a stretch of the vehicle's motion, and two sets with their algorithms. */

import type { App } from "../../../app";
import { fill, h } from "../../../core/dom";
import { effect, signal, type Signal } from "../../../core/signal";
import type { CueingChoices, CueingSide, RecordingFile, TryCueing } from "../../../net/types";
import { isCued } from "../axes";
import { openFile } from "../../common/files";
import { iconButton } from "../../common/ui";

const SWAP = "M8 4v15|M4 15l4 4 4-4|M16 20V5|M12 9l4-4 4 4";
const SPANS = [10, 30, 60, 120, 300];
const USUAL_S = 30;
const LIVE = "";
const IN_USE = "in use";
const MOST_LETTERS = 20_000; // of a set's file

interface Side {
  readonly element: HTMLElement;
  get(): CueingSide;
  set(side: CueingSide): void;
  offer(choices: CueingChoices): void;
}

export interface Form {
  readonly element: HTMLElement;
  /** Why nothing can be compared; "" where something can. */
  readonly whyNot: Signal<string>;
  wanted(): TryCueing;
  refresh(): Promise<void>;
}

export function form(app: App): Form {
  const choices = signal<CueingChoices | null>(null);
  const whyNot = signal("the sets are not known yet");
  const input = h("select", { "aria-label": "Motion of the vehicle", "data-test": "compare-input" });
  const span = h("select", { "aria-label": "How much of it", "data-test": "compare-span" }, ...SPANS.map((s) => h("option", { value: s, selected: s === USUAL_S }, `last ${s} s`)));
  const time = (label: string, test: string): HTMLInputElement =>
    h("input", { class: "num", inputmode: "decimal", autocomplete: "off", "aria-label": label, placeholder: label.toLowerCase(), "data-test": test });
  const [from, to] = [time("From", "compare-from"), time("To", "compare-to")];
  const visible = h("button", { type: "button", class: "quiet", title: "The part between the cursors A and B, or else what the plots show", "data-test": "compare-visible", onclick: () => takeVisible() }, "As shown");
  const range = h("span", { class: "cue-range" }, h("span", { class: "p-with-unit" }, from, h("span", {}, "s")), h("span", { class: "faint" }, "to"), h("span", { class: "p-with-unit" }, to, h("span", {}, "s")), visible);
  const [a, b] = [side(app, "A", "compare-a"), side(app, "B", "compare-b")];
  const swap = iconButton(SWAP, "Swap A and B", () => {
    const was = a.get();
    a.set(b.get());
    b.set(was);
  }, "compare-swap");
  const element = h("div", { class: "cue-form" }, h("div", { class: "cue-source" }, input, span), range,
    h("div", { class: "cue-sides" }, h("div", { class: "column" }, a.element, b.element), swap)); // prettier-ignore

  const show = (): void => {
    const isLive = input.value === LIVE;
    span.hidden = !isLive;
    range.hidden = isLive;
    visible.hidden = app.file.peek()?.file !== input.value;
    const isThere = !isLive || isCued(app.session.schemas.peek().live?.channels);
    whyNot.set(choices.peek() === null ? "the sets are not known yet" : isThere ? "" : "the live base has no motion of a vehicle; choose a recording");
  };
  input.addEventListener("change", () => {
    from.value = to.value = "";
    if (app.file.peek()?.file === input.value) takeVisible();
    show();
  });

  function takeVisible(): void {
    const [first, last] = app.markedRange?.() ?? app.visibleRange?.() ?? [NaN, NaN];
    const info = app.file.peek();
    if (!info || !(last > first)) return;
    from.value = Math.max(info.start, first).toFixed(2);
    to.value = Math.min(info.end, last).toFixed(2);
  }

  async function refresh(): Promise<void> {
    const [found, files] = await Promise.all([
      app.api.get<CueingChoices>("/api/cueing").catch(() => null),
      app.api.get<RecordingFile[]>("/api/recordings").catch(() => []),
    ]);
    choices.set(found ?? choices.peek());
    const before = input.value || app.file.peek()?.file || LIVE;
    const options = files.filter(({ is_written }) => !is_written).map(({ file }) => h("option", { value: file, selected: file === before }, file));
    fill(input, h("option", { value: LIVE, selected: before === LIVE }, "Live history"), ...options);
    if (found) for (const one of [a, b]) one.offer(found);
    show();
  }

  effect(() => {
    app.session.schemas();
    const file = app.file()?.file;
    if (file && [...input.options].some(({ value }) => value === file) && input.value !== file) {
      input.value = file;
      input.dispatchEvent(new Event("change"));
    }
    show();
  });

  const seconds = (field: HTMLInputElement): number | null => {
    const text = field.value.trim().replace(",", ".").replace("−", "-");
    if (text === "") return null;
    if (!Number.isFinite(Number(text))) throw new Error(`${field.getAttribute("aria-label") ?? "time"}: “${text}” is not a time in seconds`);
    return Number(text);
  };
  const wanted = (): TryCueing => {
    const isLive = input.value === LIVE;
    return { file: isLive ? null : input.value, start: isLive ? null : seconds(from), stop: isLive ? null : seconds(to), seconds: Number(span.value), a: a.get(), b: b.get() };
  };
  return { element, whyNot, wanted, refresh };
}

const FILE = "file…";

function side(app: App, name: "A" | "B", test: string): Side {
  const set = h("select", { "aria-label": `Set of ${name}`, "data-test": `${test}-set` });
  const algorithm = h("select", { "aria-label": `Algorithm of ${name}`, "data-test": `${test}-algorithm` });
  const element = h("div", { class: "cue-side" }, h("b", {}, name), set, algorithm);
  let told = "";
  let own = new Map<string, string>(); // sets of files, by their names
  let before = "";
  set.addEventListener("change", () => {
    if (set.value !== FILE) return void (before = set.value);
    set.value = before;
    void app.attempt(open());
  });
  const open = async (): Promise<void> => {
    const file = await openFile(".toml");
    if (!file) return;
    if (file.text.length > MOST_LETTERS) throw new Error(`${file.name} is too long for a set: ${MOST_LETTERS} letters are the most`);
    keep(file.name.replace(/\.toml$/i, "").slice(0, 64), file.text);
  };
  const keep = (called: string, text: string): void => {
    if (!own.has(called)) set.insertBefore(h("option", { value: called, title: "Of a file" }, called), set.lastElementChild);
    own.set(called, text);
    before = set.value = called;
  };
  const offer = (choices: CueingChoices): void => {
    const key = JSON.stringify(choices);
    if (key === told) return;
    const chosen = told ? get() : null;
    const files = own;
    told = key;
    const live = choices.in_use ? [{ name: IN_USE, summary: "The parameters of the live base, as they are tuned now" }] : [];
    const sets = [...live, ...choices.sets];
    fill(set, ...sets.map((one) => h("option", { value: one.name, title: one.summary }, one.name)), h("option", { value: FILE, title: "The TOML file of a set" }, FILE));
    own = new Map();
    for (const [called, text] of files) keep(called, text);
    set.selectedIndex = 0;
    fill(algorithm, ...choices.algorithms.map((one) => h("option", { value: one }, one)));
    if (chosen) put(chosen);
    else if (name === "B") set.selectedIndex = Math.min(1, sets.length - 1); // another one than A
    before = set.value;
  };
  const get = (): CueingSide => ({ set: set.value, algorithm: algorithm.value, text: own.get(set.value) ?? "" });
  const put = (of: CueingSide): void => {
    if (of.text) keep(of.set, of.text);
    set.value = of.set;
    algorithm.value = of.algorithm;
    if (set.selectedIndex < 0) set.selectedIndex = 0;
    if (algorithm.selectedIndex < 0) algorithm.selectedIndex = 0;
    before = set.value;
  };
  return { element, offer, get, set: put };
}
