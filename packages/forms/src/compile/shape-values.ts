import { sameJson } from "../values/json.ts";
import type { Shape, TypeName } from "./shape.ts";

/*
 * What a schema says about the value itself: its types, the values it lists, its limits.
 */

const TEXT_LIMITS = ["format", "contentEncoding", "contentMediaType"];
const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"];
const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"];
/** The types of JSON Schema. */
export const TYPE_NAMES: ReadonlySet<string> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "null",
  "object",
  "array",
]);

/** Keywords that `addLimits` reads. */
export const LIMIT_KEYWORDS = [...TEXT_LIMITS, ...LOWER, ...UPPER, "pattern", "multipleOf", "uniqueItems"];

/** Narrows the types of a shape to those that a schema names. */
export function addTypes(shape: Shape, get: (keyword: string) => unknown): void {
  const given = get("type");
  if (get("nullable") === true) shape.nullable = true;
  const names = (Array.isArray(given) ? given : [given]).filter(isTypeName);
  // Swagger 2.0 calls an uploaded file a type of its own.
  if (given === "file") {
    names.push("string");
    shape.limits.set("format", "binary");
  }
  if (names.length === 0 || (Array.isArray(given) && given.includes("any"))) return;
  const types = new Set<TypeName>(names);
  if (get("nullable") === true) types.add("null");
  if (shape.types === null) shape.types = types;
  else {
    const both = [...shape.types].filter((name) => types.has(name));
    if (shape.types.has("number") && types.has("integer")) both.push("integer");
    if (shape.types.has("integer") && !types.has("integer") && types.has("number")) both.push("integer");
    shape.types = new Set(both);
    if (both.length === 0) shape.never = true;
  }
}

function isTypeName(name: unknown): name is TypeName {
  return typeof name === "string" && TYPE_NAMES.has(name);
}

/** Narrows the values of a shape to those that a schema lists. */
export function addValues(shape: Shape, get: (keyword: string) => unknown): void {
  const fixed = get("const");
  const listed = get("enum");
  if (fixed !== undefined) {
    narrow(shape, [fixed]);
    shape.isConst = true;
  }
  if (Array.isArray(listed)) narrow(shape, listed);
}

function narrow(shape: Shape, values: readonly unknown[]): void {
  shape.values =
    shape.values === null ? [...values] : shape.values.filter((a) => values.some((b) => sameJson(a, b)));
  if (shape.values.length === 0) shape.never = true;
}

/** Adds the limits of a schema, the tighter one of each. */
export function addLimits(shape: Shape, get: (keyword: string) => unknown): void {
  for (const keyword of TEXT_LIMITS) {
    const value = get(keyword);
    if (typeof value === "string" && !shape.limits.has(keyword)) shape.limits.set(keyword, value);
  }
  const pattern = get("pattern");
  if (typeof pattern === "string" && !shape.patterns.includes(pattern)) shape.patterns.push(pattern);
  for (const keyword of LOWER) tighten(shape, keyword, get(keyword), Math.max);
  for (const keyword of UPPER) tighten(shape, keyword, get(keyword), Math.min);
  tighten(shape, "multipleOf", get("multipleOf"), (a, b) => (a % b === 0 ? a : b % a === 0 ? b : a * b));
  if (get("uniqueItems") === true) shape.limits.set("uniqueItems", true);
  // Draft-04 and OpenAPI 3.0 write exclusive bounds as a flag beside the bound.
  for (const [flag, bound, exclusive] of [
    ["exclusiveMinimum", "minimum", "exclusiveMinimum"],
    ["exclusiveMaximum", "maximum", "exclusiveMaximum"],
  ] as const) {
    if (get(flag) === true && typeof get(bound) === "number") shape.limits.set(exclusive, get(bound));
  }
}

function tighten(
  shape: Shape,
  keyword: string,
  value: unknown,
  pick: (a: number, b: number) => number,
): void {
  if (typeof value !== "number") return;
  const old = shape.limits.get(keyword);
  shape.limits.set(keyword, typeof old === "number" ? pick(old, value) : value);
}
