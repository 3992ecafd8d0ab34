/** Undo and redo. */

const MOST_STEPS = 200;
const SAME_STEP_MS = 1200; // going on in the same place is one step

/** @typeParam T what brings a step back: a whole state, or the part of one that the step changed */
export class Undo<T> {
  #past: T[] = [];
  #future: T[] = [];
  #last = { key: "", at: -Infinity };

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /**
   * A step was made; what was undone before is given up.
   * @param key steps of the same key in quick succession are one; "" never is
   */
  push(before: T, key = "", now = performance.now()): void {
    const isSame = key !== "" && key === this.#last.key && now - this.#last.at < SAME_STEP_MS;
    if (!isSame) this.#past = [...this.#past, before].slice(-MOST_STEPS);
    this.#last = { key, at: now };
    this.#future = [];
  }

  /** What to go back to, null where there is nothing. @param now what brings back where we are, from there */
  undo(now: (to: T) => T): T | null {
    return this.#step(this.#past, this.#future, now);
  }

  redo(now: (to: T) => T): T | null {
    return this.#step(this.#future, this.#past, now);
  }

  clear(): void {
    [this.#past, this.#future] = [[], []];
  }

  #step(from: T[], to: T[], now: (to: T) => T): T | null {
    const found = from.pop();
    if (found === undefined) return null;
    to.push(now(found));
    this.#last = { key: "", at: -Infinity };
    return found;
  }
}

/**
 * Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y within an element, also after a click beside its controls.
 * @param typing selects fields in which the keys take back what is being typed, as everywhere
 */
export function undoKeys(element: HTMLElement, undo: () => void, redo: () => void, typing = ":not(*)"): void {
  element.tabIndex = -1; // so that a click anywhere in it brings the keys here
  element.addEventListener("keydown", (key) => {
    if (!(key.ctrlKey || key.metaKey) || key.altKey) return;
    const letter = key.key.toLowerCase();
    if (letter !== "z" && letter !== "y") return;
    if (key.target instanceof Element && key.target.matches(typing)) return key.stopPropagation();
    key.preventDefault();
    key.stopPropagation();
    if (letter === "y" || key.shiftKey) redo();
    else undo();
  });
}
