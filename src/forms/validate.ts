import { Validator, type OutputUnit, type Schema } from "@cfworker/json-schema";
import { checkValue } from "./check.ts";
import type { FormDocument } from "./document.ts";
import { isRecord, pointerToken, type FormValue } from "./json.ts";
import { clearProblems } from "./explainer.ts";
import { explain, isUmbrella, keywordValue, type ValueProblem } from "./messages.ts";
import { normalizeForValidation } from "./normalize.ts";
import { withoutDynamicReferences } from "./static-references.ts";

/** Checks values of one form; made once, used on every change. */
export type FormValidator = (value: FormValue | undefined) => readonly ValueProblem[];

/** Draft-07 is read as 2019-09, which understands all of it and counts what stands beside a `$ref`. */
const DRAFTS = { "draft-07": "2019-09", "2019-09": "2019-09", "2020-12": "2020-12" } as const;

/** A validator of a form's values that generates no code, for the browser. */
export function createFormValidator(form: FormDocument): FormValidator {
  const normal = normalizeForValidation(form.validation.schema, form.validation.dialect);
  const { dialect } = normal;
  const { schema, complete } = withoutDynamicReferences(normal.schema);
  if (!isSchema(schema)) return (value) => walkingCheck(form, plainValue(value));
  const validator = prepared(schema, DRAFTS[dialect]);
  return (value) => {
    const plain = plainValue(value);
    const errors = validator ? outcome(validator, plain) : null;
    if (errors === null || (errors.length === 0 && !complete)) return walkingCheck(form, plain);
    const telling = errors.filter(
      ({ keyword }) => !isUmbrella(keyword) || keyword === "anyOf" || keyword === "oneOf",
    );
    if (errors.length === 0) return [];
    const given = (telling.length > 0 ? telling : errors).map((unit) => toProblem(unit, schema));
    return clearProblems(form.validation.schema, plain, form.validation.dialect, given);
  };
}

/** Numbers that a double cannot hold are checked as the nearest double. */
function plainValue(value: FormValue | undefined): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

/** The validator gives up on schemas that are not quite valid; then the checker, which never does, has the last word. */
function walkingCheck(form: FormDocument, value: unknown): readonly ValueProblem[] {
  const { schema, dialect } = form.validation;
  const verdict = checkValue(schema, value, { dialect, steps: 50_000 });
  const problem: ValueProblem = { pointer: "", keyword: "schema", message: explain("schema", schema) };
  return verdict === "invalid" ? clearProblems(schema, value, dialect, [problem]) : [];
}

function prepared(schema: Schema, draft: (typeof DRAFTS)[keyof typeof DRAFTS]): Validator | null {
  try {
    return new Validator(schema, draft, false);
  } catch {
    return null;
  }
}

function outcome(validator: Validator, value: unknown): readonly OutputUnit[] | null {
  try {
    return validator.validate(value).errors;
  } catch {
    return null;
  }
}

/** The problems of one value. For repeated checks make a validator once. */
export function validateValue(form: FormDocument, value: FormValue | undefined): readonly ValueProblem[] {
  return createFormValidator(form)(value);
}

function toProblem(unit: OutputUnit, schema: Schema): ValueProblem {
  const { keyword } = unit;
  const pointer = decodeURIComponent(unit.instanceLocation.replace(/^#/, ""));
  const named = /property "([^"]*)"/.exec(unit.error)?.[1];
  const missing = (keyword === "required" || keyword === "dependentRequired") && named !== undefined;
  return {
    pointer: missing ? `${pointer}/${pointerToken(named)}` : pointer,
    keyword,
    message: explain(keyword, keywordValue(schema, unit.keywordLocation), named),
  };
}

function isSchema(schema: unknown): schema is Schema {
  return isRecord(schema);
}
