import { isOfType } from "../check/check-scalars.ts";
import { checkValue, Checker } from "../check/check.ts";
import { findProblems } from "../check/explainer.ts";
import type { Field, FormDocument, Note } from "../compile/document.ts";
import { effectiveField, itemField, rootField, visibleChild, visibleChildren } from "./fields.ts";
import {
  ExactNumber,
  isJson,
  isRecord,
  own,
  pointerToken,
  sameJson,
  setOwn,
  type FormObject,
  type FormValue,
  type Json,
} from "./json.ts";

/*
 * Values of forms. Absent, null, "" and [] are four different things, and nothing here turns one into another.
 */

const DEEPEST = 24;
/** Levels that a form begins with: what is required deeper is for the person to add. */
const DEEPEST_BEGUN = 5;
/** Fields looked at for one initial value: definitions that require themselves would otherwise grow without end. */
const MOST_STARTED = 5_000;

const BAD_DEFAULT = "default_not_used";

/** How often defaults that do harm are taken out before the form begins without any. */
const MOST_ROUNDS = 6;

/**
 * What a form begins with: defaults, and constants that are required. Nothing in it is wrong, though something may be
 * missing; a default that its own schema does not allow is left out and noted.
 */
export function initialValue(form: FormDocument): { readonly value: Json; readonly notes: readonly Note[] } {
  const root = rootField(form);
  const rejected = new Set<string>();
  let value: Json = null;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const starter = new Starter(form, rejected, "all");
    value = starter.start(root, "") ?? emptyOf(form, root);
    const before = rejected.size;
    for (const pointer of wrongDefaults(form, value, starter.placed)) rejected.add(pointer);
    if (rejected.size === before) return { value, notes: [...rejected, ...starter.misfits].map(badDefault) };
  }
  return { value: emptyOf(form, root), notes: [...rejected].map(badDefault) };
}

/**
 * What a form that a person fills in begins with: what is required and has one value or a default. Defaults of optional
 * members are left to the receiver of the value; they are shown, and not written.
 */
export function requiredValue(form: FormDocument): Json {
  const root = rootField(form);
  const begun = new Starter(form, rejectedDefaults(form), "required").start(root, "");
  const start = begun ?? emptyOf(form, root);
  const { schema, dialect } = form.validation;
  const wrong = findProblems(schema, start, { dialect, steps: PAGE_STEPS }).some(
    ({ keyword }) => !MISSING.has(keyword),
  );
  // Without an optional default something else may be asked for; then all of them are written.
  return wrong ? form.initialValue : start;
}

/** Where the compiler found that a default is not allowed. */
function rejectedDefaults(form: FormDocument): ReadonlySet<string> {
  return new Set(form.notes.flatMap((note) => (note.code === BAD_DEFAULT ? [note.schemaPath] : [])));
}

/** Where the defaults stand that are wrong by what they are, not by what is missing from them. */
function wrongDefaults(form: FormDocument, value: Json, placed: ReadonlySet<string>): string[] {
  const { schema, dialect } = form.validation;
  if (placed.size === 0) return [];
  return findProblems(schema, value, { dialect, steps: START_STEPS })
    .filter(({ keyword }) => !MISSING.has(keyword))
    .flatMap(({ pointer }) => {
      let at = pointer;
      while (!placed.has(at) && at !== "") at = at.slice(0, at.lastIndexOf("/"));
      return placed.has(at) ? [at] : [];
    });
}

const START_STEPS = 30_000;
/** Pages ask what to begin with while they draw; real schemas need some dozens of steps. */
const PAGE_STEPS = 3_000;
const MISSING = new Set(["required", "dependentRequired"]);

/** What a field begins with once it is there; undefined when it should stay empty. */
export function startValue(form: FormDocument, field: Field, defaults: Defaults = "all"): Json | undefined {
  return new Starter(form, new Set(), defaults).start(field, "");
}

/** Whose defaults are written: those of all members, or of required ones. */
type Defaults = "all" | "required";

/** Puts start values together. */
class Starter {
  readonly #form: FormDocument;
  /** Where a default was taken. */
  readonly placed = new Set<string>();
  /** Where a default was not taken, because the field cannot hold it. */
  readonly misfits = new Set<string>();
  /** Where no default is taken. */
  readonly #rejected: ReadonlySet<string>;
  /** The definitions that are being begun: one that requires itself would be nested without end. */
  readonly #open: string[] = [];
  readonly #defaults: Defaults;
  #left = MOST_STARTED;
  #depth = 0;

  constructor(form: FormDocument, rejected: ReadonlySet<string>, defaults: Defaults) {
    this.#form = form;
    this.#rejected = rejected;
    this.#defaults = defaults;
  }

  start(field: Field, pointer: string): Json | undefined {
    if (this.#left <= 0 || this.#depth > DEEPEST_BEGUN) return undefined;
    this.#left -= 1;
    const { ref } = field;
    if (ref !== undefined && this.#open.includes(ref)) return undefined;
    if (ref !== undefined) this.#open.push(ref);
    this.#depth += 1;
    const value = this.#begin(field, pointer);
    this.#depth -= 1;
    if (ref !== undefined) this.#open.pop();
    return value;
  }

  #begin(field: Field, pointer: string): Json | undefined {
    const form = this.#form;
    const actual = effectiveField(form, field, undefined, undefined);
    const isRejected = this.#rejected.has(pointer);
    if (actual.default !== undefined && !isRejected && defaultFits(actual)) {
      this.placed.add(pointer);
      return actual.default;
    }
    if (actual.widget === "constant") return actual.const;
    if (actual.widget !== "group" || isRejected) {
      if (actual.default !== undefined && !isRejected) this.misfits.add(pointer);
      return undefined;
    }
    const value: Record<string, Json> = {};
    let asked = actual.children ?? [];
    // Conditions may depend on values set before, so the children that have some are asked again until nothing changes.
    for (let round = 0; round < 3 && asked.length > 0; round++) {
      const before = Object.keys(value).length;
      for (const child of asked) {
        if (Object.hasOwn(value, child.name)) continue;
        const shown = visibleChild(form, child, value);
        const isWanted = this.#defaults === "all" && shown?.default !== undefined;
        if (!shown || (!isWanted && !shown.required)) continue;
        const at = `${pointer}/${pointerToken(child.name)}`;
        const item = this.start(child.ref === undefined ? shown : { ...child, required: shown.required }, at);
        if (item !== undefined) setOwn(value, child.name, item);
      }
      if (Object.keys(value).length === before) break;
      asked = asked.filter(dependsOnOthers);
    }
    return Object.keys(value).length > 0 ? value : undefined;
  }
}

/**
 * A value as its form is drawn: a required group without a value is an empty one, so that what it needs is asked for at
 * its own fields. A group that needs nothing stays absent.
 */
export function asDrawn(form: FormDocument, value: FormValue | undefined): FormValue | undefined {
  return value === undefined ? undefined : drawn(form, rootField(form), value, 0);
}

function drawn(form: FormDocument, field: Field, value: FormValue, depth: number): FormValue {
  if (depth > DEEPEST_BEGUN) return value;
  if (isList(value)) {
    const items = value.map((item, index) =>
      drawn(form, itemField(form, field, index, item), item, depth + 1),
    );
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isFormObject(value) || field.widget !== "group") return value;
  const begun: Record<string, FormValue> = {};
  for (const child of visibleChildren(form, field, value)) {
    const item = Object.hasOwn(value, child.name) ? value[child.name] : undefined;
    const next = item ?? (needsMore(form, child) && item === undefined ? {} : undefined);
    const whole = next === undefined ? undefined : drawn(form, child, next, depth + 1);
    if (whole !== undefined && whole !== item) setOwn(begun, child.name, whole);
  }
  return Object.keys(begun).length === 0 ? value : { ...value, ...begun };
}

/** True for a required group that is not complete while it is empty. */
function needsMore(form: FormDocument, field: Field): boolean {
  return (
    field.required &&
    field.widget === "group" &&
    visibleChildren(form, field, {}).some(({ required }) => required)
  );
}

function isList(value: FormValue): value is readonly FormValue[] {
  return Array.isArray(value);
}

function isFormObject(value: FormValue): value is FormObject {
  return isRecord(value);
}

/** True for a field that may be drawn otherwise once its neighbours have values. */
function dependsOnOthers({ condition, requiredWhen, overrides, ref }: Field): boolean {
  return (condition ?? requiredWhen ?? overrides ?? ref) !== undefined;
}

/** True when a field has a default that its widget can hold; no other is used. */
export function defaultFits(field: Field): boolean {
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
      return field.constraints
        ? checkValue({ type: field.type, ...field.constraints }, standard) === "valid"
        : isOfType(field.type, standard);
  }
}

/** The value of a form in which nothing is filled in; a choice begins as the first kind of container it offers. */
function emptyOf(form: FormDocument, field: Field): Json {
  const kinds = [field, ...(field.variants ?? []).map((variant) => variant.field)].map(
    (one) => effectiveField(form, one, undefined, undefined).type,
  );
  if (kinds.includes("object")) return {};
  return kinds.includes("array") ? [] : null;
}

function badDefault(pointer: string): Note {
  return {
    code: BAD_DEFAULT,
    severity: "warning",
    schemaPath: pointer,
    message: `The default of ${pointer === "" ? "the whole value" : pointer} does not satisfy the schema and is not filled in.`,
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
        ? child.default !== undefined && defaultFits(child) && wanted()
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
