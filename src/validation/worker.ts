import process from "node:process";
import { parentPort } from "node:worker_threads";
import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { checkValue } from "../forms/check.ts";
import { dialectOf } from "../forms/dialect.ts";
import { pointerToken } from "../forms/json.ts";
import { explain, worthShowing, type ValueProblem } from "../forms/messages.ts";
import { normalizeForValidation, type ValidatorDialect } from "../forms/normalize.ts";
import { withoutDynamicReferences } from "../forms/static-references.ts";
import { parseJob, type Outcome, type Reply } from "./protocol.ts";

/*
 * Runs in a thread of its own: compiling a schema generates code and can take long, and so can a pattern. The pool ends
 * the thread when it does.
 */

type Check = (value: unknown) => readonly ValueProblem[];

const OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  strict: false,
  validateSchema: false,
  addUsedSchema: false,
  unicodeRegExp: true,
  logger: false,
  $data: false,
};
const MOST_CACHED = 20;
const MOST_CACHED_TEXT = 50_000;
const cache = new Map<string, Check>();

/** Node's loader gives a CommonJS default export as the namespace; both shapes are the same function. */
const addFormats = typeof formats === "function" ? formats : formats.default;

function newAjv(dialect: ValidatorDialect, options: Options): Ajv {
  const ajv =
    dialect === "2020-12"
      ? new Ajv2020(options)
      : dialect === "2019-09"
        ? new Ajv2019(options)
        : new Ajv(options);
  addFormats(ajv);
  return ajv;
}

function compile(text: string): Check {
  const known = cache.get(text);
  if (known) return known;
  const schema: unknown = JSON.parse(text);
  const { schema: normal, dialect } = normalizeForValidation(schema, dialectOf(schema));
  const { schema: plain, complete } = withoutDynamicReferences(normal);
  // Plain references in place of dynamic ones lead to the root by its address.
  const built = build(plain, dialect, plain !== normal);
  const check = complete ? built : withWalk(built, schema);
  if (text.length < MOST_CACHED_TEXT) {
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(text, check);
  }
  return check;
}

/** Dynamic references that mean different things in different places are judged by the checker, which follows them. */
function withWalk(check: Check, schema: unknown): Check {
  return (value) => {
    const problems = check(value);
    return problems.length === 0 && checkValue(schema, value) === "invalid"
      ? [{ pointer: "", keyword: "$dynamicRef", message: explain("$dynamicRef", null) }]
      : problems;
  };
}

function build(schema: unknown, dialect: ValidatorDialect, addUsedSchema: boolean): Check {
  if (typeof schema === "boolean") {
    return () => (schema ? [] : [{ pointer: "", keyword: "false", message: explain("false", false) }]);
  }
  if (typeof schema !== "object" || schema === null)
    throw new TypeError("A schema is an object or a boolean.");
  const validate = compileLeniently(schema, dialect, { ...OPTIONS, addUsedSchema });
  return (value) => (validate(value) ? [] : worthShowing((validate.errors ?? []).map(toProblem)));
}

/** Patterns that are not valid in Unicode mode are common; they get a second try without it. */
function compileLeniently(
  schema: object,
  dialect: ValidatorDialect,
  options: Options,
): ReturnType<Ajv["compile"]> {
  try {
    return newAjv(dialect, options).compile(schema);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return newAjv(dialect, { ...options, unicodeRegExp: false }).compile(schema);
  }
}

function toProblem(error: ErrorObject): ValueProblem {
  const { keyword, instancePath, params, schema } = error;
  const named =
    params["missingProperty"] ??
    params["additionalProperty"] ??
    params["unevaluatedProperty"] ??
    params["propertyName"];
  const name = typeof named === "string" ? named : undefined;
  return {
    pointer: name === undefined ? instancePath : `${instancePath}/${pointerToken(name)}`,
    keyword,
    message: explain(keyword, schema, name),
  };
}

function answer(message: unknown): Outcome {
  const job = parseJob(message);
  if (!job) return { id: -1, kind: "failed", message: "Not a job." };
  let check: Check;
  try {
    check = compile(job.schema);
  } catch (error) {
    return {
      id: job.id,
      kind: "bad_schema",
      message: error instanceof Error ? error.message.slice(0, 300) : "",
    };
  }
  const value: unknown = JSON.parse(job.value);
  return { id: job.id, kind: "checked", problems: [...check(value)] };
}

function send(outcome: Outcome): void {
  const { user, system } = process.threadCpuUsage();
  const reply: Reply = { ...outcome, usedMs: (user + system) / 1_000 };
  parentPort?.postMessage(reply, []);
}

parentPort?.on("message", (message: unknown) => send(answer(message)));
send({ id: 0, kind: "ready" });
