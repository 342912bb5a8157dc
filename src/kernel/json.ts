/** Any value that JSON text can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Keys come from outside, so a missing key is always possible. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** True for a plain JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a JSON array. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** True for an object out of `JSON.parse`, or one that its type holds to JSON: only the top needs a look. */
export function isParsedObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** True for a JSON object among JSON values: its members are JSON already, so only the top is looked at. */
export function isJsonRecord(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** True when a value consists of JSON types only, so it can be stored and sent without loss. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (!isObject(value)) return false;
  for (const key of Object.keys(value)) if (value[key] !== undefined && !isJson(value[key])) return false;
  return true;
}

/** True for a JSON object whose values are all JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && isJson(value);
}

/** The value of a JSON text; undefined when it is none. */
export function parsedJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object of a JSON text; null when it is none. */
export function parsedObject(text: string): JsonObject | null {
  const value = parsedJson(text);
  return isJsonRecord(value) ? value : null;
}

/** A value as it is sent: without what JSON leaves out. */
export function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** The items of a list; none where it is something else. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A text, or what stands for it. */
export function textOr(value: Json | undefined, other: string): string {
  return typeof value === "string" ? value : other;
}

/** A text as it is, everything else as JSON. */
export function textOrJson(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
