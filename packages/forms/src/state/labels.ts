import type { Field, FormDocument } from "../compile/document.ts";
import { effectiveField, rootField } from "../values/fields.ts";
import { pointerTokens } from "../values/json.ts";
import type { FieldProblem } from "./form-store.ts";

/** A count that was stopped at a limit says so: "60+". */
export function atMost(count: number, most: number): string {
  return count < most ? count.toLocaleString("en") : `${most.toLocaleString("en")}+`;
}

/** The way to a value in words a person sees in the form: "Address › Street". */
export function labelsTo(form: FormDocument, pointer: string): string {
  const parts = labelParts(form, pointer);
  return parts.length === 0 ? form.title : parts.join(" › ");
}

/** What is wrong with a field, which is named as the form names it. */
export function problemText(form: FormDocument, { pointer, message }: FieldProblem): string {
  const name = pointerTokens(pointer).at(-1) ?? "";
  return message === `“${name}” is required.`
    ? `“${labelParts(form, pointer).at(-1) ?? name}” is required.`
    : message;
}

function labelParts(form: FormDocument, pointer: string): readonly string[] {
  const parts: string[] = [];
  let field: Field | undefined = rootField(form);
  for (const token of pointerTokens(pointer)) {
    const actual: Field | undefined =
      field === undefined ? undefined : effectiveField(form, field, undefined, undefined);
    const children: readonly Field[] = [
      ...(actual?.children ?? []),
      ...(actual?.variants ?? []).flatMap((variant) => variant.field.children ?? []),
    ];
    const index = Number(token);
    field = children.find((child) => child.name === token) ?? actual?.tuple?.[index] ?? actual?.items;
    const known = field !== undefined && field.name === token && field.label !== "";
    parts.push(known ? (field?.label ?? token) : /^\d+$/.test(token) ? `item ${index + 1}` : token);
  }
  return parts;
}
