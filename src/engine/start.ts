import { digestOf } from "../kernel/canonical-json.ts";
import { newId, randomHex } from "../kernel/ids.ts";
import { childOf } from "../kernel/trace.ts";
import type { StartRun } from "../ports/engine.ts";
import type { RunRecord, RunResolution } from "../ports/records.ts";
import { actorOfCaller } from "../ports/rights.ts";
import type { ChildAction } from "../workflows/interpreter/actions.ts";
import { spanIdOf } from "../tracing/spans.ts";
import type { Source } from "./sources.ts";

/** Where the idempotency keys of a caller's starts are kept. */
export function startScope(request: StartRun): string {
  return `start-run:${request.caller.id}`;
}

/** What a start is recognised by when its key comes again. */
export function startDigest(request: StartRun): string {
  const { workflowId, inputs, version } = request;
  return digestOf({ workflowId, inputs, ...(version !== undefined && { version }) });
}

/** A run that a person or an agent starts, before anything has happened. */
export function newRun(request: StartRun, source: Source, resolved: RunResolution, at: string): RunRecord {
  const { traceId, spanId, parentSpanId } =
    request.trace.isSent === true ? childOf(request.trace) : request.trace;
  return queuedRun(source, at, {
    resolved,
    visibility: source.visibility,
    inputs: request.inputs,
    traceId,
    spanId,
    parentSpanId,
    startedBy: request.caller.id,
    scopes: [...request.caller.scopes],
    ...(request.actor ?? actorOfCaller(request.caller)),
    parentRunId: null,
    parentStepId: null,
    handoffId: request.handoffId ?? null,
  });
}

/** A run that a step of another starts. It is seen by no more people than its parent. */
export function childRun(
  parent: RunRecord,
  action: ChildAction,
  source: Source,
  resolved: RunResolution,
  at: string,
): RunRecord {
  return queuedRun(source, at, {
    resolved,
    visibility: parent.visibility === "public" ? source.visibility : "private",
    inputs: action.inputs,
    traceId: parent.traceId,
    spanId: randomHex(8),
    parentSpanId: spanIdOf(parent.id, action.stepId, action.attempt),
    startedBy: parent.startedBy,
    scopes: parent.scopes,
    actsFor: parent.actsFor,
    actsVia: parent.actsVia,
    parentRunId: parent.id,
    parentStepId: action.stepId,
    handoffId: null,
  });
}

/** What differs between runs that begin. */
type Origin = Pick<
  RunRecord,
  | "visibility"
  | "inputs"
  | "traceId"
  | "spanId"
  | "parentSpanId"
  | "startedBy"
  | "scopes"
  | "actsFor"
  | "actsVia"
  | "parentRunId"
  | "parentStepId"
  | "handoffId"
  | "resolved"
>;

function queuedRun(source: Source, at: string, origin: Origin): RunRecord {
  return {
    ...origin,
    id: newId("run"),
    workflowId: source.workflowId,
    workflowVersion: source.version,
    documentDigest: source.digest,
    kind: "run",
    state: "queued",
    outputs: null,
    error: null,
    epoch: 0,
    worker: null,
    wakeAt: null,
    repairs: [],
    createdAt: at,
    startedAt: null,
    finishedAt: null,
    detailsRemovedAt: null,
  };
}
