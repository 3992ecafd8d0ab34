/** What the edited cards would do: asked of the server a moment after the last change, drawn, and judged. */

import type { App } from "../../app";
import { fill, h, toggleClass } from "../../core/dom";
import { effect, signal } from "../../core/signal";
import type { Preview } from "../../net/types";
import { choice, note, section } from "../common/ui";
import type { Block } from "./block";
import { Chart, css, type Curve } from "./chart";
import { exceededList } from "./exceeded";
import { DOFS } from "../../net/words";
import { DEGREE } from "./model";
import { usage } from "./usage";

const LATER_MS = 250;
const BUSY = "computing what these cards would do …";
const BUSY_MS = 600;
const SECONDS = [5, 10, 20, 60, 300] as const;
const QUANTITIES = { position: "Position", velocity: "Velocity", acceleration: "Acceleration", legs: "Legs" } as const;
const RATES = { position: "", velocity: "/s", acceleration: "/s²" } as const;

type Quantity = keyof typeof QUANTITIES;

/** `picture`: the curves and what they come to, which stay in sight; `numbers`: every limit, one by one. */
export function preview(app: App, block: Block): { picture: HTMLElement; numbers: HTMLElement } {
  const found = signal<Preview | null>(null);
  const quantity = signal<Quantity>("position");
  const seconds = signal<number>(20);
  const said = note("info", "preview-said");
  const beyond = h("div", {});
  const chart = new Chart();
  const table = usage();
  const pick = choice("Quantity", QUANTITIES, (picked) => quantity.set(picked), "preview");
  const span = h(
    "select", {
      "aria-label": "Seconds of the preview", title: "Seconds of the preview", "data-test": "preview-seconds",
      onchange: () => seconds.set(Number(span.value)),
    },
    ...SECONDS.map((s) => h("option", { value: s, selected: s === 20 }, `${s} s`)),
  );
  let turn = 0;
  let timer = 0;
  const request = async (): Promise<void> => {
    const own = (turn += 1);
    const late = window.setTimeout(() => own === turn && said.say(BUSY), BUSY_MS); // what is said is of the cards before
    try {
      const answer = await app.api.post<Preview>(
        "/api/generators/preview", { cards: block.edited.peek(), seconds: seconds.peek() },
      );
      if (own !== turn) return; // an older question than the last one
      found.set(answer);
      block.exceeded.set(answer.exceeded.length);
      said.say(answer.text);
    } catch (error) {
      if (own !== turn) return;
      found.set(null);
      said.say(error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(late);
    }
  };
  effect(() => {
    const isAny = block.edited().cards.some((card) => card.enabled);
    seconds();
    clearTimeout(timer);
    block.exceeded.set(0); // of what was edited before
    if (!block.isGood()) return said.say("no preview until all numbers are valid");
    if (!isAny) {
      found.set(null);
      turn += 1;
      return said.say("no generator is on: switch one on to preview its motion");
    }
    if (found.peek() === null) said.say(BUSY);
    timer = window.setTimeout(() => void request(), LATER_MS);
  });
  const legend = h("div", { class: "p-legend" });
  const numbers = section("Use of the limits", [], beyond, table.element);
  effect(() => {
    const answer = found();
    pick.set(quantity());
    const drawn = answer ? curves(answer, quantity()) : [];
    chart.element.hidden = drawn.length === 0;
    const isLimited = answer !== null && chart.show(answer.t, drawn);
    const limits = isLimited ? h("span", { class: "dashed" }, "limits") : drawn.some(
      (curve) => curve.limits.length,
    ) ? h("em", {}, "limits are beyond this range") : null;
    fill(legend, ...drawn.map((curve) => h("span", { style: `--ink: ${curve.colour}` }, curve.label)), limits);
    table.show(answer);
    fill(beyond, answer?.exceeded.length ? exceededList(answer.exceeded, "preview-exceeded") : null);
    toggleClass(said.element, "warn", Boolean(answer?.exceeded.length));
    numbers.hidden = answer === null;
  });
  const picture = h(
    "div", { class: "p-preview" }, h("div", { class: "row" }, pick.element, h("span", { class: "grow" }), span),
    chart.element, legend, said.element,
  );
  return { picture, numbers };
}

/** Of the axes that move; all six legs, if any. */
function curves(answer: Preview, quantity: Quantity): Curve[] {
  const ink = (k: number): string => css(`--trace-${k + 1}`);
  const limits = answer.limits;
  if (quantity === "legs") {
    const ends = limits ? [limits.l_min, limits.l_max] : [];
    return answer.legs.map(
      (values, k) => ({ label: `leg ${k + 1}`, unit: "m", colour: ink(k), values, limits: k === 0 ? ends : [] }),
    );
  }
  const order = Object.keys(RATES).indexOf(quantity);
  return DOFS.flatMap((label, k) => {
    const all = answer.dofs[k] ?? [];
    if (!all.some((column) => column.some((value) => value !== 0))) return [];
    const scale = k < 3 ? 1 : 1 / DEGREE;
    const limit = (limits?.[quantity][k] ?? NaN) * scale;
    return [{
      label, unit: (k < 3 ? "m" : "°") + RATES[quantity], colour: ink(k), values: (all[order] ?? []).map(
        (value) => value * scale,
      ),
      limits: Number.isNaN(limit) ? [] : [-limit, limit],
    }];
  });
}
