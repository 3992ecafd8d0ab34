/** Function generators as the border has them: the numbers of a shape, their bounds, what is wrong with a card. */

import { number } from "../../core/format";
import { isOneOf } from "../../core/one_of";
import type { Card, CardSet } from "../../net/types";
import { ANGULAR, BANDS, NUMBERS, COUNT, PERIODIC, TURNED } from "../../net/words";

export type Shape = Card["shape"];
export type Axis = Card["axes"][number];
export type Kind = "linear" | "angular" | "leg";

export const DEGREE = Math.PI / 180;

/** A number of a card. `low` and `high` are as the border has them; angles are shown in degrees. */
export interface Field {
  key: Exclude<keyof Card, "enabled" | "space" | "axes" | "shape">;
  label: string;
  unit: "length" | "angle" | "Hz" | "s" | "";
  low: number;
  high: number;
  isWhole: boolean;
  hint: string;
  has(shape: Shape): boolean;
}

const all = (): boolean => true;
const waves = (shape: Shape): boolean => shape !== "step" && shape !== "ramp";
const swept = (shape: Shape): boolean => shape === "chirp" || isOneOf(BANDS, shape);

const SHOWN: readonly Pick<Field, "key" | "label" | "unit" | "has">[] = [
  { key: "amplitude", label: "Amplitude", unit: "length", has: all },
  { key: "offset", label: "Offset", unit: "length", has: all },
  { key: "frequency", label: "Frequency", unit: "Hz", has: waves },
  { key: "end_frequency", label: "End frequency", unit: "Hz", has: swept },
  { key: "phase", label: "Phase", unit: "angle", has: waves },
  { key: "duration", label: "Duration", unit: "s", has: (shape) => !isOneOf(PERIODIC, shape) },
  { key: "tones", label: "Tones", unit: "", has: (shape) => isOneOf(BANDS, shape) },
  { key: "seed", label: "Seed", unit: "", has: (shape) => shape === "random" },
  { key: "start", label: "Start", unit: "s", has: all },
  { key: "cycles", label: "Cycles", unit: "", has: all },
  { key: "fade_in", label: "Fade in", unit: "s", has: all },
  { key: "fade_out", label: "Fade out", unit: "s", has: all },
];
export const FIELDS: readonly Field[] = SHOWN.map((field) => ({ ...field, ...NUMBERS[field.key] }));

export const BLANK: Card = {
  enabled: false, space: "dof", axes: [], shape: "sine", amplitude: 0, frequency: 0, end_frequency: 0,
  phase: 0, offset: 0, fade_in: 0, fade_out: 0, start: 0, cycles: 0, duration: 0, tones: 0, seed: 0,
};

/** Always seven cards; one that was never used begins with the axes rather than with the legs. */
export function whole(set: CardSet): CardSet {
  return {
    name: set.name,
    cards: Array.from({ length: COUNT }, (_, k) => {
      const card = set.cards[k] ?? BLANK;
      return isUnused(card) ? BLANK : card;
    }),
  };
}

function isUnused(card: Card): boolean {
  return !card.enabled && card.axes.length === 0 && card.shape === "sine" && FIELDS.every(({ key }) => card[key] === 0);
}

export function isAngular(axis: Axis): boolean {
  return isOneOf(ANGULAR, axis);
}

/** What the axes of a card are; null where it has none. */
export function kindOf(card: Card): Kind | null {
  if (card.space === "leg") return "leg";
  const [first] = card.axes;
  return first === undefined ? null : isAngular(first) ? "angular" : "linear";
}

/** What a number of this field is multiplied by to be shown, and the unit then. */
export function shown(field: Field, card: Card): { factor: number; unit: string; low: number; high: number } {
  const angular = field.unit === "angle" || (field.unit === "length" && kindOf(card) === "angular");
  if (!angular) return {
    factor: 1, unit: field.unit === "length" ? "m" : field.unit, low: field.low, high: field.high,
  };
  const { low, high } = field.unit === "length" ? TURNED : field;
  return { factor: 1 / DEGREE, unit: "°", low, high };
}

/** A number as people type it: degrees without the dust of the conversion. */
export function typed(value: number, factor: number): string {
  return String(factor === 1 ? value : Number((value * factor).toPrecision(10)));
}

/** What is wrong with a card, by field; `axes` for the axes. Only what is on must be complete. */
export function problems(card: Card): Partial<Record<Field["key"] | "axes", string>> {
  const found: Partial<Record<Field["key"] | "axes", string>> = {};
  for (const field of FIELDS) {
    const { factor, unit, low, high } = shown(field, card);
    const value = card[field.key];
    const bounds = `${short(low * factor)} to ${short(high * factor)}${unit && ` ${unit}`}`;
    if (!Number.isFinite(value)) found[field.key] = `must be a number, ${bounds}`;
    else if (value < low || value > high) found[field.key] = `must be ${bounds}`;
    else if (field.isWhole && !Number.isInteger(value)) found[field.key] = "must be a whole number";
  }
  if (card.enabled && card.axes.length === 0) found.axes = card.space === "leg" ? "choose a leg" : "choose an axis";
  return card.enabled ? { ...lacking(card), ...found } : found;
}

/** What a generator of this shape still needs. */
function lacking(card: Card): Partial<Record<Field["key"], string>> {
  const { shape, frequency, end_frequency, tones, duration, cycles } = card;
  const found: Partial<Record<Field["key"], string>> = {};
  if (waves(shape) && frequency <= 0) found.frequency = `a ${shape} needs more than 0, up to ${NUMBERS.frequency.high} Hz`;
  if (shape === "chirp" && end_frequency <= 0) found.end_frequency =
    `a chirp needs more than 0, up to ${NUMBERS.frequency.high} Hz`;
  if (isOneOf(BANDS, shape) && end_frequency <= frequency) found.end_frequency = "must be more than the frequency";
  if (isOneOf(BANDS, shape) && tones < 1) found.tones = `must be 1 to ${NUMBERS.tones.high}`;
  const isTimed = shape === "ramp" || shape === "chirp" || (!isOneOf(PERIODIC, shape) && cycles > 0);
  if (isTimed && duration <= 0) found.duration = `this ${shape} needs more than 0, up to ${NUMBERS.duration.high} s`;
  return found;
}

/** Four digits at most, and no zeros behind them. */
export function short(value: number): string {
  return Number.isNaN(value) ? "?" : number(value);
}

/** One line for people. */
export function summary(card: Card): string {
  if (isUnused(card)) return "not used";
  const axes = card.axes.join(", ");
  const where = card.space === "leg" ? (axes ? `leg ${axes}` : "no leg") : axes || "no axis";
  const angular = kindOf(card) === "angular";
  const size = angular ? `${short(card.amplitude / DEGREE)}°` : `${short(card.amplitude)} m`;
  const band = swept(card.shape)
    ? `${short(card.frequency)} to ${short(card.end_frequency)} Hz`
    : `${short(card.frequency)} Hz`;
  return [where, card.shape, size, ...(waves(card.shape) ? [band] : [])].join(" · ");
}

export function isSame(a: CardSet, b: CardSet): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export const EDITED = " (edited)";

/** The name of the set that cards began as, whatever was edited since. */
export function plainName(name: string): string {
  return name.endsWith(EDITED) ? name.slice(0, -EDITED.length) : name;
}

/** What these cards are called. @param original the cards of the set of that name; undefined where nobody knows them */
export function nameOf(name: string, cards: readonly Card[], original: readonly Card[] | undefined): string {
  const plain = plainName(name);
  if (plain === "" || original === undefined) return name;
  return JSON.stringify(cards) === JSON.stringify(original) ? plain : plain + EDITED;
}

/** What one set does otherwise than another, in words; cards that are off in both do not matter. */
export function differences(before: CardSet, after: CardSet): string[] {
  const now = whole(after).cards;
  return whole(before).cards.flatMap((was, k) => {
    const is = now[k] ?? BLANK;
    const who = `generator ${k + 1}`;
    if (!was.enabled && !is.enabled) return [];
    if (!was.enabled) return [`${who} is on now: ${summary(is)}`];
    if (!is.enabled) return [`${who} is off now, it was ${summary(was)}`];
    const changed = [
      ...(was.shape === is.shape ? [] : [`${was.shape} → ${is.shape}`]),
      ...(axesOf(was) === axesOf(is) ? [] : [`${axesOf(was)} → ${axesOf(is)}`]),
      ...FIELDS.filter(({ key, has }) => was[key] !== is[key] && (has(was.shape) || has(is.shape))).map(
        (field) => `${field.label.toLowerCase()} ${withUnit(field, was)} → ${withUnit(field, is)}`,
      ),
    ];
    return changed.length ? [`${who}: ${changed.join(", ")}`] : [];
  });
}

function axesOf(card: Card): string {
  return `${card.space === "leg" ? "leg " : ""}${card.axes.join(", ")}`;
}

function withUnit(field: Field, card: Card): string {
  const { factor, unit } = shown(field, card);
  return `${short(card[field.key] * factor)}${unit && (unit === "°" ? unit : ` ${unit}`)}`;
}
