/** Names that nobody else has. */

/** So many random bytes as hexadecimal digits; `crypto.randomUUID` is not there on plain http. */
export function randomName(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
