/** The parts of the title bar: the ring and its writer, the state of the base, and what can be chosen. */

import type { App } from "../app";
import { h, setText, toggleClass } from "../core/dom";
import { icon } from "../core/icon";
import { bytes } from "../core/format";
import { effect } from "../core/signal";
import { behind } from "../panels/common/access";
import { baseOf } from "../panels/common/base";
import { choice, iconButton } from "../panels/common/ui";
import type { Recordings } from "../recordings";
import type { Frame, View } from "./frame";
import { recorderShown } from "./recorder_shown";
import { badgeOf, standingOf } from "./standing";
import type { Themes } from "./theme";

const LOOKS = {
  system: "M3 5h18v11H3z|M9 20h6|M12 16v4",
  dark: "M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z|M12 2v2|M12 20v2|M2 12h2|M20 12h2|M5 5l1.4 1.4|M17.6 17.6 19 19|M19 5l-1.4 1.4|M6.4 17.6 5 19",
};
const OLD_S = 2; // of what is known of the base, from which on its age is shown
const MODES: Record<string, string> = {
  host: "the base follows the host, plus the generators",
  maintenance: "generators about neutral, without a host",
};

/** Platform, ring, backend, writer. */
export function ring(app: App): { element: HTMLElement; memory: HTMLElement } {
  const dot = h("span", { class: "dot" });
  const platform = h("strong", { class: "ellipsis", "data-test": "platform" });
  const word = h("span", { class: "writer", "data-test": "writer" });
  const name = h("span", { class: "num" });
  const backend = h("span", { class: "tag", "data-test": "backend" });
  const memory = h("span", { class: "title-memory" }, name, backend);
  const element = h("div", { class: "title-ring" }, dot, platform, word);
  const standing = standingOf(app);
  effect(() => {
    const found = app.session.ring();
    const { level, word: said } = standing();
    dot.className = `dot ${level}`;
    word.className = `writer ${level === "none" ? "faint" : level}`;
    setText(word, said);
    setText(platform, found?.life?.platform || found?.platform || "no platform");
    setText(name, found?.name ?? "");
    const isOwn = found !== null && found === app.session.played();
    setText(backend, !found ? "" : isOwn ? "recording" : found.is_hardware ? "hardware memory" : "emulation");
    toggleClass(backend, "hardware", found?.is_hardware ?? false);
    backend.hidden = !found;
    element.title = found
      ? `Ring ${found.name}, ${found.backend}. Writer: ${found.state_text}` +
        (found.writer ? ` (${found.writer}, process ${found.writer_pid}).` : ".")
      : "No ring yet.";
  });
  return { element, memory };
}

/** What the base does and in which mode; with a replay on the screen, also what it does behind it. */
export function state(app: App): HTMLElement {
  const badge = badgeOf(app);
  const base = baseOf(app);
  const element = h("span", { class: "badge", role: "status", "data-test": "badge" });
  const mode = h("span", { class: "mode", "data-test": "base-mode" });
  const hiddenBase = h(
    "span",
    { class: "tag behind", title: "The live base, which is not shown", "data-test": "behind" },
  );
  effect(() => {
    const { text, kind } = badge();
    element.className = `badge ${kind}`;
    setText(element, text);
    element.title = kind === "accent" && text === "replay" ? "A recording is shown, not the base" : `State of the base: ${text}`;
  });
  effect(() => {
    const now = app.session.source() === "replay" ? null : base.mode();
    mode.hidden = now === null;
    setText(mode, now ?? "");
    mode.title = `Mode of the base: ${MODES[now ?? ""] ?? now ?? ""}`;
  });
  effect(() => {
    // a base that moves behind a replay must stay visible
    const now = app.session.source() === "replay" && base.isFresh() ? base.state() : null;
    const isBad = base.estop() || base.fault() !== null;
    hiddenBase.hidden = now === null;
    hiddenBase.className = `tag behind ${isBad ? "bad" : ""}`;
    setText(hiddenBase, `base: ${now ?? ""}${base.estop() ? ", stopped" : base.fault() ? ", fault" : ""}`);
  });
  return h("div", { class: "title-state" }, element, mode, hiddenBase);
}

/** Only there while the console is behind the base, or nothing newer of it has come for a while. */
export function delay(app: App): HTMLElement {
  const base = baseOf(app);
  const element = h("span", {
    class: "tag behind bad num", role: "status", hidden: true, "data-test": "behind-by",
    title: "How far the page is behind the base's newest record; no motion can be requested",
  });
  effect(() => {
    const seconds = behind(app);
    const ageS = base.isFresh() && base.ageS() >= OLD_S ? base.ageS() : 0;
    element.hidden = seconds === 0 && ageS === 0;
    setText(element, seconds ? `behind by ${seconds.toFixed(1)} s` : ageS ? `known ${ageS} s ago` : "");
  });
  return element;
}

export function rate(app: App): HTMLElement {
  const element = h("span", { class: "title-rate num", "data-test": "rate" });
  effect(() => {
    const found = app.session.ring();
    const isHeard = app.socket.link() === "open" && !app.socket.isSilent();
    const hz = isHeard && found?.state === "live" ? found.timing?.rate_hz : undefined;
    setText(element, hz === undefined ? "– Hz" : `${hz.toFixed(0)} Hz`);
    element.title = found
      ? `Records in the last second; the writer's nominal rate is ${found.rate_hz.toFixed(0)} per second`
      : "Records per second";
  });
  return element;
}

export function recording(app: App): HTMLElement {
  const dot = h("span", { class: "dot" });
  const word = h("span", {});
  const size = h("span", { class: "num" });
  const base = baseOf(app);
  const element = h("span", { class: "title-recorder", "data-test": "recorder" }, dot, word, size);
  effect(() => {
    const found = app.session.status()?.recorder ?? null;
    const isHeard = app.socket.link() === "open" && !app.socket.isSilent();
    const shown = recorderShown(found, isHeard, base.ring()?.state === "live");
    toggleClass(element, "on", shown.word === "REC");
    dot.className = `dot ${shown.level}`;
    setText(word, shown.word);
    setText(size, found && shown.word === "REC" ? bytes(found.bytes) : "");
    element.title = shown.title;
  });
  return element;
}

export function source(app: App, recordings: Recordings): HTMLElement {
  const pick = choice(
    "Source",
    { live: "Live", replay: "Replay" },
    (to) => void (to === "live" ? recordings.toLive() : recordings.toReplay()),
    "source",
  );
  effect(() => {
    const played = app.session.status()?.replay;
    const may = recordings.opened() !== null || played?.source === "replay";
    pick.set(app.file() || app.session.source() === "replay" ? "replay" : "live");
    pick.buttons.replay.disabled = !may;
    pick.buttons.live.title = "The base, live";
    pick.buttons.replay.title = may
      ? `The recording ${recordings.opened()?.file ?? played?.file ?? ""}`
      : "Open a recording first, in the Recordings panel or by dropping a file on the page";
  });
  return pick.element;
}

export function view(frame: Frame): HTMLElement {
  const pick = choice<View>("View", { plots: "Plots", both: "Both", scene: "3D", world: "Outside" }, (to) => frame.setView(to), "view");
  effect(() => pick.set(frame.view()));
  effect(() => (pick.buttons.world.hidden = !frame.hasWorld()));
  pick.buttons.plots.title = "Plots alone (V)";
  pick.buttons.both.title = "Plots and 3D view (V)";
  pick.buttons.scene.title = "3D view alone (V)";
  pick.buttons.world.title = "View outside, with 3D view and plots beside (V)";
  pick.element.classList.add("title-view");
  return pick.element;
}

export function look(themes: Themes): HTMLElement {
  const button = iconButton(LOOKS.system, "Colours", () => themes.turn(), "theme");
  effect(() => {
    const chosen = themes.chosen();
    button.replaceChildren(icon(LOOKS[chosen], 15));
    button.title = `Colours: ${chosen === "system" ? "as the system" : chosen} (T)`;
  });
  return button;
}
