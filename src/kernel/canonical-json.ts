import { hash } from "node:crypto";
import { isObject } from "./json.ts";

/**
 * RFC 8785: one text for one value, whatever order its keys came in.
 * ECMAScript's number and string serialisation is the one the RFC prescribes; keys sort by UTF-16 code unit.
 */
export function canonicalJson(value: unknown): string {
  // The platform's own serialiser is several times faster, and right where the keys stand in order.
  const inOrder = ordered(value);
  return inOrder === UNORDERED ? written(value) : JSON.stringify(inOrder);
}

/** Says that a value cannot be brought into an order that the platform's serialiser keeps. */
const UNORDERED = Symbol("unordered");

/** The value when all its keys stand in canonical order, else a copy of which that is true. */
function ordered(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object") return Number.isFinite(value) ? value : UNORDERED;
  if (Array.isArray(value)) return orderedArray(value);
  return isObject(value) ? orderedObject(value) : UNORDERED;
}

function orderedArray(items: readonly unknown[]): unknown {
  let copy: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = ordered(items[i]);
    if (item === UNORDERED) return UNORDERED;
    if (item === items[i]) continue;
    copy ??= [...items];
    copy[i] = item;
  }
  return copy ?? items;
}

function orderedObject(members: Readonly<Record<string, unknown>>): unknown {
  const keys = Object.keys(members);
  const sorted = isSorted(keys);
  if (!sorted) sortKeys(keys);
  let copy: Record<string, unknown> | undefined = sorted ? undefined : {};
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? "";
    const given = members[key];
    const item = ordered(given);
    if (item === UNORDERED) return UNORDERED;
    if (item !== given && copy === undefined) {
      copy = {};
      for (const before of keys.slice(0, i)) {
        if (!keepsItsPlace(before)) return UNORDERED;
        copy[before] = members[before];
      }
    }
    if (copy === undefined) continue;
    if (!keepsItsPlace(key)) return UNORDERED;
    copy[key] = item;
  }
  return copy ?? members;
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] ?? "") >= (keys[i] ?? "")) return false;
  return true;
}

/** Most objects have few keys: put in order one by one they need no room, of which the platform's sort takes a lot. */
function sortKeys(keys: string[]): void {
  if (keys.length > FEW_KEYS) {
    keys.sort();
    return;
  }
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] ?? "";
    let place = i;
    for (let before = keys[place - 1] ?? ""; place > 0 && before > key; before = keys[place - 1] ?? "") {
      keys[place] = before;
      place--;
    }
    keys[place] = key;
  }
}

const FEW_KEYS = 16;

/** An object puts keys that look like an index first, and `__proto__` is no member of it. */
function keepsItsPlace(key: string): boolean {
  const first = key.charCodeAt(0);
  return !(first >= 0x30 && first <= 0x39) && key !== "__proto__";
}

/** The text of a value piece by piece. */
function written(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item: unknown) => written(item ?? null)).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) return writtenObject(value);
  const text = JSON.stringify(value);
  if (text === undefined || (typeof value === "number" && !Number.isFinite(value))) {
    throw new TypeError("canonicalJson takes JSON values only");
  }
  return text;
}

function writtenObject(members: object): string {
  let text = "{";
  for (const key of Object.keys(members).sort()) {
    const item: unknown = Reflect.get(members, key);
    if (item === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${written(item)}`;
  }
  return `${text}}`;
}

/** SHA-256 of a text or of bytes, in lower-case hexadecimal. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** `sha256:<hex>` of the canonical form of a value: how this service names content. */
export function digestOf(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}
