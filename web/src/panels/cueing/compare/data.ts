/** Curves of a comparison: windows that the server decimates, asked for again where the zoom needs finer ones. */

import type { App } from "../../../app";
import { signal } from "../../../core/signal";
import type { Data, Shown } from "../../../plots/layer";
import { Piece } from "../../../plots/source";
import type { TrialView } from "./view";

const MARGIN = 0.25;
const PAUSE_MS = 100;
const MOST_PIXELS = 4096;
const NOTHING: Data = { epoch: 0, isLive: false, first: 0, time: new Float64Array(0), step: 1, band: () => undefined };

export class TrialData {
  /** What cannot be shown, "" where everything can. */
  readonly trouble = signal("");
  #piece: Piece | null = null;
  #epoch = 0;
  #asked = "";
  #askedAt = -Infinity;
  #isAsking = false;

  constructor(
    private readonly app: App,
    private readonly view: TrialView,
  ) {}

  get now(): Data {
    return this.#piece ?? NOTHING;
  }

  /** Once a frame. @param pixels of the widest plot */
  update(nowMs: number, pixels: number): void {
    const shown = this.view.shown();
    const wanted = Math.min(MOST_PIXELS, Math.max(100, Math.round((1 + 2 * MARGIN) * pixels)));
    const question = `${shown.from} ${shown.to} ${wanted}`;
    if (this.#isAsking || question === this.#asked || nowMs - this.#askedAt < PAUSE_MS || !this.#isPoor(shown, pixels)) return;
    [this.#asked, this.#askedAt] = [question, nowMs];
    void this.#ask(shown, wanted);
  }

  #isPoor({ from, to }: Shown, pixels: number): boolean {
    const head = this.#piece?.frame.head;
    if (!head) return true;
    const { start, end } = this.view.trial;
    const isCovered = head.from <= Math.max(start, from) && head.to >= Math.min(end, to);
    return !isCovered || (head.bucket > 1 && (this.#piece?.step ?? 0) > (2 * (to - from)) / pixels);
  }

  async #ask({ from, to }: Shown, pixels: number): Promise<void> {
    this.#isAsking = true;
    const { trial } = this.view;
    const margin = MARGIN * (to - from);
    const channels = trial.channels.channels.slice(1).map(({ place }) => place).join(",");
    try {
      const path = `/api/cueing/trials/${trial.number}/window`;
      const frame = await this.app.api.window({ channels, from: from - margin, to: to + margin, pixels }, path);
      const { time } = frame;
      const step = time.length > 1 ? ((time[time.length - 1] ?? 0) - (time[0] ?? 0)) / (time.length - 1) : 1;
      this.#piece = new Piece(frame, (this.#epoch -= 1), step);
      this.trouble.set("");
    } catch (error) {
      this.trouble.set(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isAsking = false;
    }
  }
}
