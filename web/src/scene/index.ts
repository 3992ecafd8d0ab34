/** The 3D view of the platform: to scale, in motion, beside the plots. */

import "./scene.css";
import type { App } from "../app";
import { h, setText } from "../core/dom";
import { effect, signal } from "../core/signal";
import type { Scene as Platform } from "../net/types";
import { studiesOf } from "../kinematics/study";
import { watchFor } from "../kinematics/watch";
import { choicesOf, PRESETS } from "./choices";
import { savePicture } from "./picture";
import { platformOf } from "./platform_source";
import { readouts } from "./readouts";
import { Stage } from "./stage";
import { toolbar } from "./toolbar";

const KEYS = "arrows rotate, Shift+arrows pan, + and − zoom, 1 to 5 views, f fits, o, g, t, l, n switch, p saves a picture";

export function scene(app: App): HTMLElement {
  const choices = choicesOf(app);
  const platform = signal<Platform | null>(null);
  const isFull = signal(false);
  const message = h("p", { class: "scene-message empty", role: "status", "data-test": "scene-message" });
  const place = h("div", { class: "scene-stage" }, message);
  const name = h("div", { class: "scene-name" });
  const numbers = readouts(app, choices);
  const stage = new Stage(app, choices, numbers, place);
  const picture = (): void => void app.attempt(stage.picture(savePicture));
  const bar = toolbar(app, choices, platform, isFull, { preset: (one) => stage.preset(one), fit: () => stage.fit(), picture });
  const element = h("section", { class: "scene", "aria-label": "The platform in motion", "data-test": "scene" },
    bar, place, numbers.element); // prettier-ignore
  place.append(name, studyFrame(app));
  watchFor(app, element);

  const found = platformOf(app);
  effect(() => {
    const now = found();
    platform.set(now.state === "here" ? now.platform : null);
    stage.platform(now.state === "here" ? now.platform : null);
  });
  effect(() => {
    const now = found();
    const trouble = stage.trouble();
    const text = now.state === "here" ? trouble : now.text;
    message.hidden = text === "";
    setText(message, text);
    place.classList.toggle("is-empty", text !== "");
    numbers.element.classList.toggle("is-empty", now.state !== "here");
  });
  effect(() => {
    const now = platform();
    name.hidden = now === null;
    setText(name, now?.name ?? "");
    name.title = now ? about(now) : "";
  });
  effect(() => element.classList.toggle("full", isFull()));

  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const preset = PRESETS[Number(event.key) - 1];
    const now = choices.now.peek();
    if (preset) stage.preset(preset);
    else if (event.key === "f") stage.fit();
    else if (event.key === "o") choices.change({ orthographic: !now.orthographic });
    else if (event.key === "g") choices.change({ ghost: !now.ghost });
    else if (event.key === "t") choices.change({ trail: !now.trail });
    else if (event.key === "l") choices.change({ labels: !now.labels });
    else if (event.key === "n") choices.change({ numbers: !now.numbers });
    else if (event.key === "p") picture();
    else if (event.key === "Escape" && isFull.peek()) isFull.set(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  stage.keys = KEYS;
  void stage.start();
  return element;
}

/** A study must not be mistaken for the platform. */
function studyFrame(app: App): HTMLElement {
  const leave = h("button", { type: "button", title: "Back to the platform [Escape]", "data-test": "scene-study-leave", onclick: () => studiesOf(app).leave() }, "Leave");
  const element = h("div", { class: "scene-study", role: "status", "data-test": "scene-study" }, h("div", {}, h("strong", {}, "STUDY – not the platform"), leave));
  effect(() => (element.hidden = !app.kinematics.isStudied()));
  return element;
}

function about(platform: Platform): string {
  const guessed = platform.illustrative.length ? `\nNot published, illustrative: ${platform.illustrative.join(", ")}` : "";
  return `${platform.summary}${guessed}\nJoints, legs and strokes are to scale; frames and payload are illustrative.`;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea");
}
