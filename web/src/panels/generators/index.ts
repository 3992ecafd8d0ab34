/** The generators' panel: seven cards, what they would do, and the way into the block. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { effect } from "../../core/signal";
import { clock } from "../../core/format";
import { undoKeys } from "../../core/undo";
import type { Generators } from "../../net/types";
import type { Panel } from "../../shell/panel";
import { accessBar, whyNotOperating } from "../common/access";
import { baseOf } from "../common/base";
import { gate, iconButton, ICONS, note, section, sentence, whileVisible } from "../common/ui";
import { Block } from "./block";
import { cardView } from "./card";
import { COUNT } from "../../net/words";
import { preview } from "./preview";
import { sets } from "./sets";

export const generators: Panel = {
  id: "generators",
  title: "Generators",
  suits: (app) => !app.session.runsModel(),
  icon: "M3 12c2-8 5-8 7 0s5 8 7 0|M17 12c1-4 2.4-6 4-6",
  mount(app) {
    const block = new Block(app);
    const named = sets(app, block);
    const { picture, numbers } = preview(app, block);
    const { known, acts } = facts(app, block);
    const element = h(
      "div", { class: "panel p-generators", "data-test": "panel-generators" },
      accessBar(app), known, cards(block), numbers, named.element,
      h("div", { class: "p-dock", "data-test": "generators-dock" }, picture, ...acts),
    );
    undoKeys(element, () => block.undo(), () => block.redo());
    const base = baseOf(app);
    effect(() => {
      base.state(); // what may be written, and what runs, follows these
      base.mode();
      base.fault();
      base.runs();
      if (app.socket.link() === "open") void block.refresh();
    });
    whileVisible(element, () => block.refresh());
    whileVisible(element, () => named.refresh(), 5000);
    return element;
  },
};

function cards(block: Block): HTMLElement {
  const views = Array.from({ length: COUNT }, (_, k) =>
    cardView(k + 1, (card, key) => {
      block.edit(block.edited.peek().cards.map((other, at) => (at === k ? card : other)), key);
    }),
  );
  const undo = iconButton(ICONS.undo, "Undo (Ctrl+Z)", () => block.undo(), "generators-undo");
  const redo = iconButton(ICONS.redo, "Redo (Ctrl+Shift+Z)", () => block.redo(), "generators-redo");
  effect(() => {
    undo.disabled = !block.canUndo();
    redo.disabled = !block.canRedo();
    block.edited().cards.forEach((card, k) => views[k]?.show(card));
  });
  return section("Cards", [undo, redo], ...views.map((view) => view.element));
}

/** `known`: what is edited, armed and running; `acts`: what can be done about a difference. */
function facts(app: App, block: Block): { known: HTMLElement; acts: HTMLElement[] } {
  const [edited, armed, runs] = ["Edited here", "Armed in the block", "The base runs"].map((label) => fact(label));
  const overtaken = note("warn", "generators-overtaken");
  const load = h(
    "button",
    {
      type: "button", "data-test": "generators-load", title: "Discard the edit here; undo restores it",
      onclick: () => block.load(),
    },
  );
  const keep = h(
    "button",
    {
      type: "button", "data-test": "generators-keep", title: "Continue with the edit here",
      onclick: () => block.keep(),
    },
    "Keep mine",
  );
  const either = h("div", { class: "row" }, load, keep);
  const apply = h(
    "button",
    { type: "button", class: "primary grow", "data-test": "generators-apply", onclick: () => void block.apply() },
    "Apply",
  );
  const revert = h(
    "button",
    {
      type: "button", "data-test": "generators-revert", title: "Show what is armed; undo restores the edit",
      onclick: () => block.load(),
    },
    "Revert",
  );
  const why = note("info", "generators-why");
  const base = baseOf(app);
  const seat = whyNotOperating(app);
  effect(() => {
    const found = block.block();
    const isOther = block.isOvertaken() && block.isChanged();
    const asArmed = found ? `as armed, version ${found.version}` : "–";
    const name = block.edited().name;
    if (block.isChanged()) edited?.set(`changed${name ? `, “${name}”` : ""}, based on version ${block.basis()}`, "accent");
    else edited?.set(asArmed, "");
    armed?.set(found ? armedText(found) : "–", "");
    const isDriving = base.state() === "drive" || base.state() === "settling";
    const differs = isDriving && found !== null && base.runs() !== null && base.runs() !== found.version;
    runs?.set(block.running(), differs ? "warn" : "");
    const other = `armed in the meantime: ${found ? armedText(found) : ""}; the edit here is based on version ${block.basis()}.`;
    overtaken.say(isOther ? other : "");
    either.hidden = !isOther;
    setText(load, `Load version ${found?.version ?? ""}`);
    const reason = reasonAgainst(block, seat());
    gate(apply, reason, "Write these cards into the block; they take effect at the next drive");
    revert.disabled = !block.isChanged();
    why.say(block.trouble() || (!isOther && (block.isChanged() || found?.allowed === false) ? reason : ""));
    const many = block.exceeded();
    setText(apply, many ? `Apply beyond ${many === 1 ? "1 limit" : `${many} limits`} …` : "Apply");
    toggleClass(apply, "p-beyond", many > 0);
  });
  const known = section(
    "Function generators", [],
    h("dl", { class: "p-facts" }, ...(edited?.parts ?? []), ...(armed?.parts ?? []), ...(runs?.parts ?? [])),
  );
  return { known, acts: [overtaken.element, either, why.element, h("div", { class: "row" }, apply, revert)] };
}

function armedText({ version, author, written_utc, armed }: Generators): string {
  if (version === 0) return "nothing yet, all generators are off";
  const by = author ? ` by ${author}` : "";
  const at = written_utc ? ` at ${clock(written_utc)}` : "";
  return `version ${version}${by}${at}${armed.name ? `, “${armed.name}”` : ""}`;
}

function reasonAgainst(block: Block, seat: string): string {
  const found = block.block();
  if (!found) return "the block has not been read yet";
  if (!block.isGood()) return "correct the numbers marked in red first";
  if (seat) return seat;
  if (block.loading()) return block.loading();
  if (!found.allowed) return found.why_not;
  if (block.isOvertaken()) return "other settings were armed in the meantime: load them, or keep yours";
  return block.isChanged() ? "" : "these cards are armed already";
}

function fact(label: string): { parts: HTMLElement[]; set(text: string, kind: string): void } {
  const value = h("dd", { "data-test": `fact-${label.split(" ")[0]?.toLowerCase()}` });
  const set = (text: string, kind: string): void => {
    setText(value, sentence(text));
    value.className = kind;
  };
  return { parts: [h("dt", {}, label), value], set };
}
