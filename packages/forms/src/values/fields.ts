import { isOfType } from "../check/check-scalars.ts";
import { evaluate } from "../check/check.ts";
import type { Draft } from "../compile/compile-scalar.ts";
import type { Condition, Field, FormDocument, HintCondition, RawReason } from "../compile/document.ts";
import { isRecord, own, sameJson } from "./json.ts";
import { matchesPattern } from "../check/regex.ts";

/** A member of an object that is none of the field's children. */
export interface ExtraEntry {
  readonly key: string;
  readonly field: Field;
  /** False when the schema allows no such key; it is shown all the same, so that it can be removed. */
  readonly allowed: boolean;
}

const HOPS = 32;
const LOOK = { depth: 4, width: 40 };

/** The field of the whole value. */
export function rootField(form: FormDocument): Field {
  const { root, fields } = form;
  return root.widget === "group" ? { ...root, children: fields } : (fields[0] ?? root);
}

/** Every field below and including one, outer ones first, references not opened. */
export function everyField(field: Field): Field[] {
  const found: Field[] = [];
  collect(field, found);
  return found;
}

function collect(field: Field, found: Field[]): void {
  found.push(field);
  const { children, tuple, items, map, variants, overrides } = field;
  if (children) for (const child of children) collect(child, found);
  if (tuple) for (const child of tuple) collect(child, found);
  if (items) collect(items, found);
  if (map) {
    for (const { field: inner } of map.patterns) collect(inner, found);
    if (map.additional) collect(map.additional, found);
  }
  if (variants) for (const { field: inner } of variants) collect(inner, found);
  if (overrides) for (const { field: inner } of overrides) collect(inner, found);
}

/** True while a condition holds for a field's value and the object that holds it. */
export function holds(condition: Condition, value: unknown, holder: unknown): boolean {
  const asked = condition.on === "self" ? value : holder;
  // Most schemas are satisfied by what is no object at all; a question about nothing is answered with no.
  return asked !== undefined && evaluate(condition.when, asked);
}

/** True while the condition of a hint holds; an empty form is asked as an empty object. */
export function hintHolds(condition: HintCondition, holder: unknown, root: unknown): boolean {
  return evaluate(condition.when, (condition.on === "root" ? root : holder) ?? {});
}

/** The field to draw now: references opened, and overrides chosen by the data. */
export function effectiveField(form: FormDocument, field: Field, value: unknown, holder: unknown): Field {
  let current = field;
  for (let hop = 0; hop < HOPS; hop++) {
    const { overrides } = current;
    const override = overrides?.find(({ condition }) => holds(condition, value, holder));
    const next = override?.field ?? definitionOf(form, current);
    if (!next) return current;
    const { overrides: _chosen, ...rest } = current;
    current = override ? placed(next, rest) : placed(next, current);
  }
  return current;
}

function definitionOf(form: FormDocument, field: Field): Field | undefined {
  if (field.ref === undefined || !Object.hasOwn(form.definitions, field.ref)) return undefined;
  return form.definitions[field.ref];
}

/** A field in the place of another: name, path and whether it is required stay, its own remarks win. */
function placed(field: Field, place: Field): Field {
  const { name, path, label, required } = place;
  const draft: Draft = { ...field, name, path, label, required, nullable: field.nullable || place.nullable };
  if (place.help !== undefined) draft.help = place.help;
  if (place.default !== undefined) draft.default = place.default;
  if (place.examples !== undefined) draft.examples = place.examples;
  if (place.deprecated !== undefined) draft.deprecated = place.deprecated;
  if (place.readOnly !== undefined) draft.readOnly = place.readOnly;
  if (place.condition !== undefined) draft.condition = place.condition;
  if (place.requiredWhen !== undefined) draft.requiredWhen = place.requiredWhen;
  if (place.location !== undefined) draft.location = place.location;
  if (place.ui !== undefined) draft.ui = { ...field.ui, ...place.ui };
  return draft;
}

/** The children of an object whose conditions hold, with `required` settled by the data. */
export function visibleChildren(form: FormDocument, field: Field, value: unknown): readonly Field[] {
  return (field.children ?? []).flatMap((child) => visibleChild(form, child, value) ?? []);
}

/** A child as it is drawn now, with `required` settled by the data; null while its condition does not hold. */
export function visibleChild(form: FormDocument, child: Field, value: unknown): Field | null {
  const item = isRecord(value) ? own(value, child.name) : undefined;
  const shown = item !== undefined || !child.condition || holds(child.condition, item, value);
  if (!shown) return null;
  const required =
    child.required || (child.requiredWhen !== undefined && holds(child.requiredWhen, item, value));
  const effective = effectiveField(form, child, item, value);
  return required === effective.required ? effective : { ...effective, required };
}

/** The members of an object that are none of its children, each with the field that edits it. */
export function extraEntries(form: FormDocument, field: Field, value: unknown): readonly ExtraEntry[] {
  if (!isRecord(value)) return [];
  const known = new Set((field.children ?? []).map((child) => child.name));
  return Object.keys(value)
    .filter((key) => !known.has(key) && own(value, key) !== undefined)
    .map((key) => {
      const rule = keyField(field, key);
      const inner =
        rule ??
        rawField(key, { code: "anything_allowed", reason: "The schema does not describe this member." });
      const effective = effectiveField(
        form,
        { ...inner, name: key, path: `${field.path}/*`, label: key },
        own(value, key),
        value,
      );
      return { key, field: effective, allowed: rule !== null };
    });
}

/** The field of a key beyond the children: undefined when nothing is declared, null when it is not allowed. */
export function keyField(field: Field, key: string): Field | null | undefined {
  if (!field.map) return undefined;
  for (const { pattern, field: inner } of field.map.patterns)
    if (matchesPattern(pattern, key) === true) return inner;
  return field.map.additional;
}

/** The field of one item of an array. */
export function itemField(form: FormDocument, field: Field, index: number, value?: unknown): Field {
  const items = field.tuple?.[index] ?? field.items;
  const inner =
    items ?? rawField("", { code: "free_array", reason: "The schema does not say what the items are." });
  return effectiveField(form, { ...inner, name: String(index) }, value, undefined);
}

function rawField(name: string, raw: RawReason): Field {
  return { name, path: "", label: name, type: "any", widget: "json", required: false, nullable: true, raw };
}

/** False when the field's widget cannot hold the value, so that it must be shown as raw JSON. */
export function accepts(form: FormDocument, field: Field, value: unknown): boolean {
  const actual = effectiveField(form, field, value, undefined);
  if (value === null && (actual.nullable || actual.type === "null")) return true;
  const widget: string = actual.widget;
  switch (widget) {
    case "json":
      return true;
    case "never":
    case "reference":
      return false;
    case "constant":
      return sameJson(actual.const, value);
    case "select":
      return (actual.options ?? []).some((option) => sameJson(option.value, value));
    case "multiselect":
      return (
        Array.isArray(value) &&
        value.every((item) => (actual.options ?? []).some((option) => sameJson(option.value, item)))
      );
    case "variants":
      return pickVariant(form, actual, value) >= 0;
    case "combobox":
      return typeof value === "string";
    default:
      return isOfType(actual.type, value);
  }
}

/** The index of the variant that fits the data best; -1 when there is no data or none can hold it. */
export function pickVariant(form: FormDocument, field: Field, value: unknown): number {
  const variants = field.variants ?? [];
  if (value === undefined) return -1;
  if (field.discriminator && isRecord(value)) {
    const tag = own(value, field.discriminator.property);
    const tagged = variants.findIndex(
      (variant) => variant.values?.some((item) => sameJson(item, tag)) === true,
    );
    if (tag !== undefined && tagged >= 0) return tagged;
  }
  let best = -1;
  let bestScore = Number.NEGATIVE_INFINITY;
  variants.forEach((variant, index) => {
    const score = fit(form, variant.field, value, 0);
    if (score > bestScore) [best, bestScore] = [index, score];
  });
  return bestScore === Number.NEGATIVE_INFINITY ? -1 : best;
}

/** How well a field fits a value: minus infinity when it cannot hold it, higher for every part that agrees. */
function fit(form: FormDocument, field: Field, value: unknown, depth: number): number {
  const actual = effectiveField(form, field, value, undefined);
  if (value === null)
    return actual.nullable || actual.type === "null"
      ? 2
      : actual.widget === "json"
        ? 0.5
        : Number.NEGATIVE_INFINITY;
  if (actual.widget === "json")
    return actual.type === "any" || isOfType(actual.type, value) ? 0.5 : Number.NEGATIVE_INFINITY;
  if (actual.widget === "variants") {
    if (depth > LOOK.depth) return 0;
    const scores = (actual.variants ?? [])
      .slice(0, LOOK.width)
      .map((variant) => fit(form, variant.field, value, depth + 1));
    return Math.max(Number.NEGATIVE_INFINITY, ...scores);
  }
  if (!accepts(form, actual, value)) return Number.NEGATIVE_INFINITY;
  if (actual.widget === "constant" || actual.widget === "select") return 3;
  if (isRecord(value)) return objectFit(form, actual, value, depth);
  if (Array.isArray(value)) return arrayFit(form, actual, value, depth);
  return typeof value === "string" ? textFit(actual, value) : 1;
}

function objectFit(form: FormDocument, field: Field, value: Record<string, unknown>, depth: number): number {
  if (depth > LOOK.depth) return 1;
  let score = 1;
  const children = visibleChildren(form, field, value);
  for (const child of children.slice(0, LOOK.width)) {
    const item = own(value, child.name);
    if (item === undefined) score -= child.required ? 4 : 0;
    else {
      const inner = fit(form, child, item, depth + 1);
      score += inner === Number.NEGATIVE_INFINITY ? -6 : 1 + Math.min(inner, 6) / 4;
    }
  }
  for (const { field: extra, allowed, key } of extraEntries(form, field, value).slice(0, LOOK.width)) {
    if (!allowed) score -= 5;
    else if (field.map)
      score += fit(form, extra, own(value, key), depth + 1) === Number.NEGATIVE_INFINITY ? -3 : 0.8;
  }
  return score;
}

function arrayFit(form: FormDocument, field: Field, value: readonly unknown[], depth: number): number {
  if (depth > LOOK.depth) return 1;
  let score = 1;
  value.slice(0, 8).forEach((item, index) => {
    const inner = fit(form, itemField(form, field, index, item), item, depth + 1);
    score += inner === Number.NEGATIVE_INFINITY ? -4 : Math.min(inner, 4) / 4;
  });
  return score;
}

function textFit(field: Field, value: string): number {
  const { pattern, minLength, maxLength } = field.constraints ?? {};
  if (pattern !== undefined && matchesPattern(pattern, value) === false) return -2;
  if (minLength !== undefined && value.length < minLength) return -1;
  if (maxLength !== undefined && value.length > maxLength) return -1;
  return field.widget === "text" || field.widget === "multiline" ? 1 : 1.2;
}
