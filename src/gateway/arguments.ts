import type { Static, TObject } from "typebox";
import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { AppError, type Problem } from "../kernel/errors.ts";
import { isObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import type { Tool } from "../ports/definitions.ts";
import { escapePointer } from "./json-duplicates.ts";

const MAX_PROBLEMS = 50;

/** Arguments that fit a tool's schema. */
export type CheckedArguments = Static<TObject>;

/** Throws `invalid_params` with every problem when the arguments do not fit the tool's schema. */
export type ArgumentCheck = (tool: Tool, args: unknown) => CheckedArguments;

/** Compiles one validator for each different parameter schema, once. */
export function createArgumentCheck(tools: readonly Tool[]): ArgumentCheck {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    verbose: true,
    inlineRefs: false,
  });
  const compiled = new Map<string, ValidateFunction<CheckedArguments>>();
  const byTool = new Map<Tool, ValidateFunction<CheckedArguments>>();
  for (const tool of tools) {
    const key = JSON.stringify(tool.params);
    const validate = compiled.get(key) ?? ajv.compile<CheckedArguments>(tool.params);
    compiled.set(key, validate);
    byTool.set(tool, validate);
  }
  return (tool, args) => {
    const validate = byTool.get(tool);
    if (validate === undefined) throw new TypeError(`${tool.name} is not a registered tool`);
    if (validate(args)) return args;
    const problems = (validate.errors ?? []).slice(0, MAX_PROBLEMS).map((error) => problemOf(error, tool));
    const count = validate.errors?.length ?? 0;
    throw new AppError(
      "invalid_params",
      `The arguments of ${tool.name} have ${count === 1 ? "a problem" : `${count} problems`}: ${problems[0]?.message ?? ""}`,
      { problems },
    );
  };
}

function problemOf(error: ErrorObject, tool: Tool): Problem {
  const params: Record<string, unknown> = error.params;
  const at = error.instancePath;
  switch (error.keyword) {
    case "required": {
      const name = String(params["missingProperty"]);
      const expected = expectation(propertySchema(error.parentSchema, name));
      return {
        pointer: `${at}/${escapePointer(name)}`,
        message: `"${name}" is required.`,
        expected,
        given: "nothing",
        fix: `Add "${name}": ${expected}.`,
      };
    }
    case "additionalProperties": {
      const name = String(params["additionalProperty"]).slice(0, 100);
      const known = at === "" ? Object.keys(tool.params.properties) : propertyNames(error.parentSchema);
      const near = nearestNames(name, known, 1)[0];
      return {
        pointer: `${at}/${escapePointer(name)}`,
        message: `"${name}" is not a parameter of ${tool.name}.`,
        expected: known.length === 0 ? "no parameters" : `only ${known.join(", ")}`,
        given: name,
        fix: near === undefined ? `Remove "${name}".` : `Rename "${name}" to "${near}".`,
      };
    }
    default: {
      const expected = expectation(error.parentSchema);
      const where = at === "" ? "The arguments" : `"${at.slice(1)}"`;
      return {
        pointer: at,
        message: `${where} must be ${expected}.`,
        expected,
        given: describe(error.data),
        fix: `Give ${expected}.`,
      };
    }
  }
}

function propertySchema(schema: unknown, name: string): unknown {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? properties[name] : undefined;
}

function propertyNames(schema: unknown): readonly string[] {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

/** What a schema asks for, in words. */
function expectation(schema: unknown): string {
  if (!isObject(schema)) return "a value that fits the schema";
  const { enum: allowed, type, minimum, maximum, items, minLength, maxLength } = schema;
  if (Array.isArray(allowed)) return `one of ${allowed.map((item) => JSON.stringify(item)).join(", ")}`;
  const noun = typeof type === "string" ? (NOUNS[type] ?? type) : "a value that fits the schema";
  const low = typeof minimum === "number" ? minimum : undefined;
  const high = typeof maximum === "number" ? maximum : undefined;
  const range =
    low !== undefined && high !== undefined
      ? ` from ${low} to ${high}`
      : low !== undefined
        ? ` of at least ${low}`
        : high !== undefined
          ? ` of at most ${high}`
          : "";
  const length =
    typeof maxLength === "number"
      ? ` of at most ${maxLength} characters`
      : typeof minLength === "number"
        ? ` of at least ${minLength} characters`
        : "";
  const of =
    type === "array" && isObject(items) && typeof items["type"] === "string" ? ` of ${items["type"]}s` : "";
  return `${noun}${range}${length}${of}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};

/** What was given, short. Strings are not echoed whole: they may hold secrets. */
function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") return "an object";
  if (typeof value === "string")
    return value.length <= 40 ? JSON.stringify(value) : `a string of ${value.length} characters`;
  return `${typeof value} ${JSON.stringify(value)}`;
}
