import { normalizeForValidation } from "../../packages/forms/src/compile/normalize.ts";
import { type Dialect } from "../../packages/forms/src/index.ts";
import { NAME_MAPS, PLAIN_DATA } from "../../packages/forms/src/compile/keywords.ts";
import { isObject, isParsedObject, type JsonObject } from "../kernel/json.ts";

/*
 * Schemas in an API description refer to one another across the whole document. A bundle is one of them with everything
 * it needs and nothing else, as a standard JSON Schema.
 */

/** Deeper than any schema is written; a document from outside may still be nested without end. */
const DEEPEST = 200;

/** Collects definitions out of a document while schemas are copied. */
export class Bundler {
  readonly #document: unknown;
  readonly #definitions = new Map<string, unknown>();
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #pending: string[] = [];
  readonly #inRequest: boolean;

  constructor(document: unknown, inRequest: boolean) {
    this.#document = document;
    this.#inRequest = inRequest;
  }

  /** A copy of a schema whose references lead to the bundle's own definitions. */
  copy(schema: unknown, depth = 0): unknown {
    if (depth > DEEPEST) return {};
    if (Array.isArray(schema)) return schema.map((item: unknown) => this.copy(item, depth + 1));
    if (!isObject(schema)) return schema;
    const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
      if (NAME_MAPS.has(key) && isObject(value)) return [key, this.#named(value, depth + 1)];
      if (key === "$ref" && typeof value === "string") return [key, this.#reference(value)];
      if (key === "discriminator" && isObject(value) && isObject(value["mapping"]))
        return [key, { ...value, mapping: this.#mapping(value["mapping"]) }];
      if (key === "required" && Array.isArray(value))
        return [key, this.#required(value, schema["properties"])];
      return PLAIN_DATA.has(key) ? [key, value] : [key, this.copy(value, depth + 1)];
    });
    return Object.fromEntries(entries);
  }

  /** A map from names to schemas: a member may be called `default` or `enum` and is a schema all the same. */
  #named(map: Record<string, unknown>, depth: number): Record<string, unknown> {
    return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, this.copy(value, depth)]));
  }

  /** Everything that was referred to, and what that refers to. */
  definitions(): Record<string, unknown> {
    for (let pointer = this.#pending.shift(); pointer !== undefined; pointer = this.#pending.shift()) {
      const name = this.#names.get(pointer);
      if (name !== undefined) this.#definitions.set(name, this.copy(lookUp(this.#document, pointer) ?? {}));
    }
    return Object.fromEntries(this.#definitions);
  }

  #reference(reference: string): string {
    if (!reference.startsWith("#/")) return reference;
    let name = this.#names.get(reference);
    if (name === undefined) {
      if (lookUp(this.#document, reference) === undefined) return reference;
      const last = reference.split("/").at(-1) ?? "part";
      const plain = decodeURIComponent(last.replaceAll("%", "%25"))
        .replaceAll("~1", "_")
        .replaceAll("~0", "_");
      name = plain;
      for (let count = 2; this.#taken.has(name); count++) name = `${plain}_${count}`;
      this.#taken.add(name);
      this.#names.set(reference, name);
      this.#pending.push(reference);
    }
    return `#/$defs/${name.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25")}`;
  }

  #mapping(mapping: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(mapping).map(([key, value]) => [
        key,
        typeof value === "string" ? this.#reference(this.#target(value)) : value,
      ]),
    );
  }

  /** A mapping may name a schema instead of referring to it. */
  #target(value: string): string {
    const reference = `#/components/schemas/${value}`;
    return /^[\w.-]+$/.test(value) && lookUp(this.#document, reference) !== undefined ? reference : value;
  }

  /** Members that only an answer has are not asked of a request, even when the schema calls them required. */
  #required(names: readonly unknown[], properties: unknown): readonly unknown[] {
    if (!this.#inRequest || !isObject(properties)) return names;
    return names.filter((name) => {
      const property =
        typeof name === "string" && Object.hasOwn(properties, name) ? properties[name] : undefined;
      return !(isObject(property) && property["readOnly"] === true);
    });
  }
}

interface Part {
  readonly chars: number;
  readonly references: ReadonlySet<string>;
}

/** Tells how large a bundle would be without making it: in some descriptions every schema needs nearly all others. */
export class BundleSizes {
  readonly #document: unknown;
  readonly #parts = new Map<string, Part>();

  constructor(document: unknown) {
    this.#document = document;
  }

  /** True when the schema and everything it needs have more characters than `most`. */
  exceeds(schema: unknown, most: number): boolean {
    const first = partOf(schema);
    let chars = first.chars;
    const seen = new Set(first.references);
    // A set goes on to what is added while it is read.
    for (const reference of seen) {
      const part = this.#part(reference);
      chars += part.chars;
      if (chars > most) return true;
      for (const next of part.references) seen.add(next);
    }
    return chars > most;
  }

  #part(reference: string): Part {
    let part = this.#parts.get(reference);
    if (part === undefined) {
      part = partOf(lookUp(this.#document, reference) ?? {});
      this.#parts.set(reference, part);
    }
    return part;
  }
}

function partOf(schema: unknown): Part {
  const references = new Set<string>();
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === "$ref" && typeof value === "string" && value.startsWith("#/")) references.add(value);
    return value;
  });
  return { chars: text.length, references };
}

/** A standard JSON Schema out of a root that was put together from copies, and the definitions they need. */
export function bundled(root: Record<string, unknown>, bundler: Bundler, dialect: Dialect): JsonObject {
  const definitions = bundler.definitions();
  const whole = Object.keys(definitions).length > 0 ? { ...root, $defs: definitions } : root;
  const { schema, dialect: target } = normalizeForValidation(whole, dialect);
  const uri =
    target === "2020-12"
      ? "https://json-schema.org/draft/2020-12/schema"
      : "http://json-schema.org/draft-07/schema#";
  return isObject(schema) ? toJsonObject({ $schema: uri, ...schema }) : {};
}

/** The value at a `#/…` reference of a document. */
function lookUp(document: unknown, reference: string): unknown {
  let current: unknown = document;
  for (const token of reference.slice(2).split("/")) {
    const key = decodeToken(token);
    if (Array.isArray(current)) current = current[Number(key)];
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}

/** The object itself, or the one it refers to. */
export function dereferenced(document: unknown, value: unknown): Record<string, unknown> | null {
  let current = value;
  for (let hop = 0; hop < 16; hop++) {
    if (!isObject(current)) return null;
    const reference = current["$ref"];
    if (typeof reference !== "string" || !reference.startsWith("#/")) return current;
    current = lookUp(document, reference);
  }
  return null;
}

function decodeToken(token: string): string {
  let plain = token;
  try {
    plain = decodeURIComponent(token);
  } catch {
    // A percent sign that is no escape stands for itself.
  }
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** JSON as it came out of a parser; undefined members do not occur. */
function toJsonObject(value: Record<string, unknown>): JsonObject {
  return isParsedObject(value) ? value : {};
}
