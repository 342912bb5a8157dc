import type { TObject } from "typebox";
import type { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import type { Problem } from "../kernel/errors.ts";
import { isObject } from "../kernel/json.ts";
import { pointerSegments } from "../kernel/paths.ts";
import {
  expectation,
  expectationWithUse,
  missingMember,
  propertiesOf,
  unfitValue,
  unknownMember,
  valueAt,
} from "../kernel/schema-words.ts";
import { lengthProblem, TEXT_LIMITS, textKindOf } from "../kernel/text-limits.ts";
import { pointerSegment } from "../kernel/paths.ts";

/** How many problems an answer lists. */
export const MAX_PROBLEMS = 50;

/** Texts that are repeated in an error are no longer than this. */
const LONGEST_ECHO = 40;

type ParameterValidator = ReturnType<typeof Compile<TObject>>;

/** What is checked: a tool's arguments or an operation's input. */
export interface CheckSubject {
  readonly name: string;
  readonly schema: TObject;
  /** The tools that take a member of this name. */
  takenBy(member: string): readonly string[];
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
      const kind = textKindOf(name);
      // Looked at first: nearly every text is short enough, and needs no pointer.
      if (typeof value !== "string" || value.length <= TEXT_LIMITS[kind]) return [];
      return lengthProblem(value, kind, `/${pointerSegment(name.slice(0, 100))}`) ?? [];
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
  const given = resolve(args, at);
  const pointerTo = (name: string): string => `${at}/${pointerSegment(name)}`;
  if (error.keyword === "required")
    return error.params.requiredProperties.map((name) =>
      missingMember(pointerTo(name), `"${name}" is required.`, name, propertiesOf(schema)[name]),
    );
  if (error.keyword === "additionalProperties") {
    return error.params.additionalProperties.slice(0, MAX_PROBLEMS + 1).map((long) => {
      const name = long.slice(0, 100);
      return unknownMember({
        pointer: pointerTo(name),
        message: `"${name}" is not a parameter of ${subject.name}.`,
        name,
        around: schema,
        root: subject.schema,
        beside: given,
        takenBy: subject.takenBy(name),
      });
    });
  }
  // "boolean" says the same once more about a member that is not allowed.
  return error.keyword === "boolean" ? [] : [unfit(at, schema, given, holdsSecrets(subject))];
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
  const shown = describe(given, isSecret ? 0 : LONGEST_ECHO);
  return unfitValue(at, `${where} must be ${expected}.`, expected, shown);
}

/** The value at a JSON Pointer. */
function resolve(value: unknown, pointer: string): unknown {
  return valueAt(value, pointerSegments(pointer) ?? []);
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
