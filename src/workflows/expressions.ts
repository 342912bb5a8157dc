import { Environment, type ASTNode, type BinaryOperator, type ParseResult } from "@marcbachmann/cel-js";
import { checkValue } from "../../packages/forms/src/index.ts";
import { AppError } from "../kernel/errors.ts";
import { isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { evaluateWithin, type ExpressionBudget, type ExpressionShape } from "./expression-cost.ts";
import { LIMITS } from "./schema.ts";

/*
 * CEL, bounded. Expressions are parsed and type-checked ahead; nothing is ever evaluated as JavaScript. JSON numbers
 * are CEL doubles, as CEL defines it; arithmetic and comparison between double and int is added, because people write
 * `inputs.count + 1`.
 */

/** The names an expression can use, with their CEL types. */
const EXPRESSION_VARIABLES = ["inputs", "steps", "item", "index", "run"] as const;

const MAX_NODES = 400;
const MAX_DEPTH = 32;
/** Loops inside loops; what they cost is bounded when the expression runs. */
const MAX_MACRO_DEPTH = 3;
const MAX_RESULT_CHARS = 1_000_000;
const CACHE_SIZE = 2_000;

const MACROS = new Set(["all", "exists", "exists_one", "map", "filter"]);
/** `matches` backtracks, `bind` lets a short expression double its data again and again, `json` builds objects. */
const REFUSED = new Set(["matches", "bind", "json"]);

const BINARY = new Set(["!=", "==", "in", "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "||", "&&"]);

/** Operators that look at every part of what they compare or join, unless it is a plain literal. */
const WALKING = new Set(["!=", "==", "in", "+"]);

/** What is wrong with an expression. */
interface ExpressionFault {
  readonly code: "expr_syntax" | "expr_type" | "expr_forbidden" | "expr_cost";
  readonly message: string;
}

/** A parsed expression and what it uses. */
export interface Expression extends ExpressionShape {
  /** The CEL type of what it gives when nothing is known of what it reads. */
  readonly type: string;
  /** Names of inputs that it reads. */
  readonly inputs: ReadonlySet<string>;
  /** Ids of steps that it reads. */
  readonly steps: ReadonlySet<string>;
  /** Ids of steps that it asks for with `has()`, so that it can do without them. */
  readonly asked: ReadonlySet<string>;
  readonly usesItem: boolean;
  /** The paths it takes into steps: `[id, "outputs", …]`. */
  readonly paths: readonly (readonly string[])[];
  /** It reads `inputs` or `steps` as a whole, or by a computed name. */
  readonly dynamic: boolean;
  readonly run: ParseResult;
}

/** Either a parsed expression or why it is refused. */
export type Compiled =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly fault: ExpressionFault };

/** What an expression or reference is evaluated against. */
export interface Scope {
  readonly inputs: JsonObject;
  /** By step id: `{outputs, error, status, port}`. A step that has not ended, or was skipped, has no `outputs`. */
  readonly steps: JsonObject;
  readonly item?: Json;
  readonly index?: number;
  /** `{id, startedAt}` of the run. */
  readonly run?: JsonObject;
  /** Time that costly expressions may still take. */
  readonly budget?: ExpressionBudget;
}

function mixedNumbers(environment: Environment): Environment {
  const pairs: readonly (readonly [string, string])[] = [
    ["double", "int"],
    ["int", "double"],
  ];
  for (const [left, right] of pairs) {
    environment
      .registerOperator(
        `${left} + ${right}`,
        (a: number | bigint, b: number | bigint) => Number(a) + Number(b),
      )
      .registerOperator(
        `${left} - ${right}`,
        (a: number | bigint, b: number | bigint) => Number(a) - Number(b),
      )
      .registerOperator(
        `${left} * ${right}`,
        (a: number | bigint, b: number | bigint) => Number(a) * Number(b),
      )
      .registerOperator(
        `${left} / ${right}`,
        (a: number | bigint, b: number | bigint) => Number(a) / Number(b),
      )
      .registerOperator(
        `${left} % ${right}`,
        (a: number | bigint, b: number | bigint) => Number(a) % Number(b),
      );
  }
  return environment;
}

/** Steps of one `fits`: enough for a payload of thousands of values, and a few milliseconds at most. */
const FITS_STEPS = 50_000;

/** True when a value surely fits a JSON Schema: types, formats, bounds and required members, not only some of them. */
function fits(value: unknown, schema: unknown): boolean {
  return checkValue(schema, value, { steps: FITS_STEPS }) === "valid";
}

/** A fresh environment with our limits; the caller registers the variables. */
export function newEnvironment(): Environment {
  return mixedNumbers(
    new Environment({
      unlistedVariablesAreDyn: false,
      homogeneousAggregateLiterals: false,
      enableOptionalTypes: false,
      limits: {
        maxAstNodes: MAX_NODES,
        maxDepth: MAX_DEPTH,
        maxListElements: 200,
        maxMapEntries: 200,
        maxCallArguments: 8,
      },
    }).registerFunction("fits(dyn, dyn): bool", fits),
  );
}

const dynamicEnvironment = EXPRESSION_VARIABLES.reduce(
  (environment, name) => environment.registerVariable(name, "dyn"),
  newEnvironment(),
);

const cache = new Map<string, Compiled>();

/** Parses an expression, refuses what is forbidden or too costly, and finds what it uses. Never throws. */
export function compileExpression(source: string): Compiled {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value ?? "");
  cache.set(source, compiled);
  return compiled;
}

function compile(source: string): Compiled {
  if (source.length > LIMITS.expressionLength) {
    return fault(
      "expr_cost",
      `The expression has ${source.length} characters; ${LIMITS.expressionLength} are allowed.`,
    );
  }
  let run: ParseResult;
  try {
    run = dynamicEnvironment.parse(source);
  } catch (error) {
    return fault(faultCode(error), faultText(error));
  }
  const state: Usage = {
    inputs: new Set(),
    steps: new Set(),
    asked: new Set(),
    paths: [],
    usesItem: false,
    dynamic: false,
    macroDepth: 0,
    splits: false,
    walks: 0,
    joins: 0,
    longest: 0,
    refused: "",
  };
  visit(run.ast, 0, state);
  if (state.refused !== "")
    return fault("expr_forbidden", `The function ${state.refused} is refused in expressions.`);
  if (state.macroDepth > MAX_MACRO_DEPTH) {
    return fault("expr_cost", `Loops are nested ${state.macroDepth} deep; ${MAX_MACRO_DEPTH} are allowed.`);
  }
  const check = checkParsed(run);
  if (check.type === null) return fault("expr_type", check.message);
  return { ok: true, expression: { ...state, source, type: check.type, run } };
}

/** The type an expression has, or why it has none. */
export interface TypeVerdict {
  readonly type: string | null;
  readonly code: string;
  readonly message: string;
}

/** Type-checks an expression in an environment that knows more of what it reads. */
export function checkWith(environment: Environment, source: string): TypeVerdict {
  try {
    return checkParsed(environment.parse(source));
  } catch (error) {
    return { type: null, code: "", message: faultText(error) };
  }
}

function checkParsed(parsed: ParseResult): TypeVerdict {
  try {
    const { valid, type, error } = parsed.check();
    if (valid) return { type: type ?? "dyn", code: "", message: "" };
    return { type: null, code: error?.code ?? "", message: faultText(error) };
  } catch (error) {
    return { type: null, code: "", message: faultText(error) };
  }
}

function fault(code: ExpressionFault["code"], message: string): Compiled {
  return { ok: false, fault: { code, message } };
}

function faultCode(error: unknown): ExpressionFault["code"] {
  const code = isObject(error) && typeof error["code"] === "string" ? error["code"] : "";
  return /limit|exceed|depth/.test(code) ? "expr_cost" : "expr_syntax";
}

/** The library's own short text with its position: it speaks of the expression only. */
function faultText(error: unknown): string {
  if (!isObject(error)) return "The expression cannot be read.";
  const summary = typeof error["summary"] === "string" ? error["summary"] : "The expression cannot be read";
  const range = error["range"];
  const at =
    isObject(range) && typeof range["start"] === "number" ? ` (at character ${range["start"] + 1})` : "";
  return `${summary.slice(0, 200)}${at}.`;
}

interface Usage {
  readonly inputs: Set<string>;
  readonly steps: Set<string>;
  readonly asked: Set<string>;
  readonly paths: (readonly string[])[];
  usesItem: boolean;
  dynamic: boolean;
  macroDepth: number;
  splits: boolean;
  walks: number;
  joins: number;
  longest: number;
  refused: string;
}

/** Nodes with two operands and nothing else to look at. */
function isBinary(node: ASTNode): node is Extract<ASTNode, { op: BinaryOperator | "||" | "&&" }> {
  return BINARY.has(node.op);
}

function visit(node: ASTNode, depth: number, usage: Usage): void {
  if (node.op === "id") {
    if (node.args === "inputs" || node.args === "steps") usage.dynamic = true;
    if (node.args === "item" || node.args === "index") usage.usesItem = true;
  } else if (node.op === "." || node.op === ".?") {
    notePath(node, usage);
    if (!member(node.args[0], node.args[1], usage)) visit(node.args[0], depth, usage);
  } else if (node.op === "[]" || node.op === "[?]") {
    notePath(node, usage);
    const [target, key] = node.args;
    const name = key.op === "value" && typeof key.args === "string" ? key.args : undefined;
    if (name === undefined || !member(target, name, usage)) visit(target, depth, usage);
    visit(key, depth, usage);
  } else if (node.op === "call") {
    if (REFUSED.has(node.args[0])) usage.refused = node.args[0];
    // Each call walks a whole value, so it is not repeated for each item of a list.
    if (node.args[0] === "fits" && depth > 0) usage.refused = "fits inside a loop";
    usage.walks++;
    const inner = node.args[0] === "has" ? { ...usage, steps: usage.asked } : usage;
    for (const argument of node.args[1]) visit(argument, depth, inner);
    usage.usesItem ||= inner.usesItem;
    usage.dynamic ||= inner.dynamic;
  } else if (node.op === "rcall") {
    const [name, receiver, callArguments] = node.args;
    if (REFUSED.has(name)) usage.refused = name;
    if (name === "split") usage.splits = true;
    visit(receiver, depth, usage);
    if (!MACROS.has(name)) usage.walks++;
    const inner = MACROS.has(name) ? depth + 1 : depth;
    usage.macroDepth = Math.max(usage.macroDepth, inner);
    for (const argument of callArguments) visit(argument, inner, usage);
  } else if (node.op === "map") {
    for (const entry of node.args) for (const part of entry) visit(part, depth, usage);
  } else if (node.op === "list" || node.op === "?:") {
    if (node.op === "list") usage.longest = Math.max(usage.longest, node.args.length);
    for (const item of node.args) visit(item, depth, usage);
  } else if (node.op === "!_" || node.op === "-_") {
    visit(node.args, depth, usage);
  } else if (isBinary(node)) {
    if (node.op === "+") usage.joins++;
    if (WALKING.has(node.op) && node.args.every((part) => part.op !== "value")) usage.walks++;
    for (const part of node.args) visit(part, depth, usage);
  }
}

/** Notes the path of a chain of fields that begins at `steps`; the shorter ones inside it are noted too. */
function notePath(node: ASTNode, usage: Usage): void {
  const path: string[] = [];
  let at = node;
  for (;;) {
    if (at.op === "." || at.op === ".?") {
      path.unshift(at.args[1]);
      at = at.args[0];
    } else if ((at.op === "[]" || at.op === "[?]") && at.args[1].op === "value") {
      path.unshift(String(at.args[1].args));
      at = at.args[0];
    } else break;
  }
  if (at.op === "id" && at.args === "steps" && path.length > 1) usage.paths.push(path);
}

function member(target: ASTNode, name: string, usage: Usage): boolean {
  if (target.op !== "id") return false;
  if (target.args === "inputs") usage.inputs.add(name);
  else if (target.args === "steps") usage.steps.add(name);
  else return false;
  return true;
}

/** Evaluates an expression. Throws AppError `invalid_input` with a text that speaks of the expression only. */
export function evaluateExpression(source: string, scope: Scope): Json {
  const compiled = compileExpression(source);
  if (!compiled.ok) throw new AppError("invalid_input", `Expression refused: ${compiled.fault.message}`);
  const { expression } = compiled;
  const { inputs, steps, item = null, index = 0, run = {}, budget } = scope;
  let result: unknown;
  try {
    result = evaluateWithin(expression, [inputs, steps, item], budget, () =>
      expression.run({ inputs, steps, item, index, run }),
    );
  } catch (error) {
    if (error instanceof AppError) throw error;
    const kept = expression.paths.map((path) => keptNote(steps, path)).find((note) => note !== "") ?? "";
    throw new AppError("invalid_input", `Expression failed: ${faultText(error)}${kept}`);
  }
  return toJson(result, { chars: 0 }, 0);
}

/** Why nothing is found along a path: an answer on it did not keep its shape. Empty in every other case. */
export function keptNote(root: Json | undefined, path: readonly string[]): string {
  let current: unknown = root;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) break;
    current = Reflect.get(current, key);
  }
  const { artifact, note } = isObject(current) ? current : {};
  return typeof artifact === "string" && typeof note === "string"
    ? ` ${note} It is the artifact ${artifact}.`
    : "";
}

/** Evaluates a condition: anything but a boolean is an error, never a guess. */
export function evaluateCondition(source: string, scope: Scope): boolean {
  const result = evaluateExpression(source, scope);
  if (typeof result !== "boolean") throw new AppError("invalid_input", "The condition gave no boolean.");
  return result;
}

function toJson(value: unknown, budget: { chars: number }, depth: number): Json {
  if (depth > LIMITS.depth)
    throw new AppError("invalid_input", "The expression's result is nested too deeply.");
  budget.chars += typeof value === "string" ? value.length + 2 : 4;
  if (budget.chars > MAX_RESULT_CHARS)
    throw new AppError("invalid_input", "The expression's result is too large.");
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") {
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) {
      throw new AppError(
        "invalid_input",
        "The expression's result is an integer that JSON cannot hold exactly.",
      );
    }
    return Number(value);
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value))
      throw new AppError("invalid_input", "The expression's result is not a finite number.");
    return value;
  }
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => toJson(item, budget, depth + 1));
  if (value instanceof Map) {
    return Object.fromEntries(
      [...value].map(([key, item]) => [String(key), toJson(item, budget, depth + 1)]),
    );
  }
  if (isPlain(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, toJson(item, budget, depth + 1)]),
    );
  }
  throw new AppError("invalid_input", "The expression's result is not a JSON value.");
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
