/** Keys of the whole page, and the list of all of them for people. */

import type { App } from "../app";
import { h } from "../core/dom";
import type { Frame } from "./frame";
import { sheet } from "./modal";
import { suitable, type Panel } from "./panel";
import type { Themes } from "./theme";

type Rows = readonly (readonly [string, string])[];

const ALL: Readonly<Record<string, Rows>> = {
  "Everywhere": [
    ["Ctrl+Shift+Space", "emergency stop, also while typing"],
    ["?", "this list"],
    ["V", "plots, both, 3D view, outside"],
    ["[", "channel list"],
    ["]", "panel on the right"],
    ["Alt+1 … Alt+7", "open a panel"],
    ["T", "dark, light, system"],
    ["Esc", "close what is open"],
  ],
  "Plots": [
    ["Space", "freeze, and back to live"],
    ["← →, Shift+← →", "pan by a tenth, by the whole width"],
    ["+ −", "zoom in time"],
    ["Wheel, Shift+wheel", "zoom in time, in value"],
    ["Drag", "zoom into a box"],
    ["Shift+drag, middle drag", "pan"],
    ["Double-click, L", "show everything; back to live"],
    ["R, F", "fit the visible range; fit all plots"],
    ["Click, Shift+click", "cursor A, cursor B"],
    ["Alt+click", "move the replay there"],
    ["Esc", "clear the cursors"],
    ["Ctrl+Z", "undo zoom"],
    ["Ctrl+Shift+Z, Ctrl+Y", "redo zoom"],
  ],
  "Generators, tuning, robot, rotor": [
    ["Ctrl+Z", "undo"],
    ["Ctrl+Shift+Z, Ctrl+Y", "redo"],
  ],
  "Replay": [
    ["K", "play or pause; also Space while the bar has the focus"],
    ["← →", "one record back or forward; ten with Shift"],
    ["Page up, Page down", "a twentieth of the recording"],
    ["Home, End", "first and last record"],
    ["Drag on the overview", "go to a time"],
    ["Shift+drag on the overview", "loop a part"],
    ["Drop a file on the page", "upload it and open it"],
  ],
  "Vehicle of a world": [
    ["← ↑ → ↓, W A S D", "steer; the panel Steering says which keys do what"],
    ["Backspace", "give back to the script"],
  ],
  "3D view": [
    ["Drag, right drag, wheel", "rotate, pan, zoom"],
    ["Double-click", "set the centre of rotation"],
    ["J, A, I, L, T", "of a model: joint axes, body frames, inertia boxes, names, trail"],
    ["U", "of a rotor: axes that turn with the shaft"],
    ["Drag, Shift+drag", "in a study, move and turn the platform"],
  ],
  "View outside": [
    ["1, 2, 3", "from behind, driver's eye, outside"],
    ["Drag, wheel", "turn the camera, zoom"],
    ["Double-click, F", "camera back to its place"],
    ["P", "save the picture"],
  ],
};

export function help(): void {
  if (document.querySelector('[data-test="help"]')) return;
  const parts = Object.entries(ALL).map(([title, rows]) =>
    h(
      "section",
      {},
      h("h3", {}, title),
      h("dl", { class: "keys" }, ...rows.flatMap(([keys, does]) => [h("dt", {}, ...pressed(keys)), h("dd", {}, does)])),
    ),
  );
  sheet("Keys", "help", h("div", { class: "help" }, ...parts));
}

function pressed(keys: string): Node[] {
  const parts = keys.split(/( … |, |(?<=\w)\+(?=\w))/);
  const isBetween = (part: string): boolean => /^( … |, |\+)$/.test(part) && keys !== part;
  return parts.map((part) => (isBetween(part) ? document.createTextNode(part) : h("kbd", {}, part)));
}

/** Single letters act outside text fields. */
export function listen(app: App, frame: Frame, themes: Themes, panels: readonly Panel[]): void {
  let last = "";
  window.addEventListener("keydown", (key) => {
    if (key.defaultPrevented || isTyping(key.target) || document.querySelector("dialog[open]")) return;
    if (key.altKey && !key.ctrlKey && !key.metaKey && /^Digit[1-9]$/.test(key.code)) {
      const panel = suitable(app, panels)[Number(key.code.slice(5)) - 1];
      if (panel) frame.togglePanel(panel.id);
    } else if (key.ctrlKey || key.metaKey || key.altKey) return;
    else if (key.key === "?") help();
    else if (key.key === "[") frame.toggleList();
    else if (key.key === "]") {
      last = frame.panel.peek() || last || (suitable(app, panels)[0]?.id ?? "");
      frame.togglePanel(last);
    } else if (key.key === "v") frame.turnView();
    else if (key.key === "t") {
      themes.turn();
      app.say(`Colours: ${themes.chosen.peek() === "system" ? "as the system" : themes.chosen.peek()}`);
    } else return;
    key.preventDefault();
  });
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
