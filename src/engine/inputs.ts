import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { unfitInputs } from "../kernel/schema-words.ts";
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
  // To ask a thread costs more than all the rest of a start.
  if (isNothingAsked(schema, inputs)) return;
  const verdict = await services.validator.validate(schema, inputs);
  if (verdict.valid) return;
  throw unfitInputs(schema, inputs, verdict.errors);
}

const ANNOTATIONS = new Set(["type", "title", "description", "$schema", "x-ui"]);

/** True where the schema asks for no more than names that are there: an object of inputs with any values. */
function isNothingAsked(schema: JsonObject, inputs: JsonObject): boolean {
  const { properties = {}, required = [], additionalProperties = true, type = "object", ...rest } = schema;
  if (type !== "object" || !isObject(properties) || !Array.isArray(required)) return false;
  const isFree = (given: unknown): boolean =>
    given === true ||
    (isObject(given) && Object.keys(given).every((key) => key !== "type" && ANNOTATIONS.has(key)));
  return (
    Object.keys(rest).every((key) => ANNOTATIONS.has(key)) &&
    Object.keys(inputs).every((name) =>
      isFree(Object.hasOwn(properties, name) ? properties[name] : additionalProperties),
    ) &&
    required.every((name) => typeof name === "string" && Object.hasOwn(inputs, name))
  );
}
