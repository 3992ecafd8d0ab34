/** What the traces of a plot have in common is its title; what tells them apart stands in its legend. */

import type { Channel } from "../net/types";
import { splitName } from "./families";

export interface Naming {
  /** What the traces share, or else what they are of; "" for a single one, whose label says it. */
  readonly title: string;
  /** For people, in the order of the traces. */
  readonly labels: readonly string[];
  /** Whether the title tells the unit of all of them. */
  readonly saysUnit: boolean;
  /** Whether labels are short, because the title tells the rest. */
  readonly isShort: boolean;
}

const MOST_NAMED = 3;
const SHORT = 8; // letters of a label

/**
 * Channels by formula stand beside the others under their own names, whatever those share.
 *
 * @param channels of the traces, undefined where the schema has none of that name
 * @param unitOf a unit as it is written
 */
export function namingOf(
  names: readonly string[], channels: readonly (Channel | undefined)[], unitOf: (unit: string) => string,
): Naming {
  const isOwn = channels.map((channel) => channel?.formula == null);
  if (!isOwn.includes(false) || !isOwn.includes(true)) return namingOfOwn(names, channels, unitOf);
  const own = namingOfOwn(names.filter((_, k) => isOwn[k]), channels.filter((_, k) => isOwn[k]), unitOf);
  let at = 0;
  const labels = names.map((name, k) => (isOwn[k] ? (own.labels[at++] ?? name) : name));
  const units = new Set(channels.map((channel) => channel?.unit));
  return { ...own, labels, saysUnit: own.saysUnit && units.size === 1 };
}

function namingOfOwn(
  names: readonly string[], channels: readonly (Channel | undefined)[], unitOf: (unit: string) => string,
): Naming {
  const parts = channels.map((channel) => channel && markAndRest(channel));
  const marks = new Set(parts.map((part) => part?.mark ?? ""));
  const rests = new Set(parts.map((part) => part?.rest ?? ""));
  const isShared = names.length > 1 && !marks.has("") && !rests.has("");
  if (isShared && rests.size === 1) {
    const units = new Set(channels.map((channel) => channel?.unit ?? ""));
    const words = new Set(channels.map((channel) => channel && wordsOf(channel.description, splitName(channel).label)));
    const rest = (words.size === 1 && [...words][0]) || [...rests].join();
    const saysUnit = units.size === 1;
    const unit = saysUnit ? unitOf([...units].join()) : "";
    return { title: unit ? `${rest} [${unit}]` : rest, labels: parts.map((part) => part?.mark ?? ""), saysUnit, isShort: true };
  }
  if (isShared && marks.size === 1) {
    const words = commonWords(channels.map((channel) => channel?.description ?? ""));
    const labels = parts.map((part) => part?.rest ?? "");
    if (!words) return { title: [...marks].join(), labels, saysUnit: false, isShort: true };
    const units = new Set(channels.map((channel) => channel?.unit ?? ""));
    const unit = units.size === 1 ? unitOf([...units].join()) : "";
    const short = withoutEnd(labels);
    const isShort = short.every((label) => label.length <= SHORT);
    return { title: unit ? `${words} [${unit}]` : words, labels: short, saysUnit: units.size === 1, isShort };
  }
  const families = [...new Set(names.map((name, k) => parts[k]?.rest || name))];
  const more = families.length > MOST_NAMED ? " …" : "";
  const title = names.length > 1 ? `${families.slice(0, MOST_NAMED).join(", ")}${more}` : "";
  return { title, labels: names, saysUnit: false, isShort: false };
}

/**
 * What a channel's description says of all its family: "leg 1: measured length, joint to joint" is "Measured length",
 * and "sum of the generators in heave" is "Sum of the generators"; "" where what tells it apart cannot be left out.
 */
export function wordsOf(description: string, given: string): string {
  const label = given.replace(/[^\w ]/g, "\\$&");
  const whole = description.replace(new RegExp(`^(?:(?:[a-z]+ )?${label}: |${label} of (?:the )?)`), "").replace(/(?:, | \(|; ).*$/, "");
  const words = whole.replace(new RegExp(` (?:(?:about|along|in|on) (?:[a-z]+ )?)?${label}$`), "");
  const isShared = label !== "" && words !== "" && !new RegExp(`\\b${label}\\b`).test(words);
  return isShared ? words.charAt(0).toUpperCase() + words.slice(1) : "";
}

const JOINING = /^(of|that|as|at|in|on|by|the|a|an|and)$/;

/** Words with which all descriptions begin, where they say more than one word: "specific force along x of ...". */
export function commonWords(descriptions: readonly string[]): string {
  const [first = [], ...others] = descriptions.map((description) => description.split(" "));
  let count = 0;
  while (count < first.length && others.every((words) => words[count] === first[count])) count += 1;
  while (count > 0 && JOINING.test(first[count - 1] ?? "")) count -= 1;
  const words = first.slice(0, count).join(" ");
  return count > 1 && !words.includes(":") ? words.charAt(0).toUpperCase() + words.slice(1) : "";
}

/** demand_f and cue_f are demand and cue, where the title says what f is. */
function withoutEnd(names: readonly string[]): readonly string[] {
  const [end = ""] = /_[^_]+$/.exec(names[0] ?? "") ?? [];
  return end && names.every((name) => name.endsWith(end) && name !== end) ? names.map((name) => name.slice(0, -end.length)) : names;
}

/** leg1_l_meas is "leg 1" and "l_meas", wheel2_speed "wheel 2" and "wheel_speed", pose_meas_surge "surge" and "pose_meas". */
function markAndRest(channel: Channel): { mark: string; rest: string } {
  const { key, label } = splitName(channel);
  const isCounted = label !== "" && /^\d+$/.test(label) && channel.formula === null;
  const counted = isCounted ? /^([a-z]+)\d+_/.exec(channel.name)?.[1] : undefined;
  return { mark: counted ? `${counted} ${label}` : label, rest: key };
}
