/** Which parts of the page are open, and how large; kept with the layout. */

import type { App } from "../app";
import { batch, computed, signal, type Signal } from "../core/signal";
import { isPiece } from "../data/layout";

/** `both`: plots and 3D view; `world`: the view outside with 3D view and plots beside. */
export type View = "plots" | "both" | "scene" | "world";

export const VIEWS: readonly View[] = ["plots", "both", "scene", "world"];
const SHARE = 0.6;
const WORLD = { across: 0.64, down: 0.46 };
const NARROWEST_PX = 300;
const WIDEST_PX = 720;
const DRAWER_PX = 372;
export const PHONE = matchMedia("(max-width: 760px)");
const NARROW = matchMedia("(max-width: 1100px)"); // here the channel list lies over the plots

export class Frame {
  readonly list = signal(!NARROW.matches);
  /** What the centre shows. */
  readonly view: Signal<View>;
  /** Whether the host's vehicle of what is shown moves in a world. */
  readonly hasWorld: Signal<boolean>;
  /** Of the centre that the plots have, 0 to 1. */
  readonly share = signal(SHARE);
  /** Of the view outside: its width, and the height of the 3D view beside it, over those of the centre. */
  readonly worldShares = signal<Readonly<Record<"across" | "down", number>>>(WORLD);
  /** Id of the panel that is open; "" for none. */
  readonly panel = signal("");
  readonly drawerPx = signal(DRAWER_PX);
  // two choices, so that the view outside is there when a world is, and nobody has to open it
  readonly #without = signal<View>("both");
  readonly #within = signal<View>("world");

  constructor(readonly app: App) {
    this.hasWorld = computed(() => (app.session.ring()?.world ?? "") !== "");
    this.view = computed(() => (this.hasWorld() ? this.#within() : this.#without()));
    app.layout.register("shell", {
      save: () => ({
        list: this.list.peek(),
        view: this.#without.peek(),
        worldView: this.#within.peek(),
        share: this.share.peek(),
        worldShares: this.worldShares.peek(),
        panel: this.panel.peek(),
        drawer: this.drawerPx.peek(),
      }),
      load: (piece) => batch(() => this.#load(piece)),
    });
    NARROW.addEventListener("change", () => this.list.set(!NARROW.matches));
    PHONE.addEventListener("change", () => PHONE.matches && this.panel.set(""));
  }

  #load({ list, view, worldView, share, worldShares, panel, drawer }: Record<string, unknown>): void {
    if (typeof list === "boolean" && !NARROW.matches) this.list.set(list);
    const known = VIEWS.find((one) => one === view);
    if (known && known !== "world") this.#without.set(known);
    const within = VIEWS.find((one) => one === worldView);
    if (within) this.#within.set(within);
    if (typeof share === "number") this.#share(share);
    if (isPiece(worldShares)) for (const way of ["across", "down"] as const) this.#worldShare(way, worldShares[way]);
    if (typeof panel === "string" && !PHONE.matches) this.panel.set(panel);
    if (typeof drawer === "number") this.#drawer(drawer);
  }

  setView(view: View): void {
    if (this.hasWorld.peek()) this.#within.set(view);
    else if (view !== "world") this.#without.set(view);
    this.app.layout.changed();
  }

  /** The next one of those that there are. */
  turnView(): void {
    const known = VIEWS.filter((one) => one !== "world" || this.hasWorld.peek());
    this.setView(known[(known.indexOf(this.view.peek()) + 1) % known.length] ?? "both");
  }

  setWorldShare(way: "across" | "down", share: number): void {
    this.#worldShare(way, share);
    this.app.layout.changed();
  }

  resetWorldShare(way: "across" | "down"): void {
    this.setWorldShare(way, WORLD[way]);
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

  #worldShare(way: "across" | "down", share: unknown): void {
    if (typeof share !== "number" || !Number.isFinite(share)) return;
    this.worldShares.set({ ...this.worldShares.peek(), [way]: Math.min(0.85, Math.max(0.15, share)) });
  }

  #drawer(px: number): void {
    if (Number.isFinite(px)) this.drawerPx.set(Math.round(Math.min(WIDEST_PX, Math.max(NARROWEST_PX, px))));
  }
}
