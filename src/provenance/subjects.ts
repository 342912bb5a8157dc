import { digestOf } from "../kernel/canonical-json.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { ApprovalRecord, RunRecord, StepRecord } from "../ports/records.ts";

/*
 * What the log says of runs, steps and approvals is a digest of these parts; `db check` computes it again, and a
 * receipt shows the parts.
 */

/** What came of a step. */
export type StepResult = Pick<StepRecord, "stepId" | "state" | "attempt" | "port" | "input" | "output">;

/** How a run ended. */
type RunEnd = Pick<RunRecord, "documentDigest" | "id" | "inputs" | "kind" | "outputs" | "state">;

/** What was decided. */
type Decision = Pick<
  ApprovalRecord,
  "id" | "runId" | "stepId" | "state" | "shownDigest" | "decidedBy" | "decidedAt" | "reason" | "values"
>;

/** The parts of a step's result that its digest covers. */
export function stepParts({ stepId, state, attempt, port, input, output }: StepResult): readonly Json[] {
  return [stepId, state, attempt, port, input, output];
}

/** The parts of an ended run that its digest covers; of a dry run those that src/workflows/stored-dry-run.ts records. */
export function runParts({ documentDigest, id, inputs, kind, outputs, state }: RunEnd): JsonObject {
  return kind === "dry_run"
    ? { documentDigest, inputs, outputs }
    : { documentDigest, id, inputs, outputs, state };
}

/** The parts of a decision that its digest covers. */
export function approvalParts(decision: Decision): JsonObject {
  const { id, runId, stepId, state, shownDigest, decidedBy, decidedAt, reason, values } = decision;
  return { id, runId, stepId, state, shownDigest, decidedBy, decidedAt, reason, values };
}

/** The digest of a step's result. */
export function stepDigest(step: StepResult): string {
  return digestOf(stepParts(step));
}

/** The digest of an ended run. */
export function runDigest(run: RunEnd): string {
  return digestOf(runParts(run));
}

/** The digest of a decision, with its reason and values. */
export function approvalDigest(decision: Decision): string {
  return digestOf(approvalParts(decision));
}
