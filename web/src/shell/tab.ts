/** The browser's tab: its title and icon tell how things stand, also when the page is not in front. */

import type { App } from "../app";
import { effect } from "../core/signal";
import { badgeOf, standingOf, type Level } from "./standing";

const COLOURS: Record<Level | "accent", string> = {
  good: "#4cc38a",
  warn: "#f0b429",
  bad: "#ff4d55",
  none: "#71808f",
  accent: "#5ab0f0",
};

export function tab(app: App): void {
  const standing = standingOf(app);
  const badge = badgeOf(app);
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  effect(() => {
    const { word, level, isOld } = standing();
    const ring = app.session.ring();
    const name = ring?.platform || ring?.name || "";
    const state = level === "good" && !isOld ? badge().text : word;
    const alarms = app.alarms() ? `(${app.alarms()}) ` : "";
    const title = alarms + [state, name, "motionbase"].filter(Boolean).join(" · ");
    if (document.title !== title) document.title = title;
    const address = picture(COLOURS[level === "good" ? badge().kind : level]);
    if (link && link.getAttribute("href") !== address) link.href = address;
  });
}

function picture(colour: string): string {
  const legs = "M9 12 6 24M11 12l4 12M16 12l-1 12M16 12l1 12M21 12l-4 12M23 12l3 12M4 25h24M8 11h16l-3-3H11z";
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#101720"/>` +
    `<path fill="none" stroke="#5ab0f0" stroke-width="2" stroke-linejoin="round" d="${legs}"/>` +
    `<circle cx="25" cy="7" r="6.5" fill="${colour}" stroke="#101720" stroke-width="2"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
