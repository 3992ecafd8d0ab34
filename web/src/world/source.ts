/** The world of what is shown: of the live ring, a replay, or a recording that this page replays by itself. */

import type { App } from "../app";
import { computed, effect, signal, type Signal } from "../core/signal";
import { ApiError } from "../net/api";
import type { WorldScene } from "../net/types";

export interface Found {
  /** Null where there is none, or none that can be drawn. */
  readonly scene: WorldScene | null;
  /** Why a world that is there cannot be drawn; "" else. */
  readonly trouble: string;
}

const NONE: Found = { scene: null, trouble: "" };
const AGAIN_MS = 3000;
const made = new WeakMap<App, Signal<Found>>();

/** One for the page: the view outside and the instruments show the same world. */
export function worldOf(app: App): Signal<Found> {
  const known = made.get(app) ?? follow(app);
  made.set(app, known);
  return known;
}

function follow(app: App): Signal<Found> {
  const found = signal<Found>(NONE);
  // one string for what makes a world another one, so that a status every half second asks for nothing
  const identity = computed<string>(() => {
    const ring = app.session.ring();
    return ring?.world ? JSON.stringify([ring.source, ring.generation, ring.world, ring.schema_hash]) : "";
  });
  let turn = 0;
  let timer = 0;

  const ask = async (mine: number): Promise<void> => {
    const source = app.session.source.peek();
    const own = source === "replay" ? app.session.played.peek() : null;
    try {
      const scene = own
        ? await app.api.get<WorldScene>("/api/recordings/world", { file: own.name })
        : await app.api.get<WorldScene>("/api/world", { source });
      if (mine === turn) found.set({ scene, trouble: "" });
    } catch (error) {
      if (mine !== turn) return;
      const text = error instanceof Error ? error.message : String(error);
      found.set({ scene: null, trouble: text });
      if (!(error instanceof ApiError && error.status === 404)) timer = window.setTimeout(() => void ask(mine), AGAIN_MS);
    }
  };

  effect(() => {
    const now = identity();
    turn += 1;
    clearTimeout(timer);
    if (now === "") found.set(NONE);
    else void ask(turn);
  });
  return found;
}
