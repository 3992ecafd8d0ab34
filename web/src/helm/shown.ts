/** What of the page's display of a vehicle is switched on; kept with the layout. */

import type { App } from "../app";
import { batch, signal, type Signal } from "../core/signal";

const made = new WeakMap<App, Choices>();
const COARSE = matchMedia("(pointer: coarse)");

export interface Choices {
  /** Instruments over the view. */
  readonly instruments: Signal<boolean>;
  /** Keys and positions of the controls over the view. */
  readonly keys: Signal<boolean>;
  /** Stick and levers over the view, for fingers. */
  readonly screen: Signal<boolean>;
}

export function choicesOf(app: App): Choices {
  const known = made.get(app);
  if (known) return known;
  const choices = { instruments: signal(true), keys: signal(true), screen: signal(COARSE.matches) };
  const entries = Object.entries(choices);
  app.layout.register("helm", {
    save: () => Object.fromEntries(entries.map(([name, one]) => [name, one.peek()])),
    load: (piece) => batch(() => entries.forEach(([name, one]) => typeof piece[name] === "boolean" && one.set(piece[name]))),
  });
  made.set(app, choices);
  return choices;
}

export function turn(app: App, one: Signal<boolean>): void {
  one.set(!one.peek());
  app.layout.changed();
}
