import { isDeepStrictEqual } from "node:util";
import { parentPort } from "node:worker_threads";
import Form from "@rjsf/core";
import { createSchemaUtils, type RJSFSchema } from "@rjsf/utils";
import validator from "@rjsf/validator-ajv8";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";

/*
 * react-jsonschema-form on one schema at a time, in a thread that the caller may end: what it renders, what it does to
 * valid instances when it opens them, and its verdicts.
 */

interface Task {
  readonly schema: RJSFSchema;
  readonly positive: readonly { readonly text: string }[];
  readonly negative: readonly { readonly text: string }[];
}

function isValid(schema: RJSFSchema, value: unknown): boolean {
  const { errors, validationError } = validator.rawValidation(schema, value);
  if (validationError) throw validationError;
  return (errors ?? []).length === 0;
}

function measure({ schema, positive, negative }: Task) {
  const answer = {
    ms: 0,
    controls: 0,
    blank: false,
    opened: 0,
    unchanged: 0,
    turnedInvalid: 0,
    compiled: true,
    verdicts: 0,
    verdictsRight: 0,
    failed: false,
  };
  const started = performance.now();
  try {
    const markup = renderToStaticMarkup(createElement(Form, { schema, validator }));
    answer.controls = (markup.match(/<(?:input|select|textarea)\b/g) ?? []).length;
    const said = /Unsupported field|unsupported|<button[^>]*array-item-add|object-property-expand/.test(
      markup,
    );
    answer.blank = answer.controls === 0 && !said;
  } catch {
    answer.failed = true;
  }
  answer.ms = performance.now() - started;
  for (const [instances, expected] of [
    [positive, true],
    [negative, false],
  ] as const) {
    for (const { text } of instances) {
      const value: unknown = JSON.parse(text);
      try {
        const valid = isValid(schema, value);
        answer.verdicts += 1;
        answer.verdictsRight += Number(valid === expected);
        if (!expected) continue;
        answer.opened += 1;
        const filled = createSchemaUtils(validator, schema).getDefaultFormState(
          schema,
          structuredClone(value),
        );
        answer.unchanged += Number(isDeepStrictEqual(filled, value));
        answer.turnedInvalid += Number(valid && !isValid(schema, filled));
      } catch {
        answer.compiled = false;
      }
    }
  }
  if (positive.length + negative.length === 0) answer.compiled = false;
  return answer;
}

console.warn = () => {};
console.error = () => {};
parentPort?.postMessage("ready");
parentPort?.on("message", (task: Task) => parentPort?.postMessage(measure(task)));
