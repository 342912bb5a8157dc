import { digestOf } from "../kernel/canonical-json.ts";
import { newId } from "../kernel/ids.ts";
import type { StartRun } from "../ports/engine.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Source } from "./sources.ts";

/** Where the idempotency keys of a caller's starts are kept. */
export function startScope(request: StartRun): string {
  return `start-run:${request.caller.id}`;
}

/** What a start is recognised by when its key comes again. */
export function startDigest(request: StartRun): string {
  return digestOf({ workflowId: request.workflowId, inputs: request.inputs });
}

/** A run as it is before anything has happened. */
export function newRun(request: StartRun, source: Source, at: string): RunRecord {
  return {
    id: newId("run"),
    workflowId: source.workflowId,
    workflowVersion: source.version,
    documentDigest: source.digest,
    kind: "run",
    state: "queued",
    visibility: source.visibility,
    inputs: request.inputs,
    outputs: null,
    error: null,
    traceId: request.trace.traceId,
    spanId: request.trace.spanId,
    epoch: 0,
    wakeAt: null,
    startedBy: request.caller.id,
    scopes: [...request.caller.scopes],
    parentRunId: null,
    parentStepId: null,
    handoffId: request.handoffId ?? null,
    createdAt: at,
    startedAt: null,
    finishedAt: null,
  };
}
