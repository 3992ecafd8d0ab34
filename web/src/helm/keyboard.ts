/** Keys that steer, and when they do: never while something else on the page takes keys. */

/** Who takes a key: the view outside or the steering panel, nothing, or something else of the page. */
export type Place = "helm" | "free" | "taken";

const TYPES = "input, select, textarea, [contenteditable], dialog, [role=menu], [role=listbox], [popover], [aria-haspopup]";

/** @param ours parts of the page that belong to the vehicle */
export function placeOf(target: EventTarget | null, ours: readonly (Element | null)[]): Place {
  if (document.querySelector("dialog[open]")) return "taken";
  if (!(target instanceof Element) || target === document.body || target === document.documentElement) return "free";
  if (target.closest(TYPES)) return "taken";
  if (ours.some((part) => part?.contains(target))) return "helm";
  if (target.closest(".centre, .channel-list")) return "taken"; // plots and views have keys of their own
  const isPlain = isButton(target) && !target.closest("[role]:not(button):not([role=group])");
  return isPlain || (target instanceof HTMLElement && target.tabIndex < 0) ? "free" : "taken";
}

/** A button takes the space bar, and nothing else that steers. */
export function isButton(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, a") !== null;
}

type Pressed = Pick<KeyboardEvent, "code" | "ctrlKey" | "altKey" | "metaKey" | "repeat" | "isComposing">;

export class Keyboard {
  readonly #held = new Set<string>();
  /** Held when all was let go: they steer again when they are pressed anew. */
  readonly #spent = new Set<string>();

  get held(): ReadonlySet<string> {
    return this.#held;
  }

  /** Whether a key steers here. @param known keys of the vehicle */
  takes(key: Pressed, place: Place, isButton: boolean, known: ReadonlySet<string>): boolean {
    if (!known.has(key.code) || key.ctrlKey || key.altKey || key.metaKey || key.isComposing || place === "taken") return false;
    return !(isButton && key.code === "Space");
  }

  /** Whether that is new. A key that has been held since before it meant anything counts when it repeats by itself. */
  press(key: Pressed): boolean {
    if (this.#held.has(key.code) || (key.repeat && this.#spent.has(key.code))) return false;
    this.#spent.delete(key.code);
    this.#held.add(key.code);
    return true;
  }

  /** Whether it was held. */
  release(code: string): boolean {
    this.#spent.delete(code);
    return this.#held.delete(code);
  }

  /**
   * Whether any was held.
   * @param isSpent keys must be pressed anew; else one that is still held counts again when it repeats
   */
  clear(isSpent = true): boolean {
    const any = this.#held.size > 0;
    if (isSpent) for (const code of this.#held) this.#spent.add(code);
    this.#held.clear();
    return any;
  }
}
