/** A recording dropped anywhere on the page is uploaded and opened. */

import { h, setText } from "../core/dom";
import { sentence } from "../panels/common/ui";
import type { Recordings } from "./recordings";
import { ENDINGS, isRecording, upload } from "./upload";

/** @param show brings what tells the progress into sight */
export function dropZone(recordings: Recordings, show: () => void): HTMLElement {
  const text = h("strong", {});
  const element = h(
    "div",
    { class: "rec-drop", hidden: true, "aria-hidden": "true", "data-test": "drop" },
    h("div", {}, text, h("span", { class: "dim" }, ENDINGS.join("  "))),
  );
  let depth = 0; // of elements that were entered and not left
  const over = (on: boolean): void => {
    if (!on) depth = 0;
    element.hidden = !on;
    const why = recordings.whyNotSeated.peek();
    setText(
      text,
      why ? `${sentence(why)}; an upload needs the operator's seat` : "Drop the recording to upload and open it",
    );
  };
  window.addEventListener("dragenter", (drag) => {
    if (!hasFiles(drag)) return;
    depth += 1;
    over(true);
  });
  window.addEventListener("dragleave", (drag) => {
    if (hasFiles(drag) && (depth -= 1) <= 0) over(false);
  });
  window.addEventListener("dragover", (drag) => hasFiles(drag) && drag.preventDefault());
  window.addEventListener("drop", (drag) => {
    if (!hasFiles(drag)) return;
    over(false);
    if (drag.defaultPrevented) return; // some part has taken it
    drag.preventDefault();
    void take(recordings, [...(drag.dataTransfer?.files ?? [])], show);
  });
  return element;
}

export async function take(recordings: Recordings, files: readonly File[], show: () => void): Promise<void> {
  const { app } = recordings;
  const why = recordings.whyNotSeated.peek();
  if (why) return app.say(`${sentence(why)}; an upload needs the operator's seat`, "error");
  for (const file of files) {
    if (!isRecording(file.name)) {
      app.say(`${file.name} is not a recording: its name must end in ${ENDINGS.join(", ")}`, "error");
      continue;
    }
    show();
    await upload(recordings, file);
  }
}

function hasFiles(drag: DragEvent): boolean {
  return drag.dataTransfer?.types.includes("Files") ?? false;
}
