import { statusOf } from "../model/status.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { HandoffRecord, HandoffState, NewEvent } from "../ports/records.ts";

/** The names of a handoff's states in events; states that are not here are steps in between. */
const EVENT_TYPES: Readonly<Record<HandoffState, string>> = {
  preview_ready: "svc.handoff.prepared",
  ready: "svc.handoff.queued",
  sending: "svc.handoff.sending",
  accepted: "svc.handoff.accepted",
  completed: "svc.handoff.completed",
  degraded: "svc.handoff.degraded",
  rejected: "svc.handoff.rejected",
};

/** The event that tells of a handoff's new state. The packet's content is not in it. */
export function handoffEvent(record: HandoffRecord, traceparent: string | null): NewEvent {
  return {
    type: EVENT_TYPES[record.state],
    subject: record.id,
    traceparent,
    data: summaryOf(record),
    publicData: { id: record.id, direction: record.direction, ...statusOf(record) },
    madeIn: null,
  };
}

/** The provenance fact of a handoff's state. */
export function handoffFact(record: HandoffRecord): ProvenanceFact {
  const summary = summaryOf(record);
  return {
    kind: "handoff",
    subjectId: record.id,
    ...(record.runId !== null && { runId: record.runId }),
    digest: record.state === "accepted" ? record.packetDigest : digestOf(summary),
    privacy: "internal",
    predicate: summary,
  };
}

function summaryOf(record: HandoffRecord): JsonObject {
  return {
    id: record.id,
    direction: record.direction,
    peer: record.peer,
    capability: record.capability,
    ...statusOf(record),
    packetDigest: record.packetDigest,
    resultRef: record.resultRef,
    outputArtifactIds: record.outputArtifactIds,
    runId: record.runId,
    attempts: record.attempts,
  };
}
