import { hash } from "node:crypto";

/**
 * RFC 8785: one text for one value, whatever order its keys came in.
 * ECMAScript's number and string serialisation is the one the RFC prescribes; keys sort by UTF-16 code unit.
 */
export function canonicalJson(value: unknown): string {
  // The platform's own serialiser is several times faster, and right where the keys stand in order already.
  if (isInOrder(value)) return JSON.stringify(value);
  if (value === null || typeof value !== "object") {
    const text = JSON.stringify(value);
    if (text === undefined || (typeof value === "number" && !Number.isFinite(value))) {
      throw new TypeError("canonicalJson takes JSON values only");
    }
    return text;
  }
  if (Array.isArray(value)) return canonicalArray(value);
  return canonicalObject(value);
}

/** True for an object or array all of whose objects have their keys in canonical order and whose numbers are finite. */
function isInOrder(value: unknown): value is object {
  if (value === null || typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every(isSerialised);
  let before = "";
  for (const key of Object.keys(value)) {
    if (key < before || !isSerialised(Reflect.get(value, key))) return false;
    before = key;
  }
  return true;
}

function isSerialised(item: unknown): boolean {
  if (typeof item === "object") return item === null || isInOrder(item);
  return typeof item === "string" || typeof item === "boolean" || Number.isFinite(item);
}

function canonicalArray(items: readonly unknown[]): string {
  let text = "[";
  for (let i = 0; i < items.length; i++) text += (i === 0 ? "" : ",") + canonicalJson(items[i] ?? null);
  return `${text}]`;
}

function canonicalObject(members: object): string {
  let text = "{";
  for (const key of Object.keys(members).sort()) {
    const item: unknown = Reflect.get(members, key);
    if (item === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(item)}`;
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
