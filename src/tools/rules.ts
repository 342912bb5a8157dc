import { pointerSegment } from "../kernel/paths.ts";
import type { Problem } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";

/*
 * What the fixed parameter schemas cannot say: whole numbers, closed sets of names, parameters that are needed after
 * all. Each rule gives problems, which the catalog reports together.
 */

/** A whole number, where the schema says number. */
export function whole(name: string, value: number | undefined, from: number, to: number): readonly Problem[] {
  if (value === undefined || (Number.isInteger(value) && value >= from && value <= to)) return [];
  const expected = `a whole number from ${from} to ${to}`;
  return [
    {
      pointer: `/${name}`,
      message: `"${name}" must be ${expected}.`,
      expected,
      given: String(value),
      fix: `Give ${expected}.`,
    },
  ];
}

/** A bound on how many entries a list or an object may have. */
export function atMost(name: string, given: number, most: number): readonly Problem[] {
  if (given <= most) return [];
  const expected = `at most ${most} entries`;
  return [
    {
      pointer: `/${name}`,
      message: `"${name}" has ${given} entries; it may have ${most}.`,
      expected,
      given: `${given} entries`,
      fix: "Send fewer at a time.",
    },
  ];
}

/** One of a closed set of names, where the schema says string. */
export function oneOf(
  name: string,
  value: string | undefined,
  allowed: readonly string[],
): readonly Problem[] {
  if (value === undefined || allowed.includes(value)) return [];
  const [near] = nearestNames(value, allowed, 1);
  const expected = `one of ${allowed.map((item) => JSON.stringify(item)).join(", ")}`;
  return [
    {
      pointer: `/${name}`,
      message: `"${name}" must be ${expected}.`,
      expected,
      given: JSON.stringify(value.slice(0, 60)),
      fix: near === undefined ? `Give ${expected}.` : `Use ${JSON.stringify(near)}.`,
    },
  ];
}

/** A parameter that the schema calls optional and that nothing can be done without. */
export function needed(
  name: string,
  value: string | JsonObject | undefined,
  expected: string,
): readonly Problem[] {
  const empty =
    value === undefined ||
    (typeof value === "string" ? value.trim() === "" : Object.keys(value).length === 0);
  if (!empty) return [];
  return [
    {
      pointer: `/${name}`,
      message: `"${name}" is required here.`,
      expected,
      given:
        value === undefined ? "nothing" : typeof value === "string" ? "an empty text" : "an empty object",
      fix: `Add "${name}": ${expected}.`,
    },
  ];
}

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
/** Older drafts and Swagger 2.0 write these, and forms understand them. */
const OLDER_TYPES = new Set(["any", "file"]);
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const SINGLE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems", "items"];
const MOST_SCHEMAS = 2_000;
const MOST_PROBLEMS = 50;

/** Types that no JSON value has: a misspelt one would make a field that accepts nothing. */
export function knownTypes(schema: JsonObject | undefined): readonly Problem[] {
  const problems: Problem[] = [];
  const open: { readonly schema: unknown; readonly pointer: string }[] = [{ schema, pointer: "/schema" }];
  for (
    let count = 0, next = open.pop();
    next !== undefined && count < MOST_SCHEMAS;
    next = open.pop(), count++
  ) {
    if (problems.length >= MOST_PROBLEMS) break;
    if (!isObject(next.schema)) continue;
    problems.push(...typeProblems(next.schema["type"], `${next.pointer}/type`));
    open.push(...subschemas(next.schema, next.pointer));
  }
  return problems;
}

function typeProblems(type: unknown, pointer: string): readonly Problem[] {
  const given: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const wrong = given.find((item) => !isKnownType(item));
  if (wrong === undefined) return [];
  const shown = typeof wrong === "string" ? JSON.stringify(wrong.slice(0, 60)) : typeof wrong;
  const [near] = typeof wrong === "string" ? nearestNames(wrong, TYPES, 1) : [];
  const expected = `one of ${TYPES.map((item) => JSON.stringify(item)).join(", ")}, or a list of them`;
  return [
    {
      pointer,
      message: `${shown} is not a JSON Schema type.`,
      expected,
      given: shown,
      fix: near === undefined ? `Give ${expected}.` : `Use ${JSON.stringify(near)}.`,
    },
  ];
}

function isKnownType(type: unknown): boolean {
  return typeof type === "string" && (TYPES.some((known) => known === type) || OLDER_TYPES.has(type));
}

function subschemas(
  schema: Readonly<Record<string, unknown>>,
  pointer: string,
): readonly { readonly schema: unknown; readonly pointer: string }[] {
  const found: { readonly schema: unknown; readonly pointer: string }[] = [];
  const add = (item: unknown, place: string): void =>
    void found.push({ schema: item, pointer: pointer + place });
  for (const key of MAPS) {
    const map = schema[key];
    if (!isObject(map)) continue;
    for (const [name, item] of Object.entries(map)) add(item, `/${key}/${pointerSegment(name)}`);
  }
  for (const key of SINGLE) if (isObject(schema[key])) add(schema[key], `/${key}`);
  for (const key of LISTS) {
    const list: unknown = schema[key];
    if (Array.isArray(list)) list.forEach((item, index) => add(item, `/${key}/${index}`));
  }
  return found;
}
