import type { Json } from "./json.ts";

/*
 * C0 and C1 controls (but tab and line feed), bidirectional marks and overrides, zero-width and tag characters:
 * all of them can make text read differently to a person than to a model.
 */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;
const MAX_DEPTH = 32;

/** A copy of another server's value without characters that hide or reorder text; what is not JSON is left out. */
export function sanitized(value: unknown, most = MAX_DEPTH, depth = 0): Json {
  if (typeof value === "string") return value.toWellFormed().replace(UNSAFE, "");
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (value === null || typeof value !== "object" || depth >= most) return null;
  if (Array.isArray(value)) return value.map((item) => sanitized(item, most, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key.replace(UNSAFE, ""), sanitized(item, most, depth + 1)]),
  );
}
