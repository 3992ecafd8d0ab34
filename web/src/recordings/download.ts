/** Downloads: the browser streams files to the disk, from an address that is valid for a minute. */

import type { App } from "../app";
import { h } from "../core/dom";
import type { Ticket } from "../net/types";

export async function download(app: App, file: string): Promise<void> {
  const given = await app.attempt(app.api.post<Ticket>("/api/recordings/ticket", undefined, { file }));
  if (given) h("a", { href: given.address, download: file.split("/").at(-1) ?? file }).click();
}
