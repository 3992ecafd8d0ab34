/** Which channels to take: legs by sensor groups, whole rows, whole columns, single cells; as in a split of old. */

import { h, setText } from "../core/dom";
import { computed, effect, signal, type Signal } from "../core/signal";
import type { Channel } from "../net/types";

interface Cell {
  row: string;
  group: string;
  names: string[];
}

const PLATFORM = "platform";

export interface Grid {
  element: HTMLElement;
  /** Names of the chosen channels, in the schema's order. */
  chosen: Signal<readonly string[]>;
}

/** Time comes first in every file anyway, so its group is not among the choices. */
export function channelGrid(channels: readonly Channel[]): Grid {
  const cells = cellsOf(channels);
  const rows = [...new Set(cells.map((cell) => cell.row))].sort(byLeg);
  const groups = [...new Set(cells.map((cell) => cell.group))];
  const on = signal<ReadonlySet<Cell>>(new Set(cells));
  const set = (some: readonly Cell[]): void => {
    const [now, all] = [on.peek(), some.every((cell) => on.peek().has(cell))];
    on.set(new Set(all ? [...now].filter((cell) => !some.includes(cell)) : [...now, ...some]));
  };
  const toggles: { button: HTMLButtonElement; of: readonly Cell[] }[] = [];
  const toggle = (text: string, label: string, of: readonly Cell[], kind: string): HTMLButtonElement => {
    const button = h(
      "button",
      { type: "button", class: kind, title: label, "aria-label": label, onclick: () => set(of) },
      text,
    );
    toggles.push({ button, of });
    return button;
  };
  const said = (row: string): string => (row === PLATFORM ? "Platform" : `Leg ${row}`);
  const table = h(
    "table", { class: "rec-grid", "data-test": "export-grid" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", {}, toggle("All", "All channels", cells, "rec-axis")),
        ...rows.map((row) => h(
          "th",
          {},
          toggle(
            row === PLATFORM ? "Platform" : `Leg ${row}`,
            `All channels of ${said(row).toLowerCase()}`,
            cells.filter((cell) => cell.row === row),
            "rec-axis",
          ),
        )),
      ),
    ),
    h("tbody", {}, ...groups.map((group) => {
      const own = cells.filter((cell) => cell.group === group);
      return h("tr", {}, h(
        "th",
        {},
        toggle(group.replaceAll("_", " "), `All channels of ${group}`, own, "rec-axis left"),
      ), ...rows.map((row) => {
        const cell = own.find((one) => one.row === row);
        return h(
          "td",
          {},
          cell && toggle(
            String(cell.names.length),
            `${said(row)}, ${group}: ${cell.names.join(", ")}`,
            [cell],
            "rec-cell num",
          ),
        );
      }));
    })),
  );
  const chosen = computed<readonly string[]>(() => {
    const names = new Set([...on()].flatMap((cell) => cell.names));
    return channels.filter((one) => names.has(one.name)).map((one) => one.name);
  });
  const count = h("span", { class: "faint num", "data-test": "export-count" });
  effect(() => {
    for (const { button, of } of toggles) {
      const here = of.filter((cell) => on().has(cell)).length;
      button.setAttribute("aria-pressed", here === of.length ? "true" : here > 0 ? "mixed" : "false");
    }
    setText(count, `${chosen().length} of ${channels.filter((one) => one.group !== "time").length} channels`);
  });
  return { element: h("div", { class: "rec-grid-box" }, table, count), chosen };
}

function cellsOf(channels: readonly Channel[]): Cell[] {
  const cells = new Map<string, Cell>();
  for (const { name, group, leg } of channels) {
    if (group === "time") continue;
    const row = leg === null ? PLATFORM : String(leg);
    const key = `${row} ${group}`;
    const cell = cells.get(key) ?? { row, group, names: [] };
    cell.names.push(name);
    cells.set(key, cell);
  }
  return [...cells.values()];
}

function byLeg(one: string, other: string): number {
  if (one === PLATFORM || other === PLATFORM) return one === other ? 0 : one === PLATFORM ? 1 : -1;
  return Number(one) - Number(other);
}
