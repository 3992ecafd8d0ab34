/** Files of the person at the page: one to save, one to open. */

import { h } from "../../core/dom";

const LARGEST = 1_000_000; // bytes of a settings file that is worth reading

export function saveFile(name: string, content: string | Blob, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The chosen file's name and text; null where none was chosen. */
export function openFile(accept: string): Promise<{ name: string; text: string } | null> {
  return new Promise((done, failed) => {
    const input = h("input", { type: "file", accept });
    input.addEventListener("cancel", () => done(null));
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (!file) return done(null);
      if (file.size > LARGEST) return failed(
        new Error(`${file.name} has ${file.size} bytes; a settings file may have at most ${LARGEST}`),
      );
      file.text().then((text) => done({ name: file.name, text }), failed);
    });
    input.click();
  });
}
