/** Asks the server for kinematics while somebody can see them, and for nothing else. */

import type { App } from "../app";
import { effect } from "../core/signal";
import { choicesOf } from "../scene/choices";

const seen = new WeakMap<App, HTMLElement[]>();

/** While this element is on the screen, what is known of the pose that is shown is kept up to date. */
export function watchFor(app: App, element: HTMLElement): void {
  const known = seen.get(app);
  if (known) return void known.push(element);
  const elements = [element];
  seen.set(app, elements);
  const choices = choicesOf(app);
  const look = (): void => {
    const isSeen = !document.hidden && !app.session.isModel.peek() && app.kinematics.study.peek() === null && elements.some((one) => one.checkVisibility());
    app.socket.watch(isSeen ? choices.now.peek().source : null);
  };
  app.onFrame(() => app.isBeat && look());
  document.addEventListener("visibilitychange", look);
  effect(() => {
    choices.now();
    app.session.source();
    app.kinematics.live.set(null); // of another pose
  });
}
