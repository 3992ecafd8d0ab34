/** Sets of generators as files, TOML or JSON with the same keys; docs/generators.md has an example. */

import type { Card, CardSet } from "../../net/types";
import { isPiece, type Piece } from "../../data/layout";
import { COUNT, DOFS, SHAPES } from "../../net/words";
import { BLANK, FIELDS, whole, type Axis } from "./model";
import { parseToml } from "./toml";

/** Errors are one sentence that names the generator and the key. */
export function readSet(name: string, text: string): CardSet {
  const isToml = name.toLowerCase().endsWith(".toml");
  let data: unknown;
  try {
    data = isToml ? parseToml(text) : JSON.parse(text);
  } catch (error) {
    throw new Error(
      `${name} is not ${isToml ? "TOML" : "JSON"}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (!isPiece(data)) throw new Error(`${name} must hold a table with a name and a list of generators`);
  known(name, data, ["name", "generator"]);
  const listed = data["generator"] ?? [];
  if (!Array.isArray(listed) || !listed.every(isPiece)) throw new Error(`${name}: generator must be a list of tables`);
  const cards: Card[] = [];
  listed.forEach((table: Piece, k) => {
    const number = table["number"] ?? k + 1;
    if (typeof number !== "number" || !Number.isInteger(number) || number < 1 || number > COUNT) {
      throw new Error(`${name}: number of table ${k + 1} is ${String(number)}, it must be 1 to ${COUNT}`);
    }
    if (cards[number - 1]) throw new Error(`${name}: generator ${number} appears twice`);
    cards[number - 1] = card(`${name}: generator ${number}`, table);
  });
  return whole({ name: typeof data["name"] === "string" ? data["name"] : "", cards });
}

function card(where: string, table: Piece): Card {
  known(where, table, ["number", ...Object.keys(BLANK)]);
  const { enabled = true, space = "leg", axes = [], shape = "sine" } = table;
  if (typeof enabled !== "boolean") throw new Error(`${where}: enabled must be true or false`);
  if (space !== "leg" && space !== "dof") throw new Error(`${where}: space must be leg or dof`);
  const names: readonly Axis[] = space === "leg" ? [1, 2, 3, 4, 5, 6] : DOFS;
  if (!Array.isArray(axes) || !axes.every((axis) => names.includes(axis as Axis))) {
    throw new Error(`${where}: axes must be a list of some of ${names.join(", ")}`);
  }
  const found = SHAPES.find((one) => one === shape);
  if (!found) throw new Error(`${where}: shape must be one of ${SHAPES.join(", ")}`);
  const made: Card = { ...BLANK, enabled, space, axes: names.filter((axis) => axes.includes(axis)), shape: found };
  for (const { key } of FIELDS) {
    const value = table[key] ?? 0;
    if (typeof value !== "number") throw new Error(`${where}: ${key} must be a number`);
    made[key] = value;
  }
  return made;
}

function known(where: string, table: Piece, keys: string[]): void {
  const other = Object.keys(table).find((key) => !keys.includes(key));
  if (other) throw new Error(`${where}: there is no key ${other}; keys: ${keys.join(", ")}`);
}

/** Only cards that hold anything, and of them what is not 0. */
function tables(set: CardSet): Piece[] {
  return set.cards.flatMap((card, k) => {
    const numbers = FIELDS.map(({ key }) => [key, card[key]] as const).filter(([, value]) => value !== 0);
    if (!card.enabled && card.axes.length === 0 && numbers.length === 0) return [];
    const { enabled, space, axes, shape } = card;
    return [{ number: k + 1, enabled, space, axes, shape, ...Object.fromEntries(numbers) }];
  });
}

export function jsonText(set: CardSet): string {
  return `${JSON.stringify({ name: set.name, generator: tables(set) }, null, 2)}\n`;
}

/** JSON's way of writing texts, numbers and lists is TOML's too. */
export function tomlText(set: CardSet): string {
  const cards = tables(set).map(
    (table) => [
      "", "[[generator]]", ...Object.entries(table).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ],
  );
  return `${[`name = ${JSON.stringify(set.name)}`, ...cards.flat()].join("\n")}\n`;
}
