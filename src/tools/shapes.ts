import { Type, type TUnsafe } from "typebox";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { PageRequest } from "../ports/store.ts";

/** A free JSON object. */
export function jsonObject(description?: string): TUnsafe<JsonObject> {
  return Type.Unsafe<JsonObject>({ type: "object", ...(description !== undefined && { description }) });
}

/** A free JSON array. */
export function jsonArray(description?: string): TUnsafe<readonly Json[]> {
  return Type.Unsafe<readonly Json[]>({ type: "array", ...(description !== undefined && { description }) });
}

/** Which part of a list is asked for: the tool's own limit wins over `svc/limit` of `_meta`; `svc/cursor` is where it goes on. */
export function pageOf(meta: JsonObject, limit?: number): PageRequest {
  const { "svc/cursor": cursor, "svc/limit": wanted } = meta;
  const size = limit ?? (typeof wanted === "number" ? wanted : 50);
  return { limit: size, ...(typeof cursor === "string" && { cursor }) };
}
