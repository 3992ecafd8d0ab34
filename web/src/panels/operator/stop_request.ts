/** Asking for an emergency stop until somebody answers: by every way there is, again every second. */

import { randomName } from "../../core/random";
import { batch, signal, type Signal } from "../../core/signal";
import { ApiError } from "../../net/api";
import type { Answer } from "../../net/types";

/**
 * `asking`: for less than a second; `unheard`: for longer, and still; `acts`, `latched`, `asked`: as the answer said, the
 * base has stopped, has not begun and will not rise, or has not answered; `refused`: there is nobody to stop, or not from here.
 */
export type Phase = "idle" | "asking" | "unheard" | "acts" | "latched" | "asked" | "refused";

/** What ended it, the better the later: an answer gives way to a better one of another way. */
const ORDER: readonly Phase[] = ["refused", "asked", "latched", "acts"];
const AGAIN_MS = 1000;
const ACTS = /\bacts\b/; // in the server's own sentence, once a record has shown it
const LATCHED = /^latched\b/; // likewise, where a base has not begun
const SHOWN_MS: Partial<Record<Phase, number>> = { acts: 2_000, latched: 15_000, asked: 15_000, refused: 15_000 };
const UNHEARD = "The console does not answer. The request is repeated every second; use the hardware stop.";

export class StopRequest {
  readonly phase: Signal<Phase> = signal<Phase>("idle");
  /** What was answered last, for people. */
  readonly text: Signal<string> = signal("");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #press = "";
  #round = 0; // answers to what was pressed before count no more

  /**
   * @param ways those there are now, for a press of this name, which is one however often it is asked for; each asks once, and an answer that is not accepted, or an error, leaves it to others
   * @param onAnswer with what ended it
   */
  constructor(
    private readonly ways: (press: string) => readonly (() => Promise<Answer>)[],
    private readonly onAnswer: (phase: Phase, text: string, error: ApiError | null) => void,
  ) {}

  get isOpen(): boolean {
    return this.phase.peek() === "asking" || this.phase.peek() === "unheard";
  }

  press(): void {
    this.#press = randomName(8);
    if (!this.isOpen) {
      this.#round += 1;
      this.#become("asking", "");
      this.#timer = setTimeout(() => this.#again(), AGAIN_MS);
    }
    this.#ask();
  }

  /** The base has stopped, by whatever hand. */
  settle(): void {
    if (this.phase.peek() !== "idle") this.end();
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
    for (const way of this.ways(this.#press)) {
      way().then(
        ({ accepted, text }) => {
          if (accepted) this.#answered(round, phaseOf(text), text, null);
          else if (round === this.#round && this.isOpen) this.text.set(text);
        },
        (error: unknown) => isRefusal(error) && this.#answered(round, "refused", error.message, error),
      );
    }
  }

  #answered(round: number, phase: Phase, text: string, error: ApiError | null): void {
    const isBetter = ORDER.indexOf(phase) > ORDER.indexOf(this.phase.peek()) && this.phase.peek() !== "idle";
    if (round !== this.#round || !(this.isOpen || isBetter)) return;
    this.#end(phase, text);
    this.onAnswer(phase, text, error);
  }

  #end(phase: Phase, text: string): void {
    this.#become(phase, text);
    const shown = SHOWN_MS[phase];
    if (shown !== undefined) this.#timer = setTimeout(() => this.end(), shown);
  }

  #become(phase: Phase, text: string): void {
    clearTimeout(this.#timer);
    batch(() => {
      this.phase.set(phase);
      this.text.set(text);
    });
  }
}

function phaseOf(text: string): Phase {
  return ACTS.test(text) ? "acts" : LATCHED.test(text) ? "latched" : "asked";
}

/** Whether the server itself has said no; one that fails or is silent may hear the next one. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}
