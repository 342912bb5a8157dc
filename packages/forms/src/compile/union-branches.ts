import { optionLabel } from "./compile-scalar.ts";
import type { Compiler } from "./compiler.ts";
import type { Discriminator, Field } from "./document.ts";
import { inferTypes } from "./infer-types.ts";
import { isJson, isRecord, own, type Json } from "../values/json.ts";
import type { Place } from "./resolve.ts";
import type { Shape, Union } from "./shape.ts";
import { labelOf, listOf, typeWord } from "./words.ts";

/** One branch of a union, looked at by itself. */
export interface Branch {
  readonly place: Place;
  readonly shape: Shape;
}

/** What a branch is called; for the items of a list the index is -1. */
export function variantLabel(
  compiler: Compiler,
  { shape }: Branch,
  values: readonly Json[] | undefined,
  index: number,
): string {
  const title = shape.notes.get("title");
  if (typeof title === "string" && title !== "")
    return /^[a-z0-9_]+$/.test(title) ? labelOf(title) : title.slice(0, 120);
  if (values && values.length > 0 && values.length <= 3) return values.map(optionLabel).join(", ");
  if (shape.name !== null && !/^\d+$/.test(shape.name)) return labelOf(shape.name);
  const [type, ...more] = [...(shape.types ?? inferTypes(shape) ?? [])].filter((one) => one !== "null");
  if (shape.values) return shape.values.slice(0, 3).filter(isJson).map(optionLabel).join(", ");
  if (type === "object") {
    const names = [...(shape.required.size > 0 ? shape.required : shape.properties.keys())].slice(0, 3);
    if (names.length > 0) return `With ${listOf(names)}`;
  }
  const item = (shape.prefix[0] ?? shape.items)[0];
  if (type === "array" && item && index >= 0) {
    const one = variantLabel(
      compiler,
      { place: item, shape: compiler.flattener.flatten([item]) },
      undefined,
      -1,
    );
    if (one !== "") return `A list: ${one}`;
  }
  if (type !== undefined && more.length === 0) {
    const word = typeWord(type);
    return word.charAt(0).toUpperCase() + word.slice(1);
  }
  return index < 0 ? "" : `Option ${index + 1}`;
}

/** The property that tells the branches apart: as `discriminator` says, or one whose fixed values do not overlap. */
export function findDiscriminator(
  union: Union,
  live: readonly Branch[],
): { discriminator: Discriminator; values: readonly Json[][] } | null {
  const stated = union.discriminator ? own(union.discriminator, "propertyName") : undefined;
  if (typeof stated === "string") {
    const mapping = union.discriminator ? own(union.discriminator, "mapping") : undefined;
    const values = live.map((branch) => statedValues(branch, stated, mapping));
    if (values.every((list) => list.length > 0)) return { discriminator: { property: stated }, values };
  }
  const [first] = live;
  if (!first) return null;
  const names = [...first.shape.properties.keys()].sort(
    (a, b) => Number(first.shape.required.has(b)) - Number(first.shape.required.has(a)),
  );
  for (const name of names.slice(0, 30)) {
    const values = live.map((branch) => fixedValues(branch, name));
    const flat = values.flat();
    const distinct = new Set(flat.map((value) => JSON.stringify(value)));
    if (values.every((list) => list.length > 0) && distinct.size === flat.length)
      return { discriminator: { property: name }, values };
  }
  return null;
}

function statedValues(branch: Branch, name: string, mapping: unknown): Json[] {
  const values = fixedValues(branch, name);
  if (values.length > 0) return values;
  const target = isRecord(branch.place.schema) ? own(branch.place.schema, "$ref") : undefined;
  if (typeof target !== "string") return [];
  if (isRecord(mapping)) {
    const keys = Object.keys(mapping).filter(
      (key) => own(mapping, key) === target || target.endsWith(`/${String(own(mapping, key))}`),
    );
    if (keys.length > 0) return keys;
  }
  const last = target.split("/").at(-1);
  return last === undefined ? [] : [last];
}

function fixedValues({ shape }: Branch, name: string): Json[] {
  const places = shape.properties.get(name) ?? [];
  for (const { schema } of places) {
    if (!isRecord(schema)) continue;
    const fixed = own(schema, "const");
    if (isJson(fixed)) return [fixed];
    const listed = own(schema, "enum");
    if (Array.isArray(listed)) return listed.filter(isJson);
  }
  return [];
}

/** A variant's field without what its union or the variant itself already shows. */
export function bare(field: Field): Field {
  const { default: _default, examples: _examples, help: _help, ...rest } = field;
  return rest;
}
