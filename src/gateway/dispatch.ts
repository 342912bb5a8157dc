import type { Static, TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { NotDone, Written, type Envelope } from "../kernel/envelope.ts";
import { AppError, type Problem } from "../kernel/errors.ts";
import { isObject, isParsedObject, type Json } from "../kernel/json.ts";
import { exampleOf } from "../kernel/example.ts";
import { withExamples } from "../kernel/schema-words.ts";
import { allows, requireScope, type Caller } from "../ports/caller.ts";
import { Reply, scopesFor, type Declaration, type Tool } from "../ports/operations.ts";
import { headline, lengthProblems, MAX_PROBLEMS, schemaProblems } from "./arguments.ts";

/** How operations are served. */
export interface DispatchOptions {
  /** Compare every answer with its declared output, and fail where it deviates: for tests and development. */
  readonly checkOutputs: boolean;
  /** The tools that take a member of this name, nearest to the one that does not. */
  takenBy?(member: string, name: string): readonly string[];
  /** What the tools of an entry point call for their callers. */
  readonly alsoCalled?: readonly Tool[];
}

/** How an entry point reports an input that is not valid. */
export interface InvalidInput {
  readonly code: "invalid_arguments" | "invalid_input";
  /** What callers of this entry point call an input: a plural. */
  readonly what: string;
}

/** What is checked around every call of an operation, whichever way it comes. */
export interface Checks {
  /** Rights come before the input: a caller without them learns nothing about it. */
  authorize(caller: Caller): void;
  /** The input, when it and everything beside it is valid; otherwise all problems at once. */
  input(given: unknown, now: number, beside: readonly Problem[]): Static<TObject>;
  /** An error of the handler about the input as a whole, with an example. */
  explained(error: unknown, now: number): unknown;
  /** What a handler gave, as an envelope. */
  answer(result: unknown): Envelope;
}

/** The one place where the scope, the input and, in tests, the output of operations and tools are checked. */
export function checksOf(operation: Declaration, invalid: InvalidInput, options: DispatchOptions): Checks {
  const { name, input: schema } = operation;
  const { all, any } = scopesFor(operation.access);
  const [oneOf] = any;
  const checkOutput = options.checkOutputs ? outputCheck(operation) : null;
  // Compiled at its first use: a start does not pay for operations that are not called.
  let validator: ReturnType<typeof Compile<TObject>> | undefined;
  return {
    authorize(caller) {
      for (const scope of all) requireScope(caller, scope, name);
      if (oneOf !== undefined && !any.some((scope) => allows(caller, scope)))
        requireScope(caller, oneOf, name);
    },
    input(given, now, beside) {
      validator ??= Compile(schema);
      const problems = [...lengthProblems(given, schema)];
      if (problems.length === 0) {
        if (validator.Check(given)) {
          problems.push(...(operation.rules?.(given, now) ?? []), ...beside);
          if (problems.length === 0) return given;
        } else {
          const subject = {
            name,
            schema,
            takenBy: (member: string) => options.takenBy?.(member, name) ?? [],
          };
          problems.push(...schemaProblems(validator, subject, given), ...beside);
          problems.push(...rulesOfRest(operation, given, problems, now));
        }
      }
      throw new AppError(invalid.code, headline(`${invalid.what} ${name}`, problems), {
        problems: explained(operation, problems.slice(0, MAX_PROBLEMS), now),
      });
    },
    explained(error, now) {
      if (!(error instanceof AppError) || error.info.problems?.[0]?.pointer !== "") return error;
      const problems = explained(operation, error.info.problems, now);
      return new AppError(error.code, error.message, { ...error.info, problems });
    },
    answer(result) {
      const envelope = envelopeOf(result);
      checkOutput?.(envelope);
      return envelope;
    },
  };
}

/** What the rules say of the members that the schema has nothing against, so that all problems come at once. */
function rulesOfRest(
  operation: Declaration,
  given: unknown,
  problems: readonly Problem[],
  now: number,
): readonly Problem[] {
  if (operation.rules === undefined || !isObject(given)) return [];
  const wrong = new Set(problems.map(({ pointer }) => top(pointer)));
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)));
  return problemsByRule(operation, rest, now).filter(
    ({ pointer }) => pointer !== "" && !wrong.has(top(pointer)),
  );
}

const top = (pointer: string): string => pointer.split("/")[1] ?? "";

function problemsByRule(
  operation: Declaration,
  given: Record<string, unknown>,
  now: number,
): readonly Problem[] {
  try {
    return operation.rules?.(given, now) ?? [];
  } catch {
    // A rule may need a member that is missing; then its problems come with the next call.
    return [];
  }
}

/** The problems with correct examples: of what the operation shows itself, else the smallest that schema and rules allow. */
function explained(operation: Declaration, problems: readonly Problem[], now: number): readonly Problem[] {
  const { input, examples } = operation;
  const whole = examples?.[0] === undefined ? exampleOf(input) : plain(examples[0]);
  return withExamples(problems, input, whole).map((problem) => {
    const { example, ...rest } = problem;
    const member = top(problem.pointer);
    const tried = {
      ...(isObject(whole) && whole),
      ...(`/${member}` === problem.pointer && { [member]: example }),
    };
    const refused = problemsByRule(operation, tried, now).find(({ pointer }) => top(pointer) === member);
    if (example === undefined || refused === undefined) return problem;
    // What a rule asks for is in its words: one of "a", "b"; a whole number from 1 to 9.
    const [, choice, least] = /^one of ("[^"]*")|from (\d+) to/.exec(refused.expected ?? "") ?? [];
    const word = choice ?? least;
    return word === undefined ? rest : { ...rest, example: plain(JSON.parse(word)) };
  });
}

/** What a declared value is as JSON. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

function envelopeOf(result: unknown): Envelope {
  if (result instanceof NotDone || result instanceof Written) return result;
  const isReply = result instanceof Reply;
  const data: unknown = isReply ? result.data : result;
  if (!isParsedObject(data)) throw new TypeError("a handler answered no object");
  return { ok: isReply ? result.ok : true, data };
}

/** The schema with every object closed that does not say that it is open: no answer has a member that is not declared. */
function closed(schema: TSchema): TSchema {
  const text = JSON.stringify(schema, (_key, value: unknown) =>
    isObject(value) && value["type"] === "object" && isObject(value["properties"])
      ? { additionalProperties: false, ...value }
      : value,
  );
  return JSON.parse(text);
}

/** Throws where a success is not what was declared. */
function outputCheck({ name, output }: Declaration): (envelope: Envelope) => void {
  let validator: ReturnType<typeof Compile<TSchema>> | undefined;
  return ({ ok, data }) => {
    if (!ok) return;
    validator ??= Compile(closed(output));
    // As the caller gets it: without the members that JSON leaves out.
    const sent: unknown = JSON.parse(JSON.stringify(data));
    if (validator.Check(sent)) return;
    const [first] = validator.Errors(sent);
    throw new TypeError(
      `${name} answered what it does not declare: ${first?.instancePath ?? ""} ${first?.message ?? ""}`,
    );
  };
}
