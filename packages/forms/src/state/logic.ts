import type { Field, FormDocument, Variant, Widget } from "../compile/document.ts";
import { parseExact, stringifyExact } from "../values/exact.ts";
import { effectiveField, holds, pickVariant, rootField } from "../values/fields.ts";
import { ExactNumber, type FormValue, valueAt } from "../values/json.ts";
import { startValue, isForm } from "../values/values.ts";
import { withoutSecrets } from "./secrets.ts";

/*
 * The few questions the renderer asks about a form document. The answers come from the compiler's own helpers.
 */

/** A field with the answers to its conditions. */
export interface Active {
  readonly field: Field;
  readonly required: boolean;
  readonly applies: boolean;
  /** Which override was taken; -1 for none. */
  readonly override: number;
}

/** The field to draw for this data. */
export function activeField(
  form: FormDocument,
  field: Field,
  holder: FormValue | undefined,
  value: FormValue | undefined,
): Active {
  const override = field.overrides?.findIndex(({ condition }) => holds(condition, value, holder)) ?? -1;
  const required =
    field.required || (field.requiredWhen !== undefined && holds(field.requiredWhen, value, holder));
  const applies = field.condition === undefined || holds(field.condition, value, holder);
  return {
    field: cached(form, field, override, () => effectiveField(form, field, value, holder)),
    required,
    applies,
    override,
  };
}

/** Opened fields are made once, so that memoised components see the same object again. */
const opens = new WeakMap<Field, Map<number, Field>>();

function cached(_form: FormDocument, field: Field, override: number, make: () => Field): Field {
  if (field.overrides === undefined && field.ref === undefined) return field;
  let made = opens.get(field);
  if (made === undefined) opens.set(field, (made = new Map()));
  const known = made.get(override);
  if (known !== undefined) return known;
  const fresh = make();
  made.set(override, fresh);
  return fresh;
}

/** A field with its reference opened, whatever the data. */
export function opened(form: FormDocument, field: Field): Field {
  return effectiveField(form, field, undefined, undefined);
}

/** The field of the whole value. */
export function rootOf(form: FormDocument): Field {
  return rootField(form);
}

/** What a part begins with once it is added. */
export function initialOf(form: FormDocument, field: Field): FormValue | undefined {
  const start = startValue(form, field, "required");
  if (start !== undefined) return start;
  const actual = opened(form, field);
  const begin = STARTS[actual.widget];
  if (begin !== undefined) return begin(form, actual);
  return actual.type === "string" ? "" : undefined;
}

const object = (): FormValue => ({});
const array = (): FormValue => [];
const STARTS: Partial<Record<Widget, (form: FormDocument, field: Field) => FormValue | undefined>> = {
  group: object,
  map: object,
  list: array,
  tuple: array,
  multiselect: array,
  variants: (form, field) => {
    const [first] = field.variants ?? [];
    return first === undefined ? undefined : initialOf(form, first.field);
  },
  constant: (_form, field) => field.const,
  null: () => null,
  checkbox: () => false,
  select: (_form, field) => field.options?.[0]?.value,
  json: (_form, field) => (field.type === "object" ? {} : field.type === "array" ? [] : undefined),
};

/** What a button says that adds something; a name that begins with "Add" does not say it twice. */
export function addText(name: string): string {
  return /^add\b/i.test(name) ? name.charAt(0).toUpperCase() + name.slice(1) : `Add ${name}`;
}

/** A name inside a sentence: acronyms keep their capitals. */
export function lowerFirst(name: string): string {
  return /^[A-Z][^A-Z\d]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

/** The variant that fits the value, if one does. */
export function variantOf(
  form: FormDocument,
  field: Field,
  value: FormValue | undefined,
): Variant | undefined {
  return field.variants?.[pickVariant(form, field, value)];
}

/** True when the field is one control. */
export function isLeaf(form: FormDocument, field: Field): boolean {
  return !["group", "map", "list", "tuple", "variants", "json", "multiselect"].includes(
    opened(form, field).widget,
  );
}

/** The initial value at a pointer. */
export function initialAt(initial: FormValue | undefined, pointer: string): FormValue | undefined {
  const found = valueAt(initial, pointer);
  return isForm(found) ? found : undefined;
}

/** A number as typed: exact, or null when it is none. */
export function readNumber(text: string, whole: boolean): FormValue | null {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return null;
  if (whole && !/^-?\d+$/.test(text)) return null;
  const value = Number(text);
  return String(value) === text ? value : new ExactNumber(text);
}

/** JSON text read with numbers kept exact. */
export function parseText(
  text: string,
): { readonly value: FormValue; readonly problem?: undefined } | { readonly problem: string } {
  try {
    const value = parseExact(text);
    return isForm(value) ? { value } : { problem: "This is not a JSON value." };
  } catch (error) {
    return { problem: error instanceof Error ? tidy(error.message) : "This is not JSON." };
  }
}

function tidy(message: string): string {
  return message.endsWith(".") ? message : `${message}.`;
}

/** A value as readable JSON, numbers exact. */
export function printText(value: FormValue): string {
  return stringifyExact(value, "  ");
}

/** A value as compact JSON, numbers exact. */
export function wireText(value: FormValue | undefined): string {
  return stringifyExact(value ?? {});
}

/** A value for the clipboard: secrets are left out. */
export function copyable(form: FormDocument, value: FormValue | undefined, pointer: string): string {
  const clean = withoutSecrets(form, value, pointer);
  return clean === undefined ? "" : printText(clean);
}

/** A short way to write a value. */
export function literal(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  const text = isForm(value) ? stringifyExact(value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

const UNITS = ["year", "month", "week", "day", "hour", "minute", "second"] as const;
const DURATION =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** An ISO 8601 duration in words; empty when it is none. */
export function readDuration(text: string): string {
  const match = DURATION.exec(text);
  if (match === null || text.length < 3) return "";
  return UNITS.flatMap((unit, index) => {
    const amount = match[index + 1];
    return amount === undefined ? [] : [`${amount} ${unit}${amount === "1" ? "" : "s"}`];
  }).join(" ");
}
