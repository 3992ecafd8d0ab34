/** The panel of steering: who steers, the controls with their keys, a stick on the screen, gamepads, instruments. */

import type { App } from "../app";
import { h } from "../core/dom";
import { effect } from "../core/signal";
import { accessBar } from "../panels/common/access";
import { note, section } from "../panels/common/ui";
import { worldOf } from "../world/source";
import { helmOf } from "./helm";
import { Cluster, ownInstruments } from "./instruments/cluster";
import { Pads } from "./pads";
import { Rows } from "./rows";
import { Screen } from "./screen";
import { standing } from "./standing";

export function panel(app: App): HTMLElement {
  const helm = helmOf(app);
  const [rows, screen, pads, cluster] = [new Rows(app, helm, true), new Screen(app, helm, false), new Pads(), new Cluster(app)];
  const trouble = note("warn", "helm-trouble");
  const instruments = section("Instruments", [], cluster.element);
  const steering = [
    section("Controls", [], rows.element),
    section("On the screen", [], h("p", { class: "p-small faint" }, "Drag with the mouse or with fingers; a stick springs back, a lever stays."), screen.element),
    section("Gamepads", [], pads.element),
  ];
  const element = h("div", { class: "panel p-helm", "data-test": "panel-helm" }, accessBar(app), standing(helm), trouble.element, ...steering, instruments);
  helm.places.push(() => element);

  const scene = worldOf(app);
  effect(() => {
    helm.hasLetters();
    const { scene: now, trouble: why } = scene();
    trouble.say(now ? "" : why || "what is shown has no vehicle in a world: start one with `motionbase run simona --host boat`");
    for (const one of steering) one.hidden = !now || now.controls.length === 0;
    const own = now ? ownInstruments(now) : [];
    instruments.hidden = own.length === 0;
    rows.show(now?.controls ?? []);
    screen.show(now?.controls ?? []);
    cluster.show(own);
  });
  let wide = 0; // where it is not shown
  new ResizeObserver(() => {
    wide = element.clientWidth;
    if (wide > 0) cluster.fit(wide - 24);
  }).observe(element);
  app.onFrame((now) => {
    if (wide === 0 || document.hidden) return;
    rows.follow();
    screen.follow();
    pads.follow(helm.leader.peek());
    cluster.follow(now);
  });
  return element;
}
