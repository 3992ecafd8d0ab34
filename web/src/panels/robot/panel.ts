/** What panels of models that run have in common: their tuner, kept fresh, and the buttons that take steps back. */

import type { App } from "../../app";
import { h, type Child } from "../../core/dom";
import { computed, effect } from "../../core/signal";
import { undoKeys } from "../../core/undo";
import { accessBar } from "../common/access";
import { baseOf } from "../common/base";
import { gate, iconButton, ICONS, note, whileVisible } from "../common/ui";
import { lately } from "../operator/faults";
import { health } from "../operator/health";
import { tunerOf, type Tuner } from "../tuning/tuner";

/**
 * @param name `robot`: of the panel, in classes and tests
 * @param when says when there is something to tune
 * @param requests stand above what the tuner complains of, `parts` below it
 */
export function modelPanel(app: App, name: string, when: string, requests: Child, parts: Child[]): HTMLElement {
  const tuner = tunerOf(app);
  const trouble = note("info", `${name}-trouble`);
  const refresh = async (): Promise<void> => {
    try {
      await tuner.refresh();
      trouble.say("");
    } catch (error) {
      trouble.say(`${error instanceof Error ? error.message : String(error)}. ${when}`);
    }
  };
  const element = h(
    "div", { class: `panel p-${name}`, "data-test": `panel-${name}` }, accessBar(app),
    requests, trouble.element, ...parts, lately(app), health(app),
  ); // prettier-ignore
  undoKeys(element, () => void tuner.undo(), () => void tuner.redo(), "[data-typed]");
  const generation = computed(() => baseOf(app).ring()?.generation ?? -1);
  effect(() => {
    generation(); // another run begins as designed
    if (app.socket.link() === "open") void refresh();
  });
  whileVisible(element, refresh);
  return element;
}

/** Undo and redo of what was changed on this page. */
export function undoButtons(tuner: Tuner, name: string, whyNot: () => string): HTMLElement[] {
  const undo = iconButton(ICONS.undo, "Undo (Ctrl+Z)", () => void tuner.undo(), `${name}-undo`);
  const redo = iconButton(ICONS.redo, "Redo (Ctrl+Shift+Z)", () => void tuner.redo(), `${name}-redo`);
  effect(() => {
    gate(undo, whyNot() || (tuner.canUndo() ? "" : "nothing was changed on this page"), "Undo (Ctrl+Z): back to the previous value");
    gate(redo, whyNot() || (tuner.canRedo() ? "" : "nothing was undone"), "Redo (Ctrl+Shift+Z)");
  });
  return [undo, redo];
}
