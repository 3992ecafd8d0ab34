/** The recorder: what it writes, and telling it to begin, to end, to note; and the strip chart beside it. */

import type { App } from "../../app";
import { h, setText, toggleClass } from "../../core/dom";
import { effect } from "../../core/signal";
import { bytes } from "../../core/format";
import type { Answer, AskRecorder } from "../../net/types";
import type { Panel } from "../../shell/panel";
import { recorderShown } from "../../shell/recorder_shown";
import { accessBar, whyNotSeated } from "../common/access";
import { baseOf } from "../common/base";
import { answered, gate, note, section } from "../common/ui";
import { figure } from "../operator/host";
import { noteLine } from "./note";
import { strip } from "./strip";

export const recorder: Panel = {
  id: "recorder",
  title: "Recorder",
  icon: "M12 4a8 8 0 1 0 .01 0|M12 9a3 3 0 1 0 .01 0",
  mount(app) {
    return h(
      "div", { class: "panel p-recorder", "data-test": "panel-recorder" }, accessBar(app), status(app),
      noteLine(app, "note"), strip(app),
    );
  },
};

function status(app: App): HTMLElement {
  const dot = h("span", { class: "dot" });
  const word = h("span", { class: "grow", "data-test": "recorder-state" });
  const file = h("p", { class: "num ellipsis", "data-test": "recorder-file" });
  const [size, records, lost, gaps] = ["Size", "Records", "Lost", "Gaps"].map((label) => figure(label));
  const figures = h("div", { class: "p-figures four" }, size?.element, records?.element, lost?.element, gaps?.element);
  const trouble = note("bad", "recorder-trouble");
  const incident = note("bad", "recorder-incident");
  const command = h("code", { class: "p-command" });
  const empty = h(
    "div", { class: "p-empty" },
    h("p", {}, "Nothing records this ring. A recorder is a separate process; start one with"), command,
  );
  const send = (what: AskRecorder["do"]): void => void answered(
    app, app.api.post<Answer>("/api/recorder", { do: what }),
  );
  const buttons = (["start", "stop", "split"] as const).map((what) =>
    h(
      "button", { type: "button", class: "grow", "data-test": `recorder-${what}`, onclick: () => send(what) },
      what.charAt(0).toUpperCase() + what.slice(1),
    ),
  );
  const why = whyNotSeated(app);
  const base = baseOf(app);
  effect(() => {
    const found = app.session.status()?.recorder ?? null;
    const isRecording = found?.state === "recording";
    const isHeard = app.socket.link() === "open" && !app.socket.isSilent();
    const shown = recorderShown(found, isHeard, base.ring()?.state === "live"); // as the title bar says it
    dot.className = `dot ${shown.level}${shown.word === "REC" ? " live" : ""}`;
    setText(word, shown.word === "REC" ? "recording" : !found && isHeard ? "No recorder is running" : shown.word);
    word.title = shown.title;
    empty.hidden = found !== null;
    figures.hidden = file.hidden = found === null;
    setText(command, `motionbase record --ring ${base.ring()?.name ?? "motionbase"}`);
    const before = found && found.files > 1 ? ` (file ${found.files})` : "";
    setText(file, found?.file ? `${found.file}${before}` : "no file yet");
    file.title = found?.file ? `${found.file}${before}` : "";
    size?.set(found ? bytes(found.bytes) : "–");
    records?.set(found ? found.records.toLocaleString("en-GB") : "–");
    lost?.set(found ? found.lost.toLocaleString("en-GB") : "–");
    gaps?.set(found ? found.gaps.toLocaleString("en-GB") : "–");
    toggleClass(lost?.element as Element, "bad", (found?.lost ?? 0) > 0);
    toggleClass(gaps?.element as Element, "bad", (found?.gaps ?? 0) > 0);
    trouble.say(found?.trouble ?? "");
    incident.say(found?.incident ?? "");
    const missing = why() || (found ? "" : "no recorder is running: start one with `motionbase record`");
    const [start, stop, split] = buttons;
    if (start) gate(
      start, missing || (isRecording ? "it is recording already" : ""), "Begin a new file with the next record",
    );
    if (stop) gate(
      stop, missing || (isRecording ? "" : "it is not recording"), "End the file; the recorder waits for the next start",
    );
    if (split) gate(split, missing || (isRecording ? "" : "it is not recording"), "The next record begins a new file");
  });
  return section(
    "Recording", [], h("div", { class: "row" }, dot, word), empty, file, figures, trouble.element,
    incident.element,
    h("div", { class: "row" }, ...buttons),
  );
}
