/** What the title bar says of the recorder: REC only while it is known that records come and are recorded. */

import type { Recorder } from "../net/types";

export interface RecorderShown {
  word: string;
  level: "" | "warn" | "bad";
  title: string;
}

/**
 * @param found as the last status has it; @param isHeard whether the console answers now; @param isLive whether records
 * of the base come
 */
export function recorderShown(found: Recorder | null, isHeard: boolean, isLive: boolean): RecorderShown {
  if (!isHeard) return { word: "recorder unknown", level: "", title: "The console does not answer, so whether it is recorded is unknown." };
  if (!found) return { word: "not recorded", level: "", title: "No recorder is running for this ring" };
  if (found.trouble) return { word: "trouble", level: "warn", title: found.trouble };
  const counts = `${found.file.split("/").at(-1) ?? ""} ${found.records} records, ${found.lost} lost`;
  if (found.state !== "recording") return { word: found.state, level: "", title: counts };
  if (!isLive) return { word: "waits for records", level: "warn", title: `The recorder is running, but no records arrive. So far: ${counts}` };
  return { word: "REC", level: "bad", title: counts };
}
