/** Tokens as people paste them: alone, or within the address that the console printed. */

const SHAPE = /[A-Za-z0-9._~-]+/;

/** The token in a text; "" where there is none. */
export function tokenOf(text: string): string {
  const pasted = text.trim();
  const [, given] = /[#?&]token=([^&#\s]*)/.exec(pasted) ?? [];
  return SHAPE.exec(given ?? pasted.replace(/^["'`]+/, ""))?.[0] ?? "";
}
