import { traceparentOf } from "../kernel/trace.ts";
import { statusOf } from "../model/status.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import { runDigest, stepDigest } from "../provenance/subjects.ts";
import type { SignalRecord } from "../ports/signals.ts";
import type { NewEvent, RunRecord, StepRecord } from "../ports/records.ts";

/*
 * What runs and steps leave behind besides their state: events for subscribers, and facts for the provenance
 * log. Values of a run never go into either.
 */

/** What events and facts say of a run. */
export type RunHead = Pick<RunRecord, "id" | "epoch" | "visibility" | "traceId" | "spanId">;

/** A run changed its state. */
export function runEvent(run: RunRecord): NewEvent {
  return {
    type: `svc.run.${run.state}`,
    subject: run.id,
    traceparent: traceparentOf(run),
    data: {
      id: run.id,
      ...statusOf(run),
      workflowId: run.workflowId,
      kind: run.kind,
      startedBy: run.startedBy,
      ...(run.error !== null && { error: { code: run.error["code"], step: run.error["step"] } }),
    },
    publicData: run.visibility === "public" ? { id: run.id, ...statusOf(run) } : null,
    madeIn: null,
  };
}

/** Something was sent to a run; what it carries is not shown. */
export function signalEvent(run: RunRecord, { id, name, sentBy }: SignalRecord): NewEvent {
  return {
    type: "svc.run.signalled",
    subject: run.id,
    traceparent: traceparentOf(run),
    data: { id: run.id, name, signalId: id, by: sentBy },
    publicData: null,
    madeIn: null,
  };
}

/** A step changed its state. */
export function stepEvent(run: RunHead, step: StepRecord): NewEvent {
  const { stepId, state, attempt, port, wakeAt, error } = step;
  return {
    type: `svc.step.${state}`,
    subject: run.id,
    traceparent: traceparentOf(run),
    data: {
      runId: run.id,
      stepId,
      ...statusOf(step),
      attempt,
      port,
      ...(wakeAt !== null && { wakeAt }),
      ...(error !== null && { error: { code: error["code"] } }),
    },
    publicData: run.visibility === "public" ? { runId: run.id, stepId, ...statusOf(step) } : null,
    madeIn: null,
  };
}

/** The record of an ended step. */
export function stepFact(step: StepRecord, settled?: JsonObject): ProvenanceFact {
  const { runId, stepId, state, attempt, port, input, output } = step;
  return {
    kind: "step",
    subjectId: `${runId}/${stepId}`,
    runId,
    digest: stepDigest({ stepId, state, attempt, port, input, output }),
    privacy: "internal",
    predicate: { attempt, port, state, ...(settled !== undefined && { settled }) },
  };
}

/** The record of an ended run. */
export function runFact(run: RunRecord): ProvenanceFact {
  return {
    kind: "run",
    subjectId: run.id,
    runId: run.id,
    digest: runDigest(run),
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
