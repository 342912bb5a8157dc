import type { TObject } from "typebox";
import type { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import type { Problem } from "../kernel/errors.ts";
import { isObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { expectation, expectationWithUse } from "../kernel/schema-words.ts";
import { lengthProblem, TEXT_LIMITS, textKindOf } from "../kernel/text-limits.ts";
import { escapePointer } from "./json-duplicates.ts";

/** How many problems an answer lists. */
export const MAX_PROBLEMS = 50;

/** Texts that are repeated in an error are no longer than this. */
const LONGEST_ECHO = 40;

type ParameterValidator = ReturnType<typeof Compile<TObject>>;

/** What is checked: a tool's arguments or an operation's input. */
export interface CheckSubject {
  readonly name: string;
  readonly schema: TObject;
}

/** What a value has that its schema does not allow, and what it lacks; at most one more than are listed. */
export function schemaProblems(
  validator: ParameterValidator,
  subject: CheckSubject,
  value: unknown,
): readonly Problem[] {
  const found: Problem[] = [];
  for (const error of validator.Errors(value)) {
    for (const problem of problemsOf(error, subject, value)) {
      const isListed = found.some(
        ({ pointer, message }) => pointer === problem.pointer && message === problem.message,
      );
      if (!isListed) found.push(problem);
    }
    if (found.length > MAX_PROBLEMS) break;
  }
  return found;
}

/** One sentence about problems: what has how many of them. `what` is a plural. */
export function headline(what: string, problems: readonly Problem[]): string {
  const [first] = problems;
  if (problems.length === 1) return `The ${what} have 1 problem: ${first?.message ?? ""}`;
  // Beyond the list nothing is counted: a hostile call can have a million of them.
  return problems.length > MAX_PROBLEMS
    ? `The ${what} have more than ${MAX_PROBLEMS} problems; the first ${MAX_PROBLEMS} are listed.`
    : `The ${what} have ${problems.length} problems; all are listed.`;
}

/** Texts are bounded by what they mean before anything else looks at them; a schema can set a larger bound. */
export function lengthProblems(args: unknown, schema: TObject): readonly Problem[] {
  if (!isObject(args)) return [];
  const properties = propertiesOf(schema);
  return Object.keys(args)
    .filter((name) => !Object.hasOwn(properties, name) || !hasBound(properties[name]))
    .slice(0, MAX_PROBLEMS)
    .flatMap((name) => {
      const value = args[name];
      if (typeof value !== "string") return [];
      return lengthProblem(value, textKindOf(name), `/${escapePointer(name.slice(0, 100))}`) ?? [];
    });
}

function hasBound(schema: unknown): boolean {
  return isObject(schema) && Number(schema["maxLength"]) > TEXT_LIMITS.name;
}

function problemsOf(
  error: TLocalizedValidationError,
  subject: CheckSubject,
  args: unknown,
): readonly Problem[] {
  const at = error.instancePath;
  const schema = resolve(subject.schema, error.schemaPath.slice(1));
  if (error.keyword === "required")
    return error.params.requiredProperties.map((name) => missing(name, at, schema));
  if (error.keyword === "additionalProperties") {
    return error.params.additionalProperties
      .slice(0, MAX_PROBLEMS + 1)
      .map((name) => unknownName(name, at, schema, subject.name, resolve(args, at)));
  }
  // "boolean" says the same once more about a member that is not allowed.
  return error.keyword === "boolean" ? [] : [unfit(at, schema, resolve(args, at), holdsSecrets(subject))];
}

function missing(name: string, at: string, schema: unknown): Problem {
  const expected = expectationWithUse(propertiesOf(schema)[name]);
  return {
    pointer: `${at}/${escapePointer(name)}`,
    message: `"${name}" is required.`,
    expected,
    given: "nothing",
    fix: `Add "${name}": ${expected}.`,
  };
}

function unknownName(given: string, at: string, schema: unknown, owner: string, beside: unknown): Problem {
  const name = given.slice(0, 100);
  const known = Object.keys(propertiesOf(schema));
  // A name that is not there yet is more likely what was meant.
  const open = known.filter((item) => !isObject(beside) || !Object.hasOwn(beside, item));
  // "id" where only "artifactId" is taken.
  const longer = open.find((item) => name.length > 1 && item.toLowerCase().endsWith(name.toLowerCase()));
  const near = nearestNames(name, open, 1)[0] ?? longer ?? nearestNames(name, known, 1)[0];
  return {
    pointer: `${at}/${escapePointer(name)}`,
    message: `"${name}" is not a parameter of ${owner}.`,
    expected: known.length === 0 ? "no parameters" : `only ${known.join(", ")}`,
    given: name,
    fix: near === undefined ? `Remove "${name}".` : `Rename "${name}" to "${near}".`,
  };
}

/** A secret may stand in the wrong member, so nothing of such an input is repeated. */
function holdsSecrets({ schema }: CheckSubject): boolean {
  return Object.values(propertiesOf(schema)).some(
    (member) => isObject(member) && member["writeOnly"] === true,
  );
}

function unfit(at: string, schema: unknown, given: unknown, isSecret: boolean): Problem {
  // What a pattern asks for is in the description.
  const isPattern = isObject(schema) && schema["pattern"] !== undefined;
  const expected = isPattern ? expectationWithUse(schema) : expectation(schema);
  const where = at === "" ? "What was sent" : `"${at.slice(1)}"`;
  return {
    pointer: at,
    message: `${where} must be ${expected}.`,
    expected,
    given: describe(given, isSecret ? 0 : LONGEST_ECHO),
    fix: `Give ${expected}.`,
  };
}

/** The value at a JSON Pointer. */
function resolve(value: unknown, pointer: string): unknown {
  let found: unknown = value;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = found[Number(name)];
    else if (isObject(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found;
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? properties : {};
}

/** What was given, short. Strings are not echoed whole: they may hold secrets. */
function describe(value: unknown, longest: number): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") return "an object";
  if (typeof value === "string")
    return value.length <= longest ? JSON.stringify(value) : `a string of ${value.length} characters`;
  return longest === 0 ? `a ${typeof value}` : `${typeof value} ${JSON.stringify(value)}`;
}
