import { canonicalJson, digestOf } from "../kernel/canonical-json.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ProvenanceFact, StepFact } from "../ports/provenance.ts";
import type { ApprovalRecord, NewEvent, RunRecord, StepRecord } from "../ports/records.ts";
import { resultOf, runTraceparent, type RunHead } from "../ports/run-changes.ts";

/*
 * What runs, steps and approvals leave behind besides their state: events for whoever listens, and facts for
 * whoever asks later. Values of a run never go into either.
 */

/** What happened to an approval. */
export type ApprovalNews =
  | "requested"
  | "reminder"
  | "escalated"
  | "approved"
  | "rejected"
  | "expired"
  | "cancelled"
  | "superseded";

/** Something happened to an approval. */
export function approvalEvent(run: RunHead, approval: ApprovalRecord, news: ApprovalNews): NewEvent {
  const { id, runId, stepId, state, title, expiresAt, decidedBy } = approval;
  return {
    type: `svc.approval.${news}`,
    subject: runId,
    traceparent: runTraceparent(run),
    data: { id, runId, stepId, status: state, title, expiresAt, decidedBy },
    publicData: run.visibility === "public" ? { id, status: state } : null,
  };
}

/** The record of an ended step: a leaf of the log. */
export function stepFact(step: StepRecord): StepFact {
  const { runId, stepId, state, attempt, port } = step;
  return { kind: "step", runId, stepId, state, attempt, port, content: () => canonicalJson(resultOf(step)) };
}

/** The record of an ended run. */
export function runFact(run: RunRecord): ProvenanceFact {
  return {
    kind: "run",
    subjectId: run.id,
    runId: run.id,
    digest: digestOf({
      documentDigest: run.documentDigest,
      id: run.id,
      inputs: run.inputs,
      outputs: run.outputs,
      state: run.state,
    }),
    privacy: run.visibility === "public" ? "public" : "internal",
    predicate: {
      workflowId: run.workflowId,
      workflowVersion: run.workflowVersion,
      documentDigest: run.documentDigest,
      state: run.state,
      startedAt: run.startedAt,
      finishedAt: run.finishedAt,
    },
  };
}

/** The record of a decision, bound to what was shown. */
export function approvalFact(approval: ApprovalRecord): ProvenanceFact {
  const { id, runId, stepId, state, shownDigest, decidedBy, decidedAt } = approval;
  const decision: JsonObject = { id, runId, stepId, state, shownDigest, decidedBy, decidedAt };
  return {
    kind: "approval",
    subjectId: id,
    runId,
    digest: digestOf({ ...decision, reason: approval.reason, values: approval.values }),
    privacy: "internal",
    predicate: decision,
  };
}
