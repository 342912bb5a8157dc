import { checkValue, Checker } from "./check.ts";
import type { Field, FormDocument, Note } from "./document.ts";
import { effectiveField, rootField, visibleChildren } from "./fields.ts";
import { ExactNumber, isJson, isRecord, own, sameJson, setOwn, type FormValue, type Json } from "./json.ts";

/*
 * Values of forms. Absent, null, "" and [] are four different things, and nothing here turns one into another.
 */

const DEEPEST = 24;
/** Fields looked at for one initial value: definitions that require themselves would otherwise grow without end. */
const MOST_STARTED = 5_000;

/** What a form begins with: defaults, and constants that are required. */
export function initialValue(form: FormDocument): { readonly value: Json; readonly notes: readonly Note[] } {
  const root = rootField(form);
  const value = startValue(form, root) ?? emptyOf(root);
  const notes: Note[] = [];
  if (root.default !== undefined && !sameJson(value, root.default)) notes.push(badDefault(""));
  return { value, notes };
}

/** What a field begins with once it is there; undefined when it should stay empty. */
export function startValue(form: FormDocument, field: Field): Json | undefined {
  return start(form, field, 0, { left: MOST_STARTED });
}

function start(form: FormDocument, field: Field, depth: number, budget: { left: number }): Json | undefined {
  if (budget.left <= 0) return undefined;
  budget.left -= 1;
  const actual = effectiveField(form, field, undefined, undefined);
  if (actual.default !== undefined && defaultFits(form, actual)) return actual.default;
  if (actual.widget === "constant") return actual.const;
  if (depth > DEEPEST || actual.widget !== "group") return undefined;
  const value: Record<string, Json> = {};
  // Conditions may depend on values set before, so the children are asked again until nothing changes.
  for (let round = 0; round < 3; round++) {
    const before = Object.keys(value).length;
    for (const child of visibleChildren(form, actual, value)) {
      if (Object.hasOwn(value, child.name)) continue;
      const item =
        child.default !== undefined || child.required ? start(form, child, depth + 1, budget) : undefined;
      if (item !== undefined) setOwn(value, child.name, item);
    }
    if (Object.keys(value).length === before) break;
  }
  return Object.keys(value).length > 0 ? value : undefined;
}

/** A default counts only when the widget can hold it. */
function defaultFits(form: FormDocument, field: Field): boolean {
  const { default: standard } = field;
  if (standard === undefined) return false;
  if (standard === null) return field.nullable || field.type === "null" || field.widget === "json";
  const widget: string = field.widget;
  switch (widget) {
    case "select":
      return (field.options ?? []).some((option) => sameJson(option.value, standard));
    case "constant":
      return sameJson(field.const, standard);
    case "never":
    case "null":
      return false;
    case "json":
    case "variants":
    case "reference":
      return true;
    default:
      return checkValue({ type: field.type, ...field.constraints }, standard) === "valid";
  }
}

function emptyOf(field: Field): Json {
  if (field.type === "object") return {};
  return field.type === "array" ? [] : field.widget === "group" || field.widget === "map" ? {} : null;
}

function badDefault(schemaPath: string): Note {
  return {
    code: "default_not_used",
    severity: "info",
    schemaPath,
    message: "The default does not satisfy its own schema and is not filled in.",
  };
}

/**
 * A value with the defaults of absent members filled in. A default is left out when it would turn valid data invalid,
 * or when that cannot be ruled out.
 */
export function applyDefaults(form: FormDocument, value: FormValue): FormValue {
  const { schema, dialect } = form.validation;
  const verdict = (candidate: unknown): boolean =>
    new Checker(schema, { dialect, steps: 100_000 }).check(candidate) === "valid";
  if (!verdict(value)) return fill(form, rootField(form), value, 0, () => true);
  const all = fill(form, rootField(form), value, 0, () => true);
  if (all === value || verdict(all)) return all;
  // Something among the defaults does harm: take them one by one, each kept only while the value stays valid.
  let kept = value;
  for (let turn = 0; turn < 60; turn++) {
    let index = -1;
    const next = fill(form, rootField(form), kept, 0, () => ++index === turn);
    if (index < turn) break;
    if (next !== kept && verdict(next)) kept = next;
  }
  return kept;
}

function fill(
  form: FormDocument,
  field: Field,
  value: FormValue,
  depth: number,
  wanted: () => boolean,
): FormValue {
  if (depth > DEEPEST || !isRecord(value)) return value;
  const actual = effectiveField(form, field, value, undefined);
  if (actual.widget !== "group") return value;
  let changed: Record<string, FormValue> | null = null;
  for (const child of visibleChildren(form, actual, value)) {
    const item = own(value, child.name);
    const next =
      item === undefined
        ? child.default !== undefined && defaultFits(form, child) && wanted()
          ? child.default
          : undefined
        : isForm(item)
          ? fill(form, child, item, depth + 1, wanted)
          : undefined;
    if (next === undefined || next === item) continue;
    changed ??= copyOf(value);
    setOwn(changed, child.name, next);
  }
  return changed ?? value;
}

function copyOf(value: Record<string, unknown>): Record<string, FormValue> {
  const copy: Record<string, FormValue> = {};
  for (const [key, item] of Object.entries(value)) if (isForm(item)) setOwn(copy, key, item);
  return copy;
}

/** True for anything a form can hold. */
export function isForm(value: unknown): value is FormValue {
  if (value instanceof ExactNumber || value === null || typeof value !== "object")
    return value instanceof ExactNumber || isJson(value);
  return Array.isArray(value)
    ? value.every(isForm)
    : isRecord(value) && Object.values(value).every((item) => item === undefined || isForm(item));
}

/** A value without members that are undefined; in an array, undefined becomes null, as JSON would have it. */
export function prune(value: FormValue | undefined): FormValue | undefined {
  if (Array.isArray(value))
    return value.map((item: unknown) => (isForm(item) ? (prune(item) ?? null) : null));
  if (!isRecord(value)) return value;
  const kept: Record<string, FormValue> = {};
  for (const [key, item] of Object.entries(value)) {
    const next = isForm(item) ? prune(item) : undefined;
    if (next !== undefined) setOwn(kept, key, next);
  }
  return kept;
}
