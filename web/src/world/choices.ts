/** From where the world is seen; kept with the layout. */

import type { App } from "../app";
import { signal, type Signal } from "../core/signal";
import type { Piece } from "../data/layout";

export const CAMERAS = ["chase", "eye", "orbit"] as const;
export type CameraName = (typeof CAMERAS)[number];

/** How a hand has turned a camera, and how near it went. */
export interface Turned {
  /** [rad], to the left and up */
  readonly azimuth: number;
  readonly elevation: number;
  /** Of the usual distance. */
  readonly zoom: number;
}

export const AHEAD: Turned = { azimuth: 0, elevation: 0, zoom: 1 };
const made = new WeakMap<App, WorldChoices>();

export function worldChoicesOf(app: App): WorldChoices {
  const known = made.get(app) ?? new WorldChoices(app);
  made.set(app, known);
  return known;
}

export class WorldChoices {
  readonly camera: Signal<CameraName> = signal<CameraName>("chase");

  constructor(private readonly app: App) {
    app.layout.register("world", {
      save: () => ({ camera: this.camera.peek() }),
      load: (piece) => this.#load(piece),
    });
  }

  choose(camera: CameraName): void {
    this.camera.set(camera);
    this.app.layout.changed();
  }

  #load(piece: Piece): void {
    const known = CAMERAS.find((one) => one === piece["camera"]);
    if (known) this.camera.set(known);
  }
}
