/** Channels that are the same thing for every leg or axis stand together. */

import type { Channel } from "../net/types";

export interface Member {
  readonly channel: Channel;
  /** what tells it from its family: 1 to 6, surge, x; "" where it stands alone */
  readonly label: string;
}

export interface Family {
  readonly key: string;
  /** the name without what differs */
  readonly title: string;
  readonly units: readonly string[];
  readonly members: readonly Member[];
}

export interface Group {
  readonly name: string;
  readonly families: readonly Family[];
  readonly count: number;
}

export const DERIVED = "derived";

export function groupsOf(channels: readonly Channel[]): Group[] {
  const groups = new Map<string, Map<string, Member[]>>();
  for (const channel of channels) {
    const name = channel.formula === null ? channel.group : DERIVED;
    const families = groups.get(name) ?? new Map<string, Member[]>();
    groups.set(name, families);
    const { key, label } = splitName(channel);
    families.set(key, [...(families.get(key) ?? []), { channel, label }]);
  }
  return [...groups].map(([name, families]) => ({
    name,
    families: [...families].map(([key, members]) => family(`${name} ${key}`, key, members)),
    count: [...families.values()].reduce((sum, members) => sum + members.length, 0),
  }));
}

function family(key: string, title: string, members: readonly Member[]): Family {
  const [only] = members;
  const units = [...new Set(members.map((member) => member.channel.unit))];
  if (members.length === 1 && only) return { key, title: only.channel.name, units, members: [{ ...only, label: "" }] };
  return { key, title, units, members };
}

/** "joint elbow: speed" is of a model: the same of all its joints, or bodies. */
const OWNED = /^(?:joint|body|blade) ([^:]+): ([^,(;]+)/;

/** The name without its leg, axis or number, and that part. */
export function splitName(channel: Pick<Channel, "name" | "leg" | "dof" | "formula"> & Partial<Channel>): { key: string; label: string } {
  const { name, leg, dof, formula, description = "" } = channel;
  if (formula !== null) return { key: name, label: "" };
  const owned = OWNED.exec(description);
  if (owned) return { key: owned[2] ?? name, label: owned[1] ?? "" };
  if (leg !== null && name.startsWith(`leg${leg}_`)) return { key: name.slice(`leg${leg}_`.length), label: String(leg) };
  if (dof !== null) {
    const parts = name.split("_");
    const at = parts.indexOf(dof);
    if (at >= 0) return { key: parts.filter((_, k) => k !== at).join("_"), label: dof };
  }
  const counted = /^([a-z]+)(\d+)_(.+)$/.exec(name); // wheel2_speed
  if (counted) return { key: `${counted[1]}_${counted[3]}`, label: counted[2] ?? "" };
  const turned = /^(.+)_(roll|pitch|yaw)$/.exec(name); // of a sphere
  if (turned) return { key: turned[1] ?? "", label: turned[2] ?? "" };
  const numbered = /^(.*?)(?:_?(\d+)|_([xyz]))$/.exec(name); // latency ends with a y and is no axis
  return numbered?.[1] ? { key: numbered[1], label: numbered[2] ?? numbered[3] ?? "" } : { key: name, label: "" };
}

/** Channels with every word of a query in name, description, unit or group; where there is none, those whose name
 * has the letters in that order. */
export function find(channels: readonly Channel[], query: string): readonly Channel[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const exact = channels.filter(({ name, description, unit, group }) => {
    const text = `${name} ${description} ${unit} ${group} ${group.replaceAll("_", " ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return exact.length ? exact : channels.filter(({ name }) => words.every((word) => isScattered(word, name)));
}

/** Its letters in order, with others between. */
function isScattered(word: string, name: string): boolean {
  let at = 0;
  for (const letter of name) if (letter === word[at]) at += 1;
  return at === word.length;
}
