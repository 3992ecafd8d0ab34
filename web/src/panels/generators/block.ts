/** Three things that must never be mixed up: what is edited here, what is armed in the block, what the base runs. */

import type { App } from "../../app";
import { computed, signal, type Signal } from "../../core/signal";
import { baseOf } from "../common/base";
import { Undo } from "../../core/undo";
import type { Apply, Card, CardSet, Generators } from "../../net/types";
import { askBeyond, exceededOf } from "./exceeded";
import { EDITED, isSame, nameOf, plainName, problems, whole } from "./model";

export class Block {
  /** The block as the server last told it; null until then. */
  readonly block: Signal<Generators | null> = signal<Generators | null>(null);
  readonly edited: Signal<CardSet> = signal<CardSet>(whole({ name: "", cards: [] }));
  /** Version that the edit began with; another one in the block means that somebody wrote meanwhile. */
  readonly basis: Signal<number | null> = signal<number | null>(null);
  readonly trouble: Signal<string> = signal("");
  /** A sentence while a set is being loaded, in which nothing can be armed; else "". */
  readonly loading: Signal<string> = signal("");
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

  readonly #steps = new Undo<CardSet>();
  /** The cards of sets by name, as this page has seen them. */
  readonly #originals = new Map<string, readonly Card[]>();

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
    const written = await this.#write({ cards: this.edited.peek(), version, exceeds: [] });
    if (!written) return this.refresh();
    this.basis.set(written.version);
    this.#originally(written.armed);
    this.block.set(written);
    this.#show(whole(written.armed)); // the server knows best what it is called
    this.app.say(`Version ${written.version} is armed. It takes effect at the next drive.`);
  }

  /** Asks for confirmation where limits would be exceeded; undefined where it was refused or cancelled. */
  async #write(wanted: Apply): Promise<Generators | undefined> {
    try {
      return await this.app.api.put<Generators>("/api/generators", wanted);
    } catch (error) {
      const exceeded = exceededOf(error);
      if (!exceeded) return this.app.attempt<Generators>(Promise.reject(error));
      if (!(await askBeyond(this.app, exceeded))) return undefined;
      return this.#write({ ...wanted, exceeds: exceeded.map((one) => one.what) });
    }
  }

  /** Take over what is armed, and give up what was edited; undo brings it back. */
  load(): void {
    const block = this.block.peek();
    if (!block) return;
    this.basis.set(block.version);
    this.take(whole(block.armed));
  }

  /** Take over a whole set with its name; undo brings back what was here. */
  take(set: CardSet): void {
    this.#originally(set);
    this.#edited(set, "");
  }

  /** The same with a set that the server still has to send. */
  async takeNamed(name: string, found: Promise<CardSet>): Promise<void> {
    this.loading.set(`the set ${name} is being loaded`);
    try {
      this.take({ ...whole(await found), name });
    } finally {
      this.loading.set("");
    }
  }

  /** Keep what was edited, knowing that the block has changed. */
  keep(): void {
    this.basis.set(this.block.peek()?.version ?? null);
  }

  /**
   * Other cards; where they are not those of their set any more, its name says so.
   * @param key edits of the same key in quick succession are one step; "" never is
   */
  edit(cards: readonly Card[], key: string): void {
    const { name } = this.edited.peek();
    this.#edited({ name: nameOf(name, cards, this.#originals.get(plainName(name))), cards: [...cards] }, key);
  }

  #edited(set: CardSet, key: string): void {
    const before = this.edited.peek();
    if (isSame(before, set)) return;
    this.#steps.push(before, key);
    this.#show(set);
  }

  undo(): void {
    const set = this.#steps.undo(() => this.edited.peek());
    if (set) this.#show(set);
  }

  redo(): void {
    const set = this.#steps.redo(() => this.edited.peek());
    if (set) this.#show(set);
  }

  /** The sentence about what runs. */
  running(): string {
    const block = this.block();
    const base = baseOf(this.app);
    const version = base.runs() ?? block?.running_version ?? null;
    if (!block || version === null) return "unknown";
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
      if (before?.version !== found.version) this.#steps.clear();
      this.#originally(found.armed);
      this.#show(whole(found.armed));
    }
    this.block.set(found);
  }

  #originally(set: CardSet): void {
    if (set.name && !set.name.endsWith(EDITED)) this.#originals.set(set.name, whole(set).cards);
  }

  #show(set: CardSet): void {
    this.edited.set(set);
    this.canUndo.set(this.#steps.canUndo);
    this.canRedo.set(this.#steps.canRedo);
  }
}
