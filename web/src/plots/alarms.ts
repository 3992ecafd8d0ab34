/** Limits against what comes: every bucket is judged by its extremes, and what was exceeded stays until acknowledged. */

import type { App } from "../app";
import { fill, h } from "../core/dom";
import { effect, signal } from "../core/signal";
import { lowerBound } from "./layer";
import { shortText, timeText } from "./numbers";
import type { Limits } from "./spec";
import type { PlotsState } from "./state";

export type Level = "warn" | "alarm";

/** The worst since it was last acknowledged. `isActive`: the newest bucket still exceeds it. */
export interface Alarm {
  readonly name: string;
  readonly level: Level;
  readonly value: number;
  readonly limit: number;
  readonly t: number;
  readonly isActive: boolean;
  readonly isSeen: boolean;
}

interface Exceeded {
  level: Level;
  value: number;
  limit: number;
}

/** What a bucket from lo to hi exceeds; null where it is within everything. */
export function exceeded(limits: Limits, lo: number, hi: number): Exceeded | null {
  if (limits.alarmHigh !== null && hi > limits.alarmHigh) return { level: "alarm", value: hi, limit: limits.alarmHigh };
  if (limits.alarmLow !== null && lo < limits.alarmLow) return { level: "alarm", value: lo, limit: limits.alarmLow };
  if (limits.warnHigh !== null && hi > limits.warnHigh) return { level: "warn", value: hi, limit: limits.warnHigh };
  if (limits.warnLow !== null && lo < limits.warnLow) return { level: "warn", value: lo, limit: limits.warnLow };
  return null;
}

export class Alarms {
  readonly raised = signal<ReadonlyMap<string, Alarm>>(new Map());
  #judgedTo = new WeakMap<Limits, number>(); // time of the last bucket that was judged, which may not have been whole
  #version = -1;
  #generation = -1;

  constructor(
    private readonly app: App,
    private readonly state: PlotsState,
  ) {
    effect(() => {
      const limits = state.limits();
      const kept = [...this.raised.peek()].filter(([name]) => name in limits);
      this.raised.set(new Map(kept));
      this.#version = -1;
    });
  }

  /** Called for every animation frame. */
  judge(): void {
    const { live } = this.app;
    const limits = this.state.limits.peek();
    if (live.version === this.#version || live.count === 0) return;
    this.#version = live.version;
    if (live.generation !== this.#generation) this.#judgedTo = new WeakMap();
    this.#generation = live.generation;
    const time = live.time();
    for (const [name, own] of Object.entries(limits)) this.#judgeOne(name, own, time);
  }

  #judgeOne(name: string, limits: Limits, time: Float64Array): void {
    const band = this.app.live.band(this.state.byName.peek().get(name)?.place ?? -1);
    if (!band) return;
    const start = lowerBound(time, this.#judgedTo.get(limits) ?? -Infinity);
    this.#judgedTo.set(limits, time[time.length - 1] ?? -Infinity);
    let worst: (Exceeded & { t: number }) | null = null;
    let now: Exceeded | null = null;
    for (let k = start; k < time.length; k += 1) {
      now = exceeded(limits, band.lo[k]!, band.hi[k]!);
      if (now && (!worst || isWorse(now, worst))) worst = { ...now, t: time[k]! };
    }
    const before = this.raised.peek().get(name);
    const isActive = now !== null;
    if (!worst) {
      if (before && before.isActive !== isActive) this.#set(name, before.isSeen ? null : { ...before, isActive });
      return;
    }
    if (before && !isWorse(worst, before)) {
      if (before.isActive !== isActive) this.#set(name, { ...before, isActive });
      return;
    }
    const isSeen = before?.isSeen === true && before.isActive && before.level === worst.level;
    this.#set(name, { name, ...worst, isActive, isSeen });
  }

  acknowledge(name: string): void {
    const alarm = this.raised.peek().get(name);
    if (alarm) this.#set(name, alarm.isActive ? { ...alarm, isSeen: true } : null);
  }

  #set(name: string, alarm: Alarm | null): void {
    const raised = new Map(this.raised.peek());
    if (alarm) raised.set(name, alarm);
    else raised.delete(name);
    this.raised.set(raised);
  }
}

function isWorse(one: Exceeded, other: Exceeded): boolean {
  if (one.level !== other.level) return one.level === "alarm";
  return Math.abs(one.value - one.limit) > Math.abs(other.value - other.limit);
}

/** Pills, one for each channel that exceeded a limit; a click acknowledges. */
export function alarmBar(state: PlotsState, alarms: Alarms): HTMLElement {
  const bar = h("div", { class: "alarm-bar", role: "status", "aria-live": "polite", "data-test": "alarms" });
  effect(() => {
    const raised = [...alarms.raised().values()];
    bar.hidden = raised.length === 0;
    const pills = raised.map(({ name, level, value, limit, t, isActive, isSeen }) => {
      const unit = state.byName().get(name)?.unit ?? "";
      const sign = value > limit ? ">" : "<";
      const text = `${name} ${shortText(value, unit)} ${sign} ${shortText(limit, unit)} at ${timeText(t, 0.01)} s`;
      const how = isSeen ? "acknowledged, still outside" : isActive ? "outside now; click acknowledges" : "was outside; click acknowledges";
      const classes = `pill alarm-pill ${level}${isSeen ? " is-seen" : ""}`;
      return h(
        "button",
        { class: classes, title: how, "data-test": `alarm-${name}`, onclick: () => alarms.acknowledge(name) },
        h("span", { class: `dot ${level === "alarm" ? "bad" : "warn"}` }),
        h("span", { class: "num" }, text),
        h("span", { class: "faint" }, isSeen ? "seen" : isActive ? "now" : "past"),
      );
    });
    fill(bar, ...pills);
  });
  return bar;
}
