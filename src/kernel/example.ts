import { isJson, isObject, type Json } from "./json.ts";
import { pointerSegments } from "./paths.ts";

/* The smallest value that a JSON Schema allows, for errors: one that is certain to fit, or none. */

const DEEPEST = 8;
const MOST_VALUES = 200;
const MOST_CHARS = 400;
/** Of schemas with these, only values that they name themselves are certain. */
const UNCERTAIN = new Set(
  "allOf not if pattern multipleOf exclusiveMinimum exclusiveMaximum contains minProperties propertyNames dependentRequired dependentSchemas prefixItems".split(
    " ",
  ),
);

/** A value of each format that is known here. */
export const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  "date-time": "2027-01-31T08:00:00Z",
  date: "2027-01-31",
  email: "ada@example.com",
  uri: "https://api.example.com/v1",
  uuid: "0b8f9d1e-5d0e-4a6b-9f3e-2b1c8a7d6e5f",
};

/** The smallest value that fits a schema; undefined where none is certain, or it is too long to show. */
export function exampleOf(schema: unknown, root: unknown = schema): Json | undefined {
  const example = new Examples(root).of(schema, 0);
  return example !== undefined && JSON.stringify(example).length <= MOST_CHARS ? example : undefined;
}

/** The schema that a reference in the same document leads to. */
export function resolved(schema: unknown, root: unknown): unknown {
  let found = schema;
  for (let left = DEEPEST; left > 0 && isObject(found) && typeof found["$ref"] === "string"; left--) {
    const [, pointer = "?"] = found["$ref"].split("#", 2);
    const path = found["$ref"].startsWith("#") ? pointerSegments(pointer) : null;
    found = path?.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root);
  }
  return found;
}

class Examples {
  readonly #root: unknown;
  #left = MOST_VALUES;

  constructor(root: unknown) {
    this.#root = root;
  }

  of(given: unknown, depth: number): Json | undefined {
    const schema = resolved(given, this.#root);
    this.#left -= 1;
    if (depth > DEEPEST || this.#left < 0 || !isObject(schema)) return undefined;
    const { enum: choices, examples, type } = schema;
    const named = [schema["const"], first(choices), schema["default"], first(examples), schema["example"]];
    const offer = named.find((value) => value !== undefined);
    if (offer !== undefined) return isJson(offer) ? offer : undefined;
    if (Object.keys(schema).some((word) => UNCERTAIN.has(word))) return undefined;
    const branches = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(branches)) return this.#ofBranch(branches, schema["anyOf"] === undefined, depth);
    const wanted = Array.isArray(type) ? first(type) : (type ?? (isObject(schema["properties"]) && "object"));
    if (wanted === "object") return this.#object(schema, depth);
    if (wanted === "array") return this.#list(schema, depth);
    if (wanted === "integer" || wanted === "number") return number(schema);
    if (wanted === "boolean") return true;
    return wanted === "null" ? null : text(schema);
  }

  /** Of several of which exactly one may fit, those of different types tell themselves apart. */
  #ofBranch(branches: readonly unknown[], isExclusive: boolean, depth: number): Json | undefined {
    const types = branches.map((branch) => (isObject(branch) ? branch["type"] : undefined));
    if (isExclusive && (types.includes(undefined) || new Set(types).size < types.length)) return undefined;
    return this.of(branches[0], depth + 1);
  }

  #object({ properties, required }: Readonly<Record<string, unknown>>, depth: number): Json | undefined {
    const members: (readonly [string, Json])[] = [];
    for (const name of Array.isArray(required) ? required.map(String) : []) {
      const value = this.of(isObject(properties) ? properties[name] : undefined, depth + 1);
      if (value === undefined) return undefined;
      members.push([name, value]);
    }
    return Object.fromEntries(members);
  }

  #list({ items, minItems = 0, uniqueItems }: Readonly<Record<string, unknown>>, depth: number) {
    const length = Number(minItems);
    if (length === 0) return [];
    const item = this.of(items ?? {}, depth + 1);
    const isCertain = item !== undefined && length <= DEEPEST && (length === 1 || uniqueItems !== true);
    return isCertain ? Array.from({ length }, () => item) : undefined;
  }
}

function number({ minimum, maximum }: Readonly<Record<string, unknown>>): number {
  if (typeof minimum === "number") return Math.ceil(minimum);
  return typeof maximum === "number" ? Math.min(1, Math.floor(maximum)) : 1;
}

function text({ format, minLength = 0, maxLength }: Readonly<Record<string, unknown>>): string | undefined {
  if (format !== undefined) return typeof format === "string" ? FORMAT_EXAMPLES[format] : undefined;
  const longest = typeof maxLength === "number" ? maxLength : MOST_CHARS;
  return Number(minLength) > MOST_CHARS ? undefined : "text".padEnd(Number(minLength), "x").slice(0, longest);
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}
