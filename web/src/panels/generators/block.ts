/** Three things that must never be mixed up: what is edited here, what is armed in the block, what the base runs. */

import type { App } from "../../app";
import { computed, signal, type Signal } from "../../core/signal";
import { baseOf } from "../common/base";
import type { CardSet, Generators } from "../../net/types";
import { isSame, problems, whole } from "./model";

const SAME_EDIT_MS = 1200; // typing on in the same field is one step of undo
const MOST_STEPS = 200;

export class Block {
  /** The block as the server last told it; null until then. */
  readonly block: Signal<Generators | null> = signal<Generators | null>(null);
  readonly edited: Signal<CardSet> = signal<CardSet>(whole({ name: "", cards: [] }));
  /** Version that the edit began with; another one in the block means that somebody wrote meanwhile. */
  readonly basis: Signal<number | null> = signal<number | null>(null);
  readonly trouble: Signal<string> = signal("");
  /** How many limits the preview of the edited cards exceeds; 0 until it has come. */
  readonly exceeded: Signal<number> = signal(0);
  readonly canUndo: Signal<boolean> = signal(false);
  readonly canRedo: Signal<boolean> = signal(false);

  readonly isChanged = computed(() => {
    const block = this.block();
    return block !== null && !isSame(this.edited(), whole(block.armed));
  });
  readonly isOvertaken = computed(
    () => this.block() !== null && this.basis() !== null && this.block()?.version !== this.basis(),
  );
  readonly isGood = computed(() => this.edited().cards.every((card) => Object.keys(problems(card)).length === 0));

  #past: CardSet[] = [];
  #future: CardSet[] = [];
  #last = { key: "", at: 0 };

  constructor(private readonly app: App) {}

  /** Look at the block again; where nothing was edited here, what is shown follows it. */
  async refresh(): Promise<void> {
    try {
      this.#heard(await this.app.api.get<Generators>("/api/generators"));
      this.trouble.set("");
    } catch (error) {
      this.trouble.set(error instanceof Error ? error.message : String(error));
    }
  }

  async apply(): Promise<void> {
    const version = this.basis.peek();
    if (version === null) return;
    const written = await this.app.attempt(
      this.app.api.put<Generators>("/api/generators", { cards: this.edited.peek(), version }),
    );
    if (!written) return this.refresh();
    this.basis.set(written.version);
    this.block.set(written);
    this.app.say(`Version ${written.version} is armed. It takes effect at the next drive.`);
  }

  /** Take over what is armed, and give up what was edited; undo brings it back. */
  load(): void {
    const block = this.block.peek();
    if (!block) return;
    this.basis.set(block.version);
    this.edit(whole(block.armed), "");
  }

  /** Keep what was edited, knowing that the block has changed. */
  keep(): void {
    this.basis.set(this.block.peek()?.version ?? null);
  }

  /** @param key edits of the same key in quick succession are one step; "" never is */
  edit(set: CardSet, key: string): void {
    const before = this.edited.peek();
    if (isSame(before, set)) return;
    const now = performance.now();
    const isSameStep = key !== "" && key === this.#last.key && now - this.#last.at < SAME_EDIT_MS;
    if (!isSameStep) this.#past = [...this.#past, before].slice(-MOST_STEPS);
    this.#last = { key, at: now };
    this.#future = [];
    this.#show(set);
  }

  undo(): void {
    this.#step(this.#past, this.#future);
  }

  redo(): void {
    this.#step(this.#future, this.#past);
  }

  /** The sentence about what runs. */
  running(): string {
    const block = this.block();
    const base = baseOf(this.app);
    const version = base.runs() ?? block?.running_version ?? null;
    if (!block || version === null) return "not known";
    const isDriving = ["drive", "settling"].includes(base.state() ?? "");
    const next = `version ${block.version} takes effect at the next drive`;
    if (!isDriving) return `nothing in ${base.state() ?? "this state"}${block.version > 0 ? `; ${next}` : ""}`;
    return version === block.version ? `version ${version}, as armed` : `version ${version}; ${next}`;
  }

  #heard(found: Generators): void {
    const wasChanged = this.isChanged.peek();
    const before = this.block.peek();
    if (before && JSON.stringify(before) === JSON.stringify(found)) return;
    if (before === null || !wasChanged) {
      this.basis.set(found.version);
      this.#show(whole(found.armed));
      if (before?.version !== found.version) [this.#past, this.#future] = [[], []];
      this.#tell();
    }
    this.block.set(found);
  }

  #step(from: CardSet[], to: CardSet[]): void {
    const set = from.pop();
    if (!set) return;
    to.push(this.edited.peek());
    this.#last = { key: "", at: 0 };
    this.#show(set);
  }

  #show(set: CardSet): void {
    this.edited.set(set);
    this.#tell();
  }

  #tell(): void {
    this.canUndo.set(this.#past.length > 0);
    this.canRedo.set(this.#future.length > 0);
  }
}
