import { canonicalJson } from "../../kernel/canonical-json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { StepRecord } from "../../ports/records.ts";
import type { StepError } from "./actions.ts";
import type { Prepared } from "./prepare.ts";

/*
 * A repaired run begins again from its first step. What its steps did before stays in their checkpoints: a step that
 * would get the same again gives the same again, and is not carried out.
 */

/** True for the checkpoint of a step that has to begin again, and that says what became of it before. */
export function isEarlier({ state, finishedAt }: Pick<StepRecord, "state" | "finishedAt">): boolean {
  return state === "pending" && finishedAt !== null;
}

/** The checkpoint of an ended step that begins again; without `isKept` its result is not used any more. */
export function asEarlier(step: StepRecord, isKept: boolean): StepRecord {
  const { state, port, output, error, finishedAt, startedAt } = step;
  return {
    ...step,
    state: "pending",
    ...(isKept
      ? { port: state === "failed" ? "error" : port, output, error }
      : { port: null, output: null, error: null }),
    wakeAt: null,
    finishedAt: finishedAt ?? startedAt,
  };
}

/** True when a step that is about to begin would do what it did before, and that ended well or was handled. */
export function givesTheSame(prepared: Prepared, { port, input, output }: StepRecord): boolean {
  if (port === null || prepared.kind === "spread") return false;
  // Earlier releases did not keep for how long a step waited.
  if (prepared.kind === "sleep" && input === null) return true;
  return prepared.kind === "made"
    ? port === prepared.port && isSame(output, prepared.output)
    : isSame(input, prepared.kind === "child" ? prepared.action.inputs : prepared.input);
}

/** True when two values have the same digest. */
export function isSame(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** A stored error as the interpreter has it. */
export function failureIn(error: JsonObject | null): StepError {
  const code = typeof error?.["code"] === "string" ? error["code"] : "failed";
  const message = typeof error?.["message"] === "string" ? error["message"] : "The step failed.";
  return { ...error, code, message };
}
