import type { Json, JsonObject } from "@workflow-ui/client";

/** One part of a path: `name`, `.name`, `[0]` or `["any name"]`. */
const PART = /\.?([A-Za-z_][A-Za-z0-9_]*)|\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * What a reference of a workflow names among values that are known; undefined when it is not known yet. The workflow was
 * checked before it ran, so this only reads: the whole parser would bring the expressions to a page that has none.
 */
export function knownValue(reference: string, known: Json): Json | undefined {
  let current: Json | undefined = known;
  for (const part of partsOf(reference)) {
    if (Array.isArray(current)) {
      const list: readonly Json[] = current;
      current = list[Number(part)];
    } else if (isRecord(current) && Object.hasOwn(current, part)) current = current[part];
    else return undefined;
  }
  return current;
}

function partsOf(reference: string): readonly string[] {
  // The earlier spelling: `$steps.fetch.outputs#/data/id`.
  const [path = "", pointer = ""] = reference.startsWith("$")
    ? reference.slice(1).split("#", 2)
    : [reference];
  if (reference.startsWith("$"))
    return [
      ...path.split("."),
      ...pointer
        .split("/")
        .slice(1)
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")),
    ];
  const parts: string[] = [];
  PART.lastIndex = 0;
  for (let match = PART.exec(path); match !== null; match = PART.exec(path)) {
    const [, name, index, quoted] = match;
    parts.push(name ?? index ?? (quoted ?? "").replaceAll(/\\(.)/g, "$1"));
  }
  return parts;
}

function isRecord(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null;
}
