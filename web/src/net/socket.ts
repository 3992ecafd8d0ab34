/** The one WebSocket: it connects again by itself, says so, and hands on what comes. */

import { signal, type Signal } from "../core/signal";
import { decode, type LiveFrame, type WindowFrame } from "./frames";
import type { Answer, ClearanceAlarm, DeviceSays, Event, Kinematics, Me, Schema, Status, Steered } from "./types";

export type Link = "connecting" | "open" | "lost" | "refused" | "full";
export type SourceName = "live" | "replay";

export interface StatisticsRow {
  place: number;
  n: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  rms: number | null;
  first: number | null;
  last: number | null;
}

interface Statistics {
  kind: "statistics";
  id: number;
  exact: boolean;
  rows: StatisticsRow[];
}

type Stopped = { kind: "estop"; id: number } & Answer;
type Found = WindowFrame | Statistics | Stopped;

type Text =
  | ({ kind: "me" } & Me)
  | Status
  | Event
  | ({ kind: "schema"; source: SourceName; generation: number } & Schema)
  | Statistics
  | Stopped
  | Kinematics
  | ClearanceAlarm
  | Steered
  | { kind: "error"; id: number | null; text: string };

export interface Listener {
  me(me: Me): void;
  status(status: Status): void;
  event(event: Event): void;
  schema(source: SourceName, schema: Schema): void;
  live(frame: LiveFrame): void;
  kinematics(found: Kinematics): void;
  clearance(alarm: ClearanceAlarm): void;
  steered(steered: Steered): void;
  error(text: string): void;
}

interface Waiting {
  done(found: Found): void;
  failed(reason: Error): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;
const ANSWER_MS = 10_000;
const SILENT_MS = 2000; // the server says how things stand every half second
const GIVEN_UP_MS = 6000; // after this silence a connection counts as dead: the server has dropped it a second before
const MOST_GIVEN_UP_MS = 30_000; // doubled each time in a row: the console may only be slow
const LISTEN_MS = 250;
const NO_TOKEN = 4401; // it is wrong: asking again would get the same
const NO_ROOM = 4429; // dropped or refused, so that an operator has a place
const FIRST_FULL_MS = 5000;
const LONGEST_FULL_MS = 60_000;

export class LiveSocket {
  readonly link: Signal<Link> = signal<Link>("connecting");
  /** Whether it is open and yet nothing is said. */
  readonly isSilent: Signal<boolean> = signal(false);
  /** While the console is full: what it said, and when this page tries again [ms of Date]. */
  readonly full: Signal<{ why: string; again: number }> = signal({ why: "", again: 0 });
  #fullPause = FIRST_FULL_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #heardAt = 0;
  #listenedAt = 0;
  #listening: ReturnType<typeof setInterval> | undefined;
  #socket: WebSocket | null = null;
  #pause = FIRST_PAUSE_MS;
  #patience = GIVEN_UP_MS;
  #number = 0;
  #waiting = new Map<number, Waiting>();
  #subscription = { channels: [] as number[], span: 10, pixels: 800 };
  #source: SourceName = "live";
  #watched: Kinematics["pose"] | null = null;
  #isResting = false;
  #newest = -1; // number of the last live frame of this connection

  constructor(
    readonly client: string,
    private readonly token: () => string,
    private readonly listener: Listener,
  ) {}

  connect(): void {
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
    const socket = new WebSocket(address, "motionbase.1");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = (message) => this.#heard(message.data as string | ArrayBuffer);
    socket.onclose = (closed) => this.#closed(socket, closed.code, closed.reason);
    this.#socket = socket;
    setTimeout(() => socket.readyState === WebSocket.CONNECTING && this.#giveUp(socket), this.#patience);
  }

  /** A network that went away says nothing, and the browser would wait for minutes. */
  #giveUp(socket: WebSocket): void {
    this.#patience = Math.min(2 * this.#patience, MOST_GIVEN_UP_MS);
    this.#closed(socket, 1006, "");
    socket.close();
  }

  /** Leave and come again, with another token, say. */
  again(): void {
    this.#pause = FIRST_PAUSE_MS;
    clearTimeout(this.#retry);
    this.#socket?.close();
    if (this.#socket === null) this.connect();
  }

  source(name: SourceName): void {
    this.#source = name;
    this.#send({ do: "source", source: name });
  }

  subscribe(channels: number[], span: number, pixels: number): void {
    this.#subscription = { channels, span, pixels };
    this.#send(this.#wanted());
  }

  /** While it rests, the newest record comes and no curves; what was subscribed to comes again, as a whole, after it. */
  rest(isResting: boolean): void {
    if (isResting === this.#isResting) return;
    this.#isResting = isResting;
    this.#send(this.#wanted());
  }

  #wanted(): Record<string, unknown> {
    return { do: "subscribe", ...this.#subscription, ...(this.#isResting ? { channels: [] } : {}) };
  }

  /** Kinematics of a pose come from now on; of null none. */
  watch(pose: Kinematics["pose"] | null): void {
    if (pose === this.#watched) return;
    this.#watched = pose;
    this.#send({ do: "watch", pose });
  }

  window(channels: number[], from: number, to: number, pixels: number): Promise<WindowFrame> {
    return this.#ask({ do: "window", channels, from, to, pixels }) as Promise<WindowFrame>;
  }

  async statistics(channels: number[], from: number, to: number): Promise<StatisticsRow[]> {
    return ((await this.#ask({ do: "statistics", channels, from, to })) as Statistics).rows;
  }

  /** The emergency stop, beside the one by request: this connection stands already. */
  estop(press: string): Promise<Answer> {
    return this.#ask({ do: "estop", press }) as Promise<Stopped>;
  }

  /**
   * What a device says, to the vehicle of a world.
   * @param isAgain the same as before: it may be left out where the connection is slow
   */
  steer(says: DeviceSays, isAgain: boolean): void {
    if (!isAgain || this.#socket?.bufferedAmount === 0) this.#send({ do: "steer", ...says });
  }

  /** What came over an earlier connection is not for this one to acknowledge. */
  acknowledge(frame: number): void {
    if (frame <= this.#newest) this.#send({ do: "ack", frame });
  }

  #opened(socket: WebSocket): void {
    this.#pause = FIRST_PAUSE_MS;
    this.#newest = -1;
    socket.send(JSON.stringify({ do: "hello", client: this.client, token: this.token(), source: this.#source }));
    socket.send(JSON.stringify(this.#wanted()));
    if (this.#watched) socket.send(JSON.stringify({ do: "watch", pose: this.#watched }));
    this.#hear();
    if (this.link.peek() !== "full") this.link.set("open");
    clearInterval(this.#listening);
    this.#listening = setInterval(() => this.#listen(), LISTEN_MS);
  }

  #closed(socket: WebSocket, code: number, why: string): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    clearInterval(this.#listening);
    this.isSilent.set(false);
    for (const waiting of this.#waiting.values()) waiting.failed(new Error("the connection was lost"));
    this.#waiting.clear();
    if (code === NO_TOKEN) {
      this.link.set("refused");
      return;
    }
    let pause = this.#pause;
    if (code === NO_ROOM) {
      pause = this.#fullPause * (0.8 + 0.4 * Math.random()); // pages dropped together do not reconnect together
      this.#fullPause = Math.min(2 * this.#fullPause, LONGEST_FULL_MS);
      this.full.set({ why, again: Date.now() + pause });
      this.link.set("full");
    } else {
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS);
      this.link.set("lost");
    }
    this.#retry = setTimeout(() => this.#socket ?? this.connect(), pause);
  }

  #heard(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      const frame = decode(data);
      if (frame.head.kind === "live") {
        this.#newest = frame.head.frame;
        this.listener.live(frame as LiveFrame);
      } else this.#answered(frame.head.id, frame as WindowFrame);
      return;
    }
    this.#hear();
    const said = JSON.parse(data) as Text;
    switch (said.kind) {
      case "me":
        this.#fullPause = FIRST_FULL_MS;
        this.link.set("open");
        return this.listener.me(said);
      case "status":
        this.#patience = GIVEN_UP_MS;
        return this.listener.status(said);
      case "event":
        return this.listener.event(said);
      case "schema":
        return this.listener.schema(said.source, said);
      case "kinematics":
        return this.listener.kinematics(said);
      case "clearance":
        return this.listener.clearance(said);
      case "steered":
        return this.listener.steered(said);
      case "statistics":
      case "estop":
        return this.#answered(said.id, said);
      case "error":
        if (said.id === null || !this.#waiting.has(said.id)) return this.listener.error(said.text);
        this.#waiting.get(said.id)?.failed(new Error(said.text));
        this.#waiting.delete(said.id);
    }
  }

  #hear(): void {
    this.#heardAt = performance.now();
    this.isSilent.set(false);
  }

  /** A page that was blocked itself first takes what has arrived in the meantime. */
  #listen(): void {
    const now = performance.now();
    const wasHeldUp = now - this.#listenedAt > SILENT_MS / 2;
    this.#listenedAt = now;
    if (wasHeldUp) return;
    this.isSilent.set(now - this.#heardAt > SILENT_MS);
    if (this.#socket && now - this.#heardAt > this.#patience) this.#giveUp(this.#socket);
  }

  #answered(id: number, found: Found): void {
    this.#waiting.get(id)?.done(found);
    this.#waiting.delete(id);
  }

  #ask(message: Record<string, unknown>): Promise<Found> {
    const id = (this.#number += 1);
    return new Promise((done, failed) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) return failed(new Error("not connected"));
      this.#waiting.set(id, { done, failed });
      setTimeout(() => {
        if (this.#waiting.delete(id)) failed(new Error("no answer came"));
      }, ANSWER_MS);
      this.#send({ ...message, id });
    });
  }

  #send(message: Record<string, unknown>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
