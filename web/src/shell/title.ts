/** The title bar: what this is, how it stands, who operates, and the emergency stop at its end. */

import type { App } from "../app";
import { h } from "../core/dom";
import { icon } from "../core/icon";
import { estopButton } from "../panels";
import { iconButton } from "../panels/common/ui";
import type { Recordings } from "../recordings";
import { PHONE, type Frame } from "./frame";
import { help } from "./keys";
import { menuButton } from "./menu";
import { seatButton } from "./seat";
import type { Themes } from "./theme";
import { delay, look, rate, recording, ring, source, state, view } from "./title_parts";

export const MARK =
  "M6 9h12l-2.2-2.2H8.2z|M6.8 9.8 4.5 19|M8.3 9.8 11.3 19|M12 9.8 11.3 19|M12 9.8l.7 9.2|M15.7 9.8 12.7 19|M17.2 9.8 19.5 19|M3 19.8h18";
const LIST = "M4 6h16|M4 12h10|M4 18h13";
const HELP = "M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2|M12 17.5v.1";
const MORE = "M4 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0|M11 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0|M18 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0";

/** What may go into the menu where there is no room. */
interface Part {
  label: string;
  element: HTMLElement;
}

export function titleBar(app: App, frame: Frame, themes: Themes, recordings: Recordings): HTMLElement {
  const { element: whose, memory } = ring(app);
  const mark = h("a", { class: "wordmark", href: "./", title: "motionbase console" }, icon(MARK, 22), h("span", {}, "motionbase"));
  const part = (label: string, element: HTMLElement): Part => ({ label, element });
  const [where, often, kept] = [part("Ring", memory), part("Records", rate(app)), part("Recorder", recording(app))];
  const [shown, seen, seat] = [part("Source", source(app, recordings)), part("View", view(frame)), part("Operator", seatButton(app))];
  const [colours, keys] = [part("Colours", look(themes)), part("Keys", iconButton(HELP, "Keys (?)", help, "help-button"))];
  const body = h("div", { class: "menu-body title-menu" });
  const more = menuButton([icon(MORE, 16)], body, "title-more", "More");
  const bar = h(
    "div", { class: "title-parts" },
    iconButton(LIST, "Channel list ([)", () => frame.toggleList(), "toggle-list"),
    mark, whose, where.element, state(app), delay(app), often.element, kept.element,
    h("span", { class: "grow" }),
    shown.element, seen.element, seat.element, colours.element, keys.element, more.element,
  );
  body.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    if (button && !button.hasAttribute("aria-haspopup") && !button.hasAttribute("aria-pressed")) more.close();
  });
  fit(bar, body, more.element, [where, often, kept, colours, keys, seen, shown, seat]);
  return h("header", { class: "title-bar" }, bar, h("div", { class: "title-stop" }, estopButton(app)));
}

/** Keep in the bar what has room, the last of the parts longest; on a phone all of them are in the menu. */
function fit(bar: HTMLElement, body: HTMLElement, more: HTMLElement, parts: readonly Part[]): void {
  const homes = parts.map(({ element }) => {
    const home = document.createComment("");
    element.before(home);
    return home;
  });
  const rows = parts.map(({ label }) => h("div", { class: "menu-row" }, h("span", { class: "dim" }, label)));
  const place = (): void => {
    const focused = document.activeElement;
    const isOpen = more.contains(focused);
    const isFull = (): boolean => PHONE.matches || bar.scrollWidth > bar.clientWidth;
    parts.forEach(({ element }, k) => homes[k]?.after(element));
    more.hidden = true;
    body.replaceChildren();
    bar.classList.remove("is-tight");
    bar.classList.toggle("is-tight", isFull()); // without the name of the suite
    parts.forEach(({ element }, k) => {
      if (!isFull()) return;
      more.hidden = false;
      rows[k]?.append(element);
      body.append(rows[k] ?? element);
    });
    if (focused instanceof HTMLElement && (isOpen || bar.contains(focused))) focused.focus();
  };
  const watch = new ResizeObserver(() => place());
  watch.observe(bar);
  for (const child of bar.children) if (!child.classList.contains("grow")) watch.observe(child);
}
