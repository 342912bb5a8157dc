import type { Dialect } from "./document.ts";
import { isRecord, own } from "../values/json.ts";

const BY_SCHEMA_URI: readonly (readonly [string, Dialect])[] = [
  ["json-schema.org/draft/2020-12/", "2020-12"],
  ["json-schema.org/draft/2019-09/", "2019-09"],
  ["json-schema.org/draft-07/", "draft-07"],
  ["json-schema.org/draft-06/", "draft-06"],
  ["json-schema.org/draft-04/", "draft-04"],
  ["json-schema.org/draft-03/", "draft-04"],
  ["spec.openapis.org/oas/3.1/", "openapi-3.1"],
];

/** The dialect a schema is written in: what `$schema` says, or else what its keywords give away. */
export function dialectOf(schema: unknown): Dialect {
  const uri = isRecord(schema) ? own(schema, "$schema") : undefined;
  if (typeof uri === "string") {
    for (const [part, dialect] of BY_SCHEMA_URI) if (uri.includes(part)) return dialect;
    if (/json-schema\.org\/schema/.test(uri)) return "draft-07";
  }
  return guess(schema);
}

/** Old keywords mean an old dialect; without any of them a schema is read as 2020-12, as MCP prescribes. */
function guess(schema: unknown): Dialect {
  let isOld = false;
  let isNew = false;
  const queue: unknown[] = [schema];
  for (let index = 0; index < queue.length && index < 5_000; index++) {
    const node = queue[index];
    if (Array.isArray(node)) {
      queue.push(...node.slice(0, 500));
      continue;
    }
    if (!isRecord(node)) continue;
    if (
      typeof own(node, "exclusiveMinimum") === "boolean" ||
      typeof own(node, "exclusiveMaximum") === "boolean"
    ) {
      return "draft-04";
    }
    if (Array.isArray(own(node, "items")) || isRecord(own(node, "dependencies"))) isOld = true;
    // This one was there in 2019-09 only.
    if (typeof own(node, "$recursiveRef") === "string") return "2019-09";
    if (!isNew) for (const key of Object.keys(node)) if (SINCE_2019.has(key)) isNew = true;
    queue.push(...Object.values(node));
  }
  return isOld && !isNew ? "draft-07" : "2020-12";
}

const SINCE_2019: ReadonlySet<string> = new Set([
  "unevaluatedProperties",
  "unevaluatedItems",
  "dependentSchemas",
  "dependentRequired",
  "minContains",
  "maxContains",
  "prefixItems",
  "$dynamicRef",
  "$recursiveRef",
  "$recursiveAnchor",
]);
const SINCE_2020: ReadonlySet<string> = new Set(["prefixItems", "$dynamicRef", "$dynamicAnchor"]);

/**
 * False for keywords that a dialect does not have, or not yet: its validators ignore them. What draft-06 and draft-07
 * added (`const`, `contains`, `propertyNames`, `if`) counts in every dialect: authors write it under an old `$schema`
 * and mean it, and no old schema means anything else by it.
 */
export function isKnownIn(dialect: Dialect, keyword: string): boolean {
  if (dialect === "2019-09") return !SINCE_2020.has(keyword);
  if (dialect === "2020-12") return keyword !== "$recursiveRef" && keyword !== "$recursiveAnchor";
  if (dialect !== "draft-04" && dialect !== "draft-06" && dialect !== "draft-07") return true;
  return !SINCE_2019.has(keyword);
}

/**
 * True where the keywords beside a `$ref` count. The text of draft-07 and before ignores them, but authors write them
 * and validators in use count them; OpenAPI 3.0 and Swagger 2.0 really ignore them.
 */
export function refHasSiblings(dialect: Dialect): boolean {
  return dialect !== "openapi-3.0" && dialect !== "swagger-2.0";
}
