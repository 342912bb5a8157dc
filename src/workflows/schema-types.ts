import { isJsonRecord, type Json, type JsonObject, listOf } from "../kernel/json.ts";

/*
 * What is known of a value from its JSON Schema alone. Schemas come from users and from other servers: they are
 * read, never compiled, no pattern of theirs is run, and depth is bounded.
 */

/** A schema, or null when nothing is known and anything may be. */
export type SchemaOrNull = JsonObject | null;

/** Where a path leads: to a schema, to something unknown, or surely nowhere. */
export type Step =
  /** `sure` is false when a member on the way need not be there. */
  | { readonly kind: "found"; readonly schema: SchemaOrNull; readonly sure?: boolean }
  | { readonly kind: "missing"; readonly name: string; readonly names: readonly string[] };

const MAX_HOPS = 16;

/** Follows local `$ref`s and joins `allOf` of plain objects; null when a `$ref` leads elsewhere or in circles. */
export function deref(schema: Json | undefined, root: SchemaOrNull): SchemaOrNull {
  return resolve(schema, root, 0);
}

function resolve(schema: Json | undefined, root: SchemaOrNull, depth: number): SchemaOrNull {
  let current = schema;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    if (!isJsonRecord(current)) return null;
    const ref = current["$ref"];
    if (typeof ref !== "string") return joined(current, root, depth);
    if (!ref.startsWith("#/") || root === null) return null;
    current = at(root, ref);
  }
  return null;
}

/** Keywords that say how a schema is called and nothing about values. */
const NOTES = new Set(["$schema", "title", "description", "default", "examples", "example", "deprecated"]);
/** Keywords of an object that can be joined with another one's. */
const PLAIN = new Set([...NOTES, "type", "properties", "required"]);
const MAX_JOINED = 4;

/**
 * API descriptions write `{title, allOf: [{$ref}]}` for a named type and `allOf` of several objects for one that
 * extends another. Both are one object here; anything else in an `allOf` is left as it is.
 */
function joined(schema: JsonObject, root: SchemaOrNull, depth: number): SchemaOrNull {
  const members = listOf(schema["allOf"]);
  if (members.length === 0 || depth > MAX_JOINED) return schema;
  const { allOf: _, ...own } = schema;
  const resolved = members.map((member) => resolve(member, root, depth + 1));
  const [only] = resolved;
  if (resolved.length === 1 && only !== undefined && only !== null && keysIn(own, NOTES))
    return { ...only, ...own };
  const parts = [...resolved, own];
  if (!parts.every((part) => part !== null && keysIn(part, PLAIN) && isObjectType(part))) return schema;
  const properties: Record<string, Json> = {};
  for (const part of parts) {
    for (const [name, property] of Object.entries(
      isJsonRecord(part?.["properties"]) ? part["properties"] : {},
    )) {
      const before = Object.hasOwn(properties, name) ? properties[name] : undefined;
      Object.defineProperty(properties, name, {
        value: before === undefined ? property : { allOf: [before, property] },
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  const required = new Set(parts.flatMap((part) => listOf(part?.["required"])));
  return { ...Object.assign({}, ...resolved, own), type: "object", properties, required: [...required] };
}

function keysIn(schema: JsonObject, allowed: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((key) => allowed.has(key));
}

function isObjectType({ type }: JsonObject): boolean {
  return type === undefined || type === "object";
}

function at(root: JsonObject, ref: string): Json | undefined {
  let current: Json | undefined = root;
  for (const part of ref.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = Object.entries(current).find(([name]) => name === key)?.[1];
  }
  return current;
}

const inlinedSchemas = new WeakMap<JsonObject, JsonObject>();
/** Far more than a form can show; what lies beyond is taken as unknown. */
const MAX_INLINED = 20_000;

/** A schema whose local references are written out, so that every part of it can be read alone. Circles end as unknown. */
export function inlined(schema: JsonObject): JsonObject {
  const known = inlinedSchemas.get(schema);
  if (known !== undefined) return known;
  const { $defs: _, definitions: __, ...rest } = schema;
  const budget = { left: MAX_INLINED };
  const made = writtenOut(rest, schema, [], budget);
  const result = isJsonRecord(made) ? made : {};
  inlinedSchemas.set(schema, result);
  inlinedSchemas.set(result, result);
  return result;
}

function writtenOut(part: Json, root: JsonObject, open: readonly string[], budget: { left: number }): Json {
  if (part === null || typeof part !== "object") return part;
  if (budget.left-- <= 0) return {};
  if (Array.isArray(part)) return part.map((item: Json) => writtenOut(item, root, open, budget));
  if (!isJsonRecord(part)) return part;
  const ref = part["$ref"];
  if (typeof ref === "string") {
    if (!ref.startsWith("#/") || open.includes(ref) || open.length >= MAX_HOPS) return {};
    const { $ref: _, ...beside } = part;
    const target = at(root, ref);
    const made = isJsonRecord(target) ? writtenOut(target, root, [...open, ref], budget) : {};
    return isJsonRecord(made) ? { ...made, ...beside } : {};
  }
  const members = Object.entries(part).map(([name, item]): [string, Json | undefined] => [
    name,
    item === undefined || name === "const" || name === "enum" || name === "default" || name === "examples"
      ? item
      : writtenOut(item, root, open, budget),
  ]);
  return joined(Object.fromEntries(members), root, 0);
}

/** Follows a path into what a schema describes. `root` is where local `$ref`s of `schema` point. */
export function follow(schema: SchemaOrNull, path: readonly string[], root: SchemaOrNull = schema): Step {
  let current: SchemaOrNull = schema;
  let sure = true;
  for (const name of path) {
    const parent = deref(current, root);
    const next = child(parent, name, root, 0);
    if (next.kind === "missing") return next;
    if (parent !== null && mayLack(parent, name)) sure = false;
    current = next.schema;
    if (current === null) return { kind: "found", schema: null, sure };
  }
  return { kind: "found", schema: deref(current, root), sure };
}

/** True when an object may come without a member: a description that requires nothing at all says nothing of it. */
export function mayLack(schema: JsonObject, name: string): boolean {
  const required = listOf(schema["required"]);
  return required.length > 0 && !required.includes(name);
}

function child(schema: SchemaOrNull, name: string, root: SchemaOrNull, depth: number): Step {
  if (schema === null || depth > 8) return { kind: "found", schema: null };
  const branches = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"]), ...listOf(schema["allOf"])];
  const own = ownChild(schema, name);
  if (own.kind === "found" && own.schema !== null) return own;
  if (branches.length === 0) return own;
  const found = branches.map((branch) => child(deref(branch, root), name, root, depth + 1));
  return found.find((step) => step.kind === "found") ?? own;
}

function ownChild(schema: JsonObject, name: string): Step {
  const types = typesOf(schema);
  const items = schema["items"];
  const isIndex = /^(0|[1-9][0-9]*)$/.test(name);
  if (isIndex && (types === null || types.has("array"))) {
    const prefix = listOf(schema["prefixItems"])[Number(name)];
    return { kind: "found", schema: isJsonRecord(prefix) ? prefix : isJsonRecord(items) ? items : null };
  }
  const properties = isJsonRecord(schema["properties"]) ? schema["properties"] : {};
  if (Object.hasOwn(properties, name)) {
    const property = properties[name];
    return { kind: "found", schema: isJsonRecord(property) ? property : null };
  }
  const extra = schema["additionalProperties"];
  if (isJsonRecord(extra)) return { kind: "found", schema: extra };
  const names = Object.keys(properties);
  const primitive = types !== null && !types.has("object") && !types.has("array");
  const closed = extra === false || (extra === undefined && names.length > 0);
  if (primitive || (closed && !isJsonRecord(schema["patternProperties"])))
    return { kind: "missing", name, names };
  return { kind: "found", schema: null };
}

/** The JSON types a schema allows; null when it does not say. */
export function typesOf(schema: SchemaOrNull): ReadonlySet<string> | null {
  if (schema === null) return null;
  const type = schema["type"];
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((item) => typeof item === "string"));
  if (schema["const"] !== undefined) return new Set([typeName(schema["const"])]);
  if (Array.isArray(schema["enum"])) return new Set(schema["enum"].map(typeName));
  if (schema["properties"] !== undefined) return new Set(["object"]);
  return null;
}

/** The JSON type of a value; whole numbers are `integer`. */
export function typeName(value: Json | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function allTypes(schema: SchemaOrNull): ReadonlySet<string> | null {
  const own = typesOf(schema);
  if (own !== null || schema === null) return own;
  const branches = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
  if (branches.length === 0) return null;
  const all = new Set<string>();
  for (const branch of branches) {
    const types = isJsonRecord(branch) ? typesOf(branch) : null;
    if (types === null) return null;
    for (const type of types) all.add(type);
  }
  return all;
}

/** Names of the types a schema allows, for a message. */
export function typeText(schema: SchemaOrNull): string {
  const types = allTypes(schema);
  return types === null ? "any value" : [...types].join(" or ");
}

/** A CEL type for a schema: a name, or the fields of an object that is fully described. */
export type CelType = string | { readonly [field: string]: CelType };

const CEL_TYPES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "double",
  number: "double",
  boolean: "bool",
};

/** The CEL type of what a schema describes; `dyn` wherever the schema leaves room. */
export function celType(schema: SchemaOrNull, root: SchemaOrNull = schema, depth = 0): CelType {
  const target = deref(schema, root);
  const types = typesOf(target);
  if (target === null || types === null || types.size !== 1 || depth > 5) return "dyn";
  const [type = ""] = types;
  const simple = CEL_TYPES[type];
  if (simple !== undefined) return simple;
  if (type === "array") {
    const items = celType(isJsonRecord(target["items"]) ? target["items"] : null, root, depth + 1);
    return typeof items === "string" ? `list<${items}>` : "list<dyn>";
  }
  const properties = target["properties"];
  const open = target["additionalProperties"] !== undefined && target["additionalProperties"] !== false;
  if (type !== "object" || !isJsonRecord(properties) || open || isJsonRecord(target["patternProperties"]))
    return "dyn";
  if (["anyOf", "oneOf", "allOf"].some((key) => target[key] !== undefined)) return "dyn";
  const names = Object.keys(properties);
  if (
    names.length === 0 ||
    names.length > 200 ||
    names.some((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  ) {
    return "dyn";
  }
  return Object.fromEntries(
    names.map((name) => [
      name,
      celType(isJsonRecord(properties[name]) ? properties[name] : null, root, depth + 1),
    ]),
  );
}

/** The JSON Schema of what a CEL type gives, as far as it is known. */
export function schemaOfCel(type: string): SchemaOrNull {
  if (type === "string") return { type: "string" };
  if (type === "bool") return { type: "boolean" };
  if (type === "int" || type === "uint") return { type: "integer" };
  if (type === "double") return { type: "number" };
  if (type.startsWith("list")) return { type: "array" };
  return type.startsWith("map") ? { type: "object" } : null;
}
