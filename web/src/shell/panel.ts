/** A page of the drawer at the right. */

import type { App } from "../app";

export interface Panel {
  id: string;
  title: string;
  /** Strokes of a 24 x 24 icon, separated by | */
  icon: string;
  /** Whether it has anything to do with what runs or is shown; always, where it does not say. */
  suits?(app: App): boolean;
  /** Called once, when it is first opened. */
  mount(app: App): HTMLElement;
}

/** Those that have anything to do with what runs or is shown, in order. */
export function suitable(app: App, panels: readonly Panel[]): Panel[] {
  return panels.filter((panel) => panel.suits?.(app) ?? true);
}
