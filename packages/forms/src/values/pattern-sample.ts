import { matchesPattern } from "../check/regex.ts";

/*
 * A short text that matches a pattern, for examples. Understands what schemas use most: literals, classes, groups,
 * alternatives (the first is taken) and repetition (the fewest). Whatever comes out is checked against the pattern.
 */

const CLASSES: Readonly<Record<string, string>> = { d: "1", w: "a", s: " ", D: "a", W: "-", S: "a" };
const LONGEST = 200;

/** A text that matches the pattern, at least `minLength` long; undefined when none is found. */
export function sampleOfPattern(pattern: string, minLength = 0, maxLength = LONGEST): string | undefined {
  if (minLength > LONGEST) return undefined;
  for (const later of [false, true]) {
    for (const extra of [0, 1, 2, Math.max(0, minLength)]) {
      const text = new Maker(pattern, extra, later).make();
      if (text === undefined || text.length < minLength || text.length > maxLength) continue;
      if (matchesPattern(pattern, text) === true) return text;
    }
  }
  return undefined;
}

class Maker {
  readonly #pattern: string;
  readonly #extra: number;
  readonly #later: boolean;
  #at = 0;

  /** `later` takes another character of each class than its first: some patterns exclude a text of zeros. */
  constructor(pattern: string, extra: number, later: boolean) {
    this.#pattern = pattern;
    this.#extra = extra;
    this.#later = later;
  }

  make(): string | undefined {
    const text = this.#alternatives(0);
    return this.#at >= this.#pattern.length ? text : undefined;
  }

  #alternatives(depth: number): string | undefined {
    let first: string | undefined;
    let index = 0;
    do {
      const text = this.#sequence(depth);
      if (text === undefined) return undefined;
      if (index === 0) first = text;
      index += 1;
    } while (this.#take("|"));
    return first;
  }

  #sequence(depth: number): string | undefined {
    let text = "";
    while (this.#at < this.#pattern.length && !"|)".includes(this.#peek())) {
      const atom = this.#atom(depth);
      if (atom === undefined || text.length > LONGEST) return undefined;
      const count = this.#count();
      // Repetition inside repetition multiplies.
      if (atom.length * count > LONGEST * 2) return undefined;
      text += atom.repeat(count);
    }
    return text;
  }

  #atom(depth: number): string | undefined {
    const char = this.#next();
    if (char === "^" || char === "$") return "";
    if (char === ".") return "a";
    if (char === "[") return this.#class();
    if (char === "\\") return this.#escape();
    if (char !== "(") return char;
    if (depth > 20) return undefined;
    const assertion = /^\?(?:[=!]|<[=!])/.test(this.#pattern.slice(this.#at, this.#at + 3));
    this.#at += /^\?(?:[:=!]|<[=!]|<[A-Za-z]\w*>)/.exec(this.#pattern.slice(this.#at))?.[0].length ?? 0;
    const inner = this.#alternatives(depth + 1);
    if (!this.#take(")")) return undefined;
    return assertion ? "" : inner;
  }

  #escape(): string | undefined {
    const char = this.#next();
    if (char === "b" || char === "B") return "";
    if (char === "p" || char === "P") {
      this.#at += /^\{[^}]*\}/.exec(this.#pattern.slice(this.#at))?.[0].length ?? 0;
      return "a";
    }
    if (char === "n" || char === "t") return char === "n" ? "\n" : "\t";
    return /[1-9]/.test(char) ? undefined : (CLASSES[char] ?? char);
  }

  #class(): string | undefined {
    const end = this.#classEnd();
    if (end < 0) return undefined;
    const body = this.#pattern.slice(this.#at, end);
    this.#at = end + 1;
    if (body.startsWith("^")) {
      const regex = `[${body}]`;
      return Array.from("a1-_A .:/").find((char) => matchesPattern(`^${regex}$`, char) === true);
    }
    if (this.#later) {
      const regex = `^[${body}]$`;
      const other = Array.from("7bkQ-_").find((char) => matchesPattern(regex, char) === true);
      if (other !== undefined) return other;
    }
    const first = body.charAt(0) === "\\" ? (CLASSES[body.charAt(1)] ?? body.charAt(1)) : body.charAt(0);
    return first === "" ? undefined : first;
  }

  #classEnd(): number {
    for (let index = this.#at; index < this.#pattern.length; index++) {
      const char = this.#pattern.charAt(index);
      if (char === "\\") index += 1;
      else if (char === "]" && index > this.#at) return index;
    }
    return -1;
  }

  #count(): number {
    const rest = this.#pattern.slice(this.#at);
    const bounds = /^\{(\d+)(,(\d*))?\}\??/.exec(rest);
    if (bounds) {
      this.#at += bounds[0].length;
      const least = Math.min(Number(bounds[1]), LONGEST);
      const most = bounds[2] === undefined ? least : bounds[3] === "" ? LONGEST : Number(bounds[3]);
      return Math.min(least + this.#extra, most);
    }
    const mark = /^[*+?]\??/.exec(rest)?.[0];
    if (mark === undefined) return 1;
    this.#at += mark.length;
    if (mark.startsWith("+")) return 1 + this.#extra;
    return mark.startsWith("?") ? Math.min(1, this.#extra) : this.#extra;
  }

  #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #next(): string {
    const char = this.#peek();
    this.#at += 1;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }
}
