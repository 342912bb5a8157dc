import { isAscii, isUtf8 } from "node:buffer";
import { AppError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { duplicateMember } from "./json-duplicates.ts";

/** No request body may be larger than this. */
export const MAX_BODY_BYTES = 1_048_576;
/** No request body may be nested deeper than this. */
const MAX_DEPTH = 64;
/** Members of all objects of a body together: names are what makes a body costly to read, check and digest. */
export const MAX_MEMBERS = 20_000;
/** Objects and arrays of a body. */
export const MAX_CONTAINERS = 20_000;
/** No batch may have more items than this. */
export const MAX_BATCH = 50;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LOWER_U = 0x75;

/**
 * Parses a body that comes from outside. Refuses, with a clear message, what JSON parsers disagree about or what would
 * be lost later: invalid UTF-8, a byte order mark, duplicate members, numbers beyond double precision, NUL characters,
 * lone surrogates, and nesting that could exhaust a stack.
 */
export function parseJsonBody(bytes: Buffer): Json {
  if (bytes.length === 0) throw new AppError("parse_error", "The body is empty; send JSON.");
  if (bytes.length > MAX_BODY_BYTES) {
    throw new AppError("too_large", `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new AppError("parse_error", "The body begins with a byte order mark; send plain UTF-8.");
  }
  // Most bodies are ASCII, which is recognised and decoded faster than UTF-8.
  const ascii = isAscii(bytes);
  if (!ascii && !isUtf8(bytes)) throw new AppError("parse_error", "The body is not valid UTF-8.");
  const members = scan(bytes);
  const text = bytes.toString(ascii ? "latin1" : "utf8");
  const value = parse(text);
  // The scanner counted the colons outside strings; fewer members in the value means that some shared a name.
  if (countMembers(value) !== members) {
    throw new AppError("parse_error", `The member ${duplicateMember(text)} occurs more than once.`);
  }
  return value;
}

/** Checks nesting and escapes without building anything; returns the number of object members. */
function scan(bytes: Buffer): number {
  let depth = 0;
  let members = 0;
  let containers = 0;
  /** Items of an array that is the whole body. */
  let items = 0;
  let isArray = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i = skipString(bytes, i + 1);
    } else if (byte === COLON) {
      members++;
    } else if (byte === COMMA) {
      if (depth === 1 && isArray) items++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      containers++;
      if (depth === 0 && byte === OPEN_BRACKET) {
        isArray = true;
        items = 1;
      }
      if (++depth > MAX_DEPTH) {
        throw new AppError("parse_error", `The body is nested deeper than ${MAX_DEPTH} levels.`);
      }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    }
  }
  if (members <= MAX_MEMBERS && containers <= MAX_CONTAINERS) return members;
  // A batch of thousands of small calls is refused as the batch that it is.
  if (items > MAX_BATCH) throw batchTooLong(items);
  throw tooMany(members, containers);
}

/** Why a batch is refused for its length. */
export function batchTooLong(items: number): AppError {
  return new AppError(
    "invalid_request",
    `A batch may have ${MAX_BATCH} items at most; this one has ${items}.`,
  );
}

function tooMany(members: number, containers: number): AppError {
  return new AppError(
    "too_large",
    `A body may have ${MAX_MEMBERS} members of objects and ${MAX_CONTAINERS} objects and arrays; this one has ${members} and ${containers}.`,
    { nextAction: "Send less at a time, or send a large document as one text." },
  );
}

/** The position of the closing quote. */
function skipString(bytes: Buffer, start: number): number {
  let i = start;
  for (; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) return i;
    if (byte !== BACKSLASH) continue;
    i++;
    if (bytes[i] === LOWER_U) i = checkEscape(bytes, i + 1);
  }
  return i;
}

/** Checks the four digits of a `\u` escape that begin at `start`; returns the position of the escape's last byte. */
function checkEscape(bytes: Buffer, start: number): number {
  const unit = codeUnit(bytes, start);
  if (unit === 0)
    throw new AppError("parse_error", "The body has a NUL character (\\u0000), which cannot be stored.");
  if (unit >= 0xdc00 && unit <= 0xdfff) throw loneSurrogate();
  if (unit < 0xd800 || unit > 0xdbff) return start + 3;
  if (bytes[start + 4] !== BACKSLASH || bytes[start + 5] !== LOWER_U) throw loneSurrogate();
  const low = codeUnit(bytes, start + 6);
  if (!(low >= 0xdc00 && low <= 0xdfff)) throw loneSurrogate();
  return start + 9;
}

function loneSurrogate(): AppError {
  return new AppError(
    "parse_error",
    "The body has half of a surrogate pair (\\ud800–\\udfff), which is no character.",
  );
}

/** NaN when the four bytes are not hexadecimal; `JSON.parse` refuses that with its position. */
function codeUnit(bytes: Buffer, start: number): number {
  const digits = bytes.toString("latin1", start, start + 4);
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
}

function parse(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (error) {
    throw new AppError("parse_error", `The body is not JSON${placeOf(error)}.`, { cause: error });
  }
}

/** Where the parser gave up, as far as its message says; the message itself quotes the input. */
function placeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `: see character ${position}`;
  return /end of JSON|Unterminated/.test(message) ? ": it ends too early" : "";
}

/** Recursion is safe here: the scanner bounded the depth. */
function countMembers(value: Json): number {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) {
      throw new AppError("parse_error", "The body has a number beyond what a double can hold.");
    }
    return 0;
  }
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  for (const item of Object.values(value)) count += 1 + (item === undefined ? 0 : countMembers(item));
  return count;
}
