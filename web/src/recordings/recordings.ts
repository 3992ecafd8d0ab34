/** Recordings and their replay, as the page knows them: what is open, what plays, and what may be asked of it. */

import type { App } from "../app";
import { batch, computed, effect, signal, type Signal } from "../core/signal";
import { OPENING_MS } from "../net/api";
import type { Answer, RecordingEvent, RecordingFile, RecordingInfo, Replay, ReplayControl, Status } from "../net/types";
import { whyNotSeated } from "../panels/common/access";
import { sentence } from "../panels/common/ui";
import { Latest } from "../core/latest";
import { OwnReplay } from "./own_replay";
import { Playhead } from "./playhead";

type Action = ReplayControl["action"];

export class Recordings {
  /** The recording that is open; it stays so while the page looks at what is live. */
  readonly opened = signal<RecordingInfo | null>(null);
  /** Of the folder, newest first; null until they are known. */
  readonly files = signal<readonly RecordingFile[] | null>(null);
  /** File that is being opened; "" for none. */
  readonly opening = signal("");
  /** File whose replay is getting ready; "" for none. */
  readonly starting = signal("");
  /** Whether that one plays as soon as it is ready. */
  readonly playsWhenReady = signal(false);
  /** The replay of what is shown: of the open recording, or one that somebody plays into the live ring. */
  readonly replay: Signal<Replay | null>;
  /** Why what is shown cannot be replayed or exported from here; "" where it can, also without the operator's seat. */
  readonly whyNot: Signal<string>;
  /** Why nothing can be sent to the server; "" for who has the seat. */
  readonly whyNotSeated: Signal<string>;
  /** The replay of this page alone, for who has no seat. */
  readonly own: OwnReplay;
  readonly playhead: Playhead;
  readonly #seeks = new Latest<number>(
    async (t) => (await this.control("seek", [t], false)) || this.playhead.release(),
    () => this.look(),
  );

  constructor(readonly app: App) {
    const { session } = app;
    this.own = new OwnReplay(app);
    this.replay = computed(() => {
      const found = session.status()?.replay ?? null;
      const file = app.file();
      const own = this.own.state();
      if (file && own?.file === file.file) return own;
      if (file) return found?.source === "replay" && found.file === file.file ? found : null;
      return found?.source === "live" && session.source() === "live" ? found : null;
    });
    this.whyNotSeated = whyNotSeated(app);
    this.whyNot = computed(() => {
      if (!app.file() && this.replay()?.source === "live") return this.whyNotSeated(); // what all look at
      return app.socket.link() === "open" ? "" : "the console server does not answer";
    });
    this.playhead = new Playhead(app, this.replay);
    app.seek = (t) => this.seek(t);
    app.plays = () => this.replay.peek()?.state === "playing";
    effect(() => void this.#learnEvents(app.file()));
    effect(() => {
      // who has the seat follows the replay of the same recording as soon as somebody starts it
      if (app.file() && this.replay() && !this.own.state() && session.source() !== "replay") app.show("replay");
    });
    effect(() => {
      const [file, played] = [app.file(), session.status()?.replay];
      const isOther = file !== null && played?.source === "replay" && played.file !== file.file;
      if (!isOther || this.own.state() || session.source() !== "replay" || this.opening() !== "") return;
      if (this.whyNotSeated.peek() !== "") return this.own.open(file); // without the seat, the page replays alone
      app.show("live");
      app.say(`Someone else now replays ${played.file}; values and the 3D view are live again.`);
    });
  }

  async refresh(): Promise<void> {
    if (this.app.socket.link.peek() !== "open") return;
    const found = await this.app.attempt(this.app.api.get<RecordingFile[]>("/api/recordings"));
    if (found && JSON.stringify(found) !== JSON.stringify(this.files.peek())) this.files.set(found);
  }

  /** The first look at a recording of another program may take the server a while. */
  async #learnEvents(info: RecordingInfo | null): Promise<void> {
    this.app.happened.set(info?.events ?? []);
    if (!info) return;
    const wanted = this.app.api.get<RecordingEvent[]>("/api/recordings/events", { file: info.file }, OPENING_MS);
    const all = await wanted.catch(() => null);
    if (all && this.app.file.peek() === info) this.app.happened.set(all);
  }

  info(file: string): Promise<RecordingInfo> {
    return this.app.api.get<RecordingInfo>("/api/recordings/info", { file }, OPENING_MS);
  }

  /** Show a recording in the plots at once, and play it for values and the shaded view where that may be. */
  async open(file: string): Promise<void> {
    this.opening.set(file);
    if (this.starting.peek() !== file) this.playsWhenReady.set(false);
    const info = await this.app.attempt(this.info(file));
    if (info && this.opening.peek() === file) {
      batch(() => {
        this.own.close();
        this.opened.set(info);
        this.app.file.set(info);
      });
      const played = this.app.session.status.peek()?.replay;
      const isPlayed = played?.source === "replay" && played.file === file;
      if (this.whyNotSeated.peek() !== "") this.own.open(info);
      else if (!isPlayed) await this.start(true);
    }
    if (this.opening.peek() === file) this.opening.set("");
  }

  /** Begin the replay of what is open; one that is getting ready already is not begun again. */
  async start(paused: boolean): Promise<void> {
    const info = this.app.file.peek();
    if (!info) return;
    if (this.whyNotSeated.peek() !== "") {
      this.own.open(info);
      if (!paused) await this.own.control("play");
      return;
    }
    const isStarting = this.starting.peek() === info.file;
    if (!isStarting || !paused) this.playsWhenReady.set(!paused);
    if (isStarting) return;
    this.starting.set(info.file);
    const wish = { file: info.file, paused: true };
    const answer = await this.app.attempt(this.app.api.post<Answer>("/api/replay", wish, {}, OPENING_MS));
    const isShown = this.app.file.peek() === info; // else another one took its place, and this one is of no interest
    if (answer && !answer.accepted && isShown) this.app.say(sentence(answer.text), "error");
    await this.look();
    const isNewest = this.starting.peek() === info.file;
    if (isNewest) this.starting.set("");
    if (!answer?.accepted || !isShown) return;
    this.app.show("replay");
    if (isNewest && this.playsWhenReady.peek()) await this.control("play");
  }

  /** Close the recording; the replay ends if it is ours. */
  async close(): Promise<void> {
    const isOwn = this.own.state.peek() !== null;
    const isPlayed = !isOwn && (this.replay.peek()?.source === "replay" || this.starting.peek() !== "");
    this.opening.set("");
    this.starting.set("");
    this.toLive();
    this.opened.set(null);
    this.own.close();
    if (!isPlayed || this.whyNotSeated.peek() !== "") return;
    await this.app.attempt(this.app.api.delete<Answer>("/api/replay"));
    await this.look();
  }

  toLive(): void {
    batch(() => {
      this.app.file.set(null);
      this.app.show("live");
    });
  }

  async toReplay(): Promise<void> {
    const info = this.opened.peek();
    const played = this.app.session.status.peek()?.replay;
    if (!info) return played ? this.open(played.file) : undefined;
    this.app.file.set(info);
    if (this.own.state.peek()?.file === info.file) return this.app.show("replay");
    if (played?.source === "replay" && played.file === info.file) this.app.show("replay");
  }

  /** Where the replay goes next; without a replay the plots go there. */
  seek(t: number): void {
    const found = this.replay.peek();
    if (!found || this.whyNot.peek() !== "") return this.app.goTo?.(t);
    const to = Math.min(found.end, Math.max(found.begin, t));
    this.playhead.hold(to);
    this.app.goTo?.(to);
    this.#seeks.ask(to);
  }

  /** Play or pause; a recording that is not played yet begins, one that is getting ready plays once it is. */
  async toggle(): Promise<void> {
    if (this.whyNot.peek() !== "") return this.app.say(sentence(this.whyNot.peek()), "error");
    const found = this.replay.peek();
    if (!found && this.starting.peek() === this.app.file.peek()?.file) this.playsWhenReady.set(!this.playsWhenReady.peek());
    else if (!found) await this.start(false);
    else await this.control(found.state === "playing" ? "pause" : "play");
  }

  /** Ask something of the replay; whether it was taken. @param looks whether the status is asked for right after, rather than awaited */
  async control(action: Action, values: number[] = [], looks = true): Promise<boolean> {
    if (action !== "seek") {
      await this.#seeks.settled(); // a step counts from where the wishes lead
      this.playhead.release();
    }
    await this.#leave();
    if (this.replay.peek() === this.own.state.peek() && this.own.state.peek()) return this.own.control(action, values);
    const source = this.replay.peek()?.source ?? "replay";
    const answer = await this.app.attempt(this.app.api.post<Answer>("/api/replay/control", { source, action, values }));
    if (answer && !answer.accepted) this.app.say(sentence(answer.text), "error");
    if (looks) await this.look();
    return answer?.accepted ?? false;
  }

  /** A page that has lost the seat since the replay began continues alone from the same place. */
  async #leave(): Promise<void> {
    const [info, found] = [this.app.file.peek(), this.replay.peek()];
    if (!info || !found || found === this.own.state.peek() || this.whyNotSeated.peek() === "") return;
    const t = this.playhead.at(performance.now()) ?? info.start;
    this.own.open(info);
    await this.own.control("seek", [t]);
  }

  /** The status as it is now. */
  async look(): Promise<void> {
    const status = await this.app.attempt(this.app.api.get<Status>("/api/status"));
    if (status) this.app.session.status.set(status);
  }
}
