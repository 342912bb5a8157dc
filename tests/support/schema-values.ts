import { isObject } from "../../src/kernel/json.ts";

/*
 * Values for a JSON Schema of our own: ones that fit it, and ones that break it at one place. Written apart from the
 * service's own checks, so that it can find what those miss.
 */

/** A generator of numbers from 0 to 1 that a seed repeats. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Schema = Readonly<Record<string, unknown>>;

/** How often a value is as large as its schema allows. */
const AT_BOUND = 0.05;

/** What patterns ask for. */
const USUAL_TEXTS = ["a1", "1", "group:x", "https://example.com", "data:image/png;base64,aGk=", "2026-11-18"];

/** A value that fits the schema. */
export function valueFor(schema: unknown, random: () => number): unknown {
  if (!isObject(schema)) return "any";
  const { enum: allowed, const: constant, type } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(allowed)) return pick(allowed, random);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) return valueFor(pick(branches, random), random);
  switch (type) {
    case "string":
      return textFor(schema, random);
    case "integer":
    case "number": {
      const low = numberOf(schema["minimum"], 0);
      const high = Math.min(numberOf(schema["maximum"], low + 1_000), low + 1_000_000);
      if (random() < AT_BOUND) return numberOf(schema["maximum"], high);
      return Math.round(low + random() * (high - low));
    }
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "array": {
      const least = numberOf(schema["minItems"], 0);
      const length = Math.min(least + Math.floor(random() * 3), numberOf(schema["maxItems"], 10));
      return Array.from({ length }, () => valueFor(schema["items"], random));
    }
    case "object":
      return objectFor(schema, random);
    default:
      return "any";
  }
}

function objectFor(schema: Schema, random: () => number): unknown {
  const required = requiredOf(schema);
  const entries = Object.entries(propertiesOf(schema)).filter(
    ([name]) => required.includes(name) || random() < 0.6,
  );
  return Object.fromEntries(entries.map(([name, member]) => [name, valueFor(member, random)]));
}

function textFor(schema: Schema, random: () => number): string {
  const { pattern, format, examples } = schema;
  if (Array.isArray(examples)) return String(pick(examples, random));
  if (format === "date-time") return new Date(Date.now() + 86_400_000 * (1 + random())).toISOString();
  if (format === "email") return `person${Math.floor(random() * 1_000)}@example.com`;
  if (format === "uri") return "https://api.example.com/v1";
  const longest = numberOf(schema["maxLength"], 1_000);
  const least = Math.max(1, numberOf(schema["minLength"], 1));
  const text = "a".repeat(least) + Math.floor(random() * 1_000).toString(36);
  const made = [random() < AT_BOUND ? "a".repeat(longest) : text, text, ...USUAL_TEXTS];
  const fitting = made
    .map((one) => one.slice(0, longest))
    .find((one) => typeof pattern !== "string" || new RegExp(pattern, "u").test(one));
  if (fitting === undefined)
    throw new TypeError(`no text fits ${String(pattern)}: the schema needs examples`);
  return fitting;
}

/** A value that breaks the schema, and where. */
export interface Broken {
  readonly pointer: string;
  readonly what: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Every way to break a fitting object at one of its members or theirs: missing, unknown, of another type, out of bounds. */
export function brokenFrom(schema: Schema, fitting: Readonly<Record<string, unknown>>): readonly Broken[] {
  const found: Broken[] = [
    { pointer: "/not-a-member", what: "unknown member", value: { ...fitting, "not-a-member": 1 } },
  ];
  for (const [name, member] of Object.entries(propertiesOf(schema))) {
    const pointer = `/${name}`;
    if (requiredOf(schema).includes(name)) {
      const { [name]: _left, ...rest } = fitting;
      found.push({ pointer, what: "missing", value: rest });
    }
    for (const [what, value] of wrongValues(member))
      found.push({ pointer, what, value: { ...fitting, [name]: value } });
    for (const inner of brokenWithin(member, fitting[name]))
      found.push({
        pointer: `${pointer}${inner.pointer}`,
        what: `${inner.what} inside`,
        value: { ...fitting, [name]: inner.value },
      });
  }
  return found;
}

/** The same one level further: in an object, or in the first item of a list. */
function brokenWithin(
  schema: unknown,
  fitting: unknown,
): readonly { readonly pointer: string; readonly what: string; readonly value: unknown }[] {
  if (!isObject(schema)) return [];
  if (isObject(schema["properties"]) && isObject(fitting))
    return brokenFrom(schema, fitting).filter(
      ({ what }) => what !== "unknown member" || schema["additionalProperties"] === false,
    );
  if (schema["type"] !== "array" || !Array.isArray(fitting) || fitting.length === 0) return [];
  const [first, ...rest] = fitting;
  return [
    ...wrongValues(schema["items"]).map(([what, value]) => ({
      pointer: "/0",
      what,
      value: [value, ...rest],
    })),
    ...brokenWithin(schema["items"], first).map(({ pointer, what, value }) => ({
      pointer: `/0${pointer}`,
      what,
      value: [value, ...rest],
    })),
  ];
}

function wrongValues(schema: unknown): readonly (readonly [string, unknown])[] {
  if (!isObject(schema) || schema["anyOf"] !== undefined || schema["oneOf"] !== undefined) return [];
  const { type, enum: allowed, maxLength, maximum, minimum, minItems, minLength } = schema;
  const wrong: (readonly [string, unknown])[] = [];
  if (type === "string" || Array.isArray(allowed))
    wrong.push(["a list for a text", ["x"]], ["null for a text", null]);
  if (Array.isArray(allowed)) wrong.push(["not a choice", "no such choice"]);
  if (typeof maxLength === "number" && maxLength < 100_000)
    wrong.push(["too long", "x".repeat(maxLength + 1)]);
  if (typeof minLength === "number" && minLength > 0) wrong.push(["too short", ""]);
  if (type === "integer" || type === "number") wrong.push(["a text for a number", "many"]);
  if (type === "integer") wrong.push(["a fraction", 1.5]);
  if (typeof maximum === "number") wrong.push(["too large", maximum + 1]);
  if (typeof minimum === "number") wrong.push(["too small", minimum - 1]);
  if (type === "boolean") wrong.push(["a text for a flag", "perhaps"]);
  if (type === "array") wrong.push(["a number for a list", 7]);
  if (typeof minItems === "number" && minItems > 0) wrong.push(["too few", []]);
  if (type === "object") wrong.push(["a text for an object", "x"]);
  return wrong;
}

function propertiesOf({ properties }: Schema): Schema {
  return isObject(properties) ? properties : {};
}

function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function pick(items: readonly unknown[], random: () => number): unknown {
  return items[Math.floor(random() * items.length)];
}
