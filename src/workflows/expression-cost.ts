import { AppError } from "../kernel/errors.ts";
import { runWithin } from "../kernel/deadline.ts";

/*
 * What evaluating an expression may cost. Loops inside loops over long lists, and comparisons of large values inside
 * loops, can take minutes although the expression is short; whatever might take long runs against a deadline.
 */

/** What decides the cost of an expression, found when it is parsed. */
export interface ExpressionShape {
  readonly source: string;
  /** Loops inside loops. */
  readonly macroDepth: number;
  /** It can turn a text into a list. */
  readonly splits: boolean;
  /** Operations that walk a whole value: comparisons with something that is not written out, `in`, functions. */
  readonly walks: number;
  /** How often it joins two values. */
  readonly joins: number;
  /** Items of the longest list that is written out. */
  readonly longest: number;
}

/** Time that the costly expressions of a run may still take, shared by all its scopes. */
export interface ExpressionBudget {
  leftMs: number;
}

/** What one evaluation may take at most. */
const EVALUATION_MS = 50;
const MAX_ITERATIONS = 1_000_000;
/** Walks outside of loops that need no deadline, whatever they walk over. */
const FEW_WALKS = 4;
/** Below this an evaluation takes a few milliseconds; a unit is about a tenth of a microsecond. */
const SMALL_WORK = 50_000;

/** Evaluates within what is allowed; `roots` is what the expression can read. Throws AppError when it takes too long. */
export function evaluateWithin(
  shape: ExpressionShape,
  roots: readonly unknown[],
  budget: ExpressionBudget | undefined,
  evaluate: () => unknown,
): unknown {
  if (isSmall(shape, roots)) return evaluate();
  const allowed = Math.min(EVALUATION_MS, budget?.leftMs ?? EVALUATION_MS);
  const began = performance.now();
  let result: unknown;
  const isDone =
    allowed > 0 &&
    runWithin(allowed, () => {
      result = evaluate();
    });
  if (budget !== undefined) budget.leftMs -= performance.now() - began;
  if (isDone) return result;
  const limit =
    allowed < EVALUATION_MS
      ? "the long expressions of the run take more time together than they may"
      : `it takes longer than ${EVALUATION_MS} ms`;
  throw new AppError(
    "invalid_input",
    `Expression refused: ${limit}. Use shorter lists, fewer loops inside loops, or compare single fields.`,
  );
}

function isSmall(
  { source, macroDepth, splits, walks, joins, longest }: ExpressionShape,
  roots: readonly unknown[],
): boolean {
  if (macroDepth === 0 && walks <= FEW_WALKS) return true;
  const size = measure(roots, splits);
  const list = Math.max(size.longest, longest, splits ? source.length : 0);
  if (size.longest ** macroDepth > MAX_ITERATIONS) {
    throw new AppError(
      "invalid_input",
      `Expression refused: it could loop ${macroDepth} deep over a list of ${size.longest}, which is too long. ${MAX_ITERATIONS} rounds are allowed.`,
    );
  }
  const rounds = (list * (1 + joins)) ** macroDepth;
  return rounds * (source.length + walks * size.values) < SMALL_WORK;
}

/** How many values there are, and the longest list, object or (with `textsToo`) text among them. */
function measure(
  roots: readonly unknown[],
  textsToo: boolean,
): { readonly values: number; readonly longest: number } {
  const open: unknown[] = [...roots];
  let longest = 1;
  let values = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    values++;
    if (textsToo && typeof value === "string") longest = Math.max(longest, value.length);
    if (value === null || typeof value !== "object") continue;
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    longest = Math.max(longest, children.length);
    for (const child of children) if (child !== undefined) open.push(child);
  }
  return { values, longest };
}
