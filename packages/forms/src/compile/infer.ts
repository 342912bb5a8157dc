import { isRecord, type Json, type JsonObject } from "../values/json.ts";

const MAX_DEPTH = 24;
const MAX_MEMBERS = 500;
const MAX_ITEMS = 200;

/** Formats that a text shows without doubt. */
const FORMATS: readonly (readonly [string, RegExp])[] = [
  ["date-time", /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/],
  ["date", /^\d{4}-\d{2}-\d{2}$/],
  ["email", /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}$/],
  ["uri", /^https?:\/\/[^\s{}]{1,500}$/],
];

/** A JSON Schema that a sample fits: types, formats and members, none of them required. */
export function inferSchema(sample: Json): JsonObject {
  return schemaOf(sample, 0);
}

function schemaOf(sample: Json, depth: number): JsonObject {
  if (sample === null || depth > MAX_DEPTH) return {};
  if (typeof sample === "string") {
    const format = sample.length > 600 ? undefined : FORMATS.find(([, pattern]) => pattern.test(sample))?.[0];
    return { type: "string", ...(format !== undefined && { format }) };
  }
  if (typeof sample === "number") return { type: Number.isInteger(sample) ? "integer" : "number" };
  if (typeof sample === "boolean") return { type: "boolean" };
  if (isRecord(sample)) {
    const members = Object.entries(sample).slice(0, MAX_MEMBERS);
    return {
      type: "object",
      properties: Object.fromEntries(
        members.map(([name, item]) => [name, schemaOf(item ?? null, depth + 1)]),
      ),
    };
  }
  const items = sample
    .slice(0, MAX_ITEMS)
    .map((item) => schemaOf(item, depth + 1))
    .reduce<JsonObject | null>((all, next) => (all === null ? next : mergeSchemas(all, next)), null);
  return { type: "array", ...(items !== null && Object.keys(items).length > 0 && { items }) };
}

/** A schema that everything fits which one of two inferred schemas fits. */
export function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  // A value that was null or unknown says nothing against the other one.
  if (Object.keys(one).length === 0) return other;
  if (Object.keys(other).length === 0) return one;
  const [a, b] = [one["type"], other["type"]];
  if (a !== b) {
    const numbers = new Set([a, b]);
    return numbers.has("integer") && numbers.has("number") ? { type: "number" } : {};
  }
  if (a === "object") {
    const [left, right] = [one["properties"], other["properties"]];
    if (!isRecord(left) || !isRecord(right)) return { type: "object" };
    const merged: Record<string, Json> = {};
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const [mine, theirs] = [left[name], right[name]];
      merged[name] = mergeSchemas(isRecord(mine) ? mine : {}, isRecord(theirs) ? theirs : {});
    }
    return { type: "object", properties: merged };
  }
  if (a === "array") {
    const [left, right] = [one["items"], other["items"]];
    const items = mergeSchemas(isRecord(left) ? left : {}, isRecord(right) ? right : {});
    return { type: "array", ...(Object.keys(items).length > 0 && { items }) };
  }
  return one["format"] === other["format"] ? one : { type: a ?? "string" };
}
