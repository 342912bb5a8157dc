import type { Problem } from "../kernel/errors.ts";
import { isObject } from "../kernel/json.ts";

const MAX_PROBLEMS = 50;

/**
 * Everything in a value that does not fit a schema, each with what is allowed there. Knows the keywords that our own
 * packet schema uses; whether a value fits at all is decided by the compiled validator.
 */
export function schemaProblems(schema: unknown, value: unknown): readonly Problem[] {
  const problems: Problem[] = [];
  collect(schema, value, "", problems);
  return problems.slice(0, MAX_PROBLEMS);
}

function collect(schema: unknown, value: unknown, pointer: string, problems: Problem[]): void {
  if (!isObject(schema) || problems.length >= MAX_PROBLEMS) return;
  if (!fits(schema, value)) {
    const expected = expectation(schema);
    const message = value === undefined ? "is missing" : `must be ${expected}`;
    problems.push({ pointer, message, expected, given: described(value), fix: `Send ${expected}.` });
    return;
  }
  const { properties, required, items } = schema;
  if (isObject(value) && isObject(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      const isRequired = Array.isArray(required) && required.includes(name);
      if (!isRequired && !Object.hasOwn(value, name)) continue;
      collect(property, value[name], `${pointer}/${name}`, problems);
    }
  }
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => collect(items, item, `${pointer}/${index}`, problems));
  }
}

/** Whether the value itself fits; its members are looked at one by one. */
function fits(schema: Readonly<Record<string, unknown>>, value: unknown): boolean {
  const { const: constant, enum: choices, anyOf, type, pattern, minLength, maxLength, maxItems } = schema;
  if (value === undefined) return false;
  if (constant !== undefined && value !== constant) return false;
  if (Array.isArray(choices) && !choices.includes(value)) return false;
  if (Array.isArray(anyOf) && !anyOf.some((one) => isObject(one) && fits(one, value))) return false;
  if (typeof type === "string" && type !== typeName(value)) return false;
  if (typeof value === "string") {
    if (typeof minLength === "number" && value.length < minLength) return false;
    if (typeof maxLength === "number" && value.length > maxLength) return false;
    if (typeof pattern === "string" && !new RegExp(pattern, "u").test(value)) return false;
  }
  return !(Array.isArray(value) && typeof maxItems === "number" && value.length > maxItems);
}

/** What a schema allows, in words that name the values. */
function expectation(schema: Readonly<Record<string, unknown>>): string {
  const { const: constant, enum: choices, anyOf, type, pattern, minLength, maxLength, maxItems } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(choices)) return `one of ${choices.map((one) => JSON.stringify(one)).join(", ")}`;
  if (Array.isArray(anyOf)) return anyOf.map((one) => (isObject(one) ? expectation(one) : "")).join(" or ");
  if (type === "string") {
    if (typeof pattern === "string") return `a string that matches ${pattern}`;
    if (typeof maxLength === "number")
      return `a string of ${Number(minLength ?? 0)} to ${maxLength} characters`;
    return "a string";
  }
  if (type === "array") return `an array of at most ${Number(maxItems ?? 0)} items`;
  if (type === "object") {
    const names = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
    return names.length === 0 ? "an object" : `an object with ${names.join(", ")}`;
  }
  return type === "boolean" ? "true or false" : String(type);
}

function typeName(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

/** What was given, short: a long text may hold a secret. */
function described(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    return value.length <= 60 ? JSON.stringify(value) : `a string of ${value.length} characters`;
  }
  if (value !== null && typeof value === "object")
    return typeName(value) === "array" ? "an array" : "an object";
  return JSON.stringify(value) ?? typeof value;
}
