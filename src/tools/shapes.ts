import { Type, type TObject, type TProperties, type TUnsafe } from "typebox";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { PageRequest } from "../ports/store.ts";

/** A tool's parameters: no other property is accepted, and `required` is always written out. */
export function params<P extends TProperties>(properties: P): TObject<P> {
  const schema = Type.Object(properties, { additionalProperties: false });
  return schema.required === undefined ? Object.assign(schema, { required: [] }) : schema;
}

/** A free JSON object. */
export function jsonObject(description?: string): TUnsafe<JsonObject> {
  return Type.Unsafe<JsonObject>({ type: "object", ...(description !== undefined && { description }) });
}

/** A free JSON array. */
export function jsonArray(description?: string): TUnsafe<readonly Json[]> {
  return Type.Unsafe<readonly Json[]>({ type: "array", ...(description !== undefined && { description }) });
}

/** Which part of a list is asked for: `svc/cursor` and `svc/limit` of the request's `_meta`. */
export function pageOf(meta: JsonObject, limit = 50): PageRequest {
  const { "svc/cursor": cursor, "svc/limit": wanted } = meta;
  const size = typeof wanted === "number" && wanted >= 1 && wanted <= 100 ? Math.floor(wanted) : limit;
  return { limit: size, ...(typeof cursor === "string" && { cursor }) };
}
