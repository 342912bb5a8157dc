import process from "node:process";
import { isDeepStrictEqual } from "node:util";
import Form from "@rjsf/core";
import { createSchemaUtils, type RJSFSchema } from "@rjsf/utils";
import draft07, { customizeValidator } from "@rjsf/validator-ajv8";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";

/*
 * react-jsonschema-form on one schema at a time, in a process that the caller may kill: what it renders, and then what
 * it does to valid instances when it opens them, and its verdicts. Each of the two answers is sent as soon as it is
 * known, so that a validator which never comes back does not take the rendering with it.
 */

interface Task {
  readonly schema: RJSFSchema;
  readonly positive: readonly { readonly text: string }[];
  readonly negative: readonly { readonly text: string }[];
}

/** The validator that its documentation tells to use for a schema of this dialect. */
const validators = {
  "2020-12": customizeValidator({ AjvClass: Ajv2020 }),
  "2019-09": customizeValidator({ AjvClass: Ajv2019 }),
  other: draft07,
};

function validatorFor(schema: RJSFSchema): typeof draft07 {
  const stated = schema.$schema ?? "";
  if (stated.includes("2020-12")) return validators["2020-12"];
  return stated.includes("2019-09") ? validators["2019-09"] : validators.other;
}

function isValid(schema: RJSFSchema, value: unknown): boolean {
  const { errors, validationError } = validatorFor(schema).rawValidation(schema, value);
  if (validationError) throw validationError;
  return (errors ?? []).length === 0;
}

function rendered(schema: RJSFSchema) {
  const answer = { phase: "rendered", ms: 0, cpuMs: 0, controls: 0, blank: false, threw: false };
  const started = performance.now();
  const cpu = process.cpuUsage();
  try {
    const validator = validatorFor(schema);
    const markup = renderToStaticMarkup(createElement(Form, { schema, validator }));
    answer.controls = (markup.match(/<(?:input|select|textarea)\b/g) ?? []).length;
    const isReported = /Unsupported field|unsupported|<button[^>]*array-item-add|object-property-expand/.test(
      markup,
    );
    answer.blank = answer.controls === 0 && !isReported;
  } catch {
    answer.threw = true;
  }
  answer.ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  answer.cpuMs = (user + system) / 1_000;
  return answer;
}

function checked({ schema, positive, negative }: Task) {
  const answer = {
    phase: "checked",
    compiled: true,
    opened: 0,
    unchanged: 0,
    turnedInvalid: 0,
    verdicts: 0,
    verdictsRight: 0,
  };
  try {
    isValid(schema, {});
  } catch {
    answer.compiled = false;
    return answer;
  }
  for (const [instances, expected] of [
    [positive, true],
    [negative, false],
  ] as const) {
    for (const { text } of instances) {
      const value: unknown = JSON.parse(text);
      const valid = isValid(schema, value);
      answer.verdicts += 1;
      answer.verdictsRight += Number(valid === expected);
      if (!expected) continue;
      answer.opened += 1;
      const filled = filledIn(schema, value);
      answer.unchanged += Number(isDeepStrictEqual(filled, value));
      answer.turnedInvalid += Number(valid && !isValid(schema, filled));
    }
  }
  return answer;
}

/** The data a form begins with when it is given a value; a value that it cannot open at all is lost. */
function filledIn(schema: RJSFSchema, value: unknown): unknown {
  try {
    return createSchemaUtils(validatorFor(schema), schema).getDefaultFormState(
      schema,
      structuredClone(value),
    );
  } catch {
    return undefined;
  }
}

console.warn = () => {};
console.error = () => {};
process.on("message", (task: Task) => {
  process.send?.(rendered(task.schema));
  try {
    process.send?.(checked(task));
  } catch {
    process.send?.({ phase: "failed" });
  }
});
process.send?.({ phase: "ready" });
