import { typesOf, type SchemaOrNull } from "#workflows/schema-types.ts";
import { parseReference } from "#workflows/values.ts";
import { words } from "../../lib/format.ts";

/** A reference in words, as far as the titles of steps tell. */
export function inWords(ref: string, titles: ReadonlyMap<string, string>): string {
  const parsed = parseReference(ref);
  if (parsed === null) return ref;
  const fields = parsed.pointer.map(words);
  if (parsed.root === "inputs")
    return ["Inputs", ...(parsed.name === null ? [] : [words(parsed.name)]), ...fields].join(" › ");
  if (parsed.root === "steps") {
    const title = titles.get(parsed.step) ?? parsed.step;
    if (parsed.part !== "outputs") return [title, words(parsed.part), ...fields].join(" › ");
    // The envelope around what a tool gives is nothing that people name.
    const [first, second] = parsed.pointer;
    const wrapped = first !== "data" ? 0 : second === "body" || second === "structuredContent" ? 2 : 1;
    return [title, ...fields.slice(wrapped)].join(" › ");
  }
  return [
    parsed.root === "item" ? "This item" : parsed.root === "index" ? "Position in the list" : "Run",
    ...fields,
  ].join(" › ");
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "yes/no",
  array: "list",
  object: "fields",
  null: "empty",
};

/** The type of an expression in one word. */
export function expressionTypeWord(type: string): string {
  const words: Readonly<Record<string, string>> = {
    ...TYPE_WORDS,
    bool: "yes/no",
    int: "number",
    uint: "number",
    double: "number",
    map: "fields",
  };
  const [name = type] = type.split(/[<(]/, 1);
  return words[name] ?? name;
}

/** The type of something in one word; empty when it is not known. */
export function typeWord(schema: SchemaOrNull, sample?: unknown): string {
  const types = typesOf(schema);
  const known = types === null ? [] : [...types].filter((type) => type !== "null");
  if (known.length > 0) return [...new Set(known.map((type) => TYPE_WORDS[type] ?? type))].join(" or ");
  if (sample === undefined) return "";
  return TYPE_WORDS[Array.isArray(sample) ? "array" : sample === null ? "null" : typeof sample] ?? "";
}
