/** Of many requests in quick succession only the newest counts: one at a time is under way, with a pause between. */

const PAUSE_MS = 30;

export class Latest<T> {
  #next: { value: T } | null = null;
  #running: Promise<void> | null = null;

  /** @param idle called once all wishes are done */
  constructor(
    private readonly work: (value: T) => Promise<unknown>,
    private readonly idle: () => unknown,
  ) {}

  ask(value: T): void {
    this.#next = { value };
    this.#running ??= this.#run();
  }

  /** Until nothing is on its way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let now = this.#next; now; now = this.#next) {
      this.#next = null;
      await this.work(now.value);
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
    this.#running = null;
    this.idle();
  }
}
