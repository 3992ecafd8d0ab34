/** What a script says at a time of its world. */

import type { WorldScene } from "../net/types";

/** "" where it says nothing, or does not steer. @param t of the world [s] @param isScript whether a script steers */
export function captionAt({ captions, script }: Pick<WorldScene, "captions" | "script">, t: number, isScript: boolean): string {
  if (!isScript || !Number.isFinite(t)) return "";
  return captions[script]?.findLast(([from]) => from <= t)?.[1] ?? "";
}
