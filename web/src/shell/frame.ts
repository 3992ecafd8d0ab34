/** Which parts of the page are open, and how large; kept with the layout. */

import type { App } from "../app";
import { batch, signal } from "../core/signal";

export type View = "plots" | "both" | "scene";

export const VIEWS: readonly View[] = ["plots", "both", "scene"];
const SHARE = 0.6;
const NARROWEST_PX = 300;
const WIDEST_PX = 720;
const DRAWER_PX = 372;
export const PHONE = matchMedia("(max-width: 760px)");
const NARROW = matchMedia("(max-width: 1100px)"); // here the channel list lies over the plots

export class Frame {
  readonly list = signal(!NARROW.matches);
  readonly view = signal<View>("both");
  /** Of the centre that the plots have, 0 to 1. */
  readonly share = signal(SHARE);
  /** Id of the panel that is open; "" for none. */
  readonly panel = signal("");
  readonly drawerPx = signal(DRAWER_PX);

  constructor(readonly app: App) {
    app.layout.register("shell", {
      save: () => ({
        list: this.list.peek(),
        view: this.view.peek(),
        share: this.share.peek(),
        panel: this.panel.peek(),
        drawer: this.drawerPx.peek(),
      }),
      load: (piece) => batch(() => this.#load(piece)),
    });
    NARROW.addEventListener("change", () => this.list.set(!NARROW.matches));
    PHONE.addEventListener("change", () => PHONE.matches && this.panel.set(""));
  }

  #load({ list, view, share, panel, drawer }: Record<string, unknown>): void {
    if (typeof list === "boolean" && !NARROW.matches) this.list.set(list);
    const known = VIEWS.find((one) => one === view);
    if (known) this.view.set(known);
    if (typeof share === "number") this.#share(share);
    if (typeof panel === "string" && !PHONE.matches) this.panel.set(panel);
    if (typeof drawer === "number") this.#drawer(drawer);
  }

  setView(view: View): void {
    this.view.set(view);
    this.app.layout.changed();
  }

  setShare(share: number): void {
    this.#share(share);
    this.app.layout.changed();
  }

  resetShare(): void {
    this.setShare(SHARE);
  }

  setDrawer(px: number): void {
    this.#drawer(px);
    this.app.layout.changed();
  }

  resetDrawer(): void {
    this.setDrawer(DRAWER_PX);
  }

  toggleList(): void {
    this.list.set(!this.list.peek());
    this.app.layout.changed();
  }

  /** Open a panel, or close it where it is the open one. */
  togglePanel(id: string): void {
    this.open(this.panel.peek() === id ? "" : id);
  }

  open(id: string): void {
    this.panel.set(id);
    this.app.layout.changed();
  }

  #share(share: number): void {
    if (Number.isFinite(share)) this.share.set(Math.min(0.85, Math.max(0.15, share)));
  }

  #drawer(px: number): void {
    if (Number.isFinite(px)) this.drawerPx.set(Math.round(Math.min(WIDEST_PX, Math.max(NARROWEST_PX, px))));
  }
}
