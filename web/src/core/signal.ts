/** A value with subscribers: an effect that reads it runs again when it changes. */
export interface Signal<T> {
  (): T;
  set(value: T): void;
  peek(): T;
}

type Effect = { run: () => void; sources: Set<Set<Effect>> };

let reading: Effect | null = null;
let depth = 0;
const waiting = new Set<Effect>();

export function signal<T>(initial: T): Signal<T> {
  let value = initial;
  const readers = new Set<Effect>();
  const read = (() => {
    if (reading) {
      readers.add(reading);
      reading.sources.add(readers);
    }
    return value;
  }) as Signal<T>;
  read.peek = () => value;
  read.set = (next) => {
    if (Object.is(next, value)) return;
    value = next;
    for (const effect of readers) waiting.add(effect);
    if (depth === 0) flush();
  };
  return read;
}

/** Runs at once, and again whenever a signal it read has changed; returns what ends it. */
export function effect(run: () => void): () => void {
  const own: Effect = { run: () => track(own, run), sources: new Set() };
  own.run();
  return () => forget(own);
}

/** A signal that follows others. */
export function computed<T>(of: () => T): Signal<T> {
  const found = signal(of());
  effect(() => found.set(of()));
  return found;
}

/** Several changes, told once. */
export function batch(change: () => void): void {
  depth += 1;
  try {
    change();
  } finally {
    depth -= 1;
    if (depth === 0) flush();
  }
}

function track(own: Effect, run: () => void): void {
  forget(own);
  const outer = reading;
  reading = own;
  try {
    run();
  } finally {
    reading = outer;
  }
}

function forget(own: Effect): void {
  for (const readers of own.sources) readers.delete(own);
  own.sources.clear();
  waiting.delete(own);
}

function flush(): void {
  depth += 1; // what effects change is told after them, in the same turn
  try {
    for (let turn = 0; waiting.size > 0; turn += 1) {
      if (turn > 100) throw new Error("signals change each other endlessly");
      const now = [...waiting];
      waiting.clear();
      for (const one of now) one.run();
    }
  } finally {
    depth -= 1;
  }
}
