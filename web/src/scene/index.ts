/** The 3D view of a platform or model: to scale, in motion, beside the plots. */

import "./scene.css";
import type { App } from "../app";
import { h, setText } from "../core/dom";
import { computed, effect, signal } from "../core/signal";
import { studiesOf } from "../kinematics/study";
import { watchFor } from "../kinematics/watch";
import { choicesOf, PRESETS } from "./choices";
import { HexapodSubject } from "./hexapod";
import { jointReadouts } from "./model/readouts";
import { ModelSubject } from "./model/subject";
import { savePicture } from "./picture";
import { platformOf, type Shown } from "./platform_source";
import { readouts } from "./readouts";
import { Stage } from "./stage";
import type { Subject } from "./subject";
import { toolbar } from "./toolbar";

const KEYS = "arrows rotate, Shift+arrows pan, + and − zoom, 1 to 5 views, f fits, o, g, t, l, n, j, a, i, u switch, p saves a picture";

export function scene(app: App): HTMLElement {
  const choices = choicesOf(app);
  const shown = signal<Shown | null>(null);
  const isFull = signal(false);
  const message = h("p", { class: "scene-message empty", role: "status", "data-test": "scene-message" });
  const place = h("div", { class: "scene-stage" }, message);
  const name = h("div", { class: "scene-name" });
  const trouble = h("p", { class: "scene-trouble", role: "status", hidden: true, "data-test": "scene-trouble" });
  const [numbers, joints] = [readouts(app, choices), jointReadouts(app, choices)];
  const below = h("div", { class: "scene-below" }, numbers.element, joints.element);
  const stage = new Stage(app, choices, place);
  const picture = (): void => void app.attempt(stage.picture(savePicture));
  const bar = toolbar(app, choices, shown, isFull, { preset: (one) => stage.preset(one), fit: () => stage.fit(), picture });
  const element = h("section", { class: "scene", "aria-label": "3D view", "data-test": "scene" },
    bar, place, below); // prettier-ignore
  place.append(name, trouble, studyFrame(app));
  watchFor(app, element);

  const found = platformOf(app);
  const subject = computed<Subject | null>(() => {
    const now = found();
    shown.set(now.state === "here" ? now.scene : null);
    if (now.state !== "here") return null;
    return now.scene.kind === "model" ? new ModelSubject(app, joints, choices, now.scene) : new HexapodSubject(app, choices, numbers, now.scene);
  });
  effect(() => stage.show(subject()));
  effect(() => {
    const now = found();
    const text = now.state === "here" ? stage.trouble() : now.text;
    message.hidden = text === "";
    setText(message, text);
    place.classList.toggle("is-empty", text !== "");
    below.classList.toggle("is-empty", now.state !== "here");
    below.dataset["kind"] = now.state === "here" ? now.scene.kind : (below.dataset["kind"] ?? "platform");
  });
  effect(() => {
    const now = subject();
    const text = now instanceof ModelSubject ? now.trouble() : "";
    trouble.hidden = text === "";
    setText(trouble, text);
  });
  effect(() => {
    const now = shown();
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
    else if (event.key === "j") choices.change({ joints: !now.joints });
    else if (event.key === "a") choices.change({ frames: !now.frames });
    else if (event.key === "i") choices.change({ inertia: !now.inertia });
    else if (event.key === "u") choices.change({ turning: !now.turning });
    else if (event.key === "l") choices.change(shown.peek()?.kind === "model" ? { names: !now.names } : { labels: !now.labels });
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

function about(platform: Shown): string {
  if (platform.kind === "model") return "Bodies are drawn at their poses, to scale; shapes that the model does not have are illustrative.";
  const guessed = platform.illustrative.length ? `\nNot published, illustrative: ${platform.illustrative.join(", ")}` : "";
  return `${platform.summary}${guessed}\nJoints, legs and strokes are to scale; frames and payload are illustrative.`;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea");
}
