/** Asking for an emergency stop until somebody answers: by every way there is, again every second. */

import { batch, signal, type Signal } from "../../core/signal";
import { ApiError } from "../../net/api";
import type { Answer } from "../../net/types";

/**
 * `asking`: for less than a second; `unheard`: for longer, and still; `acts`, `asked`: as the answer said, the base has
 * stopped or has not answered; `refused`: there is nobody to stop, or not from here.
 */
export type Phase = "idle" | "asking" | "unheard" | "acts" | "asked" | "refused";

const AGAIN_MS = 1000;
const ACTS = /\bacts\b/; // in the server's own sentence, once a record has shown it
const SHOWN_MS: Partial<Record<Phase, number>> = { acts: 2_000, asked: 15_000, refused: 15_000 };
const UNHEARD = "The console does not answer. It is asked again every second; use the hardware stop.";

export class StopRequest {
  readonly phase: Signal<Phase> = signal<Phase>("idle");
  /** What was answered last, for people. */
  readonly text: Signal<string> = signal("");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #round = 0; // answers to what was pressed before count no more

  /**
   * @param ways each asks once; an answer that is not accepted, or an error, leaves it to the others
   * @param onAnswer with what ended it
   */
  constructor(
    private readonly ways: readonly (() => Promise<Answer>)[],
    private readonly onAnswer: (phase: Phase, text: string, error: ApiError | null) => void,
  ) {}

  get isOpen(): boolean {
    return this.phase.peek() === "asking" || this.phase.peek() === "unheard";
  }

  press(): void {
    if (!this.isOpen) {
      this.#round += 1;
      this.#become("asking", "");
      this.#timer = setTimeout(() => this.#again(), AGAIN_MS);
    }
    this.#ask();
  }

  /** The base has stopped, by whatever hand. */
  settle(): void {
    if (this.isOpen) this.end();
  }

  /** Back to where nothing is asked for. */
  end(): void {
    this.#end("idle", "");
  }

  #again(): void {
    this.#become("unheard", UNHEARD);
    this.#timer = setTimeout(() => this.#again(), AGAIN_MS);
    this.#ask();
  }

  #ask(): void {
    const round = this.#round;
    for (const way of this.ways) {
      way().then(
        ({ accepted, text }) => {
          if (round !== this.#round || !this.isOpen) return;
          if (!accepted) return this.text.set(text);
          const phase = ACTS.test(text) ? "acts" : "asked";
          this.#end(phase, text);
          this.onAnswer(phase, text, null);
        },
        (error: unknown) => {
          if (round !== this.#round || !this.isOpen || !isRefusal(error)) return;
          this.#end("refused", error.message);
          this.onAnswer("refused", error.message, error);
        },
      );
    }
  }

  #end(phase: Phase, text: string): void {
    this.#become(phase, text);
    const shown = SHOWN_MS[phase];
    if (shown !== undefined) this.#timer = setTimeout(() => this.#become("idle", ""), shown);
  }

  #become(phase: Phase, text: string): void {
    clearTimeout(this.#timer);
    batch(() => {
      this.phase.set(phase);
      this.text.set(text);
    });
  }
}

/** Whether the server itself has said no; one that fails or is silent may hear the next one. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}
