import type { FormDocument, FormValue } from "#forms/index.ts";
import { createFormValidator, type FormValidator } from "#forms/validate.ts";
import type { FieldProblem } from "./form-store.ts";

/*
 * Full validation in the page, by a validator that interprets the schema: the content policy forbids code generation.
 * This module is loaded when a form is first checked, not with the page.
 */

const validators = new WeakMap<FormDocument, FormValidator>();

/** Everything that is wrong with a value, each at the field where it can be fixed. */
export function findProblems(form: FormDocument, value: FormValue | undefined): readonly FieldProblem[] {
  let validator = validators.get(form);
  if (validator === undefined) validators.set(form, (validator = createFormValidator(form)));
  return validator(value);
}
