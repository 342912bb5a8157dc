import { refHasSiblings } from "./dialect.ts";
import type { Dialect } from "./document.ts";
import { isRecord, own, setOwn } from "./json.ts";

/** The dialects that validators know. */
export type ValidatorDialect = "draft-07" | "2019-09" | "2020-12";

/** A schema that a standard validator reads as its author meant it. */
export interface Normalized {
  readonly schema: unknown;
  readonly dialect: ValidatorDialect;
}

const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SINGLES = new Set([
  "not",
  "if",
  "then",
  "else",
  "contains",
  "additionalProperties",
  "additionalItems",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
  "contentSchema",
]);
const MAPS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
const BESIDE_REF = new Set([
  "$ref",
  "$schema",
  "$id",
  "$defs",
  "definitions",
  "title",
  "description",
  "$comment",
]);
const NEWER_THAN: Readonly<Partial<Record<Dialect, readonly string[]>>> = {
  "draft-04": ["const", "contains", "propertyNames", "if", "then", "else", "$id", "examples"],
  "draft-06": ["if", "then", "else"],
};

/**
 * Rewrites older and OpenAPI dialects into ones that validators know: exclusive bounds as numbers, `nullable` as a type,
 * `id` as `$id`, keywords that a dialect does not have or ignores beside `$ref` left out. The input is not changed.
 */
export function normalizeForValidation(schema: unknown, dialect: Dialect): Normalized {
  const target: ValidatorDialect =
    dialect === "2020-12" || dialect === "openapi-3.1"
      ? "2020-12"
      : dialect === "2019-09"
        ? "2019-09"
        : "draft-07";
  const copy = rewrite(schema, dialect, 0);
  if (isRecord(copy)) Reflect.deleteProperty(copy, "$schema");
  return { schema: copy, dialect: target };
}

function rewrite(schema: unknown, dialect: Dialect, depth: number): unknown {
  if (!isRecord(schema) || depth > 300) return schema;
  const older = dialect !== "2020-12" && dialect !== "2019-09" && dialect !== "openapi-3.1";
  const hasRef = !refHasSiblings(dialect) && typeof own(schema, "$ref") === "string";
  const unknownHere = NEWER_THAN[dialect];
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (hasRef && !BESIDE_REF.has(key)) continue;
    if (unknownHere?.includes(key) === true) continue;
    const name = key === "id" && dialect === "draft-04" ? "$id" : key;
    if (name === "$id" && typeof value !== "string") continue;
    setOwn(copy, name, rewriteKeyword(key, value, dialect, depth));
  }
  if (older) exclusiveBounds(copy);
  if (own(copy, "type") === "file") copy["type"] = "string";
  return own(schema, "nullable") === true && !hasRef ? allowNull(copy) : copy;
}

function rewriteKeyword(key: string, value: unknown, dialect: Dialect, depth: number): unknown {
  const next = (item: unknown): unknown => rewrite(item, dialect, depth + 1);
  if (LISTS.has(key) && Array.isArray(value)) return value.map(next);
  if (key === "items") return Array.isArray(value) ? value.map(next) : next(value);
  if (SINGLES.has(key)) return next(value);
  if (MAPS.has(key) && isRecord(value)) {
    const map: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(value))
      setOwn(map, name, Array.isArray(item) ? item : next(item));
    return map;
  }
  if (key === "required" && !Array.isArray(value)) return [];
  return value;
}

function exclusiveBounds(copy: Record<string, unknown>): void {
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const exclusive = own(copy, flag);
    if (typeof exclusive !== "boolean") continue;
    Reflect.deleteProperty(copy, flag);
    const limit = own(copy, bound);
    if (!exclusive || typeof limit !== "number") continue;
    Reflect.deleteProperty(copy, bound);
    copy[flag] = limit;
  }
}

function allowNull(copy: Record<string, unknown>): unknown {
  Reflect.deleteProperty(copy, "nullable");
  const type = own(copy, "type");
  const listed = own(copy, "enum");
  const plain =
    typeof type === "string" &&
    !["allOf", "anyOf", "oneOf", "const", "not"].some((key) => Object.hasOwn(copy, key));
  if (!plain) return { anyOf: [{ type: "null" }, copy] };
  return {
    ...copy,
    type: type === "null" ? type : [type, "null"],
    ...(Array.isArray(listed) && !listed.includes(null) && { enum: [...listed, null] }),
  };
}
