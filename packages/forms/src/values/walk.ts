import type { Field, FormDocument, RawReason } from "../compile/document.ts";
import {
  accepts,
  effectiveField,
  extraEntries,
  itemField,
  pickVariant,
  rootField,
  visibleChildren,
} from "./fields.ts";
import { ExactNumber, isRecord, own, pointerToken, setOwn, type FormValue } from "./json.ts";
import { isForm } from "./values.ts";

/** How a form shows one scalar of a value. */
export interface LeafView {
  readonly pointer: string;
  /** `field`: in a widget of its own. `raw`: inside a part that is edited as JSON. `blank`: nowhere. */
  readonly shown: "field" | "raw" | "blank";
  readonly field: Field;
  readonly reason?: RawReason["code"] | "does_not_fit";
}

/** A value as a form shows it: every scalar with its field, and the value put together again from the fields. */
export interface FormView {
  readonly leaves: readonly LeafView[];
  readonly value: FormValue;
}

const DEEPEST = 200;

/** Opens a value in a form the way a renderer does, field by field, and reads it back from the fields. */
export function viewValue(form: FormDocument, value: FormValue): FormView {
  const leaves: LeafView[] = [];
  return { value: view(form, rootField(form), value, undefined, "", leaves, 0), leaves };
}

function view(
  form: FormDocument,
  field: Field,
  value: FormValue,
  holder: unknown,
  pointer: string,
  leaves: LeafView[],
  depth: number,
): FormValue {
  const actual = effectiveField(form, field, value, holder);
  const next = (inner: Field, item: FormValue, key: string | number, of: unknown): FormValue =>
    view(form, inner, item, of, `${pointer}/${pointerToken(key)}`, leaves, depth + 1);
  if (actual.widget === "json" || depth > DEEPEST) {
    rawLeaves(actual, value, pointer, leaves, actual.raw?.code ?? "too_deep");
    return value;
  }
  if (!accepts(form, actual, value)) {
    // A renderer shows what its widget cannot hold as JSON, with a remark: nothing is lost, nothing is changed.
    rawLeaves(actual, value, pointer, leaves, "does_not_fit");
    return value;
  }
  if (actual.widget === "variants" && value !== null) {
    const variant = actual.variants?.[pickVariant(form, actual, value)];
    if (variant) return view(form, variant.field, value, holder, pointer, leaves, depth + 1);
  }
  if (actual.widget === "multiselect" || !isContainer(value)) {
    for (const [at, leaf] of scalarsOf(value, pointer))
      leaves.push({ pointer: at, shown: leaf, field: actual });
    return value;
  }
  if (Array.isArray(value))
    return value.map((item: FormValue, index) =>
      next(itemField(form, actual, index, item), item, index, undefined),
    );
  if (actual.widget === "select" || actual.widget === "constant") {
    for (const [at] of scalarsOf(value, pointer)) leaves.push({ pointer: at, shown: "field", field: actual });
    return value;
  }
  const rebuilt: Record<string, FormValue> = {};
  for (const child of visibleChildren(form, actual, value)) {
    const item = isRecord(value) ? own(value, child.name) : undefined;
    if (item !== undefined && isForm(item)) setOwn(rebuilt, child.name, next(child, item, child.name, value));
  }
  for (const { key, field: extra } of extraEntries(form, actual, value)) {
    const item = isRecord(value) ? own(value, key) : undefined;
    if (item !== undefined && isForm(item)) setOwn(rebuilt, key, next(extra, item, key, value));
  }
  return rebuilt;
}

/** Whether a value holds others. */
export function isContainer(value: FormValue): boolean {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

function rawLeaves(
  field: Field,
  value: FormValue,
  pointer: string,
  leaves: LeafView[],
  reason: NonNullable<LeafView["reason"]>,
): void {
  for (const [at] of scalarsOf(value, pointer)) leaves.push({ pointer: at, shown: "raw", field, reason });
}

function* scalarsOf(value: unknown, pointer: string): Generator<readonly [string, "field"]> {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) yield* scalarsOf(value[index], `${pointer}/${index}`);
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value))
      yield* scalarsOf(item, `${pointer}/${pointerToken(key)}`);
  } else if (value !== undefined) yield [pointer, "field"];
}
