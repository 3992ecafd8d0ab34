/** Formulas of this page, so that their channels come back where the server has let them go: it started anew, or the
 * page was away for long. They live as long as the tab. */

import type { Channel } from "../net/types";

export interface Formula {
  name: string;
  formula: string;
  unit: string;
}

const KEY = "motionbase.formulas";
const MOST = 8; // as many as the server lets one page have

export function keptFormulas(): Formula[] {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as Partial<Formula>[];
    return found.flatMap(({ name, formula, unit }) => (name && formula && unit ? [{ name, formula, unit }] : [])).slice(0, MOST);
  } catch {
    return [];
  }
}

export function keepFormula(made: Formula): void {
  keep([...keptFormulas().filter((one) => one.name !== made.name), made].slice(-MOST));
}

export function forgetFormula(name: string): void {
  keep(keptFormulas().filter((one) => one.name !== name));
}

/** Those that are to be asked for again: gone, and made of channels that are there. */
export function lostFormulas(kept: readonly Formula[], known: ReadonlyMap<string, Channel>): Formula[] {
  const words = /\b[a-z_]\w*\b(?!\s*\()/g; // names, but not those of functions
  const isThere = (word: string): boolean => known.has(word) || word === "pi" || kept.some((one) => one.name === word);
  return kept.filter((one) => !known.has(one.name) && (one.formula.match(words) ?? []).every(isThere));
}

function keep(formulas: readonly Formula[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(formulas));
  } catch {
    // without storage the formulas are not restored, nothing else
  }
}
