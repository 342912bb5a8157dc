import { digestOf } from "../kernel/canonical-json.ts";
import type { ApprovalRecord, RunRecord, StepRecord } from "../ports/records.ts";

/* What the log says of runs, steps and approvals is a digest of these parts; `db check` computes it again. */

/** What came of a step. */
export type StepResult = Pick<StepRecord, "stepId" | "state" | "attempt" | "port" | "input" | "output">;

/** The digest of a step's result. */
export function stepDigest({ stepId, state, attempt, port, input, output }: StepResult): string {
  return digestOf([stepId, state, attempt, port, input, output]);
}

/** The digest of an ended run. */
export function runDigest(
  run: Pick<RunRecord, "documentDigest" | "id" | "inputs" | "outputs" | "state">,
): string {
  const { documentDigest, id, inputs, outputs, state } = run;
  return digestOf({ documentDigest, id, inputs, outputs, state });
}

/** The digest of a decision, with its reason and values. */
export function approvalDigest(
  approval: Pick<
    ApprovalRecord,
    "id" | "runId" | "stepId" | "state" | "shownDigest" | "decidedBy" | "decidedAt" | "reason" | "values"
  >,
): string {
  const { id, runId, stepId, state, shownDigest, decidedBy, decidedAt, reason, values } = approval;
  return digestOf({ id, runId, stepId, state, shownDigest, decidedBy, decidedAt, reason, values });
}
