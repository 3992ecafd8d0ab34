/** The platform or model of the ring that is shown, asked for again whenever the ring becomes another one. */

import type { App } from "../app";
import { computed, effect, signal, type Signal } from "../core/signal";
import { ApiError } from "../net/api";
import type { ModelScene, Scene as Platform } from "../net/types";

export type Found =
  | { state: "waiting"; text: string }
  | { state: "none"; text: string }
  | { state: "here"; scene: Shown };

/** What can be drawn. */
export type Shown = Platform | ModelScene;

const AGAIN_MS = 3000;
const NO_RING = "There is no ring to show. Start a base, for example with: motionbase run simona";
const READING = "Reading the recording …";
const NO_RECORDS = "The ring exists, but nothing writes to it yet. The picture appears with the first record.";
const NO_PLATFORM =
  "This ring carries no platform text, so there is no geometry to draw. A base started with motionbase run provides it.";

/** @param of the live ring alone, whatever is shown */
export function platformOf(app: App, of?: "live"): Signal<Found> {
  const found = signal<Found>({ state: "waiting", text: "Looking for the platform …" });
  // one string for what makes a ring another one, so that a status every half second asks for nothing
  const identity = computed<string>(() => {
    const ring = of ? (app.session.status()?.sources.find((one) => one.source === of) ?? null) : app.session.ring();
    const link = app.socket.link();
    if (!ring) return link === "open" ? "none" : "";
    if (!ring.platform) return JSON.stringify([ring.source, ring.state, ring.life?.text]);
    return JSON.stringify([ring.source, ring.generation, ring.platform, ring.schema_hash]);
  });
  const isFile = computed(() => app.file() !== null);
  let turn = 0;
  let timer = 0;

  const ask = async (mine: number): Promise<void> => {
    const source = of ?? app.session.source.peek();
    const own = source === "replay" ? app.session.played.peek() : null;
    try {
      const scene = own
        ? await app.api.get<Shown>("/api/recordings/scene", { file: own.name })
        : await app.api.get<Shown>("/api/scene", { source });
      if (mine === turn) found.set(checked(scene));
    } catch (error) {
      if (mine !== turn) return;
      const missing = error instanceof ApiError && error.status === 404;
      found.set(missing ? (app.session.isModel.peek() ? { state: "none", text: sentence(error) } : absent(app)) : { state: "waiting", text: sentence(error) });
      if (!missing) timer = window.setTimeout(() => void ask(mine), AGAIN_MS);
    }
  };

  effect(() => {
    const now = identity();
    isFile(); // of which the first record may not be here yet
    turn += 1;
    clearTimeout(timer);
    if (now === "") return;
    if (of || app.session.ring.peek()?.platform) void ask(turn);
    else found.set(absent(app)); // the status says already what an answer would
  });
  return found;
}

function absent(app: App): Found {
  const ring = app.session.ring.peek();
  if (!ring && app.file.peek()) return { state: "waiting", text: READING };
  const life = ring?.life;
  if (life?.doing === "starting") return { state: "none", text: `${life.text.charAt(0).toUpperCase()}${life.text.slice(1)}. It appears with its first record.` };
  const text = !ring || ring.state === "none" ? NO_RING : ring.state === "waiting" ? NO_RECORDS : NO_PLATFORM;
  return { state: "none", text };
}

function checked(scene: Shown): Found {
  if (scene.kind === "model") return { state: "here", scene };
  const sixes = [scene.base, scene.joints];
  if (sixes.every((points) => points.length === 6 && points.every((point) => point.length === 3)))
    return { state: "here", scene };
  return { state: "none", text: `Platform ${scene.name} does not stand on six legs and cannot be drawn.` };
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
