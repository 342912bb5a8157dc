import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { withoutTrailing } from "../kernel/text.ts";

const ID = /^[a-z][a-z0-9-]*_[A-Za-z0-9_-]{6,120}$/;

/** The value as a URL under the sibling's own address (origin and path), or null. */
export function urlUnder(base: URL, value: unknown): URL | null {
  if (typeof value !== "string" || value.length > 2_000) return null;
  const url = URL.parse(value);
  if (url === null || url.origin !== base.origin || url.username !== "" || url.password !== "") return null;
  const root = withoutTrailing(base.pathname, "/");
  return url.pathname.startsWith(`${root}/`) && url.pathname.length > root.length + 1 ? url : null;
}

/** The value as an id `prefix_…`, or null. */
export function idOf(value: unknown, prefix?: string): string | null {
  if (typeof value !== "string" || !ID.test(value)) return null;
  return prefix === undefined || value.startsWith(`${prefix}_`) ? value : null;
}

/** The value as a count: an integer from 0. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

/** The value as a share from 0 to 1. */
export function shareOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= 1 ? value : null;
}

/** The value as points from 0 to 100. */
export function pointsOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= 100 ? value : null;
}

/** The part as an object, or null. */
export function partOf(data: JsonObject, name: string): JsonObject | null {
  const part = data[name];
  return isJsonObject(part) ? part : null;
}

/** True when the last part of an address names the id, so that the one belongs to the other. */
export function names(url: URL, id: string): boolean {
  return url.pathname.split("/").some((part) => part === id || part.startsWith(`${id}.`));
}

/** A part of the payload as text for an address; empty when it is no text. */
export function textOf(payload: JsonObject, name: string): string {
  const part = payload[name];
  return typeof part === "string" ? part : "";
}
