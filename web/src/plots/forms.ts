/**
 * How the values of a channel are written: everywhere alike, with as many digits as the largest value so far of its
 * family (the same of all legs or axes) has use for, so that a number never changes its width because another record
 * came.
 *
 * Five digits, but never finer than anybody measures the unit: noise around zero reads zero. What is derived by a
 * formula, a difference say, may be smaller. Forces and pressures are
 * told in thousands as soon as one of their unit is large, all of them, so that the unit is told once. Angles are told in
 * degrees, as everywhere else on the page, or in radians, as records and files have them: all of them by one choice.
 */

import { signal } from "../core/signal";
import type { Channel } from "../net/types";
import { splitName } from "./families";
import { fixedText, minus, thousands, withPrefix } from "./numbers";

export interface Form {
  readonly decimals: number;
  /** values are divided by it */
  readonly factor: number;
  /** of what is written, for people; "" for none */
  readonly unit: string;
  /** the least difference that is written, in the channel's own unit */
  readonly resolution: number;
}

export type Angles = "deg" | "rad";

type Named = Pick<Channel, "name" | "unit"> & Partial<Channel>;

interface Known {
  size: number; // the largest magnitude so far
  isWhole: boolean; // no fraction so far: a count, a version
  form: Form | null;
}

const DIGITS = 5;
const AXIS_DIGITS = 3; // of the width of an axis: a line on it tells about as many
const FINEST = 8;
const DECIMALS: Record<string, number> = { s: 6 };
const MEASURED = /^(-|m|rad|N|N m|Pa|W|J|V|A|deg|°)(\/s(\^2)?)?$/;
const SOLVED = "step"; // the group of what a solver says of its step
const MEASURED_DECIMALS = 4;
const WITH_PREFIX = new Set(["Pa", "N", "W", "J", "N m"]);
const ANGLE = /^rad(\/s(\^2|²)?)?$/;
const DEGREE = Math.PI / 180;
const DEGREE_DECIMALS = 3;
const LEAST = 1e-12; // nobody derives anything smaller: it is the dust of a sum
const NOTHING = 1e-9; // of the largest value: what is less reads zero

export class Forms {
  /** Counts up when a unit gets another prefix: what was written of it is to be written anew. */
  readonly changes = signal(0);
  /** In what angles are told, all of them: elsewhere on the page they are in degrees. */
  readonly angles = signal<Angles>("deg");
  #known = new Map<string, Known>(); // by name; a family has one in common
  #families = new Map<string, Known>();
  #powers = new Map<string, number>(); // thousands, by unit

  /** Begin anew: other channels. */
  forget(): void {
    this.#known.clear();
    this.#families.clear();
    this.#powers.clear();
    this.changes.set(this.changes.peek() + 1);
  }

  tellAngles(angles: Angles): void {
    if (angles === this.angles.peek()) return;
    this.angles.set(angles);
    for (const known of this.#known.values()) known.form = null;
    this.changes.set(this.changes.peek() + 1);
  }

  /** What values of a unit are divided by so that their angles are told as chosen. */
  turn(unit: string): number {
    return this.angles.peek() === "deg" && ANGLE.test(unit) ? DEGREE : 1;
  }

  /** A value was seen; what is larger than all before may change how the channel is written. */
  note(channel: Named, value: number): void {
    const size = Math.abs(value);
    if (!(size < Infinity)) return;
    const { unit } = channel;
    const known = this.#of(channel);
    if (known.isWhole && !Number.isInteger(value)) [known.isWhole, known.form] = [false, null];
    if (size <= known.size) return;
    if (decade(size) !== decade(known.size)) known.form = null;
    known.size = size;
    if (!WITH_PREFIX.has(unit) || size < 1e3) return;
    const power = Math.min(3, thousands(size));
    if (power <= (this.#powers.get(unit) ?? 0)) return;
    this.#powers.set(unit, power);
    for (const other of this.#known.values()) other.form = null;
    this.changes.set(this.changes.peek() + 1);
  }

  of(channel: Named): Form {
    const known = this.#of(channel);
    known.form ??= this.#made(known, channel);
    return known.form;
  }

  /** Without its unit; @param span of the axis on which it is read [own unit], for as many digits as that shows. */
  text(channel: Named, value: number, span = NaN): string {
    const { decimals: usual, factor } = this.of(channel);
    const { size, isWhole } = this.#of(channel);
    const wanted = isWhole && channel.unit === "-" ? 0 : AXIS_DIGITS - Math.floor(Math.log10(span / factor));
    const decimals = Math.max(usual, Math.min(FINEST, wanted || 0));
    if (Math.abs(value) < NOTHING * size && !(span > 0)) return fixedText(0, decimals);
    if (size > LEAST && size < 10 ** -FINEST && !isMeasured(channel)) return minus(value.toExponential(2));
    return fixedText(value / factor, decimals);
  }

  /** With its unit. */
  quantity(channel: Named, value: number): string {
    const { unit } = this.of(channel);
    return unit ? `${this.text(channel, value)} ${unit}` : this.text(channel, value);
  }

  unit(unit: string): string {
    return withPrefix(this.turn(unit) === 1 ? unit : unit.replace("rad", "deg"), this.power(unit));
  }

  /** Thousands in which values of a unit are told. */
  power(unit: string): number {
    return this.#powers.get(unit) ?? 0;
  }

  #of(channel: Named): Known {
    const { name, unit, leg = null, dof = null, formula = null, description = "" } = channel;
    let known = this.#known.get(name);
    if (known) return known;
    const family = `${splitName({ name, leg, dof, formula, description }).key} ${unit}`;
    known = this.#families.get(family) ?? { size: 0, isWhole: true, form: null };
    this.#families.set(family, known);
    this.#known.set(name, known);
    return known;
  }

  #made({ size, isWhole }: Known, channel: Named): Form {
    const { unit } = channel;
    const turn = this.turn(unit);
    const factor = turn * 1000 ** this.power(unit);
    const most = isMeasured(channel) ? (turn === 1 ? MEASURED_DECIMALS : DEGREE_DECIMALS) : (DECIMALS[unit] ?? FINEST);
    const wanted = size > 0 ? DIGITS - 1 - decade(size / factor) : MEASURED_DECIMALS;
    const isCount = isWhole && unit === "-";
    const decimals = isCount ? 0 : Math.max(0, Math.min(most, wanted));
    return { decimals, factor, unit: this.unit(unit), resolution: factor * 10 ** -decimals };
  }
}

/** Whether small values of it are noise; a residual of a step, or a difference of channels, has its own scale. */
function isMeasured({ unit, formula, group }: Named): boolean {
  return MEASURED.test(unit) && typeof formula !== "string" && group !== SOLVED;
}

function decade(size: number): number {
  return size > 0 ? Math.floor(Math.log10(size)) : -Infinity;
}
