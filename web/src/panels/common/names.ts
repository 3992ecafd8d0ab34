/** Names that people give to what is kept on the server: sets, layouts, exports, charts. The server asks for the same. */

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 _.-]{0,78}[A-Za-z0-9_-])?$/;
const RULE = "a name has letters, digits, spaces, - _ and ., begins with a letter or digit and ends without space or .";

/** What is wrong with a name, with the rule; "" where it is good. */
export function nameProblem(name: string): string {
  if (name === "") return "enter a name";
  if (name.length > 80) return `this name has ${name.length} characters; at most 80 are allowed`;
  if (NAME.test(name)) return "";
  const bad = [...name].find((letter) => !/[A-Za-z0-9 _.-]/.test(letter));
  return bad ? `“${bad}” cannot be in a name: ${RULE}` : `“${name}” cannot be a name: ${RULE}`;
}

/** The same for a derived channel, whose name stands in formulas. */
export function channelProblem(name: string): string {
  if (/^[a-z][a-z0-9_]{0,63}$/.test(name)) return "";
  return `“${name}” is not a channel name: use lower-case letters, digits and _, beginning with a letter, such as leg1_error`;
}
