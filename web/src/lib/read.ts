/*
 * Readers of JSON that users and other servers own: workflow documents, schemas, answers of connected tools. What this
 * service answers itself has types (`@workflow-ui/client`) and is never read with these.
 */

import type { JsonObject } from "@workflow-ui/client";
import { isObject, isParsedObject } from "#kernel/json.ts";

/** A JSON object of unknown content. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whatever is at a path of keys. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** The object at a path of a JSON document, or an empty one. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isParsedObject(found) ? found : {};
}

/** The text at a path, or the given one. */
export function textAt(value: unknown, path: string | readonly string[], otherwise = ""): string {
  const found = at(value, ...(typeof path === "string" ? [path] : path));
  return typeof found === "string" ? found : otherwise;
}

/** The number at a path, or null. */
export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  return typeof found === "number" ? found : null;
}

/** The objects in the array at a path. */
export function objectsAt(value: unknown, ...path: readonly string[]): readonly JsonObject[] {
  return listAt(value, ...path).filter(isParsedObject);
}

/** The array at a path, or an empty one. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The texts in the array at a path. */
export function textsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  return listAt(value, ...path).filter((item) => typeof item === "string");
}
