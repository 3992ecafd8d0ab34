/** Above the picture: which pose, from where, and what is shown with it. */

import type { App } from "../app";
import { h } from "../core/dom";
import { icon } from "../core/icon";
import { computed, effect, type Signal } from "../core/signal";
import { GHOSTS, QUALITIES, TRAIL_SECONDS, type ChoiceStore, type Choices, type Preset } from "./choices";
import { ICONS } from "./icons";
import type { Shown } from "./platform_source";
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
/** Width of the view [css px] below which a part of the tools goes into the menu. */
const ROOM = { toggles: 620, views: 470, acts: 300, source: 100 };
type Toggle = "orthographic" | "ghost" | "trail" | "joints" | "frames" | "inertia" | "labels" | "names" | "turning" | "numbers";
const OF_PLATFORMS: ReadonlySet<Toggle> = new Set(["ghost", "labels"]);
const OF_MODELS: ReadonlySet<Toggle> = new Set(["joints", "frames", "inertia", "names", "turning"]);
const QUALITY_TEXT = { auto: "automatic", fine: "fine: reflections and shadows", fast: "fast: plain surfaces" };

export function toolbar(
  app: App,
  choices: ChoiceStore,
  shown: Signal<Shown | null>,
  isFull: Signal<boolean>,
  actions: Actions,
): HTMLElement {
  const isModel = computed(() => shown()?.kind === "model");
  const isRotor = computed(() => {
    const now = shown();
    return now?.kind === "model" && now.rotor !== null;
  });
  const toggle = (key: Toggle, word: string, title: string, model = title): HTMLElement => {
    const button = h("button", {
      class: "only-icon quiet", title, "aria-label": title, "data-test": `scene-${key}`,
      onclick: () => choices.change({ [key]: !choices.now.peek()[key] }),
    }, icon(ICONS[key]), h("span", { class: "scene-word" }, word)); // prettier-ignore
    effect(() => button.setAttribute("aria-pressed", String(choices.now()[key])));
    effect(() => {
      button.hidden = isModel() ? OF_PLATFORMS.has(key) || (key === "turning" && !isRotor()) : OF_MODELS.has(key);
      button.title = isModel() ? model : title;
      button.setAttribute("aria-label", button.title);
    });
    return button;
  };
  const push = (name: "fit" | "camera", word: string, title: string, act: () => void): HTMLElement =>
    h("button", { class: "only-icon quiet", title, "aria-label": title, "data-test": `scene-${name}`, onclick: act },
      icon(ICONS[name]), h("span", { class: "scene-word" }, word)); // prettier-ignore
  const full = h("button", {
    class: "only-icon quiet", title: "Fill the page [Escape to return]", "aria-label": "Fill the page", "data-test": "scene-full",
    onclick: () => isFull.set(!isFull.peek()),
  }, icon(ICONS.full)); // prettier-ignore
  effect(() => full.setAttribute("aria-pressed", String(isFull())));
  const views = h("div", { class: "scene-views", role: "group", "aria-label": "View from" },
    ...VIEWS.map(([name, text, title]) =>
      h("button", { class: "quiet", title, "data-test": `scene-view-${name}`, onclick: () => actions.preset(name) }, text)),
  ); // prettier-ignore
  const source = poseSelect(app, choices);
  effect(() => {
    if (views.lastElementChild instanceof HTMLElement) views.lastElementChild.hidden = isModel(); // nobody sits in a model
    source.hidden = isModel();
  });
  const acts = h("div", { class: "scene-group" },
    push("fit", "Fit into view", "Fit everything into view [f]", actions.fit),
    push("camera", "Save as PNG", "Save this picture as PNG [p]", actions.picture),
  ); // prettier-ignore
  const toggles = h("div", { class: "scene-group", role: "group", "aria-label": "Show" },
    toggle("orthographic", "Orthographic", "Orthographic instead of perspective [o]"),
    toggle("ghost", "Ghost of the demand", "Ghost of the demand [g]"),
    toggle("trail", "Trail", "Trail of a point [t]", "Trail of the last body [t]"),
    toggle("joints", "Joint axes", "Axes of the joints [j]"),
    toggle("frames", "Body frames", "Frames of the bodies: x red, y green, z blue [a]"),
    toggle("inertia", "Inertia boxes", "Boxes of equal mass and inertia [i]"),
    toggle("labels", "Labels", "Numbers of the legs, names of points [l]"),
    toggle("names", "Names", "Names of the bodies [l]"),
    toggle("turning", "Turning axes", "In axes that turn with the shaft: blades stand still but for flap, lag and bending [u]"),
    toggle("numbers", "Numbers below", "Pose and strokes in numbers [n]", "Joints in numbers [n]"),
  ); // prettier-ignore
  const { button, menu } = options(choices, shown);
  const tools = h("div", { class: "scene-tools" }, full, button, menu);
  const bar = h("div", { class: "scene-bar", role: "toolbar", "aria-label": "3D view" }, source, tools);
  const place = (width: number): void => {
    if (width < ROOM.views) menu.prepend(views);
    else tools.before(views);
    if (width < ROOM.toggles) menu.append(toggles);
    else tools.prepend(toggles);
    if (width < ROOM.acts) menu.append(acts);
    else tools.prepend(acts);
  };
  collapse(bar, isModel, place);
  return bar;
}

/** Place the parts for every width that the bar gets, the focus staying where it is. */
function collapse(bar: HTMLElement, isModel: Signal<boolean>, place: (width: number) => void): void {
  place(Infinity);
  let before = Infinity;
  const look = (): void => {
    if (bar.clientWidth === 0) return;
    const width = bar.clientWidth + (isModel.peek() ? ROOM.source : 0);
    const isSame = Object.values(ROOM).every((room) => width < room === before < room);
    if (isSame) return;
    before = width;
    const focused = document.activeElement;
    place(width);
    if (focused instanceof HTMLElement && bar.contains(focused)) focused.focus();
  };
  new ResizeObserver(look).observe(bar);
  effect(() => void (isModel(), look()));
}

/** Which of the poses of a record is shown. */
export function poseSelect(app: App, choices: ChoiceStore, test = "scene-source"): HTMLElement {
  const select = h("select", {
    class: "scene-source", "aria-label": "Pose shown", "data-test": test,
    onchange: () => choices.change({ source: POSE_SOURCES[select.selectedIndex] ?? "measured" }),
  }, ...POSE_SOURCES.map((source) => h("option", { value: source, title: POSE_OF[source].about }, POSE_OF[source].title))); // prettier-ignore
  effect(() => {
    const { source } = choices.now();
    select.value = source;
    select.title = `Pose shown: ${POSE_OF[source].about}`;
    POSE_SOURCES.forEach((one, k) => {
      const option = select.options[k];
      if (option) option.disabled = app.session.schema() !== null && !hasPose(app, one);
    });
  });
  return select;
}

/** What is chosen seldom, behind one button. */
function options(choices: ChoiceStore, shown: Signal<Shown | null>): { button: HTMLElement; menu: HTMLElement } {
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
  const points = (): [string, string][] => {
    const now = shown();
    const names = now?.kind === "model" ? now.bodies.map(({ name }) => name) : Object.keys(now?.points ?? {});
    return [...names.map((name): [string, string] => [name, name]), ["", now?.kind === "model" ? "last body" : "centroid of the joints"]];
  };
  const axes = h("input", { type: "checkbox", onchange: () => choices.change({ axes: axes.checked }) });
  effect(() => (axes.checked = choices.now().axes));
  const ofPlatforms = [
    pick("ghostOf", "Ghost shows", () => GHOSTS.map((one) => [one, one === "host" ? "the host's demand" : "the command"])),
    pick("millimetres", "Lengths in", () => [[false, "metres"], [true, "millimetres"]]),
  ];
  effect(() => {
    for (const one of ofPlatforms) one.hidden = shown()?.kind === "model";
  });
  const menu = h("div", { class: "scene-menu card", id: "scene-menu", popover: "auto" },
    ...ofPlatforms,
    pick("trailOf", "Trail of", points),
    pick("trailSeconds", "Trail length", () => TRAIL_SECONDS.map((seconds) => [seconds, `${seconds} s`])),
    pick("quality", "Picture", () => QUALITIES.map((one) => [one, QUALITY_TEXT[one]])),
    h("label", { class: "inline" }, axes, "Axes: x forward, y left, z up"),
  ); // prettier-ignore
  const button = h("button", {
    class: "only-icon quiet", title: "More options", "aria-label": "More options", "data-test": "scene-options",
    popovertarget: "scene-menu",
  }, icon(ICONS.options)); // prettier-ignore
  menu.addEventListener("beforetoggle", () => {
    const box = button.getBoundingClientRect();
    menu.style.top = `${box.bottom + 4}px`;
    menu.style.right = `${Math.max(8, innerWidth - box.right)}px`;
  });
  return { button, menu };
}
