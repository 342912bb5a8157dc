import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import { readsPrivate } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { ArtifactRecord, HandoffRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { OutboxServices } from "./outbox.ts";
import { handoffEvent, handoffFact } from "./journal.ts";

/** What settling a received handoff needs of the services. */
export type OutcomeServices = OutboxServices & Pick<Services, "engine">;

/** Starts a run of a chosen workflow from a packet that was accepted. Asking again gives the run that was started. */
export async function runFromHandoff(
  id: string,
  { workflowId, inputs }: { readonly workflowId: string; readonly inputs: JsonObject | null },
  context: CallContext,
): Promise<{ readonly handoff: HandoffRecord; readonly run: RunRecord }> {
  const { store, engine, clock } = context.services;
  const record = await acceptedHandoff(id, context);
  const previous = record.runId === null ? null : await store.read.runs.get(record.runId);
  if (previous !== null && record.state === "accepted") {
    if (previous.workflowId === workflowId) return { handoff: record, run: previous };
    throw new AppError("conflict", "A run of another workflow was started from this handoff already.", {
      details: { runId: previous.id },
    });
  }
  const run = await engine.start({
    workflowId,
    inputs: inputs ?? inputsOf(record.packet),
    caller: context.caller,
    trace: context.trace,
    // A second run is only started when the first one did not succeed, and then it is another run.
    idempotencyKey: `handoff:${id}:${record.runId ?? "first"}`,
    handoffId: id,
  });
  const started: HandoffRecord = {
    ...record,
    state: "accepted",
    runId: run.id,
    updatedAt: new Date(clock.now()).toISOString(),
  };
  const handoff = await store.transact(async (tx) => {
    if (!(await tx.handoffs.update(started, record.state))) {
      throw new AppError("conflict", "The handoff changed while the run was started.", {
        nextAction: "Ask for the handoff again.",
      });
    }
    await tx.events.append([handoffEvent(started, traceparentOf(context.trace))]);
    return started;
  });
  return { handoff, run };
}

function inputsOf(packet: JsonObject): JsonObject {
  const payload = isJsonObject(packet["payload"]) ? packet["payload"] : {};
  return isJsonObject(payload["inputs"]) ? payload["inputs"] : {};
}

async function acceptedHandoff(id: string, { services, caller }: CallContext): Promise<HandoffRecord> {
  const found = await services.store.read.handoffs.get(id, "in");
  if (found === null || !readsPrivate(caller, found.createdBy))
    throw new AppError("not_found", "No handoff with this id was accepted here.");
  const record = await settled(services, found);
  if (record.state === "completed") {
    throw new AppError("conflict", "The handoff is completed already.", { details: { runId: record.runId } });
  }
  return record;
}

/**
 * A received handoff as it stands now. When its run has ended since, the outcome becomes the handoff's: a success
 * is kept as an artifact and completes it, anything else leaves it degraded for an operator to run again.
 */
export async function settled(services: OutcomeServices, record: HandoffRecord): Promise<HandoffRecord> {
  if (record.direction !== "in" || record.state !== "accepted" || record.runId === null) return record;
  const run = await services.store.read.runs.get(record.runId);
  if (run === null || run.finishedAt === null) return record;
  const now = new Date(services.clock.now()).toISOString();
  const artifact = run.state === "succeeded" ? outputArtifact(record, run, now) : null;
  const next =
    artifact === null
      ? failedRecord(record, run, now)
      : completedRecord(services, record, run, artifact, now);
  const written = await services.store.transact(async (tx) => {
    if (!(await tx.handoffs.update(next, "accepted"))) return tx.handoffs.get(record.id, "in");
    await tx.events.append([handoffEvent(next, null)]);
    const facts = [handoffFact(next)];
    if (artifact !== null) {
      await tx.artifacts.insert(artifact);
      facts.push({
        kind: "artifact_version",
        subjectId: artifact.id,
        runId: run.id,
        digest: artifact.digest,
        privacy: artifact.privacy,
        predicate: { version: 1, type: artifact.type, handoffId: record.id },
      });
    }
    await services.provenance.append(tx, facts);
    return next;
  });
  return written ?? next;
}

function outputArtifact(record: HandoffRecord, run: RunRecord, at: string): ArtifactRecord {
  const content = {
    title: `Result of ${record.id}`,
    type: "handoff-result",
    handoffId: record.id,
    runId: run.id,
    outputs: run.outputs,
  };
  return {
    id: newId("artifact"),
    title: content.title,
    type: content.type,
    privacy: "confidential",
    version: 1,
    digest: digestOf(content),
    content,
    createdBy: run.startedBy,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
}

function completedRecord(
  services: OutcomeServices,
  record: HandoffRecord,
  run: RunRecord,
  artifact: ArtifactRecord,
  at: string,
): HandoffRecord {
  return {
    ...record,
    state: "completed",
    resultRef: `${services.settings.baseUrl}/runs/${run.id}`,
    outputArtifactIds: [artifact.id],
    evidence: {
      runId: run.id,
      runState: run.state,
      finishedAt: run.finishedAt,
      outputDigest: artifact.digest,
    },
    updatedAt: at,
  };
}

function failedRecord(record: HandoffRecord, run: RunRecord, at: string): HandoffRecord {
  return {
    ...record,
    state: "degraded",
    evidence: { runId: run.id, runState: run.state, finishedAt: run.finishedAt },
    updatedAt: at,
  };
}
