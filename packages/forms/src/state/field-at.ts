import type { Field, FormDocument } from "../compile/document.ts";
import { keyField, pickVariant, rootField } from "../values/fields.ts";
import { type FormValue, pointerTokens } from "../values/json.ts";
import { isFormObject } from "./form-store.ts";
import { activeField } from "./logic.ts";

const DEEPEST_CHOICE = 16;

/** The field at a pointer as the value stands: alternatives picked, references opened; null where there is none. */
export function fieldAt(form: FormDocument, value: FormValue | undefined, pointer: string): Field | null {
  let field: Field | null = rootField(form);
  let here = value;
  let holder: FormValue | undefined;
  for (const token of pointerTokens(pointer)) {
    const open: Field | null = field === null ? null : insideOf(form, field, holder, here);
    if (open === null) return null;
    field = memberOf(open, here, token);
    holder = here;
    here = valueOf(here, token);
  }
  return field;
}

/** A field with its reference, its override and its alternative chosen. */
function insideOf(
  form: FormDocument,
  declared: Field,
  holder: FormValue | undefined,
  value: FormValue | undefined,
): Field | null {
  let { field } = activeField(form, declared, holder, value);
  for (let depth = 0; field.widget === "variants" && depth < DEEPEST_CHOICE; depth++) {
    const variant = field.variants?.[Math.max(0, pickVariant(form, field, value))];
    if (variant === undefined) return null;
    ({ field } = activeField(form, variant.field, holder, value));
  }
  return field;
}

function memberOf(field: Field, value: FormValue | undefined, token: string): Field | null {
  if (Array.isArray(value) || field.type === "array")
    return field.tuple?.[Number(token)] ?? field.items ?? null;
  return field.children?.find((child) => child.name === token) ?? keyField(field, token) ?? null;
}

function valueOf(value: FormValue | undefined, token: string): FormValue | undefined {
  if (Array.isArray(value)) return value[Number(token)];
  return isFormObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}
