/** Names, colours and values of a plot's traces. */

import type { App } from "../app";
import { fill, h, setText, toggleClass } from "../core/dom";
import { editLimits } from "./limits_dialog";
import { openMenu, type Item } from "./menu";
import { namingOf } from "./naming";
import type { Sides } from "./sides";
import { COLOURS, type PlotSpec, type Trace } from "./spec";
import type { PlotsState } from "./state";
import { theme } from "./theme";

interface Entry {
  readonly trace: Trace;
  readonly value: HTMLElement;
}

const NO_CHANNEL = { name: "", unit: "" };

export class Legend {
  readonly element = h("div", { class: "plot-legend", role: "list", "aria-label": "Traces" });
  /** What the traces have in common. */
  readonly title = h("h3", { class: "plot-title ellipsis", "data-test": "plot-title" });
  #entries: Entry[] = [];

  constructor(
    private readonly app: App,
    private readonly state: PlotsState,
    private readonly onHover: (name: string | null) => void,
  ) {}

  update(plot: PlotSpec, sides: Sides): void {
    this.#entries = [];
    const names = plot.traces.map((trace) => trace.name);
    const naming = namingOf(names, names.map((name) => this.state.byName.peek().get(name)), (unit) => this.state.forms.unit(unit));
    setText(this.title, naming.title);
    this.title.hidden = naming.title === "";
    this.title.title = names.join("\n");
    toggleClass(this.element, "is-short", naming.isShort);
    toggleClass(this.element, "has-no-units", naming.saysUnit);
    fill(this.element, ...plot.traces.map((trace, k) => this.#item(plot, trace, sides, naming.labels[k] ?? trace.name)));
  }

  #item(plot: PlotSpec, trace: Trace, sides: Sides, label: string): HTMLElement {
    const { state } = this;
    const channel = state.byName.peek().get(trace.name);
    const value = h("span", { class: "legend-value num" }, "–");
    const unit = h("span", { class: "legend-unit" }, state.forms.unit(channel?.unit ?? ""));
    this.#entries.push({ trace, value });
    const swatch = h("span", { class: "swatch" });
    swatch.style.background = theme.peek().traces[trace.colour - 1] ?? "";
    const hide = (): void => state.changeTrace(plot.id, trace.name, { hidden: !trace.hidden });
    const menu = (event: MouseEvent): void => {
      event.preventDefault();
      openMenu({ x: event.clientX, y: event.clientY }, this.#menu(plot, trace, sides));
    };
    const button = h(
      "button",
      {
        class: "legend-entry",
        role: "listitem",
        draggable: "true",
        "aria-pressed": String(!trace.hidden),
        "aria-label": trace.name,
        "data-test": `legend-${trace.name}`,
        title: title(trace, channel?.description, sides),
        onclick: hide,
        oncontextmenu: menu,
        onmouseenter: () => this.onHover(trace.name),
        onmouseleave: () => this.onHover(null),
        ondragstart: (event: DragEvent) => {
          event.stopPropagation();
          event.dataTransfer?.setData(CHANNELS_TYPE, JSON.stringify([trace.name]));
        },
        onkeydown: (event: KeyboardEvent) => {
          if (event.key === "Delete") state.changeTrace(plot.id, trace.name, null);
        },
      },
      swatch,
      h("span", { class: "legend-name ellipsis" }, label),
      value,
      unit,
    );
    toggleClass(button, "is-hidden", trace.hidden);
    toggleClass(button, "is-missing", channel === undefined);
    return button;
  }

  #menu(plot: PlotSpec, trace: Trace, sides: Sides): (Item | null)[] {
    const { state } = this;
    const change = (part: Partial<Trace>) => (): void => state.changeTrace(plot.id, trace.name, part);
    const isRight = sides.of.get(trace.name) === 1;
    const colours = Array.from({ length: COLOURS }, (_, k) => ({
      label: `Colour ${k + 1}`,
      swatch: theme.peek().traces[k] ?? "",
      hint: trace.colour === k + 1 ? "✓" : "",
      run: change({ colour: k + 1 }),
    }));
    return [
      { label: trace.hidden ? "Show" : "Hide", hint: "click", run: change({ hidden: !trace.hidden }), test: "trace-hide" },
      { label: isRight ? "Move to the left axis" : "Move to the right axis", run: change({ axis: isRight ? "left" : "right" }), test: "trace-axis" },
      { label: "Axis by unit", hint: trace.axis === "auto" ? "✓" : "", run: change({ axis: "auto" }) },
      { label: "Limits…", run: () => editLimits(this.app, state, trace.name), test: "trace-limits" },
      null,
      ...colours,
      null,
      { label: "Remove", hint: "Del", run: () => state.changeTrace(plot.id, trace.name, null), test: "trace-remove" },
    ];
  }

  /** @param at value of a channel by its name, where the cursor is or the newest */
  show(at: (name: string) => number): void {
    for (const { trace, value } of this.#entries) {
      const channel = this.state.byName.peek().get(trace.name);
      const number = channel ? at(trace.name) : NaN;
      const words = channel?.codes || channel?.bits ? this.app.session.meaning(trace.name, number) : null;
      setText(value, words ?? this.state.forms.text(channel ?? NO_CHANNEL, number));
    }
  }
}

/** What is dragged between the channel list and plots: a JSON list of names. */
export const CHANNELS_TYPE = "application/x-motionbase-channels";

function title(trace: Trace, description: string | undefined, sides: Sides): string {
  if (description === undefined) return `${trace.name} is not in this schema`;
  const axis = sides.of.get(trace.name) === 1 ? "right" : "left";
  return `${trace.name}: ${description} (${axis} axis)\nClick to hide; right-click for axis, colour and limits`;
}
