/** What a refused page shows: which token is needed, where to find it, and a field to paste it. */

import type { App } from "../app";
import { h, setText } from "../core/dom";
import { icon } from "../core/icon";
import { effect } from "../core/signal";
import { Api, ApiError } from "../net/api";
import { tokenOf } from "../net/token";
import type { Me } from "../net/types";
import { MARK } from "./title";

const MISSING = "This console needs a token";
const WRONG = "That is not a token of this console";

/** Covers everything, and only on a page that never had access: otherwise its emergency stop must stay in reach. */
export function gate(app: App): HTMLElement {
  const title = h("h1", {});
  const why = h("p", {}, "A restarted console has new tokens, unless it is given the old ones.");
  const trouble = h("p", { class: "gate-trouble", role: "alert", "data-test": "gate-trouble", hidden: true });
  const field = h("input", {
    type: "password", autocomplete: "off", spellcheck: "false", "data-test": "gate-token",
    "aria-label": "Token, or the whole address", placeholder: "Token, or the whole address",
  });
  const enter = h("button", { type: "submit", class: "primary", "data-test": "gate-enter" }, "Open");
  const form = h("form", { class: "row", onsubmit: (sent: Event) => (sent.preventDefault(), void use()) }, field, enter);
  const element = h(
    "main", { class: "gate", "data-test": "gate", hidden: true },
    h(
      "section", {},
      h("p", { class: "gate-mark" }, icon(MARK, 22), "motionbase"),
      title,
      why,
      h("p", {}, "Open the address that ", h("code", {}, "motionbase run"), " printed: it has the token. Or paste the token here."),
      form,
      trouble,
      h(
        "p", { class: "faint" },
        "Whoever started the console also finds the tokens in its data folder: ", h("code", {}, "RING.viewer.token"), " to look only, ",
        h("code", {}, "RING.token"), " to operate. Usually that is ", h("code", {}, "~/.local/share/motionbase/console"), ".",
      ),
    ),
  );
  effect(() => {
    element.hidden = !(app.socket.link() === "refused" && app.session.me() === null);
    if (element.hidden) return;
    setText(title, app.api.token ? WRONG : MISSING);
    why.hidden = app.api.token === "";
    field.focus();
  });

  /** A valid token is kept and the page reloads: half of its requests have been refused already. */
  async function use(): Promise<void> {
    const token = tokenOf(field.value);
    enter.disabled = true;
    try {
      await new Api(app.client, token).get<Me>("/api/me");
      app.keepToken(token);
      location.reload();
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status === 401;
      setText(trouble, isWrong ? `${WRONG}.` : `${String((error as Error).message)}.`);
      trouble.hidden = false;
      if (isWrong) field.select();
    } finally {
      enter.disabled = false;
    }
  }
  return element;
}
