/** The channel list: found by typing, dragged or double clicked into plots, with what each reads now. */

import type { App } from "../app";
import { fill, h, setText, toggleClass } from "../core/dom";
import { icon } from "../core/icon";
import { effect, signal } from "../core/signal";
import type { Channel } from "../net/types";
import { deriveDialog, removeDerived } from "./derive";
import { DERIVED, find, groupsOf, type Family, type Group } from "./families";
import { CHANNELS_TYPE } from "./legend";
import { editLimits } from "./limits_dialog";
import { openMenu } from "./menu";
import type { PlotsState } from "./state";

const FIRST_OPEN = new Set(["leg_position", "pose", "rig_length", "rig_state", DERIVED]);

interface Cell {
  readonly channel: Channel;
  readonly element: HTMLElement;
  readonly value: HTMLElement;
}

export class ChannelList {
  readonly element: HTMLElement;
  readonly #query = signal("");
  readonly #open = signal<ReadonlySet<string>>(FIRST_OPEN);
  readonly #picked = signal<ReadonlySet<string>>(new Set());
  readonly #body = h("div", { class: "channel-groups", role: "listbox", "aria-multiselectable": "true", "aria-label": "Channels" });
  readonly #visible = new Set<Element>();
  readonly #watch: IntersectionObserver;
  #cells: Cell[] = [];
  #anchor: string | null = null;
  #beats = 0;
  #isNew = true; // cells that show nothing yet

  constructor(
    private readonly app: App,
    private readonly state: PlotsState,
  ) {
    const search = h("input", { type: "search", placeholder: "Find a channel", "aria-label": "Find a channel", "data-test": "channel-search" });
    search.addEventListener("input", () => this.#query.set(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") this.#focus(0);
      if (event.key === "Enter" && this.#cells[0]) state.add([this.#cells[0].channel.name]);
    });
    const derive = h("button", { class: "quiet only-icon", title: "New derived channel", "aria-label": "New derived channel" }, icon("M12 5v14|M5 12h14"));
    derive.addEventListener("click", () => deriveDialog(app, state));
    this.element = h("div", { class: "channels" }, h("div", { class: "channel-find row" }, search, derive), this.#body);
    this.#watch = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) this.#visible.add(target);
        else this.#visible.delete(target);
      }
    }, { root: this.#body, rootMargin: "60px" });
    this.#body.addEventListener("keydown", (event) => this.#onKey(event));
    effect(() => this.#build());
    effect(() => {
      const picked = this.#picked();
      for (const { channel, element } of this.#cells) element.setAttribute("aria-selected", String(picked.has(channel.name)));
    });
    app.layout.register("channels", {
      save: () => ({ open: [...this.#open.peek()] }),
      load: (piece) => {
        if (Array.isArray(piece["open"])) this.#open.set(new Set(piece["open"].filter((name) => typeof name === "string")));
      },
    });
  }

  #build(): void {
    const { state } = this;
    const query = this.#query();
    const open = this.#open();
    const channels = state.schema()?.channels ?? [];
    state.forms.changes(); // units may have got a prefix
    this.#cells = [];
    this.#watch.disconnect();
    this.#visible.clear();
    const found = query ? find(channels, query) : channels;
    const groups = groupsOf(found).map((group) => this.#group(group, query !== "" || open.has(group.name)));
    const nothing = channels.length
      ? `No channel matches “${query}”.`
      : "No channels yet. They appear when a base runs or a recording is opened.";
    fill(this.#body, ...(groups.length ? groups : [h("p", { class: "empty" }, nothing)]));
    const first = this.#cells[0]?.element;
    if (first) first.tabIndex = 0;
    this.#isNew = true;
  }

  #group(group: Group, isOpen: boolean): HTMLElement {
    const toggle = (): void => {
      const next = new Set(this.#open.peek());
      if (!next.delete(group.name)) next.add(group.name);
      this.#open.set(next);
      this.app.layout.changed();
    };
    const header = h(
      "button",
      { class: "channel-group quiet", "aria-expanded": String(isOpen), onclick: toggle, "data-test": `group-${group.name}` },
      icon("m9 6 6 6-6 6", 12),
      h("span", { class: "grow ellipsis" }, group.name.replaceAll("_", " ")),
      h("span", { class: "faint num" }, group.count),
    );
    const element = h("div", { class: "channel-section", role: "group", "aria-label": group.name }, header);
    if (isOpen) for (const family of group.families) element.append(this.#family(family));
    return element;
  }

  #family(family: Family): HTMLElement {
    const { members } = family;
    const names = members.map((member) => member.channel.name);
    const unit = family.units.map((one) => this.state.forms.unit(one)).filter(Boolean).join(", ");
    if (members.length === 1 && members[0]) {
      const element = h("div", { class: "channel-family" }, this.#cell(members[0].channel, members[0].channel.name, unit));
      this.#watch.observe(element);
      return element;
    }
    const header = h(
      "div",
      { class: "family-head row", draggable: "true", title: `${members[0]?.channel.description ?? ""}\nDrag or double-click to plot all ${members.length}` },
      h("span", { class: "grow ellipsis" }, family.title),
      h("span", { class: "faint" }, unit),
    );
    header.addEventListener("click", () => this.#picked.set(new Set(names)));
    header.addEventListener("dblclick", () => this.state.add(names));
    header.addEventListener("dragstart", (event) => event.dataTransfer?.setData(CHANNELS_TYPE, JSON.stringify(names)));
    const cells = members.map((member) => this.#cell(member.channel, member.label, ""));
    const element = h("div", { class: "channel-family" }, header, h("div", { class: "family-cells" }, ...cells));
    this.#watch.observe(element);
    return element;
  }

  #cell(channel: Channel, label: string, unit: string): HTMLElement {
    const value = h("span", { class: "cell-value num" }, "–");
    const element = h(
      "div",
      {
        class: "channel-cell",
        role: "option",
        draggable: "true",
        tabindex: -1,
        "aria-selected": String(this.#picked.peek().has(channel.name)),
        "aria-label": channel.name,
        title: `${channel.name}${channel.formula ? ` = ${channel.formula}` : ""}\n${channel.description}`,
        "data-test": `channel-${channel.name}`,
      },
      h("span", { class: "cell-label ellipsis" }, label),
      value,
      unit ? h("span", { class: "cell-unit faint" }, unit) : null,
    );
    element.addEventListener("click", (event) => this.#pick(channel.name, event));
    element.addEventListener("dblclick", () => this.state.add(this.#chosen(channel.name)));
    element.addEventListener("contextmenu", (event) => this.#menu(channel, event));
    element.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData(CHANNELS_TYPE, JSON.stringify(this.#chosen(channel.name)));
    });
    this.#cells.push({ channel, element, value });
    return element;
  }

  /** All that is picked, if the one meant is among it. */
  #chosen(name: string): string[] {
    const picked = this.#picked.peek();
    return picked.has(name) ? this.#cells.map((cell) => cell.channel.name).filter((other) => picked.has(other)) : [name];
  }

  #pick(name: string, event: MouseEvent | KeyboardEvent): void {
    const names = this.#cells.map((cell) => cell.channel.name);
    const [from, to] = [names.indexOf(this.#anchor ?? name), names.indexOf(name)];
    if (event.shiftKey && from >= 0) {
      this.#picked.set(new Set(names.slice(Math.min(from, to), Math.max(from, to) + 1)));
      return;
    }
    const next = new Set(event.ctrlKey || event.metaKey ? this.#picked.peek() : []);
    if (!next.delete(name)) next.add(name);
    this.#anchor = name;
    this.#picked.set(next);
  }

  #menu(channel: Channel, event: MouseEvent): void {
    event.preventDefault();
    const { app, state } = this;
    const names = this.#chosen(channel.name);
    const own = channel.formula === null ? [] : [
      null,
      { label: "Edit…", run: () => deriveDialog(app, state, channel) },
      { label: "Delete", run: () => void removeDerived(app, state, channel), test: "derive-delete" },
    ];
    openMenu({ x: event.clientX, y: event.clientY }, [
      { label: "Add to the selected plot", hint: "Enter", run: () => state.add(names) },
      { label: "Add to a new plot", hint: "Ctrl Enter", run: () => state.insert(names, state.plots.peek().length) },
      { label: "Limits…", run: () => editLimits(app, state, channel.name) },
      ...own,
    ]);
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#cells.findIndex((cell) => cell.element === event.target);
    const cell = this.#cells[at];
    if (!cell) return;
    const { name } = cell.channel;
    const isNext = event.key === "ArrowDown" || event.key === "ArrowRight";
    if (isNext || event.key === "ArrowUp" || event.key === "ArrowLeft") this.#focus(at + (isNext ? 1 : -1));
    else if (event.key === " ") this.#pick(name, new MouseEvent("click", { ctrlKey: true }));
    else if (event.key === "Enter" && event.ctrlKey) this.state.insert(this.#chosen(name), this.state.plots.peek().length);
    else if (event.key === "Enter") this.state.add(this.#chosen(name));
    else return;
    event.preventDefault();
  }

  #focus(at: number): void {
    const next = this.#cells[at]?.element;
    if (!next) return;
    for (const { element } of this.#cells) element.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /** Called for every animation frame. */
  showValues(): void {
    if (this.app.isBeat) this.#beats += 1;
    if ((!this.app.isBeat || this.#beats % 2) && !this.#isNew) return; // this many texts cost more than all plots
    this.#isNew = false;
    const isFile = this.app.file.peek() !== null && this.app.session.source.peek() !== "replay";
    for (const { channel, element, value } of this.#cells) {
      const family = element.closest(".channel-family");
      if (!family || !this.#visible.has(family)) continue;
      const number = isFile ? NaN : (this.app.live.newest[channel.place] ?? NaN);
      const words = channel.codes || channel.bits ? this.app.session.meaning(channel.name, number) : null;
      setText(value, words === "" ? "none" : (words ?? this.state.forms.text(channel, number)));
      toggleClass(value, "is-words", words !== null);
    }
  }
}
