import { AppError } from "../../kernel/errors.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { ExpressionBudget } from "../expression-cost.ts";
import type { Scope } from "../expressions.ts";
import { resolveObject } from "../values.ts";
import type { RunResult } from "./actions.ts";

/** What a person decided of a step: what it gets, what it gives, or that it is left out. */
export type StepRepair = { readonly input: JsonObject } | { readonly output: Json } | { readonly skip: true };

/** What the interpreter knows of the run besides its checkpoints. */
export interface RunFacts {
  readonly id: string;
  readonly workflowId: string | null;
  readonly inputs: JsonObject;
  /** When it began, in milliseconds; its time-out counts from here. */
  readonly startedAt: number;
  /** What `run.startedAt` says, where a repair began its time again. */
  readonly firstStartedAt?: number;
  /** By step. */
  readonly repairs?: ReadonlyMap<string, StepRepair>;
  /** What costly expressions of the whole run may take; without it, the bound is for each time it is advanced. */
  readonly expressions?: ExpressionBudget;
}

/** How a run ends whose steps are done: with its outputs, or failed when they cannot be computed. */
export function succeeded(declared: JsonObject, scope: Scope): RunResult {
  try {
    return { state: "succeeded", outputs: resolveObject(declared, scope), error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { state: "failed", outputs: null, error: { code: "outputs_failed", message: error.message } };
  }
}
