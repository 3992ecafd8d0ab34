/** A page of the drawer at the right. */

import type { App } from "../app";

export interface Panel {
  id: string;
  title: string;
  /** Strokes of a 24 x 24 icon, separated by | */
  icon: string;
  /** Called once, when it is first opened. */
  mount(app: App): HTMLElement;
}
