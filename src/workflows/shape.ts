import { Compile } from "typebox/compile";
import type { TSchema } from "typebox";
import { isObject, type Json } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { expectationWithUse } from "../kernel/schema-words.ts";
import { excerpt, problem, quoted, segment, type WorkflowProblem } from "./problems.ts";
import { EdgeSchema, MapToolBodySchema, NODE_SCHEMAS, PolicySchema } from "./schema.ts";

/*
 * Checks of form, made from the schemas, and their errors in words. Compiled once, and only when the first document is
 * read: a start does not wait for them.
 */

function onFirstUse<S extends TSchema>(schema: S): () => ReturnType<typeof Compile<S>> {
  let check: ReturnType<typeof Compile<S>> | undefined;
  return () => (check ??= Compile(schema));
}

/** Checks a node of each type. */
export const nodeValidators = {
  tool: onFirstUse(NODE_SCHEMAS.tool),
  approval: onFirstUse(NODE_SCHEMAS.approval),
  switch: onFirstUse(NODE_SCHEMAS.switch),
  map: onFirstUse(NODE_SCHEMAS.map),
  transform: onFirstUse(NODE_SCHEMAS.transform),
  wait: onFirstUse(NODE_SCHEMAS.wait),
  handoff: onFirstUse(NODE_SCHEMAS.handoff),
  subworkflow: onFirstUse(NODE_SCHEMAS.subworkflow),
};
/** Checks an edge. */
export const edgeValidator = onFirstUse(EdgeSchema);
/** Checks the policy. */
export const policyValidator = onFirstUse(PolicySchema);
/** Checks a map's body that is one tool call. */
export const mapToolBodyValidator = onFirstUse(MapToolBodySchema);

interface ShapeError {
  readonly keyword: string;
  readonly instancePath: string;
  /** `#` and a JSON Pointer into the schema. */
  readonly schemaPath: string;
  readonly params: unknown;
  readonly message: string;
}

interface FailedCheck {
  Errors(value: unknown): readonly ShapeError[];
  Type(): TSchema;
}

/** The problems that a failed check of form found, each once. */
export function fieldProblems(check: FailedCheck, given: Json, pointer: string): readonly WorkflowProblem[] {
  const found = new Map<string, WorkflowProblem>();
  for (const error of check.Errors(given)) {
    for (const item of describe(error, check.Type(), given, pointer)) {
      // The first problem of a place is the most exact one.
      if (!found.has(item.pointer)) found.set(item.pointer, item);
    }
  }
  return [...found.values()];
}

function describe(
  error: ShapeError,
  schema: unknown,
  given: Json,
  pointer: string,
): readonly WorkflowProblem[] {
  const place = pointer + error.instancePath;
  if (error.keyword === "boolean") return [];
  const holder = at(schema, error.schemaPath.replace(/^#/, ""));
  const properties = isObject(holder) && isObject(holder["properties"]) ? holder["properties"] : {};
  if (error.keyword === "required") {
    return names(error.params, "requiredProperties").map((name) => {
      const shape = expectationWithUse(properties[name]);
      const message = `The field \`${name}\` is missing; it is ${shape}.`;
      return problem("missing_field", place + segment(name), message, `Add \`${name}\`: ${shape}.`);
    });
  }
  if (error.keyword === "additionalProperties") {
    return names(error.params, "additionalProperties").map((name) =>
      unknownField(name, place, Object.keys(properties), "There is no field"),
    );
  }
  const value = at(given, error.instancePath);
  const shown = value === undefined ? "" : `; given is ${excerpt(value)}`;
  const field = error.instancePath.split("/").pop() ?? "";
  return [problem("bad_field", place, `\`${field}\` ${expectation(error)}${shown}.`)];
}

/** A field that means nothing here: names the fields that do, and the one that was probably meant. */
export function unknownField(
  name: string,
  place: string,
  allowed: readonly string[],
  what: string,
): WorkflowProblem {
  const [near] = nearestNames(name, allowed, 1);
  const fields = allowed.length === 0 ? "no fields are allowed here" : `allowed: ${allowed.join(", ")}`;
  return problem(
    "unknown_field",
    place + segment(name),
    `${what} ${quoted(name)}; ${fields}.`,
    near === undefined ? `Remove ${quoted(name)}.` : `Rename ${quoted(name)} to \`${near}\`, or remove it.`,
  );
}

function expectation(error: ShapeError): string {
  if (error.keyword === "enum") return `must be one of ${list(error.params, "allowedValues")}`;
  if (error.keyword === "minProperties") return "needs one of `ms`, `until`, `signal` and `event`";
  return error.message;
}

function list(params: unknown, key: string): string {
  return names(params, key).join(", ");
}

function names(params: unknown, key: string): readonly string[] {
  if (typeof params !== "object" || params === null) return [];
  const value: unknown = Object.entries(params).find(([name]) => name === key)?.[1];
  return Array.isArray(value) ? value.map(String) : [];
}

function at(given: unknown, pointer: string): unknown {
  let current: unknown = given;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof current !== "object" || current === null) return undefined;
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    current = Object.entries(current).find(([name]) => name === key)?.[1];
  }
  return current;
}
