/**
 * A replay of this page alone: it keeps the time itself and fetches the records it shows from the server, so it needs
 * no operator's seat and affects nobody else.
 */

import type { App } from "../app";
import { batch, signal, type Signal } from "../core/signal";
import type { Rows } from "../net/frames";
import type { RecordingInfo, Replay, ReplayControl, Ring } from "../net/types";

const ROWS_A_SECOND = 30;
const MOST_ROWS = 32;
const MOST_READ = 2048; // records that are read for one answer
const CHUNKS = 3;
const TELL_MS = 200;
const FIRST_GENERATION = -1000; // never that of a ring

export class OwnReplay {
  /** As the status tells of others; null while nothing is open here. */
  readonly state: Signal<Replay | null> = signal<Replay | null>(null);
  #info: RecordingInfo | null = null;
  #t = 0;
  #record = 0;
  #goal: number | null = null; // record that steps lead to, until it is shown
  #turn = 0; // steps that were asked for
  #shownTurn = 0; // the last of them that was shown or cancelled
  #chunks: Rows[] = [];
  #isAsking = false;
  #askMs = 50;
  #movedAt = NaN;
  #toldAt = -Infinity;
  #isShown = false;
  #generation = FIRST_GENERATION;

  constructor(private readonly app: App) {
    app.onFrame((now) => this.#frame(now));
  }

  /** Begin with the first record, paused. */
  open(info: RecordingInfo): void {
    const { session } = this.app;
    this.#info = info;
    this.#generation -= 1;
    this.#jump(info.start);
    batch(() => {
      session.schemas.set({ ...session.schemas.peek(), replay: info.recording_schema });
      session.played.set(ringOf(info, this.#generation));
      this.state.set({
        source: "replay", file: info.file, state: "paused", record: 0, records: info.records, time: info.start, begin: info.start,
        end: info.end, speed: 1, period: null, loop: null, damage: info.damage,
      });
      this.app.show("replay");
    });
  }

  close(): void {
    this.#forgetSteps();
    this.#info = null;
    batch(() => {
      this.state.set(null);
      this.app.session.played.set(null);
    });
  }

  /** The same actions as for a replay on the server; whether it was done. */
  async control(action: ReplayControl["action"], values: number[] = []): Promise<boolean> {
    const now = this.state.peek();
    const info = this.#info;
    if (!now || !info) return false;
    const [value = 0, other = 0] = values;
    switch (action) {
      case "play":
        this.#forgetSteps();
        if (this.#t >= now.end && !now.loop) this.#jump(now.begin);
        this.#tell({ state: "playing" });
        return true;
      case "pause":
      case "stop":
        this.#tell({ state: "paused" });
        return true;
      case "speed":
        this.#chunks = []; // of other steps
        this.#tell({ speed: value });
        return true;
      case "loop":
        if (!(other > value)) return false;
        this.#tell({ loop: [value, other] });
        if (this.#t < value || this.#t > other) this.#jump(value);
        return true;
      case "loop-off":
        this.#tell({ loop: null });
        return true;
      case "rewind":
        this.#jump(now.loop?.[0] ?? now.begin);
        return true;
      case "seek":
        this.#jump(Math.min(now.end, Math.max(now.begin, value)));
        return true;
      case "step":
        this.#tell({ state: "paused" });
        return this.#step(info, value);
    }
  }

  /** Counts from where earlier steps lead, even if their records are not shown yet. */
  async #step(info: RecordingInfo, by: number): Promise<boolean> {
    const turn = (this.#turn += 1);
    const isTakenBack = (): boolean => turn <= this.#shownTurn;
    if (this.#goal === null && !this.#isShown) { // it was sent to a time, and nothing of it is shown yet
      const here = await this.app.attempt(this.app.api.rows({ file: info.file, at: this.#t, count: 1 }));
      if (!here || isTakenBack()) return false;
      this.#goal ??= here.head.first;
    }
    const goal = (this.#goal = Math.min(info.records - 1, Math.max(0, (this.#goal ?? this.#record) + by)));
    const rows = await this.app.attempt(this.app.api.rows({ file: info.file, first: goal, count: 1 }));
    if (turn === this.#turn) this.#goal = null;
    if (!rows || isTakenBack()) return false;
    this.#shownTurn = turn;
    this.#chunks = [rows];
    this.#t = rows.time[0] ?? this.#t;
    this.#show(rows, 0);
    this.#tell({});
    return true;
  }

  /** Cancel steps that are under way. */
  #forgetSteps(): void {
    this.#shownTurn = this.#turn;
    this.#goal = null;
  }

  #jump(t: number): void {
    this.#forgetSteps();
    this.#t = t;
    this.#isShown = false;
    this.#tell({});
  }

  #frame(now: number): void {
    const state = this.state.peek();
    const elapsed = now - this.#movedAt;
    this.#movedAt = now;
    if (!state || this.app.session.source.peek() !== "replay" || this.app.file.peek() !== this.#info) return;
    if (state.state === "playing" && Number.isFinite(elapsed)) this.#move(state, elapsed / 1000);
    const found = this.#find();
    if (found) this.#show(found.rows, found.k);
    if (this.#needs(state)) void this.#ask(state);
    if (!(now - this.#toldAt < TELL_MS) || state.state !== "playing") this.#tell({}); // where nothing changed, nothing is told
  }

  #move(state: Replay, seconds: number): void {
    const [begin, end] = state.loop ?? [state.begin, state.end];
    this.#t += state.speed * seconds;
    if (this.#t < end) return;
    if (state.loop) this.#t = begin + ((this.#t - begin) % Math.max(end - begin, 1e-9));
    else {
      this.#t = end;
      this.#tell({ state: "paused" });
    }
  }

  /** The newest record that is there and not after the time. */
  #find(): { rows: Rows; k: number } | null {
    let best: { rows: Rows; k: number } | null = null;
    for (const rows of this.#chunks) {
      let k = rows.time.findLastIndex((t) => t <= this.#t + 1e-9);
      if (k < 0 && best === null && rows.head.first === 0) k = 0;
      if (k >= 0 && (!best || (rows.time[k] ?? 0) >= (best.rows.time[best.k] ?? 0))) best = { rows, k };
    }
    return best;
  }

  #show(rows: Rows, k: number): void {
    const record = rows.values.subarray(k * rows.head.width, (k + 1) * rows.head.width);
    if (this.app.session.source.peek() !== "replay") return;
    const t = rows.time[k] ?? NaN;
    const isNew = performance.now() - this.app.live.arrivedAt < TELL_MS; // what comes into sight later wants it, too
    if (this.#isShown && t === this.app.live.t && isNew) return;
    this.#isShown = true;
    this.#record = rows.head.first + k * rows.head.every;
    const head = {
      kind: "live", frame: -1, generation: this.#generation, t, bucket: 1, first: 0, count: 0, channels: [], backfill: false,
      width: rows.head.width,
    } as const;
    this.app.live.take({ head: { ...head, channels: [] }, newest: record, time: new Float64Array(0), bands: [] }, 1);
  }

  /** The records of a time, which are every one of them unless it plays. */
  #of(t: number, plays: boolean): Rows | undefined {
    return this.#chunks.find((rows) => covers(rows, t) && (plays || rows.head.every === 1));
  }

  /** Whether there are too few records ahead, or none for the time. */
  #needs(state: Replay): boolean {
    if (this.#isAsking || this.app.socket.link.peek() !== "open") return false;
    const plays = state.state === "playing";
    const here = this.#of(this.#t, plays);
    if (!here || !plays) return !here;
    return !isLast(here, state.records) && !this.#of(this.#t + (state.speed * 2 * this.#askMs) / 1000, plays);
  }

  async #ask(state: Replay): Promise<void> {
    const info = this.#info;
    if (!info) return;
    const plays = state.state === "playing";
    const every = plays ? Math.min(64, Math.max(1, Math.round((info.rate_hz * state.speed) / ROWS_A_SECOND))) : 1;
    const count = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_READ / every)));
    const here = this.#of(this.#t, plays);
    const next = here && here.head.first + here.head.count * here.head.every;
    const isBehind = plays && !here && this.#chunks.length > 0;
    const at = Math.min(state.end, this.#t + (isBehind ? (state.speed * this.#askMs) / 1000 : 0));
    this.#isAsking = true;
    const begun = performance.now();
    try {
      const rows = await this.app.api.rows({
        file: info.file, count, every, ...(next !== undefined && next < info.records ? { first: next } : { at }),
      });
      if (this.#info === info) this.#chunks = [...this.#chunks, rows].slice(-CHUNKS);
    } catch (error) {
      this.#tell({ state: "paused" });
      this.app.say(error instanceof Error ? error.message : String(error), "error");
      await new Promise((done) => setTimeout(done, 1000));
    } finally {
      this.#askMs = Math.min(2000, 0.5 * this.#askMs + 0.5 * (performance.now() - begun));
      this.#isAsking = false;
    }
  }

  #tell(change: Partial<Replay>): void {
    const now = this.state.peek();
    if (!now) return;
    this.#toldAt = this.#movedAt;
    const isSame = Object.keys(change).length === 0 && now.time === this.#t && now.record === this.#record;
    if (isSame) return;
    const next = { ...now, ...change, time: this.#t, record: this.#record };
    const ring = this.app.session.played.peek();
    batch(() => {
      this.state.set(next);
      if (ring && ring.state_text !== next.state) this.app.session.played.set({ ...ring, state_text: next.state });
    });
  }
}

/** Whether the record of a time is among these. */
function covers({ head, time }: Rows, t: number): boolean {
  const step = time.length > 1 ? ((time.at(-1) ?? 0) - (time[0] ?? 0)) / (time.length - 1) : 1e-9 * head.every;
  return (time[0] ?? Infinity) <= t + 1e-9 && t <= (time.at(-1) ?? -Infinity) + step;
}

function isLast({ head }: Rows, records: number): boolean {
  return head.first + head.count * head.every >= records;
}

/** What the page shows, as it shows a ring. */
function ringOf(info: RecordingInfo, generation: number): Ring {
  return {
    source: "replay", name: info.file, backend: "a recording, replayed by this page", is_hardware: false, state: "live",
    state_text: "paused", behind_s: 0, generation, writer: "", writer_pid: 0, platform: info.platform, world: info.world,
    schema_name: info.recording_schema.name, schema_hash: info.recording_schema.hash,
    channels: info.recording_schema.channels.length, rate_hz: info.rate_hz, dt: info.rate_hz > 0 ? 1 / info.rate_hz : 0,
    epoch_utc: info.epoch_utc ?? 0, takes_commands: false, has_parameters: false, estop_acts: false, estop_by: null,
    t: null, life: null, base_state: null, base_mode: null, base_fault: null, timing: null, host: null,
  };
}
