import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { dialectOf } from "../../packages/forms/src/compile/dialect.ts";
import { normalizeForValidation, type ValidatorDialect } from "../../packages/forms/src/compile/normalize.ts";
import { isMultipleOf } from "../../packages/forms/src/values/numbers.ts";

/*
 * Another validator (ajv), set up to read schemas as ours does, so that tests can compare the verdicts. It
 * knows no schemas with dynamic references that depend on their scope.
 */

const addFormats = typeof formats === "function" ? formats : formats.default;

function newAjv(dialect: ValidatorDialect, unicodeRegExp: boolean): Ajv {
  const options = {
    strict: false,
    validateSchema: false,
    unicodeRegExp,
    logger: false,
    ownProperties: true,
    // Where it may stop at the first error it accepts `[]` for `contains` beside `prefixItems`.
    allErrors: true,
    addUsedSchema: false,
  } as const;
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

/** Whether ajv accepts values of a schema; null where it cannot read the schema. */
export function referee(schema: unknown): ((value: unknown) => boolean) | null {
  const { schema: normal, dialect } = normalizeForValidation(schema, dialectOf(schema));
  if (typeof normal === "boolean") return () => normal;
  if (typeof normal !== "object" || normal === null) return null;
  for (const unicode of [true, false]) {
    try {
      const check = newAjv(dialect, unicode).compile(normal);
      return (value) => check(value);
    } catch (error) {
      if (!(error instanceof SyntaxError)) return null;
    }
  }
  return null;
}
