/** Over the view outside: who steers, the instruments, the keys, and a stick for fingers. */

import type { App } from "../app";
import { h, toggleClass } from "../core/dom";
import { icon } from "../core/icon";
import { effect, type Signal } from "../core/signal";
import { worldOf } from "../world/source";
import { helmOf } from "./helm";
import { Cluster, ownInstruments } from "./instruments/cluster";
import { Rows } from "./rows";
import { Screen } from "./screen";
import { choicesOf, turn } from "./shown";
import { standing } from "./standing";

const ICONS = {
  instruments: "M12 4a9 9 0 0 0-9 9 9 9 0 0 0 2.2 6h13.6A9 9 0 0 0 21 13a9 9 0 0 0-9-9z|M12 13l4-5",
  keys: "M3 6h18v12H3z|M7 10h.01|M11 10h.01|M15 10h.01|M8 14h8",
  screen: "M12 3a5 5 0 1 0 0 10 5 5 0 0 0 0-10z|M12 13v5|M6 21h12|M8 18h8",
};
const [NARROW_PX, SHORT_PX, HIGH_PX] = [560, 520, 420];
const INSTRUMENTS_SHARE = 0.4; // of the view's height, at most

/**
 * It fills the element that it is put into.
 *
 * @param caption stands below who steers, where no vehicle is
 * @param covers told how much the instruments cover at the lower edge [css px]
 */
export function helmOverlay(app: App, caption: HTMLElement, covers: (height: number) => void): HTMLElement {
  const helm = helmOf(app);
  const choices = choicesOf(app);
  const [rows, cluster, screen] = [new Rows(app, helm, false), new Cluster(app), new Screen(app, helm, true)];
  const switches = h("div", { class: "helm-switches" },
    ...(["instruments", "keys", "screen"] as const).map((name) => switchOf(app, name, choices[name])));
  const foot = h("div", { class: "helm-foot" }, h("div", { class: "helm-left" }, rows.element), screen.element, cluster.element);
  const head = h("div", { class: "helm-top" }, standing(helm), switches);
  const element = h("div", { class: "helm-overlay", "data-test": "helm-overlay" }, head, caption, foot);
  helm.places.push(() => element.parentElement);

  let isSeen = false;
  const scene = worldOf(app);
  effect(() => {
    const now = scene().scene;
    helm.hasLetters();
    element.hidden = now === null;
    rows.show(now?.controls ?? []);
    screen.show(now?.controls ?? []);
    cluster.show(now ? ownInstruments(now) : []);
    fit(); // rows are as wide as they need
  });
  effect(() => {
    rows.element.classList.toggle("off", !choices.keys());
    cluster.element.classList.toggle("off", !choices.instruments());
    element.classList.toggle("has-screen", choices.screen());
    fit();
  });
  /** Where keys and instruments have room without hiding the vehicle. */
  function fit(): void {
    const [wide, high] = [element.clientWidth, element.clientHeight];
    isSeen = wide > 0;
    const isNarrow = wide < NARROW_PX;
    const hasScreen = choices.screen.peek();
    const [room, keys] = [Math.max(120, wide - 16), rows.element.offsetWidth];
    const beside = Math.max(120, room - keys - 12);
    const hasKeys = choices.keys.peek() && !isNarrow && !hasScreen;
    const lines = (width: number): number => (choices.instruments.peek() ? cluster.needs(width) : 0);
    const isBeside = hasKeys && (lines(beside) <= 1 || lines(room) > 1);
    const isOnTop = hasScreen && !isNarrow; // thumbs have the lower corners, and the vehicle is between them
    toggleClass(element, "is-narrow", isNarrow);
    toggleClass(element, "is-short", isNarrow && high < SHORT_PX);
    toggleClass(element, "is-above", !isBeside);
    toggleClass(element, "is-high", hasKeys && !isBeside && high > HIGH_PX);
    cluster.fit(isBeside ? beside : room, INSTRUMENTS_SHARE * high);
    const { offsetHeight } = cluster.element;
    element.style.setProperty("--keys", `${keys}px`);
    element.style.setProperty("--below-top", `${head.offsetTop + head.offsetHeight + 8}px`);
    element.style.setProperty("--caption-top", `${isOnTop && offsetHeight > 0 ? offsetHeight + 16 : 12}px`);
    covers(isOnTop ? 0 : offsetHeight);
  }
  new ResizeObserver(fit).observe(element);
  new ResizeObserver(fit).observe(cluster.element);
  let waits = 0;
  app.onFrame((now) => {
    if (!isSeen || document.hidden) return; // asking the element itself would lay the page out in every frame
    if ((waits -= 1) > 0) return;
    waits = app.besideEvery;
    if (choices.instruments.peek()) cluster.follow(now);
    if (choices.screen.peek()) screen.follow();
    else if (choices.keys.peek()) rows.follow();
  });
  return element;
}

const SAYS = { instruments: "Instruments", keys: "Keys and positions of the controls", screen: "Stick and levers on the screen" };

function switchOf(app: App, name: keyof typeof ICONS, is: Signal<boolean>): HTMLElement {
  const button = h("button", {
    type: "button", class: "quiet only-icon", title: SAYS[name], "aria-label": SAYS[name], "data-test": `helm-show-${name}`, onclick: () => turn(app, is),
  }, icon(ICONS[name], 16)); // prettier-ignore
  effect(() => button.setAttribute("aria-pressed", String(is())));
  return button;
}
