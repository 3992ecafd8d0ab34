/** The frame of the page: title bar, channel list, centre, panels, and the bar of a replay. */

import type { App } from "../app";
import { h, toggleClass } from "../core/dom";
import { effect } from "../core/signal";
import { helmOf } from "../helm";
import { kinematics, panels } from "../panels";
import { plots } from "../plots";
import { Recordings, recordingsPanel, replayBar } from "../recordings";
import { dropZone } from "../recordings/drop";
import { scene } from "../scene";
import { baseStrip } from "./base_strip";
import { centre } from "./centre";
import { drawer } from "./drawer";
import { Frame } from "./frame";
import { listen } from "./keys";
import { messageLine } from "./line";
import { seatStrip } from "./seat";
import { standingOf } from "./standing";
import { stopStrip } from "./stop_strip";
import { tab } from "./tab";
import { themes } from "./theme";
import { titleBar } from "./title";

export function shell(app: App): HTMLElement {
  const colours = themes();
  const frame = new Frame(app);
  const recordings = new Recordings(app);
  const { list, area } = plots(app);
  const all = [...panels, recordingsPanel(recordings), kinematics];
  const side = drawer(app, frame, all);
  const channels = h("aside", { class: "channel-list", "aria-label": "Channels", "data-test": "channels" }, list);
  const scrim = h("div", { class: "scrim", onclick: () => frame.toggleList() });
  const middle = centre(frame, area, scene(app));
  const element = h(
    "div", { class: "shell" },
    titleBar(app, frame, colours, recordings),
    h("div", { class: "strips" }, stopStrip(app, () => frame.open(app.session.runsRotor.peek() ? "rotor" : app.session.runsModel.peek() ? "robot" : "operator")), baseStrip(app), seatStrip(app)),
    channels, scrim, middle, side.drawer, side.rail,
    h("div", { class: "foot" }, replayBar(recordings)), messageLine(app, () => frame.open("events")),
    dropZone(recordings, () => frame.open("recordings")),
  );
  effect(() => {
    channels.hidden = !frame.list();
    scrim.hidden = !frame.list();
  });
  const standing = standingOf(app);
  effect(() => toggleClass(element, "is-old", standing().isOld && app.file() === null)); // what a recording shows is not old
  listen(app, frame, colours, all);
  tab(app);
  helmOf(app); // keys and gamepads steer from the first moment, whatever is open
  return element;
}
