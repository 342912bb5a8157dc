import { Validator, type OutputUnit, type Schema } from "@cfworker/json-schema";
import type { FormDocument } from "./document.ts";
import { isRecord, pointerToken, type FormValue } from "./json.ts";
import { explain, isUmbrella, keywordValue, worthShowing, type ValueProblem } from "./messages.ts";
import { normalizeForValidation } from "./normalize.ts";

/** Checks values of one form; made once, used on every change. */
export type FormValidator = (value: FormValue | undefined) => readonly ValueProblem[];

/** Draft-07 is read as 2019-09, which understands all of it and counts what stands beside a `$ref`. */
const DRAFTS = { "draft-07": "2019-09", "2019-09": "2019-09", "2020-12": "2020-12" } as const;

/** A validator of a form's values that generates no code, for the browser. */
export function createFormValidator(form: FormDocument): FormValidator {
  const { schema, dialect } = normalizeForValidation(form.validation.schema, form.validation.dialect);
  if (typeof schema === "boolean")
    return () => (schema ? [] : [{ pointer: "", keyword: "false", message: explain("false", false) }]);
  if (!isSchema(schema)) return () => [];
  const validator = new Validator(schema, DRAFTS[dialect], false);
  return (value) => {
    const plain: unknown = value === undefined ? null : JSON.parse(JSON.stringify(value));
    const { valid, errors } = validator.validate(plain);
    if (valid) return [];
    const problems = errors
      .filter(({ keyword }) => !isUmbrella(keyword) || keyword === "anyOf" || keyword === "oneOf")
      .map((unit) => toProblem(unit, schema));
    return worthShowing(problems.length > 0 ? problems : errors.map((unit) => toProblem(unit, schema)));
  };
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
