import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";

/** The list at a key; empty when there is none. */
export function listAt(value: JsonObject, key: string): readonly Json[] {
  const list = value[key];
  return Array.isArray(list) ? list : [];
}

/** The object at a key; empty when there is none. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const object = value[key];
  return isJsonObject(object) ? object : {};
}

/** The text at a key; empty when there is none. */
export function textAt(value: JsonObject, key: string): string {
  const text = value[key];
  return typeof text === "string" ? text : "";
}

/** Node ids for the names of another format. */
export interface Ids {
  of(name: string): string;
  /** A new id for something that has no name of its own. */
  fresh(hint: string): string;
}

/** Gives every name an id that our documents allow, each its own. */
export function nodeIds(names: readonly string[]): Ids {
  const byName = new Map<string, string>();
  const taken = new Set<string>();
  const fresh = (hint: string): string => {
    const plain =
      hint
        .replaceAll(/[^A-Za-z0-9_-]/g, "_")
        .replace(/^[^A-Za-z_]/, "_$&")
        .slice(0, 50) || "step";
    let id = plain === "__proto__" ? "step" : plain;
    for (let n = 2; taken.has(id); n++) id = `${plain}_${n}`;
    taken.add(id);
    return id;
  };
  const of = (name: string): string => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const id = fresh(name);
    byName.set(name, id);
    return id;
  };
  for (const name of names) of(name);
  return { of, fresh };
}
