/** Whether a word is in a list of words; it is one of them from then on. */
export function isOneOf<T>(words: readonly T[], word: unknown): word is T {
  return (words as readonly unknown[]).includes(word);
}
