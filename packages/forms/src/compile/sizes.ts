import type { Predicate } from "./document.ts";
import { isRecord } from "../values/json.ts";

/*
 * What a schema costs each time it is used. A definition that is referred to a thousand times is small in the schema
 * and large in the form, so each use is charged. Sizes are counted once a schema object.
 */

/** What a schema states of a value beside its type. */
export const TITLE_KEYS = [
  "title",
  "description",
  "default",
  "examples",
  "example",
  "deprecated",
  "readOnly",
  "writeOnly",
  "x-ui",
];

/** What a field without any text takes: its name twice, type, widget and flags. */
export const FIELD_SIZE = 140;
/** A value of an enum stands in the form twice, as value and as label, with their names. */
const OPTION_SIZE = 24;

/** Keywords whose value is not a schema or a map of schemas, and ends up in a field. */
const TEXT_KEYWORDS = new Set([
  ...TITLE_KEYS,
  "markdownDescription",
  "enum",
  "const",
  "pattern",
  "x-enum-varnames",
]);

/** How many characters parts of a schema take in a form, each counted once. */
export class Sizes {
  readonly #texts = new Map<object, number>();
  readonly #predicates = new Map<Predicate, number>();

  /** The characters of a schema's own texts that a field of it shows. */
  text(schema: unknown): number {
    if (!isRecord(schema)) return 0;
    let size = this.#texts.get(schema);
    if (size === undefined) {
      size = 0;
      for (const keyword of Object.keys(schema))
        if (TEXT_KEYWORDS.has(keyword)) size += textSize(keyword, schema[keyword]);
      this.#texts.set(schema, size);
    }
    return size;
  }

  /** The characters of the question of a condition. */
  predicate(predicate: Predicate): number {
    let size = this.#predicates.get(predicate);
    if (size === undefined) {
      size = 30;
      if (predicate.kind === "matches") size += JSON.stringify(predicate.schema).length;
      else if (predicate.kind === "present") size += predicate.name.length;
      else for (const part of [predicate.of].flat()) size += this.predicate(part);
      this.#predicates.set(predicate, size);
    }
    return size;
  }
}

function textSize(keyword: string, value: unknown): number {
  const length = typeof value === "string" ? value.length + 2 : (JSON.stringify(value)?.length ?? 0);
  return keyword === "enum" && Array.isArray(value) ? 2 * length + OPTION_SIZE * value.length : length;
}

/** Members that are looked at for one step: a wide schema that is merged again and again costs more than a narrow one. */
const MEMBERS_A_STEP = 20;
const WIDE_KEYWORDS = new Set([
  "properties",
  "patternProperties",
  "required",
  "oneOf",
  "anyOf",
  "prefixItems",
  "items",
  "dependentSchemas",
  "dependencies",
  "dependentRequired",
]);

/** What merging a schema costs: one step, and one more for every 20 members and alternatives that it lists. */
export function stepsOf(schema: unknown): number {
  return 1 + Math.floor(widthOf(schema) / MEMBERS_A_STEP);
}

function widthOf(schema: unknown): number {
  if (!isRecord(schema)) return 0;
  let width = 0;
  for (const keyword of Object.keys(schema)) {
    if (!WIDE_KEYWORDS.has(keyword)) continue;
    const value = schema[keyword];
    if (Array.isArray(value)) width += value.length;
    else if (isRecord(value) && keyword !== "items") width += Object.keys(value).length;
  }
  return width;
}
