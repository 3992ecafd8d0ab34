/** The panels: a rail of tabs, and the one that is open beside it; on a phone a bar below and a sheet above it. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { icon } from "../core/icon";
import { effect } from "../core/signal";
import { type Frame } from "./frame";
import { suitable, type Panel } from "./panel";
import { splitter } from "./splitter";

const CLOSE = "M6 6l12 12|M18 6 6 18";

export function drawer(app: App, frame: Frame, panels: readonly Panel[]): { rail: HTMLElement; drawer: HTMLElement } {
  const mounted = new Map<string, HTMLElement>();
  const tabs = panels.map((panel) =>
    h(
      "button",
      {
        type: "button", "aria-pressed": "false", "aria-controls": "drawer",
        "data-test": `tab-${panel.id}`, onclick: () => frame.togglePanel(panel.id),
      },
      icon(panel.icon, 18), h("span", {}, panel.title),
    ),
  );
  const title = h("h2", { class: "grow" });
  const close = h(
    "button",
    {
      class: "quiet only-icon",
      type: "button",
      title: "Close (])",
      "aria-label": "Close the panel",
      onclick: () => frame.open(""),
    },
    icon(CLOSE, 15),
  );
  const body = h("div", { class: "drawer-body" });
  const element: HTMLElement = h("aside", { class: "drawer", id: "drawer", "data-test": "drawer" });
  const line = splitter({
    label: "Width of the panel",
    test: "drawer-splitter",
    isSideways: () => true,
    get: () => 1 - frame.drawerPx.peek() / innerWidth,
    set: (share) => frame.setDrawer((1 - share) * innerWidth - rail.offsetWidth),
    box: () => new DOMRect(0, 0, innerWidth, innerHeight),
    reset: () => frame.resetDrawer(),
  });
  element.append(line, h("div", { class: "drawer-main" }, h("header", { class: "drawer-head" }, title, close), body));
  const rail = h("nav", { class: "rail", "aria-label": "Panels" }, ...tabs);
  effect(() => {
    const known = suitable(app, panels);
    panels.forEach((panel, k) => {
      const [tab, at] = [tabs[k], known.indexOf(panel)];
      if (!tab) return;
      tab.hidden = at < 0;
      tab.title = `${panel.title} (Alt+${at + 1})`;
    });
  });
  effect(() => {
    const id = frame.panel();
    const panel = suitable(app, panels).find((one) => one.id === id);
    element.hidden = !panel;
    tabs.forEach((tab, k) => tab.setAttribute("aria-pressed", String(panels[k]?.id === id)));
    if (!panel) return;
    setText(title, panel.title);
    element.setAttribute("aria-label", panel.title);
    if (!mounted.has(panel.id)) {
      const made = panel.mount(app);
      mounted.set(panel.id, made);
      body.append(made);
    }
    for (const [name, one] of mounted) one.hidden = name !== panel.id;
  });
  effect(() => element.style.setProperty("--drawer", `${frame.drawerPx()}px`));
  return { rail, drawer: element };
}
