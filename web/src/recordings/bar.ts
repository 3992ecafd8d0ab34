/** The bar at the bottom while a recording is open: where it is, and everything that moves it. */

import { h, setText } from "../core/dom";
import { effect, signal } from "../core/signal";
import type { Channel } from "../net/types";
import { iconButton, sentence } from "../panels/common/ui";
import { isTyping } from "../shell/keys";
import { controls } from "./controls";
import { infoSheet } from "./info";
import { overview } from "./overview";
import type { Recordings } from "./recordings";

const CLOSE = "M6 6l12 12|M18 6 6 18";
const INFO = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z|M12 11v5|M12 7.8v.1";
const NO_END = /has no end: it is being written/; // no damage of a file that a recorder is writing
const FAVOURITES = ["pose_meas_heave", "cmd_heave", "leg1_l_meas"];

export function replayBar(recordings: Recordings): HTMLElement {
  const { app, replay } = recordings;
  const channel = signal("");
  const strip = overview(recordings, channel);
  const element = h(
    "section", { class: "rec-bar", "aria-label": "Replay", "data-test": "replay-bar", hidden: true },
    name(recordings), strip.element, controls(recordings), h(
      "div",
      { class: "rec-right" },
      readouts(recordings),
      picker(recordings, channel),
    ),
  );
  effect(() => {
    element.hidden = app.file() === null && replay() === null;
  });
  effect(() => {
    const channels = app.file()?.recording_schema.channels;
    if (channels && !channels.some((one) => one.name === channel.peek())) channel.set(favourite(channels));
  });
  app.onFrame((now) => !element.hidden && strip.move(now));
  keys(recordings, element);
  return element;
}

function name(recordings: Recordings): HTMLElement {
  const { app, replay } = recordings;
  const text = h("strong", { class: "ellipsis", "data-test": "replay-name" });
  const damage = h(
    "button",
    { type: "button", class: "rec-damage", hidden: true, "data-test": "replay-damage", onclick: () => open() },
  );
  const open = (): void => {
    const info = app.file.peek();
    if (info) infoSheet(recordings, info);
  };
  const about = iconButton(INFO, "About this recording", open, "replay-info");
  const close = iconButton(CLOSE, "Close the recording and return to live", () => void recordings.close(), "replay-close");
  const word = h("span", { class: "faint ellipsis rec-state", "data-test": "replay-state" });
  effect(() => {
    const [info, found] = [app.file(), replay()];
    const full = info?.file ?? found?.file ?? "";
    setText(text, full.split("/").at(-1) ?? "");
    text.title = full;
    about.hidden = close.hidden = info === null;
    const isWritten = recordings.files()?.some((one) => one.file === full && one.is_written) ?? false;
    const places = (info?.damage ?? found?.damage ?? []).filter((text) => !(isWritten && NO_END.test(text)));
    damage.hidden = places.length === 0;
    setText(damage, places.length === 1 ? "1 damaged part" : `${places.length} damaged parts`);
    damage.title = places.slice(0, 8).join("\n");
    const isStarting = recordings.opening() !== "" || recordings.starting() !== "";
    const waits = isStarting ? `getting ready${recordings.playsWhenReady() ? " to play" : ""} …` : "plotted, not replayed";
    const until = isWritten && !isStarting ? ", as far as it was written when opened" : "";
    setText(word, (found ? `${found.state}${found.source === "live" ? ", into the live ring" : ""}` : waits) + until);
    word.title = word.textContent ?? "";
  });
  return h(
    "div",
    { class: "rec-name" },
    h("div", { class: "row" }, text, damage, h("span", { class: "grow" }), about, close),
    word,
  );
}

function readouts(recordings: Recordings): HTMLElement {
  const time = h("span", { class: "num rec-time", "data-test": "replay-time" });
  const whole = h("span", { class: "num faint" });
  const record = h("span", { class: "num faint", title: "Records are counted from 0", "data-test": "replay-record" });
  recordings.app.onFrame((now) => {
    const info = recordings.app.file.peek();
    const found = recordings.replay.peek();
    const t = recordings.playhead.at(now);
    const { clock } = recordings.app;
    const isRun = clock.epoch() === null;
    setText(time, t === null ? "–" : isRun ? `${t.toFixed(3)} s` : clock.text(t, 0.001));
    const end = info?.end ?? found?.end ?? 0;
    setText(whole, isRun ? `/ ${end.toFixed(2)} s` : `to ${clock.axis(end, 1)}`);
    const records = info?.records ?? found?.records ?? 0;
    setText(record, found ? `record ${grouped(found.record)} of ${grouped(records)}` : `${grouped(records)} records`);
    const epoch = info?.epoch_utc;
    const title =
      !isRun && t !== null ? `${t.toFixed(3)} s since the recording's epoch` : epoch && t !== null
        ? new Date((epoch + t) * 1000).toISOString().replace("T", " ").replace("Z", " UTC")
        : "Time since the recording's epoch";
    if (time.title !== title) time.title = title;
  });
  return h("div", { class: "rec-readouts" }, h("span", {}, time, " ", whole), record);
}

function picker(recordings: Recordings, channel: ReturnType<typeof signal<string>>): HTMLElement {
  const element = h(
    "select",
    { "aria-label": "Channel of the overview", title: "Channel of the overview", "data-test": "replay-channel" },
  );
  element.addEventListener("change", () => channel.set(element.value));
  effect(() => {
    const channels = recordings.app.file()?.recording_schema.channels ?? [];
    const groups = new Map<string, Channel[]>();
    for (const one of channels) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
    element.replaceChildren(
      ...[...groups].map(([group, members]) =>
        h("optgroup", { label: group.replaceAll("_", " ") }, ...members.map((one) => h("option", { value: one.name }, one.name)))),
    );
    element.hidden = channels.length === 0;
    element.value = channel();
  });
  return element;
}

function keys(recordings: Recordings, element: HTMLElement): void {
  window.addEventListener("keydown", (key) => {
    if (key.key.toLowerCase() !== "k" || key.ctrlKey || key.metaKey || key.altKey || element.hidden) return;
    if (isTyping(key.target) || document.querySelector("dialog[open]")) return;
    key.preventDefault();
    void recordings.toggle();
  });
  element.addEventListener("keydown", (key) => {
    if (key.ctrlKey || key.metaKey || key.altKey || key.target instanceof HTMLSelectElement) return;
    const found = recordings.replay.peek();
    const part = found ? (found.end - found.begin) / 20 : 0;
    const at = recordings.playhead.at(performance.now()) ?? 0;
    const acts: Record<string, () => unknown> = {
      ArrowLeft: () => recordings.control("step", [key.shiftKey ? -10 : -1]),
      ArrowRight: () => recordings.control("step", [key.shiftKey ? 10 : 1]),
      PageUp: () => recordings.seek(at - part),
      PageDown: () => recordings.seek(at + part),
      Home: () => recordings.control("rewind"),
      End: () => found && recordings.seek(found.end),
    };
    const isButton = key.target instanceof HTMLButtonElement;
    const act = key.key === " " && !isButton ? () => recordings.toggle() : acts[key.key];
    if (!act) return;
    key.preventDefault();
    key.stopPropagation(); // the plots have their own use for these
    if (key.key !== " " && (recordings.whyNot.peek() !== "" || !found)) {
      return recordings.app.say(
        sentence(recordings.whyNot.peek() || "press play first: the recording is not being replayed"),
        "error",
      );
    }
    void act();
  });
}

function favourite(channels: readonly Channel[]): string {
  const named = FAVOURITES.find((one) => channels.some((other) => other.name === one));
  return named ?? channels.find((one) => one.name !== "t" && one.name !== "tick")?.name ?? channels[0]?.name ?? "";
}

function grouped(count: number): string {
  return count.toLocaleString("en-GB").replaceAll(",", " ");
}
