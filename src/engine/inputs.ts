import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import type { Services } from "../ports/services.ts";
import { MAX_INPUT_CHARS } from "./step-attempt.ts";

/** Checks the inputs of a run against the schema of its document, and their size. */
export async function checkInputs(
  services: Pick<Services, "validator">,
  schema: JsonObject,
  inputs: JsonObject,
): Promise<void> {
  if (JSON.stringify(inputs).length > MAX_INPUT_CHARS) {
    throw new AppError("too_large", `The inputs are larger than ${MAX_INPUT_CHARS} characters.`);
  }
  if (takesAnything(schema) || (takesNothing(schema) && Object.keys(inputs).length === 0)) return;
  const verdict = await services.validator.validate(schema, inputs);
  if (verdict.valid) return;
  throw new AppError("invalid_input", "The inputs do not fit what the workflow asks for.", {
    problems: verdict.errors.map(({ pointer, message }) => ({ pointer: `/inputs${pointer}`, message })),
  });
}

function takesAnything(schema: JsonObject): boolean {
  return Object.keys(schema).every((key) => key === "type" || key === "description" || key === "title");
}

function takesNothing(schema: JsonObject): boolean {
  const { properties, required, ...rest } = schema;
  const harmless = new Set(["type", "description", "title", "additionalProperties", "$schema"]);
  return (
    Object.keys(rest).every((key) => harmless.has(key)) &&
    (properties === undefined || isObject(properties)) &&
    (required === undefined || (Array.isArray(required) && required.length === 0))
  );
}
