import { Checker } from "../check/check.ts";
import type { Field, FormDocument } from "../compile/document.ts";
import { accepts, effectiveField, pickVariant, rootField, visibleChildren } from "./fields.ts";
import { sampleOfFormat } from "../check/formats.ts";
import { isRecord, own, sameJson, setOwn, type Json } from "./json.ts";
import { sampleOfPattern } from "./pattern-sample.ts";
import { matchesPattern } from "../check/regex.ts";

/*
 * One value that shows how a form is filled in. It is made from what the schema offers (examples, defaults, constants,
 * formats), and shown only when it is certainly valid.
 */

const DEEPEST = 16;
/** For all attempts together. */
const STEPS = 20_000;
/** Longer texts are no example for anybody. */
const LONGEST = 10_000;

/** With every example, with what is required alone, and without examples: those of authors are often wrong. */
type Style = "shown" | "least" | "bare";

/** What is tried in turn; the number says which optional member objects with rules ("fill in one of …") get. */
const TRIES: readonly (readonly [Style, number])[] = [
  ["shown", -1],
  ["least", -1],
  ["least", 0],
  ["least", 1],
  ["least", 2],
  ["bare", -1],
  ["bare", 0],
  ["bare", 1],
];

/** A value that satisfies the form's schema; undefined when none could be made or its validity is not certain. */
export function sampleValue(form: FormDocument): Json | undefined {
  return sampleOf(form, STEPS).value;
}

/** The same within a number of steps; not complete when there were too few to find one. */
export function sampleOf(
  form: FormDocument,
  steps: number,
): { readonly value: Json | undefined; readonly isComplete: boolean } {
  const { schema, dialect } = form.validation;
  const checker = new Checker(schema, { dialect, formats: true, steps });
  const valid = (value: Json): boolean => checker.check(value) === "valid";
  const root = rootField(form);
  const given = [...(root.examples ?? [])].find((example) => valid(example));
  if (given !== undefined) return { value: given, isComplete: true };
  for (const [style, choice] of TRIES) {
    const made = new Sampler(form, style, choice).sample(root, 0);
    if (made !== undefined && valid(made)) return { value: made, isComplete: true };
  }
  return { value: undefined, isComplete: checker.stepsLeft > 0 };
}

class Sampler {
  readonly #form: FormDocument;
  readonly #style: Style;
  readonly #choice: number;
  #left = 2_000;

  constructor(form: FormDocument, style: Style, choice: number) {
    this.#form = form;
    this.#style = style;
    this.#choice = choice;
  }

  sample(field: Field, depth: number, holder?: Json): Json | undefined {
    this.#left -= 1;
    if (depth > DEEPEST || this.#left < 0) return undefined;
    const actual = effectiveField(this.#form, field, undefined, holder);
    const offered = [...(actual.examples ?? []), ...(actual.default === undefined ? [] : [actual.default])];
    const usable = this.#style === "bare" ? [] : offered;
    const taken = usable.find((value) => accepts(this.#form, actual, value) && textFits(actual, value));
    if (taken !== undefined && !isRecord(taken)) return taken;
    const widget: string = actual.widget;
    switch (widget) {
      case "constant":
        return actual.const;
      case "null":
        return null;
      case "select":
        return (
          actual.options?.find((option) => option.deprecated !== true)?.value ?? actual.options?.[0]?.value
        );
      case "checkbox":
        return true;
      case "number":
      case "integer":
      case "big-integer":
        return sampleNumber(actual);
      case "group":
        return this.#object(actual, depth, isRecord(taken) ? taken : undefined);
      case "map":
        return this.#map(actual, depth);
      case "list":
      case "tuple":
      case "multiselect":
        return this.#array(actual, depth);
      case "variants":
        return this.#variant(actual, depth);
      case "json":
        return (
          taken ??
          (actual.type === "object" ? {} : actual.type === "array" ? [] : actual.nullable ? null : {})
        );
      case "never":
      case "reference":
        return undefined;
      default:
        return sampleText(actual);
    }
  }

  #object(field: Field, depth: number, given?: Json): Json | undefined {
    if (given !== undefined) return given;
    const value: Record<string, Json> = {};
    for (let round = 0; round < 4; round++) {
      const before = Object.keys(value).length;
      for (const child of visibleChildren(this.#form, field, value)) {
        if (Object.hasOwn(value, child.name) || !this.#wants(child)) continue;
        const item = this.sample(child, depth + 1, value);
        if (item !== undefined) setOwn(value, child.name, item);
        else if (child.required) return undefined;
      }
      if (Object.keys(value).length === before) break;
    }
    const chosen = (field.rules?.length ?? 0) > 0 ? this.#optional(field, value)[this.#choice] : undefined;
    const picked = chosen && this.sample(chosen, depth + 1, value);
    if (chosen && picked !== undefined) setOwn(value, chosen.name, picked);
    const least = field.constraints?.minProperties ?? 0;
    for (const child of visibleChildren(this.#form, field, value)) {
      if (Object.keys(value).length >= least) break;
      const item =
        Object.hasOwn(value, child.name) || child.readOnly === true
          ? undefined
          : this.sample(child, depth + 1, value);
      if (item !== undefined) setOwn(value, child.name, item);
    }
    return value;
  }

  #optional(field: Field, value: Record<string, Json>): Field[] {
    return visibleChildren(this.#form, field, value).filter(
      (child) => !Object.hasOwn(value, child.name) && child.readOnly !== true,
    );
  }

  #wants(child: Field): boolean {
    if (child.required) return true;
    if (
      this.#style !== "shown" ||
      child.readOnly === true ||
      child.deprecated === true ||
      child.secret === true
    )
      return false;
    return hasExamples(child, 3);
  }

  #map(field: Field, depth: number): Json | undefined {
    const count = field.constraints?.minProperties ?? 0;
    const value: Record<string, Json> = {};
    const rule = field.map?.patterns[0];
    const inner = rule?.field ?? field.map?.additional;
    for (let index = 0; index < Math.min(Math.max(count, this.#style === "shown" ? 1 : 0), 20); index++) {
      const key = rule
        ? sampleOfPattern(rule.pattern, index)
        : (field.map?.key?.options?.[index] ?? keyText(field, index));
      const item = inner && this.sample(inner, depth + 1);
      if (key === undefined || item === undefined) break;
      setOwn(value, key, item);
    }
    return value;
  }

  #array(field: Field, depth: number): Json | undefined {
    const { minItems = 0, maxItems = 1_000, uniqueItems = false } = field.constraints ?? {};
    const wanted = Math.min(
      maxItems,
      Math.max(
        minItems,
        this.#style === "shown" ? 1 : 0,
        field.tuple && minItems > 0 ? field.tuple.length : 0,
      ),
    );
    const items: Json[] = [];
    for (let index = 0; index < Math.min(wanted, 50); index++) {
      const inner = field.tuple?.[index] ?? field.items;
      const option =
        field.options?.[index] ?? (inner?.options && uniqueItems ? inner.options[index] : undefined);
      let item = option ? option.value : inner ? this.sample(inner, depth + 1) : undefined;
      if (item !== undefined && uniqueItems && items.some((other) => sameJson(other, item)))
        item = vary(item, index, inner && effectiveField(this.#form, inner, undefined, undefined));
      if (item === undefined) return items.length >= minItems ? items : undefined;
      items.push(item);
    }
    return items;
  }

  #variant(field: Field, depth: number): Json | undefined {
    for (const variant of (field.variants ?? []).slice(0, 12)) {
      if (variant.deprecated === true) continue;
      const value = this.sample(variant.field, depth + 1);
      if (value === undefined) continue;
      const tag = variant.values?.[0];
      const property = field.discriminator?.property;
      if (tag === undefined || property === undefined || !isRecord(value)) {
        if (pickVariant(this.#form, field, value) >= 0) return value;
        continue;
      }
      const given = own(value, property);
      return variant.values?.some((item) => sameJson(item, given)) === true
        ? value
        : { ...value, [property]: tag };
    }
    return field.nullable ? null : undefined;
  }
}

/** True when a field or something inside it brings an example of its own. */
function hasExamples(field: Field, levels: number): boolean {
  if ((field.examples?.length ?? 0) > 0) return true;
  return levels > 0 && (field.children ?? []).some((child) => hasExamples(child, levels - 1));
}

function vary(item: Json, index: number, field: Field | undefined): Json | undefined {
  const { pattern, minLength = 0, maxLength } = field?.constraints ?? {};
  if (typeof item === "string" && pattern !== undefined)
    return sampleOfPattern(pattern, Math.max(minLength, item.length) + index, maxLength);
  if (typeof item === "string") return `${item}${index + 1}`;
  return typeof item === "number" ? item + index : undefined;
}

function keyText(field: Field, index: number): string | undefined {
  const { pattern, minLength = 1, maxLength = 100 } = field.map?.key ?? {};
  if (pattern !== undefined) return sampleOfPattern(pattern, minLength + index, maxLength);
  return `key${index + 1}`.padEnd(Math.min(minLength, LONGEST), "x").slice(0, maxLength);
}

function textFits(field: Field, value: Json): boolean {
  if (typeof value !== "string" || !field.constraints) return true;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = field.constraints;
  if (value.length < minLength || value.length > maxLength) return false;
  return pattern === undefined || matchesPattern(pattern, value) !== false;
}

function sampleText(field: Field): string | undefined {
  const { minLength = 0, maxLength = LONGEST, pattern, format } = field.constraints ?? {};
  const known = format === undefined ? undefined : sampleOfFormat(format);
  const fits = known !== undefined && known.length >= minLength && known.length <= maxLength;
  if (fits && (pattern === undefined || matchesPattern(pattern, known) === true)) return known;
  if (pattern !== undefined) return sampleOfPattern(pattern, minLength, maxLength);
  if (field.secret === true) return "secret".padEnd(Math.min(minLength, LONGEST), "x").slice(0, maxLength);
  const text = field.name !== "" && !/^\d+$/.test(field.name) ? field.name.slice(0, 40) : "text";
  return text.padEnd(Math.min(minLength, LONGEST), "x").slice(0, maxLength);
}

function sampleNumber(field: Field): number | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field.constraints ?? {};
  const whole = field.type === "integer";
  const step = multipleOf ?? (whole ? 1 : 0.5);
  let value = Math.max(
    minimum ?? Number.NEGATIVE_INFINITY,
    exclusiveMinimum === undefined ? Number.NEGATIVE_INFINITY : exclusiveMinimum + step,
  );
  if (value === Number.NEGATIVE_INFINITY) {
    const high = Math.min(
      maximum ?? Number.POSITIVE_INFINITY,
      exclusiveMaximum === undefined ? Number.POSITIVE_INFINITY : exclusiveMaximum - step,
    );
    value = high === Number.POSITIVE_INFINITY || high >= 1 ? 1 : high;
  }
  if (multipleOf !== undefined && multipleOf > 0) value = Math.ceil(value / multipleOf) * multipleOf;
  else if (whole) value = Math.ceil(value);
  return Number.isFinite(value) ? value : undefined;
}
