import { ExactNumber, isRecord, own, setOwn, type FormValue } from "./json.ts";

/*
 * JSON text in and out without loss: numbers keep their text where a double would change it, and saving reuses the
 * source text of everything that was not edited, so that opening and saving changes no byte.
 */

/** JSON text that was opened for editing. */
export interface OpenedJson {
  readonly text: string;
  readonly value: FormValue;
  readonly root: Span;
}

/** Where a value stands in the text, and where its members or items stand. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly value: FormValue;
  readonly members?: readonly Member[];
  readonly items?: readonly Span[];
}

interface Member {
  readonly key: string;
  readonly span: Span;
}

/** Why a text is not JSON: what was found, and at which character. */
export class JsonTextError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = "JsonTextError";
    this.position = position;
  }
}

const DEEPEST = 1_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;

/** Reads JSON text for editing. Throws JsonTextError with the position of the first mistake. */
export function openJson(text: string): OpenedJson {
  const reader = new Reader(text);
  const root = reader.document();
  return { text, value: root.value, root };
}

/** The value of JSON text, with numbers that a double cannot hold exactly kept as ExactNumber. */
export function parseExact(text: string): FormValue {
  return openJson(text).value;
}

/** JSON text of a value; exact numbers are written as they were read. */
export function stringifyExact(value: FormValue, indent = ""): string {
  return write(value, indent, "");
}

/** The text of an edited value: what did not change keeps its source text, byte for byte. */
export function saveJson(opened: OpenedJson, value: FormValue): string {
  const { text, root } = opened;
  if (value === root.value || sameText(root.value, value)) return text;
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "";
  return text.slice(0, root.start) + patch(text, root, value, indent, "") + text.slice(root.end);
}

/** Equal in all that editing can change: the text of numbers counts, the order of members does not. */
function sameText(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof ExactNumber || b instanceof ExactNumber) {
    return a instanceof ExactNumber && b instanceof ExactNumber && a.text === b.text;
  }
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameText(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(b).filter((key) => own(b, key) !== undefined);
  return (
    Object.keys(a).length === keys.length &&
    keys.every((key) => Object.hasOwn(a, key) && sameText(own(a, key), own(b, key)))
  );
}

function patch(text: string, span: Span, value: unknown, indent: string, outer: string): string {
  const source = text.slice(span.start, span.end);
  if (sameText(span.value, value)) return source;
  const multiline = source.includes("\n");
  const inner = outer + indent;
  if (span.members && isRecord(value)) {
    const old = new Map(span.members.map((member) => [member.key, member.span]));
    const kept = span.members
      .map((member) => member.key)
      .filter((key, index, all) => own(value, key) !== undefined && all.lastIndexOf(key) === index);
    const added = Object.keys(value).filter((key) => own(value, key) !== undefined && !old.has(key));
    const parts = [...kept, ...added].map((key) => {
      const item = own(value, key);
      const before = old.get(key);
      const body = before
        ? patch(text, before, item, indent, inner)
        : write(item, multiline ? indent : "", inner);
      return `${JSON.stringify(key)}:${multiline || /": /.test(source) ? " " : ""}${body}`;
    });
    return wrap("{", "}", parts, multiline, inner, outer);
  }
  if (span.items && Array.isArray(value)) {
    const { items } = span;
    const parts = value.map((item, index) => {
      const before = items[index];
      return before ? patch(text, before, item, indent, inner) : write(item, multiline ? indent : "", inner);
    });
    return wrap("[", "]", parts, multiline, inner, outer);
  }
  return write(value, multiline || outer !== "" ? indent : "", outer);
}

function write(value: unknown, indent: string, outer: string): string {
  if (value instanceof ExactNumber) return value.text;
  const inner = outer + indent;
  if (Array.isArray(value)) {
    const parts = value.map((item) => write(item, indent, inner));
    return wrap("[", "]", parts, indent !== "", inner, outer);
  }
  if (isRecord(value)) {
    const colon = indent === "" ? ":" : ": ";
    const parts: string[] = [];
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item !== undefined) parts.push(`${JSON.stringify(key)}${colon}${write(item, indent, inner)}`);
    }
    return wrap("{", "}", parts, indent !== "", inner, outer);
  }
  return JSON.stringify(value) ?? "null";
}

function wrap(
  open: string,
  close: string,
  parts: readonly string[],
  multiline: boolean,
  inner: string,
  outer: string,
): string {
  if (parts.length === 0) return open + close;
  if (!multiline) return `${open}${parts.join(",")}${close}`;
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${outer}${close}`;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Span {
    this.#space();
    const span = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail("There is more text after the value");
    return span;
  }

  #value(depth: number): Span {
    if (depth > DEEPEST) this.#fail("The value is nested too deeply");
    const start = this.#at;
    switch (this.#text.charAt(start)) {
      case "{":
        return this.#object(start, depth);
      case "[":
        return this.#array(start, depth);
      case '"':
        return this.#span(start, this.#string());
      case "t":
        return this.#word(start, "true", true);
      case "f":
        return this.#word(start, "false", false);
      case "n":
        return this.#word(start, "null", null);
      default:
        return this.#span(start, this.#number());
    }
  }

  #object(start: number, depth: number): Span {
    const members: Member[] = [];
    const value: Record<string, FormValue> = {};
    this.#at += 1;
    this.#space();
    if (!this.#take("}")) {
      do {
        this.#space();
        if (this.#text[this.#at] !== '"') this.#fail("A member name in double quotes is expected");
        const key = this.#string();
        this.#space();
        if (!this.#take(":")) this.#fail("A colon is expected");
        this.#space();
        const span = this.#value(depth + 1);
        members.push({ key, span });
        setOwn(value, key, span.value);
        this.#space();
      } while (this.#take(","));
      if (!this.#take("}")) this.#fail("A comma or } is expected");
    }
    return { start, end: this.#at, value, members };
  }

  #array(start: number, depth: number): Span {
    const items: Span[] = [];
    this.#at += 1;
    this.#space();
    if (!this.#take("]")) {
      do {
        this.#space();
        items.push(this.#value(depth + 1));
        this.#space();
      } while (this.#take(","));
      if (!this.#take("]")) this.#fail("A comma or ] is expected");
    }
    return { start, end: this.#at, value: items.map((item) => item.value), items };
  }

  #string(): string {
    const start = this.#at;
    for (let index = start + 1; index < this.#text.length; index++) {
      const char = this.#text[index];
      if (char === "\\") index += 1;
      else if (char === '"') {
        this.#at = index + 1;
        try {
          const parsed: unknown = JSON.parse(this.#text.slice(start, index + 1));
          return String(parsed);
        } catch {
          this.#at = start;
          this.#fail("This text has a character or escape that JSON does not allow");
        }
      }
    }
    return this.#fail("The text has no closing quote");
  }

  #number(): FormValue {
    NUMBER.lastIndex = this.#at;
    const text = NUMBER.exec(this.#text)?.[0];
    if (text === undefined) return this.#fail("A JSON value is expected");
    this.#at += text.length;
    const value = Number(text);
    return String(value) === text ? value : new ExactNumber(text);
  }

  #word(start: number, word: string, value: FormValue): Span {
    if (!this.#text.startsWith(word, start)) this.#fail("A JSON value is expected");
    this.#at += word.length;
    return this.#span(start, value);
  }

  #span(start: number, value: FormValue): Span {
    return { start, end: this.#at, value };
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = Math.max(this.#at, SPACE.lastIndex);
  }

  #fail(message: string): never {
    throw new JsonTextError(`${message} (character ${this.#at + 1}).`, this.#at);
  }
}
