import { explainByExample } from "../../packages/forms/src/check/by-example.ts";
import { validate, type Validation } from "../../packages/forms/src/check/validate.ts";

/** The verdict on a value, both as JSON text. Runs in a thread that the pool ends when it takes too long. */
export function checkText(schema: string, value: string): Validation {
  const [parsedSchema, parsedValue]: readonly unknown[] = [JSON.parse(schema), JSON.parse(value)];
  return validate(parsedSchema, parsedValue, { hasDeadline: true, explain: explainByExample });
}
