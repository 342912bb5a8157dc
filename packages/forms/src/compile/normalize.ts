import { isKnownIn, refHasSiblings } from "./dialect.ts";
import type { Dialect } from "./document.ts";
import { isRecord, own, setOwn } from "../values/json.ts";
import { ecmaPattern } from "../check/regex.ts";

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
/**
 * Rewrites older and OpenAPI dialects into ones that validators know: exclusive bounds as numbers, `nullable` as a type,
 * `id` as `$id`, keywords that a dialect does not have, ignores beside `$ref` or that mean nothing left out. The input
 * is not changed.
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
  if (typeof schema === "boolean") return schema;
  // What is no schema says nothing about values.
  if (!isRecord(schema) || depth > 300) return isRecord(schema) ? schema : true;
  const hasRef = !refHasSiblings(dialect) && typeof own(schema, "$ref") === "string";
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (hasRef && !BESIDE_REF.has(key)) continue;
    if (!isKnownIn(dialect, key) || (key === "id" && dialect !== "draft-04")) continue;
    if (!hasMeaning(key, value)) continue;
    setOwn(copy, key === "id" ? "$id" : key, rewriteKeyword(key, value, dialect, depth));
  }
  exclusiveBounds(copy);
  cleanType(copy);
  if (Array.isArray(own(copy, "items")) && (dialect === "2020-12" || dialect === "openapi-3.1"))
    tupleItems(copy);
  if (isKnownIn(dialect, "dependentSchemas")) splitDependencies(copy);
  const nullable = own(schema, "nullable") === true && !hasRef;
  Reflect.deleteProperty(copy, "nullable");
  const whole = nullable ? allowNull(copy) : copy;
  const listed = own(schema, "enum");
  // Validators refuse an enum of nothing; what it says is that no value fits.
  return Array.isArray(listed) && listed.length === 0 && !hasRef ? false : whole;
}

const COUNTS = new Set([
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minContains",
  "maxContains",
]);
const TEXTS = new Set(["$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "format"]);

/** False for a keyword whose value is of a kind that means nothing; validators would refuse the whole schema for it. */
function hasMeaning(key: string, value: unknown): boolean {
  if (COUNTS.has(key)) return typeof value === "number" && Number.isInteger(value) && value >= 0;
  if (key === "$id" || key === "id") return typeof value === "string" && isAddress(value);
  if (TEXTS.has(key)) return typeof value === "string";
  if (LISTS.has(key)) return Array.isArray(value) && value.length > 0;
  if (MAPS.has(key) || key === "dependentRequired") return isRecord(value);
  switch (key) {
    case "minimum":
    case "maximum":
      return typeof value === "number";
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return typeof value === "number" || typeof value === "boolean";
    case "multipleOf":
      return typeof value === "number" && value > 0;
    case "pattern":
      return typeof value === "string" && ecmaPattern(value) !== null;
    case "enum":
      return Array.isArray(value) && value.length > 0;
    case "uniqueItems":
    case "$recursiveAnchor":
      return typeof value === "boolean";
    case "required":
      return Array.isArray(value);
    default:
      return true;
  }
}

function rewriteKeyword(key: string, value: unknown, dialect: Dialect, depth: number): unknown {
  const next = (item: unknown): unknown => rewrite(item, dialect, depth + 1);
  if (LISTS.has(key) && Array.isArray(value)) return value.map(next);
  if (key === "items") return Array.isArray(value) ? value.map(next) : next(value);
  if (SINGLES.has(key)) return next(value);
  if (MAPS.has(key) && isRecord(value)) {
    const map: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(value)) {
      const pattern = key === "patternProperties" ? ecmaPattern(name) : name;
      if (pattern !== null) setOwn(map, pattern, Array.isArray(item) ? item.filter(isText) : next(item));
    }
    return map;
  }
  if (key === "dependentRequired" && isRecord(value)) {
    const entries = Object.entries(value).filter(([, names]) => Array.isArray(names));
    return Object.fromEntries(
      entries.map(([name, names]) => [name, Array.isArray(names) ? names.filter(isText) : []]),
    );
  }
  if (key === "pattern" && typeof value === "string") return ecmaPattern(value);
  if (key === "required" && Array.isArray(value)) return [...new Set(value.filter(isText))];
  return value;
}

function isAddress(text: string): boolean {
  return !/[\s<>"{}|\\^`]/.test(text) && (!/^[^/?#]*:/.test(text) || /^[a-z][a-z0-9+.-]*:/i.test(text));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Unknown types, and `any` among others, allow everything; an uploaded file is text. */
function cleanType(copy: Record<string, unknown>): void {
  const given = own(copy, "type");
  if (given === undefined) return;
  const names = (Array.isArray(given) ? given : [given]).map((name: unknown) =>
    name === "file" ? "string" : name,
  );
  const known = [...new Set(names.filter((name) => isText(name) && TYPES.has(name)))];
  if (known.length === 0 || names.length === 0 || known.length < new Set(names).size)
    Reflect.deleteProperty(copy, "type");
  else copy["type"] = Array.isArray(given) ? known : known[0];
}

const TYPES = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

/** One old keyword for what became two; ajv's newer dialects stumble over it. */
function splitDependencies(copy: Record<string, unknown>): void {
  const old = own(copy, "dependencies");
  if (!isRecord(old)) return;
  Reflect.deleteProperty(copy, "dependencies");
  for (const [keyword, isList] of [
    ["dependentRequired", true],
    ["dependentSchemas", false],
  ] as const) {
    const moved = Object.entries(old).filter(([, needs]) => Array.isArray(needs) === isList);
    if (moved.length === 0) continue;
    const given = own(copy, keyword);
    const parts = Object.fromEntries(moved);
    if (given === undefined) copy[keyword] = parts;
    else copy["allOf"] = [...(Array.isArray(copy["allOf"]) ? copy["allOf"] : []), { [keyword]: parts }];
  }
}

/** A list of schemas under `items`, as it was written before 2020-12. */
function tupleItems(copy: Record<string, unknown>): void {
  copy["prefixItems"] ??= own(copy, "items");
  Reflect.deleteProperty(copy, "items");
  const rest = own(copy, "additionalItems");
  if (rest !== undefined) copy["items"] = rest;
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
