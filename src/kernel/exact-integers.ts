import { pointerSegment } from "./paths.ts";
import type { Json } from "./json.ts";

/*
 * A double keeps integers up to 2^53 - 1. What JSON.parse makes of a longer one, such as the 64-bit ids of many APIs, is
 * another number.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LONG = /\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** The code of the note, among an answer's problems, that it has integers as texts. */
export const KEPT_AS_TEXT = "integers_as_text";
/** From here on numbers are written with an exponent: they are measures, not ids. */
const EXPONENT_FROM = 1e21;

/** Where a value has an integer that may be another one than was given; null when it has none. */
export function inexactAt(value: Json | undefined, pointer = ""): string | null {
  if (typeof value === "number") {
    const isDoubtful = Number.isInteger(value) && !Number.isSafeInteger(value);
    return isDoubtful && Math.abs(value) < EXPONENT_FROM ? pointer : null;
  }
  if (typeof value !== "object" || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const found = inexactAt(item, `${pointer}/${pointerSegment(name)}`);
    if (found !== null) return found;
  }
  return null;
}

/** A JSON text whose integers that a double would change are texts, and those integers. */
export function withExactIntegers(text: string): { readonly text: string; readonly kept: readonly string[] } {
  if (!LONG.test(text)) return { text, kept: [] };
  const parts: string[] = [];
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++)
        if (text.charCodeAt(at) === BACKSLASH) at++;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(text)?.[0] ?? "";
      if (isChanged(number)) {
        parts.push(text.slice(from, at), `"${number}"`);
        kept.push(number);
        from = at + number.length;
      }
      at += Math.max(0, number.length - 1);
    }
  }
  return { text: parts.join("") + text.slice(from), kept };
}

function isChanged(number: string): boolean {
  if (number.length < 16 || number.length > 300 || !/^-?\d+$/.test(number)) return false;
  const value = Number(number);
  return !Number.isSafeInteger(value) && String(value) !== number && BigInt(value) !== BigInt(number);
}
