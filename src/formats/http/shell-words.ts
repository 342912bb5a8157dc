import type { Placeholder, Template } from "./placeholders.ts";

/** One command of a shell text. */
export interface ShellCommand {
  readonly words: readonly Template[];
  /** What stood after it: `|` hands its output on, `>` writes it to a file. */
  readonly end: string;
  readonly line: number;
}

const MAX_COMMANDS = 1_000;
const MAX_WORDS = 2_000;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\u001B",
  "0": "\0",
};

/**
 * The commands of a text as it is pasted into a shell. Variables become placeholders by `placeholder`; nothing is run or
 * looked up.
 */
export function shellCommands(
  given: string,
  placeholder: (name: string) => Placeholder,
): readonly ShellCommand[] {
  return new ShellReader(plain(given), placeholder).read();
}

/** The Windows form that browsers copy (`^` at the end of lines and before quotes) as a shell would take it. */
function plain(given: string): string {
  const text = given.replaceAll("\r\n", "\n");
  if (!text.includes("^\n") && !text.includes('curl ^"')) return text;
  return text.replaceAll("^\n", " ").replaceAll('^\\^"', '\\"').replaceAll(/\^(.)/g, "$1");
}

class ShellReader {
  readonly #text: string;
  readonly #placeholder: (name: string) => Placeholder;
  readonly #commands: ShellCommand[] = [];
  #at = 0;
  #line = 1;
  #start = 1;
  #words: Template[] = [];
  #parts: (string | Placeholder)[] = [];
  #inWord = false;

  constructor(text: string, placeholder: (name: string) => Placeholder) {
    this.#text = text;
    this.#placeholder = placeholder;
  }

  read(): readonly ShellCommand[] {
    while (this.#at < this.#text.length && this.#commands.length < MAX_COMMANDS) this.#step();
    this.#endCommand("");
    return this.#commands;
  }

  #step(): void {
    const character = this.#text[this.#at] ?? "";
    const next = this.#text[this.#at + 1] ?? "";
    if (character === "\n") {
      this.#endCommand("\n");
      this.#line += 1;
      this.#at += 1;
    } else if (character === "\\") {
      this.#at += 2;
      if (next === "\n") this.#line += 1;
      else this.#add(next);
    } else if (/\s/.test(character)) {
      this.#endWord();
      this.#at += 1;
    } else if (character === "#" && !this.#inWord) {
      const end = this.#text.indexOf("\n", this.#at);
      this.#at = end === -1 ? this.#text.length : end;
    } else if (character === "'") this.#single(this.#at + 1);
    else if (character === "$" && next === "'") this.#ansi();
    else if (character === '"') this.#double();
    else if (character === "$" && this.#variable()) return;
    else if (character === "`") this.#substitution("`", this.#at + 1);
    else if (character === ";" || character === "&" || character === "|") {
      this.#endCommand(character === "|" && next !== "|" ? "|" : ";");
      this.#at += next === character ? 2 : 1;
    } else if ((character === ">" || character === "<") && !this.#inWord) {
      this.#endCommand(">");
      this.#at += 1;
    } else {
      this.#add(character);
      this.#at += 1;
    }
  }

  #add(text: string): void {
    this.#inWord = true;
    const last = this.#parts.at(-1);
    if (typeof last === "string") this.#parts[this.#parts.length - 1] = last + text;
    else this.#parts.push(text);
  }

  #put(placeholder: Placeholder): void {
    this.#inWord = true;
    this.#parts.push(placeholder);
  }

  #endWord(): void {
    if (!this.#inWord) return;
    if (this.#words.length === 0) this.#start = this.#line;
    if (this.#words.length < MAX_WORDS) this.#words.push(this.#parts);
    this.#parts = [];
    this.#inWord = false;
  }

  #endCommand(end: string): void {
    this.#endWord();
    if (this.#words.length > 0)
      this.#commands.push({ words: this.#words, end: end === "\n" ? "" : end, line: this.#start });
    this.#words = [];
  }

  #skip(text: string): void {
    for (const character of text) if (character === "\n") this.#line += 1;
  }

  #single(from: number): void {
    const end = this.#text.indexOf("'", from);
    const inner = this.#text.slice(from, end === -1 ? undefined : end);
    this.#add(inner);
    this.#skip(inner);
    this.#at = end === -1 ? this.#text.length : end + 1;
  }

  #ansi(): void {
    this.#add("");
    for (this.#at += 2; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? "";
      if (character === "'") {
        this.#at += 1;
        return;
      }
      if (character !== "\\") {
        this.#add(character);
        continue;
      }
      this.#at += 1;
      const code = /^(?:u([0-9a-fA-F]{1,4})|x([0-9a-fA-F]{1,2}))/.exec(
        this.#text.slice(this.#at, this.#at + 5),
      );
      if (code === null) {
        const escaped = this.#text[this.#at] ?? "";
        this.#add(ESCAPES[escaped] ?? escaped);
      } else {
        this.#add(String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? "0", 16)));
        this.#at += code[0].length - 1;
      }
    }
  }

  #double(): void {
    this.#add("");
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? "";
      const next = this.#text[this.#at + 1] ?? "";
      if (character === '"') {
        this.#at += 1;
        return;
      }
      if (character === "\\" && '"\\$`\n'.includes(next) && next !== "") {
        if (next === "\n") this.#line += 1;
        else this.#add(next);
        this.#at += 2;
      } else if (character === "$" && this.#variable()) continue;
      else if (character === "`") this.#substitution("`", this.#at + 1);
      else {
        if (character === "\n") this.#line += 1;
        this.#add(character);
        this.#at += 1;
      }
    }
  }

  /** `$NAME`, `${NAME}` or `$(command)`; false when the dollar sign stands for itself. */
  #variable(): boolean {
    const rest = this.#text.slice(this.#at, this.#at + 200);
    const named = /^\$\{?([A-Za-z_]\w*)/.exec(rest);
    if (named !== null) {
      this.#put(this.#placeholder(named[1] ?? "value"));
      const close = rest.startsWith("${") ? rest.indexOf("}") : named[0].length - 1;
      this.#at += close === -1 ? rest.length : close + 1;
      return true;
    }
    if (!rest.startsWith("$(")) return false;
    this.#substitution(")", this.#at + 2);
    return true;
  }

  /** The output of another command: an input of the workflow, because nothing is run here. */
  #substitution(end: string, from: number): void {
    const close = this.#text.indexOf(end, from);
    const [word = "command"] = this.#text.slice(from, from + 40).match(/[A-Za-z_]\w*/) ?? [];
    this.#put(this.#placeholder(`output_of_${word}`));
    this.#at = close === -1 ? this.#text.length : close + 1;
  }
}
