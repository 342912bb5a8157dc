import { createHash } from "node:crypto";

/**
 * RFC 8785: one text for one value, whatever order its keys came in.
 * ECMAScript's number and string serialisation is the one the RFC prescribes; keys sort by UTF-16 code unit.
 */
export function canonicalJson(value: unknown): string {
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
  return createHash("sha256").update(data).digest("hex");
}

/** `sha256:<hex>` of the canonical form of a value: how this service names content. */
export function digestOf(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}
