/** How well the rig keeps time: its cycles, and how old lengths are when the law uses them, in small meters. */

import type { App } from "../../app";
import { h } from "../../core/dom";
import { effect } from "../../core/signal";
import { baseOf } from "../common/base";
import { rigOf } from "../common/rig";
import { meter, section } from "../common/ui";

const SPAN_S = 1; // of what is shown
const FULL = 8; // cycles, of a full bar
const BOUNDS = { rig_latency: [3, 5], rig_age: [3, 5], rig_lateness: [0.5, 1] } as const; // cycles: fine, and worst
type Name = keyof typeof BOUNDS;
const NAMES = Object.keys(BOUNDS) as Name[];

interface Sample {
  t: number;
  cycles: number;
  values: Record<Name, number>;
}

export function rigTiming(app: App): HTMLElement {
  const base = baseOf(app);
  const rig = rigOf(app);
  const rate = meter("Cycles", "rig-rate");
  const meters: Record<Name, { element: HTMLElement; set: ReturnType<typeof meter>["set"]; about: string }> = {
    rig_latency: { ...meter("Latency", "rig-latency"), about: "from the measurement of lengths to the command that was made of them" },
    rig_age: { ...meter("Age of lengths", "rig-age"), about: "age of the measured lengths that the control law used" },
    rig_lateness: { ...meter("Lateness", "rig-lateness"), about: "start of a cycle of the rig behind its due time" },
  };
  const element = section("Rig timing", [], h("div", { class: "p-meters" }, rate.element, ...NAMES.map((name) => meters[name].element)));
  effect(() => void (element.hidden = rig() === null));
  const recent = new Recent();
  app.onFrame(() => {
    if (element.hidden) return;
    if (!base.isDrawn.peek() || !base.isFresh.peek()) recent.clear();
    else recent.add({ t: app.live.t, cycles: app.value("rig_cycles"), values: valuesOf(app) });
    if (!app.isBeat || !element.checkVisibility()) return;
    const hz = recent.rate();
    rate.set(hz === null ? "–" : `${hz.toFixed(0)} Hz`, hz === null ? 0 : 1, hz === null ? "none" : hz > 0 ? "good" : "bad", "cycles of the rig in the last second");
    for (const name of NAMES) {
      const worst = hz === 0 && name !== "rig_age" ? NaN : recent.worst(name); // a rig that has died has no cycles to judge
      const cycles = hz === 0 ? Infinity * worst : worst * (hz ?? NaN);
      const [fine, most] = BOUNDS[name];
      const level = Number.isNaN(cycles) ? "none" : cycles <= fine ? "good" : cycles <= most ? "warn" : "bad";
      const text = Number.isNaN(worst) ? "–" : worst < 1 ? `${(1e3 * worst).toFixed(1)} ms` : `${worst.toFixed(1)} s`;
      meters[name].set(text, cycles / FULL, level, `${meters[name].about}: largest of those drawn in the last second; fine up to ${fine} cycles`);
    }
  });
  return element;
}

function valuesOf(app: App): Record<Name, number> {
  return { rig_latency: app.value("rig_latency"), rig_age: app.value("rig_age"), rig_lateness: app.value("rig_lateness") };
}

/** Records of the last second, as they were drawn. */
export class Recent {
  #samples: Sample[] = [];

  add(sample: Sample): void {
    const last = this.#samples.at(-1);
    if (last && (sample.t < last.t || sample.cycles < last.cycles)) this.clear(); // another run, or another process
    if (Number.isNaN(sample.t) || sample.t === this.#samples.at(-1)?.t) return;
    this.#samples.push(sample);
    while ((this.#samples[1]?.t ?? Infinity) <= sample.t - SPAN_S) this.#samples.shift();
  }

  clear(): void {
    this.#samples = [];
  }

  /** Cycles per second; null while too little is known. */
  rate(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.t - first.t < SPAN_S / 2) return null;
    return last.cycles > first.cycles ? (last.cycles - first.cycles) / (last.t - first.t) : 0;
  }

  /** The largest value; NaN where there is none. */
  worst(name: Name): number {
    return this.#samples.length ? Math.max(...this.#samples.map(({ values }) => values[name])) : NaN;
  }
}
