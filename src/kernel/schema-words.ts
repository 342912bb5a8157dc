import type { Problem } from "./errors.ts";
import { isObject, type JsonObject } from "./json.ts";
import { nearestNames } from "./nearest.ts";
import { pointerSegments } from "./paths.ts";

/*
 * What a JSON Schema of our own asks for, in words: errors name what is allowed, not only what is wrong.
 */

const NOUNS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "a time such as 2027-01-31T08:00:00Z",
  email: "an e-mail address such as ada@example.com",
  uri: "an address such as https://api.example.com/v1",
};
const MOST_FIELDS = 20;

/** What a schema asks for: its type, choices, bounds and, for an object, its fields (`?` marks optional ones). */
export function expectation(schema: unknown): string {
  if (!isObject(schema)) return "a value that fits the schema";
  const { enum: allowed, const: constant, type } = schema;
  if (Array.isArray(allowed)) return `one of ${allowed.map((item) => JSON.stringify(item)).join(", ")}`;
  if (constant !== undefined) return JSON.stringify(constant);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) return [...new Set(branches.map(expectation))].join(" or ");
  if (typeof type !== "string") return "a value that fits the schema";
  const format = typeof schema["format"] === "string" ? FORMATS[schema["format"]] : undefined;
  if (type === "string" && format !== undefined) return format;
  const noun = NOUNS[type] ?? type;
  return `${noun}${range(schema)}${length(schema)}${itemsOf(schema)}${fieldsOf(schema)}`;
}

/** What a schema asks for and what the value is for, when the schema says so. */
export function expectationWithUse(schema: unknown): string {
  const description = isObject(schema) ? schema["description"] : undefined;
  const untyped = isObject(schema) && schema["type"] === undefined && schema["enum"] === undefined;
  const wanted = untyped && schema["const"] === undefined ? "a value" : expectation(schema);
  return typeof description === "string" && description !== ""
    ? `${wanted} (${description.replace(/\.$/, "")})`
    : wanted;
}

function range({ minimum, maximum }: Readonly<Record<string, unknown>>): string {
  const low = typeof minimum === "number" ? minimum : null;
  const high = typeof maximum === "number" ? maximum : null;
  if (low !== null && high !== null) return ` from ${low} to ${high}`;
  if (low !== null) return ` of at least ${low}`;
  return high === null ? "" : ` of at most ${high}`;
}

function length({ minLength, maxLength }: Readonly<Record<string, unknown>>): string {
  if (typeof maxLength === "number" && typeof minLength === "number")
    return ` of ${minLength} to ${maxLength} characters`;
  if (typeof maxLength === "number") return ` of at most ${maxLength} characters`;
  return typeof minLength === "number" ? ` of at least ${minLength} characters` : "";
}

function itemsOf({ type, items }: Readonly<Record<string, unknown>>): string {
  return type === "array" && isObject(items) && typeof items["type"] === "string"
    ? ` of ${items["type"]}s`
    : "";
}

function fieldsOf({ type, properties, required }: Readonly<Record<string, unknown>>): string {
  if (type !== "object" || !isObject(properties)) return "";
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const names = Object.keys(properties);
  if (names.length === 0) return "";
  const shown = names.slice(0, MOST_FIELDS).map((name) => (needed.has(name) ? name : `${name}?`));
  return ` {${shown.join(", ")}${names.length > MOST_FIELDS ? ", …" : ""}}`;
}

/** What is wrong with arguments, with what is allowed there and how to fix it. */
export function argumentProblems(
  schema: JsonObject,
  value: unknown,
  errors: readonly { readonly pointer: string; readonly message: string }[],
): Problem[] {
  return errors.slice(0, 50).map(({ pointer, message }) => {
    const path = pointerSegments(pointer) ?? [];
    const name = path.at(-1) ?? "";
    const around = schemaAt(schema, path.slice(0, -1));
    const wanted = schemaAt(schema, path);
    const given = valueAt(value, path);
    const known = Object.keys(propertiesOf(around));
    if (wanted === undefined && given !== undefined && known.length > 0) {
      const place = placeOf(name, schema, "");
      const [near] = nearestNames(name, known);
      const where = place === null ? "" : `Move "${name}" to ${place}.`;
      const fix = near === undefined ? where || `Remove "${name}".` : `Rename "${name}" to "${near}".`;
      return { pointer, message, expected: `only ${known.join(", ")}`, given: name.slice(0, 100), fix };
    }
    const expected = expectationWithUse(wanted);
    if (given === undefined)
      return { pointer, message, expected, given: "nothing", fix: `Add "${name}": ${expected}.` };
    return { pointer, message, expected, given: described(given), fix: `Give ${expected}.` };
  });
}

/** What was given, without a text that may be a secret. */
function described(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return typeof value === "string" ? "a string" : isObject(value) ? "an object" : JSON.stringify(value);
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  return isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
}

function schemaAt(schema: unknown, path: readonly string[]): unknown {
  let found = schema;
  for (const name of path) {
    const items = isObject(found) && /^\d+$/.test(name) ? found["items"] : undefined;
    found = items ?? propertiesOf(found)[name];
  }
  return found;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path)
    found = Array.isArray(found) ? found[Number(name)] : isObject(found) ? found[name] : undefined;
  return found;
}

/** Where a name that is not known in one place is known: one or two levels below. */
function placeOf(name: string, schema: unknown, at: string): string | null {
  for (const [group, inner] of Object.entries(propertiesOf(schema))) {
    if (Object.hasOwn(propertiesOf(inner), name)) return `${at}/${group}/${name}`;
    const deeper = at === "" ? placeOf(name, inner, `/${group}`) : null;
    if (deeper !== null) return deeper;
  }
  return null;
}
