/** What takes a while: uploads and exports with their progress, and links to what was written. */

import { fill, h, setText } from "../core/dom";
import { effect } from "../core/signal";
import type { Job } from "../net/types";
import { iconButton, ICONS, section, sentence } from "../panels/common/ui";
import { download } from "./download";
import type { Recordings } from "./recordings";
import { forget, uploads, type Upload } from "./upload";

const SHOWN_FILES = 5;

export function jobs(recordings: Recordings): HTMLElement {
  const list = h("div", { class: "rec-jobs" });
  const clear = h(
    "button",
    { type: "button", class: "quiet", title: "Remove finished jobs from the list" },
    "Clear",
  );
  const element = section("Jobs", [clear], list);
  const rows = new Map<number, Row>();
  let cleared = -1; // jobs up to this number are out of sight
  clear.addEventListener("click", () => {
    cleared = Math.max(cleared, ...known().filter((job) => job.state !== "running").map((job) => job.number));
    show();
  });
  const known = (): readonly Job[] => (recordings.app.session.status.peek()?.jobs ?? []).filter(
    (job) => job.client === recordings.app.client || recordings.app.session.operates.peek(), // what others do is theirs
  );
  const sent = h("div", { class: "rec-jobs" });
  list.before(sent);
  const show = (): void => {
    const now = known().filter((job) => job.number > cleared || job.state === "running").toReversed();
    for (const job of now) {
      const row = rows.get(job.number) ?? made(recordings, job.number);
      rows.set(job.number, row);
      row.show(job);
    }
    const wanted = now.map((job) => rows.get(job.number)?.element ?? null);
    if (wanted.length !== list.children.length || wanted.some((one, k) => one !== list.children[k])) fill(list, ...wanted);
    element.hidden = now.length === 0 && uploads.peek().length === 0;
    clear.hidden = !now.some((job) => job.state !== "running");
  };
  effect(() => {
    fill(sent, ...uploads().map((one) => sending(one)));
    recordings.app.session.status();
    show();
  });
  let done = 0;
  effect(() => {
    const ended = (recordings.app.session.status()?.jobs ?? []).filter((job) => job.state === "done").length;
    if (ended > done) void recordings.refresh(); // what was written is in the list
    done = ended;
  });
  return element;
}

function sending(one: Upload): HTMLElement {
  const end = one.trouble ? iconButton(
    ICONS.close,
    "Dismiss",
    () => forget(one),
    "upload-dismiss",
  ) : iconButton(ICONS.close, "Cancel", () => one.cancel(), "upload-cancel");
  return h(
    "div", { class: "rec-job", "data-test": "upload" },
    h(
      "div",
      { class: "row" },
      h("span", { class: "grow ellipsis", title: one.name }, `upload ${one.name}`),
      h("span", { class: "num faint" }, one.trouble ? "" : `${Math.floor(100 * one.share)} %`),
      end,
    ),
    one.trouble ? h("p", { class: "bad" }, sentence(one.trouble)) : h(
      "progress",
      { value: one.share, max: 1, "aria-label": `upload ${one.name}` },
    ),
  );
}

interface Row {
  element: HTMLElement;
  show(job: Job): void;
}

function made(recordings: Recordings, number: number): Row {
  const { app } = recordings;
  const what = h("span", { class: "grow ellipsis" });
  const share = h("span", { class: "num faint" });
  const bar = h("progress", { max: 1, value: 0 });
  const text = h("p", { class: "dim" });
  const files = h("div", { class: "rec-files" });
  const cancel = h(
    "button",
    {
      type: "button",
      class: "quiet",
      "data-test": "job-cancel",
      onclick: () => void app.attempt(app.api.delete<Job>(`/api/jobs/${number}`)),
    },
    "Cancel",
  );
  const element = h(
    "div",
    { class: "rec-job", "data-test": "job" },
    h("div", { class: "row" }, what, share, cancel),
    bar,
    text,
    files,
  );
  let listed = "";
  const show = (job: Job): void => {
    const runs = job.state === "running";
    setText(what, job.what);
    what.title = job.what;
    element.dataset["state"] = job.state;
    setText(share, runs ? `${Math.floor(100 * job.share)} %` : job.state);
    bar.hidden = cancel.hidden = !runs;
    bar.value = job.share;
    bar.setAttribute("aria-label", job.what);
    cancel.title = "Cancel this job";
    setText(text, sentence(job.text));
    text.className = job.state === "failed" ? "bad" : "dim";
    text.hidden = job.text === "";
    if (job.files.join() === listed) return;
    listed = job.files.join();
    const more = job.files.length - SHOWN_FILES;
    fill(
      files,
      ...job.files.slice(0, SHOWN_FILES).map((file) => h(
        "button",
        {
          type: "button",
          class: "rec-link ellipsis",
          title: `Download ${file}`,
          "data-test": "job-file",
          onclick: () => void download(app, file),
        },
        file.split("/").at(-1) ?? file,
      )),
      more > 0 && h("span", { class: "faint" }, `and ${more} more, in the list below`),
    );
  };
  return { element, show };
}
