/** Recordings that come from the person at the page: sent with their progress, then opened. */

import { signal } from "../core/signal";
import type { RecordingFile } from "../net/types";
import type { Recordings } from "./recordings";

export const ENDINGS = [".mcap", ".csv", ".parquet", ".estop"];

export interface Upload {
  name: string;
  /** 0 to 1 */
  share: number;
  /** "" while it runs, else why it did not work. */
  trouble: string;
  cancel(): void;
}

export const uploads = signal<readonly Upload[]>([]);

/** A name that the server takes, as near as possible to the file's own. */
export function fitting(name: string): string {
  return name.replace(/[^A-Za-z0-9 _.-]+/g, "_").replace(/^[^A-Za-z0-9]+/, "").slice(-80);
}

export function isRecording(name: string): boolean {
  return ENDINGS.some((ending) => name.toLowerCase().endsWith(ending));
}

export async function upload(recordings: Recordings, file: File): Promise<void> {
  const { app } = recordings;
  const request = new XMLHttpRequest(); // fetch tells no progress of what it sends
  const own: Upload = { name: fitting(file.name), share: 0, trouble: "", cancel: () => request.abort() };
  let now = own;
  const put = (change: Partial<Upload>): void => {
    const next = { ...now, ...change };
    uploads.set(uploads.peek().map((one) => (one === now ? next : one)));
    now = next;
  };
  uploads.set([...uploads.peek(), own]);
  try {
    const made = await send(request, own.name, file, app.api.token, app.client, (share) => put({ share }));
    uploads.set(uploads.peek().filter((one) => one !== now));
    app.say(`${made.file} was uploaded`);
    await recordings.refresh();
    await recordings.open(made.file);
  } catch (error) {
    put({ trouble: error instanceof Error ? error.message : String(error) });
    app.say(`${own.name}: ${now.trouble}`, "error");
  }
}

export function forget(one: Upload): void {
  uploads.set(uploads.peek().filter((other) => other !== one));
}

function send(
  request: XMLHttpRequest, name: string, file: File, token: string, client: string, progress: (share: number) => void,
): Promise<RecordingFile> {
  return new Promise((done, failed) => {
    request.open("PUT", `/api/recordings/upload?${new URLSearchParams({ name })}`);
    request.setRequestHeader("X-Client", client);
    if (token) request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.upload.onprogress = (told) => told.lengthComputable && progress(told.loaded / told.total);
    request.onload = () => {
      try {
        const said = JSON.parse(request.responseText) as RecordingFile & { detail?: string };
        if (request.status < 300) done(said);
        else failed(new Error(said.detail ?? `the server answered ${request.status}`));
      } catch {
        failed(new Error(`the server answered ${request.status}`));
      }
    };
    request.onerror = () => failed(new Error("the connection was lost, or the server refused it midway"));
    request.onabort = () => failed(new Error("cancelled"));
    request.send(file);
  });
}
