/** What the page knows of the server: who we are, the rings, the schema, what happened. */

import { computed, signal } from "../core/signal";
import type { Channel, Event, Me, Ring, Schema, Status } from "../net/types";
import type { SourceName } from "../net/socket";
import { POSES, SETTINGS } from "../net/words";

const MOST_EVENTS = 1000;

export class Session {
  readonly me = signal<Me | null>(null);
  readonly status = signal<Status | null>(null);
  /** The ring whose frames come. */
  readonly source = signal<SourceName>("live");
  readonly schemas = signal<Partial<Record<SourceName, Schema>>>({});
  readonly events = signal<readonly Event[]>([]);

  /** The recording that this page replays by itself, as if it were a ring; null where it does not. */
  readonly played = signal<Ring | null>(null);

  readonly ring = computed<Ring | null>(() => {
    const played = this.source() === "replay" ? this.played() : null;
    return played ?? this.status()?.sources.find((ring) => ring.source === this.source()) ?? null;
  });
  readonly schema = computed<Schema | null>(() => this.schemas()[this.source()] ?? null);
  readonly byName = computed<ReadonlyMap<string, Channel>>(
    () => new Map(this.schema()?.channels.map((channel) => [channel.name, channel]) ?? []),
  );
  /** Whether what is shown is a multibody model, not a motion base. */
  readonly isModel = computed<boolean>(() => holdsModel(this.schema()));
  /** The same of what runs, whatever is shown; of what is shown where nothing runs. */
  readonly runsModel = computed<boolean>(() => holdsModel(this.schemas().live ?? this.schema()));
  /** Whether the model that runs is a rotor. */
  readonly runsRotor = computed<boolean>(() => holdsRotor(this.schemas().live ?? this.schema()));
  /** Whether this page may change anything. */
  readonly operates = computed<boolean>(() => this.me()?.seated ?? false);
  readonly mayOperate = computed<boolean>(() => this.me()?.role === "operator");

  /** Whether what comes of a ring is what the page shows: not while it replays a recording by itself, whoever else replays. */
  shows(source: SourceName): boolean {
    return source === this.source() && (source === "live" || this.played() === null);
  }

  #connection = 0;
  #arrived: readonly Event[] = []; // over this connection

  /** Another connection, maybe to another console; returns its number. */
  connected(): number {
    this.#arrived = [];
    return (this.#connection += 1);
  }

  happened(event: Event): void {
    this.#arrived = [...this.#arrived, event].slice(-MOST_EVENTS);
    this.events.set([...this.events.peek(), event].slice(-MOST_EVENTS));
  }

  /** All that the console of a connection knows, in place of what was known before. */
  caughtUp(events: readonly Event[], connection: number): void {
    if (connection !== this.#connection) return;
    const last = events.at(-1)?.number ?? 0;
    this.events.set([...events, ...this.#arrived.filter(({ number }) => number > last)].slice(-MOST_EVENTS));
  }

  /** What a number means where it is a code or a set of bits; null where it is a quantity. */
  meaning(name: string, value: number): string | null {
    const channel = this.byName.peek().get(name);
    if (!channel || !Number.isInteger(value) || value < 0) return null;
    if (channel.codes) return channel.codes[value] ?? null;
    if (channel.bits) return channel.bits.filter((_, bit) => (value >> bit) & 1).join(", ");
    return null;
  }
}

function holdsRotor(schema: Schema | null): boolean {
  return schema?.channels.some(({ group }) => group === SETTINGS) ?? false;
}

function holdsModel(schema: Schema | null): boolean {
  return schema?.channels.some(({ group }) => group === POSES) ?? false;
}
