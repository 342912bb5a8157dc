import { Checker, type Verdict } from "./check.ts";
import { dialectOf } from "../compile/dialect.ts";
import type { Dialect, FormDocument } from "../compile/document.ts";
import { findProblems } from "./explainer.ts";
import type { FormValue } from "../values/json.ts";
import { explain, type ValueProblem } from "./messages.ts";

/*
 * The one validator: the server runs it in a worker thread, the browser in a worker, the command line in place. It
 * generates no code, so the same schema and value have the same verdict everywhere.
 */

/** A verdict with its reasons. */
export interface Validation {
  readonly verdict: Verdict;
  /** What is wrong; empty unless the value is invalid. */
  readonly problems: readonly ValueProblem[];
  /** Why nothing could be decided; only there when the verdict is unknown. */
  readonly reason?: string;
}

/** How a value is validated. */
export interface ValidationOptions {
  readonly dialect?: Dialect;
  /** True in a thread that can be ended: patterns are tried however long that takes, and there is no limit on steps. */
  readonly hasDeadline?: boolean;
  /** Other words for what is wrong. */
  readonly explain?: typeof explain;
}

/** Steps where nothing ends the check from outside: well under a tenth of a second. */
const STEPS = 60_000;

/** Validates a value against a schema. What a value does not touch does not matter: one dead reference decides nothing. */
export function validate(schema: unknown, value: unknown, options: ValidationOptions = {}): Validation {
  const { dialect = dialectOf(schema), hasDeadline = false } = options;
  const steps = hasDeadline ? Number.MAX_SAFE_INTEGER : STEPS;
  const limits = { dialect, steps, allPatterns: hasDeadline };
  const checker = new Checker(schema, limits);
  const verdict = checker.check(value);
  if (verdict === "valid") return { verdict, problems: [] };
  if (verdict === "unknown")
    return {
      verdict,
      problems: [],
      reason: checker.reasons.join(" ") || "The schema refers to itself without end.",
    };
  const problems = findProblems(schema, value, limits, options.explain ?? explain);
  if (problems.length > 0) return { verdict, problems };
  return { verdict, problems: [{ pointer: "", keyword: "schema", message: explain("schema", schema) }] };
}

/** Checks values of one form. */
export type FormValidator = (value: FormValue | undefined) => readonly ValueProblem[];

/** A validator of a form's values: the problems of a value, none where it is valid or nothing can be decided. */
export function createFormValidator(form: FormDocument): FormValidator {
  return (value) => validateValue(form, value);
}

/** The problems of one value of a form. */
export function validateValue(form: FormDocument, value: FormValue | undefined): readonly ValueProblem[] {
  return validateForm(form, value).problems;
}

/** The verdict on a value of a form. */
export function validateForm(
  form: Pick<FormDocument, "validation">,
  value: FormValue | undefined,
  options: Omit<ValidationOptions, "dialect"> = {},
): Validation {
  const { schema, dialect } = form.validation;
  return validate(schema, plainValue(value), { ...options, dialect });
}

/** Numbers that a double cannot hold are checked as the nearest double. */
function plainValue(value: FormValue | undefined): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
