import type { Field, FormDocument } from "../compile/document.ts";
import { effectiveField, keyField, pickVariant, rootField } from "../values/fields.ts";
import { type FormValue, pointerTokens, setOwn } from "../values/json.ts";
import { isFormObject } from "./form-store.ts";

/*
 * What a schema marks as secret never leaves the page except in the call itself: drafts, history, links and copies are
 * made from the value that these functions return.
 */

/** A value without its secrets. `pointer` says where in the form the value sits. */
export function withoutSecrets(
  form: FormDocument,
  value: FormValue | undefined,
  pointer = "",
): FormValue | undefined {
  const field = fieldAt(form, pointer);
  return value === undefined || field === null ? value : strip(form, field, value, 0);
}

function strip(form: FormDocument, declared: Field, value: FormValue, depth: number): FormValue | undefined {
  const field = effectiveField(form, declared, value, undefined);
  if (declared.secret === true || field.secret === true || field.widget === "password") return undefined;
  if (depth > 64) return undefined;
  if (field.widget === "variants") {
    const picked = pickVariant(form, field, value);
    let kept: FormValue | undefined = value;
    for (const [index, variant] of (field.variants ?? []).entries()) {
      // A value that fits no variant yet is matched by guess: what any of them calls a secret member is one.
      const guessed = index !== picked && isFormObject(kept) && variant.field.widget === "group";
      if (kept !== undefined && (index === picked || guessed))
        kept = strip(form, variant.field, kept, depth + 1);
    }
    return kept;
  }
  if (Array.isArray(value)) {
    return value.map((item: FormValue, index) => {
      const inner = field.tuple?.[index] ?? field.items;
      return inner === undefined ? item : (strip(form, inner, item, depth + 1) ?? null);
    });
  }
  if (!isFormObject(value)) return value;
  const kept: Record<string, FormValue | undefined> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const inner = field.children?.find((child) => child.name === key) ?? keyField(field, key);
    const next = inner === undefined || inner === null ? item : strip(form, inner, item, depth + 1);
    if (next !== undefined) setOwn(kept, key, next);
  }
  return kept;
}

function fieldAt(form: FormDocument, pointer: string): Field | null {
  let field: Field | null | undefined = rootField(form);
  for (const token of pointerTokens(pointer)) {
    if (field === null || field === undefined) return null;
    const actual: Field = effectiveField(form, field, undefined, undefined);
    if (actual.secret === true) return actual;
    field =
      actual.children?.find((child) => child.name === token) ??
      actual.tuple?.[Number(token)] ??
      actual.items ??
      keyField(actual, token);
  }
  return field ?? null;
}
