import { statusOf } from "../model/status.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ApprovalVote, DecidedVia } from "../ports/approvals.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { ApprovalRecord, NewEvent, RunRecord } from "../ports/records.ts";
import { approvalDigest } from "../provenance/subjects.ts";

/*
 * What approvals leave behind besides their state: events for subscribers, and facts for the provenance log. What was
 * shown, reasons, comments and values go into neither.
 */

/** What happened to an approval. */
export type ApprovalEvent =
  | "requested"
  | "reminder"
  | "overdue"
  | "escalated"
  | "voted"
  | "claimed"
  | "released"
  | "delegated"
  | "reassigned"
  | "commented"
  | "approved"
  | "rejected"
  | "changes_requested"
  | "expired"
  | "cancelled"
  | "superseded";

/** What people do with an approval besides deciding it. */
export type ApprovalChange = Extract<
  ApprovalEvent,
  "voted" | "claimed" | "released" | "delegated" | "reassigned" | "commented"
>;

type RunHead = Pick<RunRecord, "visibility" | "traceId" | "spanId">;

/** Something happened to an approval; `by` did it, and `to` got it. */
export function approvalEvent(
  run: RunHead,
  approval: ApprovalRecord,
  what: ApprovalEvent,
  who: { readonly by?: string; readonly to?: string; readonly via?: DecidedVia | null } = {},
): NewEvent {
  const { id, runId, stepId, title, dueAt, expiresAt, decidedBy, decidedVia: via } = approval;
  return {
    type: `svc.approval.${what}`,
    subject: runId,
    traceparent: `00-${run.traceId}-${run.spanId}-01`,
    data: { id, runId, stepId, ...statusOf(approval), title, dueAt, expiresAt, decidedBy, via, ...who },
    publicData: run.visibility === "public" ? { id, ...statusOf(approval) } : null,
    madeIn: null,
  };
}

/** What the audit list says of an approval. */
export function auditDetail(approval: ApprovalRecord, more: JsonObject): JsonObject {
  const { runId, stepId, title } = approval;
  return { runId, stepId, title, ...more };
}

/** The record of a decision, bound to what was shown, with everybody who approved it. */
export function approvalFact(approval: ApprovalRecord, votes: readonly ApprovalVote[] = []): ProvenanceFact {
  const { id, runId, stepId, state, shownDigest, stepUp, decidedBy, decidedVia: via, decidedAt } = approval;
  const decision: JsonObject = { id, runId, stepId, state, shownDigest, decidedBy, via, decidedAt };
  const others = votes.map(({ voter, via: used, seat, verdict, at, assertion }) => ({
    voter,
    via: used,
    seat,
    verdict,
    at,
    ...(assertion !== null && { assertion }),
  }));
  return {
    kind: "approval",
    subjectId: id,
    runId,
    digest: approvalDigest(approval),
    privacy: "internal",
    predicate: { ...decision, ...(stepUp && { stepUp }), ...(others.length > 0 && { votes: others }) },
  };
}

/** The record of what a person did with an approval before it was decided. */
export function changeFact(
  approval: ApprovalRecord,
  change: ApprovalChange,
  by: string,
  more: JsonObject,
): ProvenanceFact {
  const { id, runId, stepId, shownDigest } = approval;
  const predicate: JsonObject = { change, id, runId, stepId, shownDigest, by, ...more };
  return {
    kind: "approval_action",
    subjectId: id,
    runId,
    digest: digestOf(predicate),
    privacy: "internal",
    predicate,
  };
}
