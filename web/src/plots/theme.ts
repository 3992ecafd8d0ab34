/** The colours of the page, for what is painted by hand. */

import { signal } from "../core/signal";
import { COLOURS } from "./spec";

export interface Theme {
  /** counts up, so that a picture knows whether it is old */
  readonly number: number;
  readonly traces: readonly string[];
  /** the same as 0xAABBGGRR */
  readonly pens: readonly number[];
  readonly surface: string;
  readonly grid: string;
  readonly line: string;
  readonly text: string;
  readonly dim: string;
  readonly faint: string;
  readonly accent: string;
  readonly soft: string;
  readonly warn: string;
  readonly bad: string;
  readonly badSoft: string;
  readonly font: string;
}

let count = 0;

function read(): Theme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const traces = Array.from({ length: COLOURS }, (_, k) => token(`trace-${k + 1}`));
  return {
    number: (count += 1),
    traces,
    pens: traces.map(packed),
    surface: token("surface"),
    grid: token("line-soft"),
    line: token("line"),
    text: token("text"),
    dim: token("text-2"),
    faint: token("text-3"),
    accent: token("accent"),
    soft: token("accent-soft"),
    warn: token("warn"),
    bad: token("bad"),
    badSoft: token("bad-soft"),
    font: token("font") || "sans-serif",
  };
}

/** #rrggbb as a pixel. */
function packed(colour: string): number {
  const rgb = /^#[0-9a-f]{6}$/i.test(colour) ? parseInt(colour.slice(1), 16) : 0x888888;
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >>> 16)) >>> 0;
}

export const theme = signal<Theme>(read());

new MutationObserver(() => theme.set(read())).observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
