import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { checkValue } from "../forms/check.ts";
import { dialectOf } from "../forms/dialect.ts";
import { pointerToken } from "../forms/json.ts";
import { clearProblems } from "../forms/explainer.ts";
import { explain, type ValueProblem } from "../forms/messages.ts";
import { normalizeForValidation, type ValidatorDialect } from "../forms/normalize.ts";
import { isMultipleOf } from "../forms/numbers.ts";
import { withoutDynamicReferences } from "../forms/static-references.ts";

/** The problems of a value; none when it is valid. */
type Check = (value: unknown) => readonly ValueProblem[];

const OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  strict: false,
  validateSchema: false,
  unicodeRegExp: true,
  logger: false,
  $data: false,
  // `constructor` and `toString` are members like any other: there when they are there.
  ownProperties: true,
};
const MOST_CACHED = 20;
const MOST_CACHED_TEXT = 50_000;
const cache = new Map<string, Check>();

/** Node's loader gives a CommonJS default export as the namespace; both shapes are the same function. */
const addFormats = typeof formats === "function" ? formats : formats.default;

function newAjv(dialect: ValidatorDialect, options: Options): Ajv {
  const ajv =
    dialect === "2020-12"
      ? new Ajv2020(options)
      : dialect === "2019-09"
        ? new Ajv2019(options)
        : new Ajv(options);
  addFormats(ajv);
  // Its own compares doubles, to which 19.99 is no multiple of 0.01.
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    validate: (step: number, value: number) => isMultipleOf(value, step),
  });
  return ajv;
}

/** The validator of a schema, given as JSON text. Throws when none can be made. */
export function compile(text: string): Check {
  const known = cache.get(text);
  if (known) return known;
  const schema: unknown = JSON.parse(text);
  const stated = dialectOf(schema);
  const { schema: normal, dialect } = normalizeForValidation(schema, stated);
  const { schema: plain, complete } = withoutDynamicReferences(normal);
  const judge = build(plain, dialect);
  const check: Check = (value) => {
    const given = attempt(judge, value);
    const problems = complete && given ? given : walked(given ?? [], schema, value);
    return problems.length === 0 ? problems : clearProblems(schema, value, stated, problems);
  };
  if (text.length < MOST_CACHED_TEXT) {
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(text, check);
  }
  return check;
}

/** The validator's problems; null where the code it generated fails, and the checker has the word. */
function attempt(judge: Check, value: unknown): readonly ValueProblem[] | null {
  try {
    return judge(value);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Dynamic references that mean different things in different places are judged by the checker, which follows them. */
function walked(problems: readonly ValueProblem[], schema: unknown, value: unknown): readonly ValueProblem[] {
  return problems.length === 0 && checkValue(schema, value) === "invalid"
    ? [{ pointer: "", keyword: "$dynamicRef", message: explain("schema", null) }]
    : problems;
}

function build(schema: unknown, dialect: ValidatorDialect): Check {
  if (typeof schema === "boolean") {
    return () => (schema ? [] : [{ pointer: "", keyword: "false", message: explain("false", false) }]);
  }
  if (typeof schema !== "object" || schema === null)
    throw new TypeError("A schema is an object or a boolean.");
  const validate = compileLeniently(schema, dialect);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(toProblem));
}

/**
 * Patterns that are not valid in Unicode mode are common; they get a second try without it. So does a schema under the
 * address of a standard one, which is not registered then.
 */
function compileLeniently(schema: object, dialect: ValidatorDialect): ReturnType<Ajv["compile"]> {
  try {
    return newAjv(dialect, OPTIONS).compile(schema);
  } catch (error) {
    if (error instanceof SyntaxError)
      return newAjv(dialect, { ...OPTIONS, unicodeRegExp: false }).compile(schema);
    if (!(error instanceof Error) || !error.message.includes("already exists")) throw error;
    return newAjv(dialect, { ...OPTIONS, addUsedSchema: false }).compile(schema);
  }
}

function toProblem(error: ErrorObject): ValueProblem {
  const { keyword, instancePath, params, schema } = error;
  const named =
    params["missingProperty"] ??
    params["additionalProperty"] ??
    params["unevaluatedProperty"] ??
    params["propertyName"];
  const name = typeof named === "string" ? named : undefined;
  return {
    pointer: name === undefined ? instancePath : `${instancePath}/${pointerToken(name)}`,
    keyword,
    message: explain(keyword, schema, name),
  };
}

/** The problems of a value against a schema, both as JSON text. */
export function checkText(schema: unknown, value: unknown): readonly ValueProblem[] {
  const check = compile(String(schema));
  const parsed: unknown = JSON.parse(String(value));
  return check(parsed);
}
