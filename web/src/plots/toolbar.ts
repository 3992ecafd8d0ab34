/** Above the plots: live or not, how much time, and what can be done with all of them. */

import type { App } from "../app";
import { h, setText, toggleClass } from "../core/dom";
import { icon } from "../core/icon";
import { duration } from "../core/format";
import { effect } from "../core/signal";
import { deriveDialog } from "./derive";
import type { Exporter } from "./export";
import { layoutMenu } from "./layouts";
import { openMenu } from "./menu";
import { toggleLive } from "./keys";
import type { Source } from "./source";
import { MOST_COLUMNS } from "./spec";
import { SPANS, type PlotsState } from "./state";

const ICONS = {
  undo: "M9 14 4 9l5-5|M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "m15 14 5-5-5-5|M20 9H10a6 6 0 0 0 0 12h3",
  add: "M12 5v14|M5 12h14",
  formula: "M14 4c-3 0-3 2-3.500 5L9 18c-.5 2-1.500 3-3.500 2.500|M7 10h7|m15 13 5 6|m20 13-5 6",
  flag: "M5 21V4|M5 4h12l-2 4 2 4H5",
  share: "M12 3v12|m8 11 4 4 4-4|M4 19h16",
  more: "M4 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0|M11 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0|M18 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0",
  layout: "M4 4h7v7H4z|M13 4h7v7h-7z|M4 13h7v7H4z|M13 13h7v7h-7z",
};

export function toolbar(app: App, state: PlotsState, source: Source, exporter: Exporter): HTMLElement {
  const note = h("span", { class: "plot-note faint ellipsis", "aria-live": "polite", "data-test": "plot-note" });
  effect(() => setText(note, source.note()));
  const button = (strokes: string, title: string, test: string, run: (button: HTMLElement) => void): HTMLButtonElement => {
    const made = h("button", { class: "quiet only-icon", title, "aria-label": title, "data-test": test }, icon(strokes));
    made.addEventListener("click", () => run(made));
    return made;
  };
  const undo = button(ICONS.undo, "Undo zoom (Ctrl+Z)", "zoom-undo", () => state.view.undo());
  const redo = button(ICONS.redo, "Redo zoom (Ctrl+Shift+Z)", "zoom-redo", () => state.view.redo());
  effect(() => {
    undo.disabled = !state.view.canUndo();
    redo.disabled = !state.view.canRedo();
  });
  const derive = button(ICONS.formula, "New derived channel", "derive-new", () => deriveDialog(app, state));
  const layouts = button(ICONS.layout, "Layouts", "layouts", (at) => void layoutMenu(app, state, visible(at)));
  const add = button(ICONS.add, "Add a plot", "plot-add", () => state.insert([], state.plots.peek().length));
  const share = button(ICONS.share, "Export what is visible", "export", (at) => exporter.menu(visible(at)));
  const events = button(ICONS.flag, "Show events", "toggle-events", () => {
    state.showsEvents.set(!state.showsEvents.peek());
    app.layout.changed();
  });
  effect(() => events.setAttribute("aria-pressed", String(state.showsEvents())));
  const angles = anglesButton(app, state);
  return h(
    "div",
    { class: "plot-toolbar", role: "toolbar", "aria-label": "Plots" },
    liveButton(app, state),
    spanSelect(app, state),
    clockSelect(app),
    shownText(app, state),
    note,
    h("span", { class: "grow" }),
    h("div", { class: "plot-tools-seldom" }, undo, redo, events, angles, derive, layouts),
    h("div", { class: "plot-tools-often" }, columnsSelect(app, state), add, share),
    button(ICONS.more, "More", "plots-more", (at) => more(at, [undo, redo, events, angles, derive, layouts, add, share])),
  );
}

/** Where a menu of this button opens: beneath it, or beneath the one that stands for it. */
function visible(button: HTMLElement): HTMLElement {
  return button.checkVisibility() ? button : (button.closest(".plot-toolbar")?.querySelector<HTMLElement>('[data-test="plots-more"]') ?? button);
}

/** What had no room, by the names of the buttons that it stands for. */
function more(at: HTMLElement, buttons: readonly HTMLButtonElement[]): void {
  const hidden = buttons.filter((button) => !button.checkVisibility());
  openMenu(
    at,
    hidden.map((button) => ({
      label: button.title,
      hint: button.getAttribute("aria-pressed") === "true" ? "✓" : "",
      isDisabled: button.disabled,
      test: `more-${button.dataset["test"]}`,
      run: () => button.click(),
    })),
  );
}

function liveButton(app: App, state: PlotsState): HTMLElement {
  const dot = h("span", { class: "dot" });
  const text = h("span", {}, "Live");
  const button = h("button", { class: "live-button", title: "Space: freeze or follow", "data-test": "live" }, dot, text);
  button.addEventListener("click", () => toggleLive(state));
  effect(() => {
    const isFile = app.file() !== null;
    const isLive = state.isLive();
    setText(text, isFile ? "Whole" : "Live");
    button.title = isFile ? "Show the whole recording" : isLive ? "Freeze (Space)" : "Back to the newest records (Space)";
    button.disabled = isFile && state.view.now().time === null;
    button.setAttribute("aria-pressed", String(isLive));
    const comes = app.session.ring()?.state === "live" && app.socket.link() === "open" && !app.socket.isSilent();
    toggleClass(dot, "good", isLive && comes);
    toggleClass(button, "primary", !isLive && !button.disabled);
  });
  return button;
}

function spanSelect(app: App, state: PlotsState): HTMLElement {
  const options = SPANS.map((span) => h("option", { value: span }, span < 60 ? `${span} s` : `${span / 60} min`));
  const select = h("select", { title: "Time span of the live plots", "aria-label": "Time shown", "data-test": "span" }, ...options);
  select.addEventListener("change", () => {
    state.span.set(Number(select.value));
    state.view.setTime(null, "live");
    app.layout.changed();
  });
  effect(() => {
    select.value = String(state.span());
    select.hidden = app.file() !== null;
  });
  return select;
}

/** All angles of the plots in degrees, or all in radians. */
function anglesButton(app: App, state: PlotsState): HTMLButtonElement {
  const { angles } = state.forms;
  const button = h("button", { class: "quiet", "data-test": "angles" });
  button.addEventListener("click", () => {
    state.forms.tellAngles(angles.peek() === "deg" ? "rad" : "deg");
    app.layout.changed();
  });
  effect(() => {
    const isDegrees = angles() === "deg";
    setText(button, isDegrees ? "°" : "rad");
    button.title = isDegrees ? "Angles in degrees; click for radians" : "Angles in radians; click for degrees";
    button.setAttribute("aria-label", button.title);
  });
  return button;
}

/** One choice for axes, transport and events. */
function clockSelect(app: App): HTMLElement {
  const { clock } = app;
  const select = h(
    "select", { title: "Clock for axes, replay and events", "aria-label": "Clock", "data-test": "clock" },
    h("option", { value: "run" }, "Run time"), h("option", { value: "utc" }, "UTC"),
  );
  select.addEventListener("change", () => {
    clock.kind.set(select.value === "utc" ? "utc" : "run");
    app.layout.changed();
  });
  effect(() => {
    select.value = clock.kind();
    const isUnknown = clock.kind() === "utc" && clock.epoch() === null;
    select.title = isUnknown ? "Clock for axes, replay and events; this data has no absolute time, so its axes show run time" : "Clock for axes, replay and events";
  });
  return select;
}

/** How long the stretch is that is shown, while it is not the live one; and that it is old, while a ring goes on. */
function shownText(app: App, state: PlotsState): HTMLElement {
  const frozen = h("span", { class: "frozen-mark num", title: "The plots are frozen; the ring continues. Press Space or Live to follow it again.", "data-test": "frozen", hidden: true });
  const text = h("span", { class: "num dim shown-text", "data-test": "shown" });
  effect(() => {
    const isFile = app.file() !== null;
    const isLive = state.isLive();
    state.view.now();
    const { from, to } = state.shown();
    frozen.hidden = isLive || isFile;
    text.closest(".plots")?.classList.toggle("is-frozen", !frozen.hidden);
    setText(text, isLive ? "" : `${duration(to - from)} shown`);
    text.title = `${app.clock.axis(from, 0.01)} to ${app.clock.text(to, 0.01)}`;
  });
  app.onFrame(() => {
    if (!app.isBeat || frozen.hidden) return;
    const age = app.live.t - state.shown().to;
    setText(frozen, age >= 1 ? `FROZEN ${duration(age).replace(/\.\d+/, "")} ago` : "FROZEN");
  });
  return h("span", { class: "row shown-texts" }, frozen, text);
}

function columnsSelect(app: App, state: PlotsState): HTMLElement {
  const options = Array.from({ length: MOST_COLUMNS }, (_, k) => h("option", { value: k + 1 }, columnsText(k + 1)));
  const select = h("select", { title: "Columns of plots", "aria-label": "Columns of plots", "data-test": "columns" }, ...options);
  select.addEventListener("change", () => {
    state.columns.set(Number(select.value));
    app.layout.changed();
  });
  effect(() => {
    const [wanted, fits] = [state.columns(), state.fits()];
    options.forEach((option, k) => setText(option, fits > k ? columnsText(k + 1) : `${fits} of ${columnsText(k + 1)}`));
    select.title = fits < wanted ? `Columns of plots; there is room for ${fits} now` : "Columns of plots";
    select.value = String(wanted);
  });
  return select;
}

function columnsText(count: number): string {
  return `${count} ${count === 1 ? "column" : "columns"}`;
}
