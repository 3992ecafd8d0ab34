/** The pens of a strip chart: which channels, from top to bottom, and the range of each lane. */

import type { App } from "../../app";
import { fill, h } from "../../core/dom";
import { effect, signal, type Signal } from "../../core/signal";
import type { Channel, StripChannel } from "../../net/types";
import { iconButton, ICONS } from "../common/ui";

export const MOST = 16;

export interface Pens {
  element: HTMLElement;
  list: Signal<StripChannel[]>;
  /** What is wrong with them; "" if nothing is. */
  problem(): string;
}

export function pens(app: App): Pens {
  const list = signal<StripChannel[]>([]);
  const set = (next: StripChannel[]): void => {
    list.set(next);
    app.layout.changed();
  };
  app.layout.register("strip", {
    save: () => ({ pens: list.peek() }),
    load: (piece) => Array.isArray(piece["pens"]) && list.set(
      (piece["pens"] as unknown[]).filter(isPen).slice(0, MOST),
    ),
  });

  const names = h("datalist", { id: "strip-channels" });
  effect(() => {
    const schema = app.session.schemas().live ?? null;
    fill(
      names,
      ...drawable(schema?.channels).map(
        (channel) => h("option", { value: channel.name }, `${channel.description} [${channel.unit}]`),
      ),
    );
  });
  const picker = h(
    "input",
    {
      list: "strip-channels", class: "grow", placeholder: "Add a channel", "aria-label": "Add a channel",
      "data-test": "strip-pick",
    },
  );
  const add = (name: string): void => {
    const known = drawable(app.session.schemas.peek().live?.channels).some((channel) => channel.name === name);
    if (!known || list.peek().length >= MOST || list.peek().some((pen) => pen.name === name)) return;
    set([...list.peek(), { name, low: null, high: null, colour: null }]);
    picker.value = "";
  };
  picker.addEventListener("input", () => add(picker.value)); // choosing from the list is an input too
  picker.addEventListener("keydown", (key) => key.key === "Enter" && add(picker.value.trim()));
  picker.addEventListener("drop", (dropped) => {
    const names = dropped.dataTransfer?.getData("text/plain").split(/[\s,]+/) ?? [];
    dropped.preventDefault();
    names.forEach(add);
  });
  const fromPlots = h(
    "button",
    {
      type: "button", "data-test": "strip-from-plots", title: "The first 16 channels that the plots show",
      onclick: () => plotted(app).forEach(add),
    },
    "From the plots",
  );
  const clear = h(
    "button", { type: "button", class: "quiet", "data-test": "strip-clear", onclick: () => set([]) }, "Clear",
  );
  const table = h("div", { class: "p-pens" });

  let drawn = "";
  effect(() => {
    const now = list();
    picker.disabled = now.length >= MOST;
    picker.placeholder = now.length >= MOST ? `${MOST} at most` : "Add a channel";
    clear.hidden = now.length === 0;
    const key = now.map((pen) => pen.name).join();
    if (key === drawn) return; // only numbers changed: the fields have them already
    drawn = key;
    const none = h(
      "p", { class: "faint p-small" }, `No channel yet: choose up to ${MOST}, from top to bottom of the paper.`,
    );
    fill(table, ...now.map((pen, k) => penRow(app, pen, k, list, set)), now.length === 0 && none);
  });
  const problem = (): string => {
    if (list().length === 0) return "choose at least one channel";
    const schema = app.session.schemas().live;
    const known = new Set(drawable(schema?.channels).map((channel) => channel.name));
    const gone = schema ? list().find(({ name }) => !known.has(name)) : undefined;
    if (gone) return `${gone.name} is not a channel of the ring, so it cannot be charted; remove it`;
    const wrong = list().find(({ low, high }) => (low === null || high === null ? low !== high : low >= high));
    return wrong ? `${wrong.name}: give both ends of its range, the lower one first, or none` : "";
  };
  const element = h("div", { class: "column" }, names, table, h("div", { class: "row" }, picker, fromPlots, clear));
  return { element, list, problem };
}

function penRow(
  app: App, pen: StripChannel, k: number, list: Signal<StripChannel[]>, set: (next: StripChannel[]) => void,
): HTMLElement {
  const unit = app.session.schemas.peek().live?.channels.find((channel) => channel.name === pen.name)?.unit ?? "";
  const end = (which: "low" | "high"): HTMLInputElement => {
    const input = h("input", {
      class: "num", inputmode: "decimal", value: pen[which] ?? "", placeholder: "auto",
      "aria-label": `${which} end of ${pen.name}`,
      title: `${which === "low" ? "Lower" : "Upper"} edge of the lane [${unit}]; empty: automatic`,
    });
    input.addEventListener("input", () => {
      const text = input.value.trim().replace(",", ".");
      const value = text === "" ? null : Number(text);
      input.setAttribute("aria-invalid", String(value !== null && !Number.isFinite(value)));
      if (value === null || Number.isFinite(value)) set(
        list.peek().map((other, at) => (at === k ? { ...other, [which]: value } : other)),
      );
    });
    return input;
  };
  const remove = iconButton(
    ICONS.close, `Remove ${pen.name} from the chart`, () => set(list.peek().filter((other) => other.name !== pen.name)),
    `strip-remove-${pen.name}`,
  );
  return h(
    "div", { class: "p-pen" }, h("span", { class: "ellipsis", title: pen.name }, pen.name), end("low"), end("high"),
    h("span", { class: "faint" }, unit === "-" ? "" : unit), remove,
  );
}

/** Names of channels in the plots' part of the layout, in order, whatever else is there. */
function plotted(app: App): string[] {
  const known = new Set(drawable(app.session.schemas.peek().live?.channels).map((channel) => channel.name));
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === "string" && known.has(value)) found.add(value);
    else if (Array.isArray(value)) value.forEach(look);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
  };
  look(app.layout.whole()["plots"]);
  return [...found].slice(0, MOST);
}

/** A chart is drawn from the ring itself, which has no channels by formula. */
export function drawable(channels: readonly Channel[] | undefined): readonly Channel[] {
  return (channels ?? []).filter((channel) => channel.formula === null);
}

function isPen(value: unknown): value is StripChannel {
  return typeof value === "object" && value !== null && typeof (value as StripChannel).name === "string";
}
