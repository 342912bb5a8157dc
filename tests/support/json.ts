import { isJsonRecord, isList, listOf, type Json, type JsonObject } from "../../src/kernel/json.ts";

/** The value at a path of keys and indexes (negative ones count from the end); throws when more than the last is missing. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let here = value;
  for (const key of path) {
    if (typeof key === "number") here = listAt(here).at(key);
    else if (isJsonRecord(here)) here = here[key];
    else throw new TypeError(`nothing has ${key} of ${path.join(".")}: ${JSON.stringify(here)}`);
  }
  return here;
}

/** The value at a path; undefined where anything on the way is missing, for what is still waited for. */
export function foundAt(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let here = value;
  for (const key of path)
    here = typeof key === "number" ? listOf(here).at(key) : isJsonRecord(here) ? here[key] : undefined;
  return here;
}

/** The list at a path; throws when there is none. */
export function listAt(value: Json | undefined, ...path: readonly (string | number)[]): readonly Json[] {
  const list = at(value, ...path) ?? null;
  if (!isList(list)) throw new TypeError(`no list at ${path.join(".")}: ${JSON.stringify(list)}`);
  return list;
}

/** The objects of the list at a path; throws when there is no list, or when it holds anything else. */
export function objectsAt(
  value: Json | undefined,
  ...path: readonly (string | number)[]
): readonly JsonObject[] {
  return listAt(value, ...path).map((item) => {
    if (!isJsonRecord(item)) throw new TypeError(`no object at ${path.join(".")}: ${JSON.stringify(item)}`);
    return item;
  });
}

/** The text at a path; throws when there is none. */
export function textAt(value: Json | undefined, ...path: readonly (string | number)[]): string {
  const text = at(value, ...path);
  if (typeof text !== "string") throw new TypeError(`no text at ${path.join(".")}: ${JSON.stringify(text)}`);
  return text;
}
