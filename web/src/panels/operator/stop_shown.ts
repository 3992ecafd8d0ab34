/** What the page says of the emergency stop: button, strip and sentences have it from here, so that they agree. */

import { clock } from "../../core/format";
import type { Link } from "../../net/socket";
import type { PostAnswer } from "../../net/stop_post";
import type { Ring } from "../../net/types";
import type { Phase } from "./stop_request";

/**
 * What a press would do now. `armed`: it reaches the base; `post`: it does, via the stop post, while the console is away;
 * `latched`: the base has not begun and would not rise; `token`: refused without the operator token; `deaf`: the writer
 * takes no commands; `nobody`: there is no base; `unheard`: nobody answers this page; `unknown`: not known yet.
 */
export type Ready = "armed" | "post" | "latched" | "token" | "deaf" | "nobody" | "unheard" | "unknown";

export interface Reach {
  link: Link;
  isSilent: boolean;
  /** Whether a stop is taken from this page; null until the console has said so. */
  mayStop: boolean | null;
  ring: Pick<Ring, "state" | "takes_commands" | "life"> | null;
  /** What the stop posts answered last; null where none does. */
  post: PostAnswer | null;
}

export function readiness({ link, isSilent, mayStop, ring, post }: Reach): Ready {
  if (link === "refused" || mayStop === false) return "token";
  if (link === "open" && !isSilent) {
    if (mayStop === null || ring === null) return "unknown";
    if (ring.state === "live") return ring.takes_commands ? "armed" : "deaf";
    return ring.state === "waiting" || ring.life?.doing === "starting" ? "latched" : "nobody";
  }
  if (link === "connecting") return "unknown";
  if (post === null) return "unheard";
  if (post.status === 401) return "token";
  return post.status === 200 ? (post.accepted ? "post" : "nobody") : "unheard";
}

const KEYS = "Ctrl+Shift+Space";
const HARDWARE = "use the hardware stop";

/** Small under the button, and as its title, while nothing is asked for. */
export const READY: Record<Ready, { detail: string; title: string }> = {
  armed: { detail: KEYS, title: `Stops the base at once and lowers it, without a confirmation (${KEYS}). It does not replace a hardware stop.` },
  post: { detail: "via the stop post", title: "The console is away. Its stop post answers this page and takes the stop; use the hardware stop if in doubt." },
  latched: { detail: "kept for the start", title: "The base has not started. A stop is kept for it: it will not rise until an operator resets it." },
  token: { detail: "needs operator token", title: "A press stops nothing: this page has no operator token, and asks for it. Use the hardware stop." },
  deaf: { detail: "this writer accepts no stop", title: "A press stops nothing: the writer of this ring accepts no commands. Use the hardware stop." },
  nobody: { detail: "no base is running", title: "No base is running that it could stop. If something moves anyway, use the hardware stop." },
  unheard: { detail: "no connection", title: "Neither the console nor its stop post answers this page. A press is repeated until one does; use the hardware stop." },
  unknown: { detail: "connecting", title: "The effect of a press is not known yet: the page is connecting." },
};

/** For the end of a sentence that says the console is away. */
export function stopWay(ready: Ready): string {
  if (ready === "post") return "The stop button works, via the stop post, which answers; use the hardware stop if in doubt.";
  return ready === "token" ? "The stop needs the operator token: use the hardware stop." : "The stop button gets no answer: use the hardware stop.";
}

/** All that is known of a stop. */
export interface StopKnown {
  phase: Phase;
  /** Whether the newest that is known of the base shows that the stop acts. */
  shows: boolean;
  /** Whether records of the base come now. */
  isFresh: boolean;
  /** Age of the newest that is known [s]; NaN where nothing is. */
  ageS: number;
  /** When a stop was confirmed of which no record has come yet [s UTC]. */
  confirmedAt: number | null;
  /** When and by whom, where a record shows it. */
  origin: string;
  ready: Ready;
}

export interface StopShown {
  word: string;
  detail: string;
  look: "" | "unarmed" | "acts" | "failed";
  /** For the strip across the page; "" where it has nothing to say. */
  strip: string;
}

const ASKED: Partial<Record<Phase, Omit<StopShown, "strip">>> = {
  asking: { word: "STOPPING", detail: KEYS, look: "" },
  unheard: { word: "NO ANSWER", detail: HARDWARE, look: "failed" },
  latched: { word: "LATCHED", detail: "the base will not rise", look: "acts" },
  asked: { word: "REQUESTED", detail: "no answer from the base", look: "failed" },
  refused: { word: "REFUSED", detail: HARDWARE, look: "failed" },
  acts: { word: "STOPPED", detail: "the emergency stop acts", look: "acts" },
};

/** The newest that is known decides; what was asked for comes after it, and an old record last. */
export function stopShown({ phase, shows, isFresh, ageS, confirmedAt, origin, ready }: StopKnown): StopShown {
  if (shows && isFresh) return { word: "STOPPED", detail: origin, look: "acts", strip: origin };
  if (confirmedAt !== null) {
    return { word: "STOPPED", detail: `confirmed ${clock(confirmedAt)}`, look: "acts", strip: confirmation(confirmedAt) };
  }
  const old = shows ? `${origin}; known ${Number.isNaN(ageS) ? "earlier" : `${ageS.toFixed(0)} s ago`}, and nothing since` : "";
  const asked = ASKED[phase];
  if (asked) return { ...asked, strip: old };
  if (shows) return { word: "WAS STOPPED", detail: READY[ready].detail, look: "acts", strip: old };
  const isArmed = ready === "armed" || ready === "post" || ready === "latched";
  return { word: "EMERGENCY STOP", detail: READY[ready].detail, look: isArmed ? "" : "unarmed", strip: "" };
}

/** @param at when a stop was confirmed of which no record has come yet [s UTC] */
export function confirmation(at: number): string {
  return `stop confirmed at ${clock(at)}; no record has come since`;
}
