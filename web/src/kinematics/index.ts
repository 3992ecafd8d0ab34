/** The panel of kinematics: angles, dexterity and clearances of the pose that is shown, or of one that is studied. */

import "./kinematics.css";
import type { App } from "../app";
import { h, setText, toggleClass } from "../core/dom";
import { effect } from "../core/signal";
import { choice, note, section } from "../panels/common/ui";
import { choicesOf } from "../scene/choices";
import { platformOf } from "../scene/platform_source";
import { newestPose, POSE_OF } from "../scene/pose";
import { poseSelect } from "../scene/toolbar";
import type { Panel } from "../shell/panel";
import { angleTable } from "./angles";
import { extremes } from "./extremes";
import { dexterity, gapList, thresholds } from "./gaps";
import { inputs } from "./inputs";
import { studiesOf } from "./study";
import { watchFor } from "./watch";

const WAITING = "No platform yet. Start a base, for example with: motionbase run simona";
const OWN = "Joints and clearances are not computed for a replay of this page alone. They are when the operator opens the recording.";

export const kinematics: Panel = {
  id: "kinematics",
  title: "Kinematics",
  suits: (app) => !app.session.isModel(),
  icon: "M3 20h18|M6 20 9 8|M18 20 15 8|M7 8h10|M10 20l4-12|M9 4h6",
  mount(app) {
    const studies = studiesOf(app);
    const found = platformOf(app);
    const platform = () => {
      const now = found();
      return now.state === "here" && now.scene.kind === "platform" ? now.scene : null;
    };
    const angles = angleTable();
    const even = dexterity();
    const gaps = gapList();
    const trouble = note("info", "kinematics-text");
    const reach = note("bad", "kinematics-reach");
    const name = h("span", { class: "faint p-small" });
    const study = section("Study a pose", [], h("p", { class: "dim p-small" }, "Enter numbers, or drag the platform in the 3D view; Shift+drag turns it. Nothing is sent to the platform."), inputs(app, platform));
    const all = section("The 64 extremes", [], extremes(app));
    const element = h("div", { class: "panel p-kinematics", "data-test": "panel-kinematics" },
      source(app), study, trouble.element, reach.element, section("Joints", [name], angles.element),
      section("Clearance", [], even.element, gaps.element, thresholds(app)), all); // prettier-ignore
    effect(() => {
      study.hidden = all.hidden = !app.kinematics.isStudied();
      even.forget();
    });
    effect(() => {
      if (platform() && app.socket.link() === "open" && studies.extremes() === null) void studies.load();
    });
    watchFor(app, element);
    let shown: unknown = null;
    app.onFrame(() => {
      if (!app.isBeat || !element.checkVisibility()) return;
      const [now, live] = [studies.study.peek(), app.kinematics.live.peek()];
      const posture = now ? now.found : (live?.found ?? null);
      const why = now ? now.text : posture ? "" : (live?.text ?? (app.session.played.peek() ? OWN : WAITING));
      trouble.say(why);
      reach.say(posture?.text ?? "");
      setText(name, now ? "study" : POSE_OF[choicesOf(app).now.peek().source].title.toLowerCase());
      toggleClass(element, "is-moving", now?.isMoving ?? false);
      if (posture === shown && posture !== null) return;
      angles.show(posture, studies.extremes.peek());
      even.show(posture);
      gaps.show(posture, why);
      shown = posture;
    });
    return element;
  },
};

/** Which pose: one of the ring, or the one under study. */
function source(app: App): HTMLElement {
  const studies = studiesOf(app);
  const choices = choicesOf(app);
  const mode = choice("Pose of", { live: "Live", study: "Study" }, (picked) => {
    if (picked === "live") studies.leave();
    else studies.enter(newestPose(app, choices.now.peek().source) ?? undefined);
  }, "kinematics-mode"); // prettier-ignore
  const select = poseSelect(app, choices, "kinematics-source");
  const leave = h("button", { type: "button", class: "k-leave", "data-test": "study-leave", title: "Back to the platform [Escape]", onclick: () => studies.leave() }, "Leave the study");
  effect(() => {
    const isStudy = app.kinematics.isStudied();
    mode.set(isStudy ? "study" : "live");
    select.hidden = isStudy;
    leave.hidden = !isStudy;
  });
  return h("div", { class: "row" }, mode.element, h("span", { class: "grow" }), select, leave);
}
