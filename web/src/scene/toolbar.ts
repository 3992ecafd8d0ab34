/** Above the picture: which pose, from where, and what is shown with it. */

import type { App } from "../app";
import { h, icon } from "../core/dom";
import { effect, type Signal } from "../core/signal";
import type { Scene as Platform } from "../net/types";
import { GHOSTS, QUALITIES, TRAIL_SECONDS, type ChoiceStore, type Choices, type Preset } from "./choices";
import { ICONS } from "./icons";
import { hasPose, POSE_OF, POSE_SOURCES } from "./pose";

export interface Actions {
  preset(name: Preset): void;
  fit(): void;
  picture(): void;
}

const VIEWS: [Preset, string, string][] = [
  ["isometric", "Iso", "Isometric view [1]"],
  ["front", "Front", "From the front [2]"],
  ["side", "Side", "From the right-hand side, front to the right [3]"],
  ["top", "Top", "From above, front up [4]"],
  ["pilot", "Eye", "From the pilot's eye, moving with the platform [5]"],
];
const QUALITY_TEXT = { auto: "as the machine allows", fine: "fine: reflections and shadows", fast: "fast: plain surfaces" };

export function toolbar(
  app: App,
  choices: ChoiceStore,
  platform: Signal<Platform | null>,
  isFull: Signal<boolean>,
  actions: Actions,
): HTMLElement {
  const toggle = (key: "orthographic" | "ghost" | "trail" | "labels" | "numbers", title: string): HTMLElement => {
    const button = h("button", {
      class: "only-icon quiet", title, "aria-label": title, "data-test": `scene-${key}`,
      onclick: () => choices.change({ [key]: !choices.now.peek()[key] }),
    }, icon(ICONS[key])); // prettier-ignore
    effect(() => button.setAttribute("aria-pressed", String(choices.now()[key])));
    return button;
  };
  const push = (name: "fit" | "camera", title: string, act: () => void): HTMLElement =>
    h("button", { class: "only-icon quiet", title, "aria-label": title, "data-test": `scene-${name}`, onclick: act }, icon(ICONS[name]));
  const full = h("button", {
    class: "only-icon quiet", title: "Over the plots [Escape goes back]", "aria-label": "Over the plots", "data-test": "scene-full",
    onclick: () => isFull.set(!isFull.peek()),
  }, icon(ICONS.full)); // prettier-ignore
  effect(() => full.setAttribute("aria-pressed", String(isFull())));
  const views = h("div", { class: "scene-views", role: "group", "aria-label": "View from" },
    ...VIEWS.map(([name, text, title]) =>
      h("button", { class: "quiet", title, "data-test": `scene-view-${name}`, onclick: () => actions.preset(name) }, text)),
  ); // prettier-ignore
  return h("div", { class: "scene-bar", role: "toolbar", "aria-label": "View of the platform" },
    poseSelect(app, choices),
    views,
    h("div", { class: "scene-tools" },
      push("fit", "Fit the platform into view [f]", actions.fit),
      toggle("orthographic", "Orthographic instead of perspective [o]"),
      toggle("ghost", "Ghost of the demand [g]"),
      toggle("trail", "Trail of a point [t]"),
      toggle("labels", "Numbers of the legs, names of points [l]"),
      toggle("numbers", "Pose and strokes in numbers [n]"),
      push("camera", "Save this picture as PNG [p]", actions.picture),
      full,
      options(choices, platform),
    ),
  ); // prettier-ignore
}

function poseSelect(app: App, choices: ChoiceStore): HTMLElement {
  const select = h("select", {
    class: "scene-source", "aria-label": "Pose that is shown", "data-test": "scene-source",
    onchange: () => choices.change({ source: POSE_SOURCES[select.selectedIndex] ?? "measured" }),
  }, ...POSE_SOURCES.map((source) => h("option", { value: source, title: POSE_OF[source].about }, POSE_OF[source].title))); // prettier-ignore
  effect(() => {
    const { source } = choices.now();
    select.value = source;
    select.title = `Pose that is shown: ${POSE_OF[source].about}`;
    POSE_SOURCES.forEach((one, k) => {
      const option = select.options[k];
      if (option) option.disabled = app.session.schema() !== null && !hasPose(app, one);
    });
  });
  return select;
}

/** What is chosen seldom, behind one button. */
function options(choices: ChoiceStore, platform: Signal<Platform | null>): HTMLElement {
  const pick = <K extends keyof Choices>(key: K, title: string, entries: () => [Choices[K], string][]): HTMLElement => {
    const select = h("select", { "data-test": `scene-option-${key}`,
      onchange: () => choices.change({ [key]: entries()[select.selectedIndex]?.[0] } as Partial<Choices>) }); // prettier-ignore
    effect(() => {
      const known = entries();
      const now = choices.now()[key];
      select.replaceChildren(...known.map(([value, text]) => h("option", { value: String(value), selected: value === now }, text)));
    });
    return h("label", {}, title, select);
  };
  const points = (): [string, string][] => [
    ...Object.keys(platform()?.points ?? {}).map((name): [string, string] => [name, name]),
    ["", "centroid of the joints"],
  ];
  const axes = h("input", { type: "checkbox", onchange: () => choices.change({ axes: axes.checked }) });
  effect(() => (axes.checked = choices.now().axes));
  const menu = h("div", { class: "scene-menu card", id: "scene-menu", popover: "auto" },
    pick("ghostOf", "Ghost shows", () => GHOSTS.map((one) => [one, one === "host" ? "the host's demand" : "the command"])),
    pick("trailOf", "Trail of", points),
    pick("trailSeconds", "Trail lasts", () => TRAIL_SECONDS.map((seconds) => [seconds, `${seconds} s`])),
    pick("millimetres", "Lengths in", () => [[false, "metres"], [true, "millimetres"]]),
    pick("quality", "Picture", () => QUALITIES.map((one) => [one, QUALITY_TEXT[one]])),
    h("label", { class: "inline" }, axes, "Axes: x forward, y left, z up"),
  ); // prettier-ignore
  const button = h("button", {
    class: "only-icon quiet", title: "More choices", "aria-label": "More choices", "data-test": "scene-options",
    popovertarget: "scene-menu",
  }, icon(ICONS.options)); // prettier-ignore
  menu.addEventListener("beforetoggle", () => {
    const box = button.getBoundingClientRect();
    menu.style.top = `${box.bottom + 4}px`;
    menu.style.right = `${Math.max(8, innerWidth - box.right)}px`;
  });
  return h("div", {}, button, menu);
}
