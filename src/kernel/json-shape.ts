/** Values of a JSON text that are built into objects; counted before that, because building them is what costs. */
const MAX_SHAPE_VALUES = 100_000;
/** Different names of members: each costs ten times what a value does, in every step that an answer goes through. */
const MAX_SHAPE_NAMES = 20_000;
/** Characters of a JSON text that are built into objects. */
export const MAX_SHAPE_CHARS = 4_000_000;
/** Containers inside containers. */
const MAX_SHAPE_DEPTH = 200;

/** What a JSON text would cost as objects. */
export interface JsonShape {
  readonly values: number;
  /** Different names of members, counted up to just past the bound. */
  readonly names: number;
  readonly depth: number;
  readonly bytes: number;
  /** The JSON text of the member `id` at the top, which distinguishes an answer of JSON-RPC from other messages; null without one. */
  readonly id: string | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const SPACES = new Set([0x09, 0x0a, 0x0d, 0x20]);
const MAX_ID_BYTES = 100;
/** Of longer names the beginning counts. */
const MAX_NAME_BYTES = 100;

/** Counts the values of a JSON text without building any of them. What is no JSON is counted all the same. */
export function jsonShape(bytes: Uint8Array): JsonShape {
  let values = 1;
  let depth = 0;
  let deepest = 0;
  let id: string | null = null;
  let text = -1;
  const names = new Set<string>();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (text !== -1) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) {
        if (depth === 1 && at - text === 3 && bytes[text + 1] === 0x69 && bytes[text + 2] === 0x64)
          id ??= idAfter(bytes, at + 1);
        if (names.size <= MAX_SHAPE_NAMES && isName(bytes, at + 1))
          names.add(buffer.toString("latin1", text + 1, Math.min(at, text + 1 + MAX_NAME_BYTES)));
        text = -1;
      }
    } else if (byte === QUOTE) text = at;
    else if (byte === COMMA) values++;
    else if (OPEN.has(byte)) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (CLOSE.has(byte)) depth--;
  }
  return { values, names: names.size, depth: deepest, bytes: bytes.byteLength, id };
}

/** True when a colon follows. */
function isName(bytes: Uint8Array, from: number): boolean {
  let at = from;
  while (SPACES.has(bytes[at] ?? 0)) at++;
  return bytes[at] === COLON;
}

/** The value behind the key `id`; null when it was no key or is no string or number. */
function idAfter(bytes: Uint8Array, from: number): string | null {
  const near = Buffer.from(bytes.subarray(from, from + MAX_ID_BYTES)).toString("utf8");
  if (!near.trimStart().startsWith(String.fromCharCode(COLON))) return null;
  return /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*[,}]/.exec(near)?.[1] ?? null;
}

/** Why a JSON text is not built into objects; null when it is. */
export function shapeProblem({ values, names, depth, bytes }: Omit<JsonShape, "id">): string | null {
  const allowed = `up to ${MAX_SHAPE_VALUES} values with ${MAX_SHAPE_NAMES} different names in ${MAX_SHAPE_CHARS} characters, nested ${MAX_SHAPE_DEPTH} deep, keep their shape`;
  if (values > MAX_SHAPE_VALUES) return `has ${values} values; ${allowed}`;
  if (names > MAX_SHAPE_NAMES) return `has more than ${MAX_SHAPE_NAMES} different names; ${allowed}`;
  if (bytes > MAX_SHAPE_CHARS) return `has ${bytes} characters; ${allowed}`;
  if (depth > MAX_SHAPE_DEPTH) return `is nested ${depth} deep; ${allowed}`;
  return null;
}
