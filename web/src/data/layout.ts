/** What the page shows, as JSON: every part saves and loads its own piece; the whole is kept in this browser. */

export type Piece = Record<string, unknown>;

export interface LayoutPart {
  save(): Piece;
  load(piece: Piece): void;
}

const KEY = "motionbase.layout";
const VERSION = 1;
const LATER_MS = 500;

export class LayoutStore {
  #parts = new Map<string, LayoutPart>();
  #loaded: Piece;
  #timer = 0;

  constructor() {
    this.#loaded = parsed(localStorage.getItem(KEY));
    window.addEventListener("pagehide", () => this.#timer && this.#keep()); // a page that is left or reloaded at once
  }

  /** A part that takes part; what was kept of it is loaded at once. */
  register(name: string, part: LayoutPart): void {
    this.#parts.set(name, part);
    const piece = this.#loaded[name];
    if (isPiece(piece)) part.load(piece);
  }

  whole(): Piece {
    return { version: VERSION, ...Object.fromEntries([...this.#parts].map(([name, part]) => [name, part.save()])) };
  }

  /** Show another layout; pieces it does not have stay as they are. */
  load(whole: Piece): void {
    if (whole["version"] !== VERSION) throw new Error(`this layout has version ${String(whole["version"])}; this page reads version ${VERSION}`);
    for (const [name, part] of this.#parts) {
      const piece = whole[name];
      if (isPiece(piece)) part.load(piece);
    }
    this.changed();
  }

  /** Something was changed by the user: keep it soon. */
  changed(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#keep(), LATER_MS);
  }

  #keep(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    localStorage.setItem(KEY, JSON.stringify(this.whole()));
  }
}

export function isPiece(value: unknown): value is Piece {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string | null): Piece {
  try {
    const found: unknown = JSON.parse(text ?? "{}");
    return isPiece(found) && found["version"] === VERSION ? found : {};
  } catch {
    return {};
  }
}
