/** The parameters as the base has them, changes of them, and taking changes back. */

import type { App } from "../../app";
import { signal, type Signal } from "../../core/signal";
import { Undo } from "../../core/undo";
import type { Parameters } from "../../net/types";

/** Numbers by name; none of them: as designed. */
export type Values = Record<string, number[]>;

const PATH = "/api/parameters";

const made = new WeakMap<App, Tuner>();

/** That of the page: panels that change parameters take back each other's steps. */
export function tunerOf(app: App): Tuner {
  const known = made.get(app) ?? new Tuner(app);
  made.set(app, known);
  return known;
}

export class Tuner {
  readonly found: Signal<Parameters | null> = signal<Parameters | null>(null);
  readonly canUndo: Signal<boolean> = signal(false);
  readonly canRedo: Signal<boolean> = signal(false);
  readonly #steps = new Undo<Values>();
  #law = "";

  constructor(private readonly app: App) {}

  async refresh(): Promise<void> {
    const answer = await this.app.api.get<Parameters>(PATH);
    if (JSON.stringify(answer) === JSON.stringify(this.found.peek())) return;
    if (answer.law !== this.#law) this.#steps.clear(); // of a law that is gone
    this.#law = answer.law;
    this.found.set(answer);
    this.#tell();
  }

  /** Ask for new numbers; a refusal is thrown, and is no step. @param key of a hand that goes on: one step in all */
  async change(values: Values, key = ""): Promise<void> {
    const before = this.#now(values);
    await this.#send(values);
    this.#steps.push(before, key);
    this.#tell();
  }

  /** Nothing to take back: another run. */
  forget(): void {
    this.#steps.clear();
    this.#tell();
  }

  async undo(): Promise<void> {
    const values = this.#steps.undo((to) => this.#now(to));
    if (values && !(await this.#taken(values))) this.#steps.redo(() => values); // it was not done: the step stays
    this.#tell();
  }

  async redo(): Promise<void> {
    const values = this.#steps.redo((to) => this.#now(to));
    if (values && !(await this.#taken(values))) this.#steps.undo(() => values);
    this.#tell();
  }

  /** Whether the base took it; a refusal is said. */
  async #taken(values: Values): Promise<boolean> {
    return (await this.app.attempt(this.#send(values).then(() => true))) ?? false;
  }

  async #send(values: Values): Promise<void> {
    this.found.set(await this.app.api.patch<Parameters>(PATH, { values }));
  }

  /** What these parameters are on their way to. */
  #now(values: Values): Values {
    const goals = new Map(this.found.peek()?.parameters.map(({ name, goal }) => [name, goal]) ?? []);
    return Object.fromEntries(Object.keys(values).map((name) => [name, goals.get(name) ?? []]));
  }

  #tell(): void {
    this.canUndo.set(this.#steps.canUndo);
    this.canRedo.set(this.#steps.canRedo);
  }
}
