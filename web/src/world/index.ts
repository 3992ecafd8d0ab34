/** The view outside: the vehicle of a host's world in its surroundings, as it moves. */

import "./world.css";
import type { App } from "../app";
import { h, setText } from "../core/dom";
import { icon } from "../core/icon";
import { effect, signal } from "../core/signal";
import { helmOverlay } from "../helm";
import { savePicture } from "../scene/picture";
import { CAMERAS, worldChoicesOf, type CameraName } from "./choices";
import { worldOf } from "./source";
import { Stage } from "./stage";

const CAMERA: Record<CameraName, { text: string; title: string }> = {
  chase: { text: "Behind", title: "From behind, turning with the vehicle [1]" },
  eye: { text: "Driver", title: "From the driver's eye [2]" },
  orbit: { text: "Outside", title: "From outside: drag turns, the wheel zooms [3]" },
};
const BACK = "M4 9V4h5|M15 4h5v5|M20 15v5h-5|M9 20H4v-5|M9.5 12a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0";
const PHOTO = "M4 8h3l2-2.5h6L17 8h3v11H4z|M9 13.2a3 3 0 1 0 6 0a3 3 0 1 0 -6 0";
const FULL = "M14 4h6v6|M20 4l-7 7|M10 20H4v-6|M4 20l7-7";
const NONE = "No vehicle moves in a world here. Start one, for example with: motionbase run simona --host boat";

export function outside(app: App): HTMLElement {
  const choices = worldChoicesOf(app);
  const found = worldOf(app);
  const isFull = signal(false);
  const message = h("p", { class: "scene-message empty", role: "status", "data-test": "world-message" });
  const caption = h("p", { class: "world-caption", role: "status", hidden: true, "data-test": "world-caption" });
  const place = h("div", { class: "world-stage" }, message);
  const name = h("strong", { class: "world-name" });
  const stage = new Stage(app, choices, place);
  const picture = (): void => void app.attempt(stage.picture(savePicture));
  const push = (strokes: string, title: string, test: string, act: () => void): HTMLButtonElement =>
    h("button", { class: "only-icon quiet", type: "button", title, "aria-label": title, "data-test": test, onclick: act }, icon(strokes));
  const cameras = CAMERAS.map((one) => {
    const { text, title } = CAMERA[one];
    const button = h("button", { class: "quiet", type: "button", title, "data-test": `world-camera-${one}`, onclick: () => choices.choose(one) }, text);
    effect(() => button.setAttribute("aria-pressed", String(choices.camera() === one)));
    return button;
  });
  const full = push(FULL, "Fill the page [Escape to return]", "world-full", () => isFull.set(!isFull.peek()));
  const bar = h("div", { class: "scene-bar world-bar", role: "toolbar", "aria-label": "View outside" },
    h("div", { class: "scene-views", role: "group", "aria-label": "Camera" }, ...cameras), name,
    h("div", { class: "scene-tools" }, push(BACK, "Camera back to its place [f, double click]", "world-reset", () => stage.reset()),
      push(PHOTO, "Save this picture as PNG [p]", "world-picture", picture), full),
  ); // prettier-ignore
  const element = h("section", { class: "world", "aria-label": "View outside", "data-test": "world" }, bar, place);
  place.append(helmOverlay(app, caption, (height) => stage.cover(height)));

  effect(() => stage.show(found().scene));
  effect(() => {
    const { scene, trouble } = found();
    const text = scene ? stage.trouble() : trouble ? sentence(trouble) : NONE;
    message.hidden = text === "";
    setText(message, text);
    place.classList.toggle("is-empty", scene === null);
    setText(name, scene?.name ?? "");
    name.title = scene?.name ?? "";
  });
  effect(() => {
    const text = stage.caption();
    caption.hidden = text === "";
    setText(caption, text);
  });
  effect(() => {
    element.classList.toggle("full", isFull());
    full.setAttribute("aria-pressed", String(isFull()));
  });
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const camera = CAMERAS[Number(event.key) - 1];
    if (camera) choices.choose(camera);
    else if (event.key === "f") stage.reset();
    else if (event.key === "p") picture();
    else if (event.key === "Escape" && isFull.peek()) isFull.set(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  stage.start();
  return element;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
