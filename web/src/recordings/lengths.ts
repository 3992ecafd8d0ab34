/** How long recordings are: asked for one after the other, of those on the screen, and remembered. */

import { signal } from "../core/signal";
import type { RecordingFile } from "../net/types";
import type { Recordings } from "./recordings";

export class Lengths {
  /** Counts up whenever another length is known. */
  readonly changes = signal(0);
  #known = new Map<string, number | null>();
  #queue: RecordingFile[] = [];
  #isBusy = false;

  constructor(private readonly recordings: Recordings) {}

  /** [s]; null where it is not known, or not yet. A text file would have to be read as a whole to tell. */
  of(file: RecordingFile): number | null {
    return this.#known.get(key(file)) ?? null;
  }

  want(file: RecordingFile): void {
    if (file.format === "csv" || file.is_written || this.#known.has(key(file)) || this.#queue.some((one) => key(one) === key(file))) return;
    this.#queue.push(file);
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let file = this.#queue.shift(); file; file = this.#queue.shift()) {
      try {
        const info = await this.recordings.info(file.file);
        this.#known.set(key(file), info.end - info.start);
      } catch {
        this.#known.set(key(file), null); // opening it says why
      }
      this.changes.set(this.changes.peek() + 1);
    }
    this.#isBusy = false;
  }
}

function key(file: RecordingFile): string {
  return `${file.file} ${file.modified_utc}`;
}
