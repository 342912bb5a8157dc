import { statusOf } from "../model/status.ts";
import type { HandoffView } from "../model/handoffs.ts";
import type { HandoffRecord } from "../ports/records.ts";
import { HANDOFF_SCHEMA } from "./packet.ts";
import { handoffUrl } from "./receiver.ts";

/** What is shown of a handoff: where it stands, what was tried, what was confirmed. */
export function handoffView(record: HandoffRecord, baseUrl: string): HandoffView {
  const done = record.state === "completed" && record.resultRef !== null;
  return {
    schemaVersion: HANDOFF_SCHEMA,
    id: record.id,
    direction: record.direction,
    peer: record.peer,
    capability: record.capability,
    intent: record.packet["intent"] ?? null,
    ...statusOf(record),
    dryRun: false,
    attempts: record.attempts,
    nextAttemptAt: record.nextAttemptAt,
    resultRef: done ? record.resultRef : null,
    outputArtifactIds: done ? [...record.outputArtifactIds] : [],
    confirmation: {
      required: true,
      received: done,
      source: done ? (record.direction === "out" ? record.peer : "svc") : null,
    },
    evidence: record.evidence,
    runId: record.runId,
    packetDigest: record.packetDigest,
    statusUrl: handoffUrl(baseUrl, record.id),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}
