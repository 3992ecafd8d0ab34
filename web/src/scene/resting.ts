/** A base that is down rests on its shortest legs: that is where they belong, and nothing to warn of. */

import type { App } from "../app";

const RESTING: ReadonlySet<string | null> = new Set(["off", "down"]);
const SHORT = 0.5; // of the stroke

export function restsDown(app: App): boolean {
  return RESTING.has(app.session.meaning("state", app.value("state")));
}

/** The share of the stroke that is judged: a short leg of a base that rests is as well off as one in the middle. */
export function judgedShare(share: number, isResting: boolean): number {
  return isResting && share < SHORT ? SHORT : share;
}
