/** Who steers what is shown, what to do about it, and the button that gives back; over the view and in the panel. */

import { h, setText, toggleClass } from "../core/dom";
import { icon } from "../core/icon";
import { effect } from "../core/signal";
import { sentence } from "../panels/common/ui";
import { worldOf } from "../world/source";
import type { Helm } from "./helm";

export const WHEEL = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z|M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z|M3.5 10.5 10 12|M20.5 10.5 14 12|M12 14v7";

export function standing(helm: Helm): HTMLElement {
  const { app } = helm;
  const who = h("strong", { "data-test": "helm-who" });
  const what = h("span", { class: "helm-what", "data-test": "helm-what" });
  const label = h("span", {});
  const back = h("button", { type: "button", class: "helm-back", "data-test": "helm-back", onclick: () => helm.askScript() }, label, h("kbd", {}, "Backspace"));
  const texts = h("div", { class: "helm-texts", role: "status" }, who, what);
  const element = h("div", { class: "helm-standing" }, icon(WHEEL, 22), texts, back);
  effect(() => {
    setText(who, helm.who());
    setText(what, sentence(helm.toDo()));
    toggleClass(element, "mine", helm.isMine());
    const script = worldOf(app)().scene?.script ?? "";
    back.hidden = !helm.mayGiveBack();
    setText(label, script ? "Give back to the script" : "Let go");
    back.title = script ? `The script ${script} goes on at once [Backspace]` : "All controls go to rest [Backspace]";
  });
  return element;
}
