/** The part of TOML that files of generators use: keys, texts, numbers, true and false, lists, tables in lists. */

type Value = string | number | boolean | Value[];
export type Table = Record<string, Value | Table[]>;

const NUMBER = /^[+-]?(\d[\d_]*)(\.\d[\d_]*)?([eE][+-]?\d+)?$/;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", '"': '"', "\\": "\\" };

/** Errors name the line. */
export function parseToml(text: string): Table {
  return new Parser(text).table();
}

class Parser {
  #at = 0;

  constructor(private readonly text: string) {}

  table(): Table {
    const top: Table = {};
    let into: Table = top;
    for (this.#blank(); this.#at < this.text.length; this.#blank()) {
      if (this.#next("[[")) {
        const name = this.#key();
        this.#want("]]");
        const listed = (top[name] ??= []) as Table[];
        into = {};
        if (!Array.isArray(listed)) throw this.#error(`${name} is not a list of tables`);
        listed.push(into);
      } else if (this.#next("[")) {
        throw this.#error("a table in single brackets; generators are tables under [[generator]]");
      } else {
        const key = this.#key();
        if (key in into) throw this.#error(`${key} appears twice`);
        this.#space();
        this.#want("=");
        this.#space();
        into[key] = this.#value();
      }
      this.#endOfLine();
    }
    return top;
  }

  #value(): Value {
    const first = this.text[this.#at];
    if (first === '"' || first === "'") return this.#string(first);
    if (this.#next("[")) return this.#list();
    const word = /^[^\s,\]#]+/.exec(this.text.slice(this.#at))?.[0] ?? "";
    this.#at += word.length;
    if (word === "true" || word === "false") return word === "true";
    if (!NUMBER.test(word)) throw this.#error(`${word || "nothing"} is not a number, string, list, true or false`);
    return Number(word.replaceAll("_", ""));
  }

  #list(): Value[] {
    const found: Value[] = [];
    for (;;) {
      this.#blank();
      if (this.#next("]")) return found;
      found.push(this.#value());
      this.#blank();
      if (this.#next(",")) continue;
      this.#want("]");
      return found;
    }
  }

  #string(quote: string): string {
    let found = "";
    for (this.#at += 1; ; this.#at += 1) {
      const letter = this.text[this.#at];
      if (letter === undefined || letter === "\n") throw this.#error("a string without an end");
      if (letter === quote) break;
      if (letter !== "\\" || quote === "'") {
        found += letter;
        continue;
      }
      this.#at += 1;
      const code = this.text[this.#at] ?? "";
      const digits = code === "u" ? 4 : code === "U" ? 8 : 0;
      const hex = this.text.slice(this.#at + 1, this.#at + 1 + digits);
      const escaped = digits ? String.fromCodePoint(Number(`0x${hex}`) || 0xfffd) : ESCAPES[code];
      if (escaped === undefined) throw this.#error(`\\${code} in a string`);
      found += escaped;
      this.#at += digits;
    }
    this.#at += 1;
    return found;
  }

  #key(): string {
    const found = /^[A-Za-z0-9_-]+/.exec(this.text.slice(this.#at))?.[0];
    if (!found) throw this.#error("a key is expected");
    this.#at += found.length;
    return found;
  }

  #next(mark: string): boolean {
    if (!this.text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }

  #want(mark: string): void {
    if (!this.#next(mark)) throw this.#error(`${mark} is expected`);
  }

  #space(): void {
    while (this.text[this.#at] === " " || this.text[this.#at] === "\t") this.#at += 1;
  }

  /** Over spaces, line ends and comments. */
  #blank(): void {
    this.#at += /^(\s|#[^\n]*)*/.exec(this.text.slice(this.#at))?.[0].length ?? 0;
  }

  #endOfLine(): void {
    this.#space();
    const rest = /^(#[^\n]*)?\r?(\n|$)/.exec(this.text.slice(this.#at));
    if (!rest) throw this.#error("more than one value in a line");
    this.#at += rest[0].length;
  }

  #error(what: string): Error {
    return new Error(`line ${this.text.slice(0, this.#at).split("\n").length}: ${what}`);
  }
}
