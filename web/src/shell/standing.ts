/** The overall status as a word, a colour and a sentence: title bar, banner, tab and icon all show the same. */

import type { App } from "../app";
import { computed, signal, type Signal } from "../core/signal";
import type { Ring } from "../net/types";
import { baseOf } from "../panels/common/base";
import { stopReady } from "../panels/operator/estop";
import { stopWay } from "../panels/operator/stop_shown";

export type Level = "good" | "warn" | "bad" | "none";

export interface Standing {
  level: Level;
  /** Of the writer, for the title bar. */
  word: string;
  /** For the banner; "" where there is nothing to say. */
  sentence: string;
  /** Whether the numbers on the page are of the past. */
  isOld: boolean;
}

const WORDS: Record<Ring["state"], { word: string; level: Level }> = {
  live: { word: "running", level: "good" },
  waiting: { word: "waiting", level: "warn" },
  lost: { word: "lost", level: "bad" },
  none: { word: "no writer", level: "none" },
};
const PATIENCE_MS = 1500; // a first connection, or a short loss, is not reported
const made = new WeakMap<App, Signal<Standing>>();

export function standingOf(app: App): Signal<Standing> {
  const known = made.get(app);
  if (known) return known;
  const isPatient = signal(true);
  const ready = stopReady(app);
  let timer = 0;
  const link = computed(() => {
    const now = app.socket.link();
    clearTimeout(timer);
    isPatient.set(true);
    if (now !== "open") timer = window.setTimeout(() => isPatient.set(false), PATIENCE_MS);
    return now;
  });
  let last = "";
  let standing: Standing = { level: "none", word: "", sentence: "", isOld: false };
  const found = computed<Standing>(() => {
    const now = link();
    const way = stopWay(ready());
    if (now === "open" && app.socket.isSilent()) return kept({
      level: "bad",
      word: "silent",
      sentence: `The console at ${location.host} is silent: the data shown is old, and no motion can be requested. ${way}`,
      isOld: true,
    });
    if (now === "open") return kept(ofRing(
      app.session.ring(),
      app.session.source(),
      app.session.played()?.state_text ?? app.session.status()?.replay?.state,
    ));
    if (now === "full") return kept({
      level: "warn",
      word: "full",
      sentence: `${capital(app.socket.full().why.replace(/; this page tries again$/, ""))}. The data shown is old. ${way}`,
      isOld: true,
    });
    if (now === "refused") return kept({
      level: "bad",
      word: "refused",
      sentence: "The console refused this page: its token is not valid.",
      isOld: true,
    });
    const away = `The console at ${location.host} is away. This page reconnects by itself; the data shown is old. ${way}`;
    const sentence = isPatient() ? "" : away;
    return kept({ level: "warn", word: now === "lost" ? "away" : "connecting", sentence, isOld: now === "lost" });
  });
  /** The same object while it says the same, so that twice a second nothing is drawn anew. */
  function kept(next: Standing): Standing {
    const text = JSON.stringify(next);
    if (text !== last) [last, standing] = [text, next];
    return standing;
  }
  made.set(app, found);
  return found;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function ofRing(ring: Ring | null, source: string, played: string | undefined): Standing {
  if (!ring) return { level: "none", word: "connecting", sentence: "", isOld: false };
  const { word: said, level } = WORDS[ring.state];
  const isOld = ring.state === "lost" || ring.state === "none";
  if (source === "live" && ring.life) {
    const isStarting = ring.life.doing === "starting";
    const word = isStarting ? (ring.life.platform ? "compiling" : "starting") : "ended";
    return { word, level: isStarting ? "warn" : "bad", sentence: "", isOld }; // the strip says it
  }
  const word = source === "replay" && ring.state === "live" ? (played ?? said) : said;
  return { word, level, sentence: about(ring, source), isOld };
}

function about(ring: Ring, source: string): string {
  if (ring.state === "live") return "";
  if (source === "replay") {
    if (ring.state === "waiting") return "The replay is getting ready.";
    return "The replay has ended: press play to begin again, or go back to live.";
  }
  if (ring.state === "waiting") return `Ring ${ring.name} exists; its writer has not published a record yet.`;
  if (ring.state === "lost") {
    const what = `The writer of ring ${ring.name} is gone (${ring.state_text}).`;
    return `${what} The data shown is old; it continues when a writer comes back.`;
  }
  return `Nothing writes to ring ${ring.name}. Start a base, for example with: motionbase run simona --ring ${ring.name}`;
}

/** The state of the base for the badge; `kind` is its colour. */
export function badgeOf(app: App): Signal<{ text: string; kind: Level | "accent" }> {
  const base = baseOf(app);
  const standing = standingOf(app);
  let shown: { text: string; kind: Level | "accent" } = { text: "", kind: "none" };
  return computed(() => {
    const next = judged();
    if (next.text !== shown.text || next.kind !== shown.kind) shown = next;
    return shown;
  });
  function judged(): typeof shown {
    // what is played into the live ring is no base either
    const isPlayed = app.session.source() === "replay" || app.session.status()?.replay?.source === "live";
    if (isPlayed) return { text: "replay", kind: "accent" };
    const state = base.state();
    const isOld = standing().isOld;
    const word = state && isOld ? `was ${state}` : state;
    if (base.estop()) return { text: word ? `${word}, stopped` : "stopped", kind: "bad" };
    if (state === null || isOld) return { text: word ?? "unknown", kind: "none" };
    if (base.fault()) return { text: `${state}, fault`, kind: "bad" };
    if (state === "abort" || state === "stopping" || state === "held") return { text: state, kind: "bad" };
    if (state === "freeze") return { text: state, kind: "warn" };
    return { text: state, kind: state === "drive" ? "good" : state === "off" || state === "down" ? "none" : "accent" };
  }
}
