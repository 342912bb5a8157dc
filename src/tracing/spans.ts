import type { SpanView } from "../model/runs.ts";
import type { AttemptRecord, RunRecord, StepRecord } from "../ports/records.ts";
import { sha256Hex } from "../kernel/canonical-json.ts";

/** The span of one try: the same in every process, so it need not be stored. */
export function spanIdOf(runId: string, stepId: string, attempt: number): string {
  return sha256Hex(`${runId}/${stepId}/${attempt}`).slice(0, 16);
}

/** The spans of a run: the run, and each try of each step below it. A child run's span stands below its step's. */
export function spansOf(
  run: RunRecord,
  steps: readonly StepRecord[],
  attempts: readonly AttemptRecord[],
): readonly SpanView[] {
  const spans: SpanView[] = [runSpan(run)];
  for (const step of steps) {
    const ofStep = attempts.filter(({ stepId }) => stepId === step.stepId);
    for (const one of ofStep) spans.push(attemptSpan(run, one));
    const last = ofStep.some(({ attempt }) => attempt === step.attempt);
    if (!last && step.startedAt !== null) spans.push(stepSpan(run, step, step.startedAt));
  }
  return spans;
}

function runSpan(run: RunRecord): SpanView {
  const parent =
    run.parentRunId === null || run.parentStepId === null
      ? null
      : spanIdOf(run.parentRunId, run.parentStepId, 1);
  return {
    traceId: run.traceId,
    spanId: run.spanId,
    parentSpanId: run.parentSpanId ?? parent,
    name: "workflow run",
    startedAt: run.startedAt ?? run.createdAt,
    finishedAt: run.finishedAt,
    status: run.finishedAt === null ? "unset" : run.state === "succeeded" ? "ok" : "error",
    attributes: { "run.id": run.id, "run.state": run.state, "workflow.id": run.workflowId },
  };
}

function attemptSpan(run: RunRecord, one: AttemptRecord): SpanView {
  return {
    traceId: run.traceId,
    spanId: one.spanId,
    parentSpanId: run.spanId,
    name: `step ${one.stepId}`,
    startedAt: one.startedAt,
    finishedAt: one.finishedAt,
    status: one.state === "succeeded" ? "ok" : "error",
    attributes: {
      "run.id": run.id,
      "step.id": one.stepId,
      "step.attempt": one.attempt,
      "step.state": one.state,
    },
  };
}

function stepSpan(run: RunRecord, step: StepRecord, startedAt: string): SpanView {
  return {
    traceId: run.traceId,
    spanId: spanIdOf(run.id, step.stepId, Math.max(step.attempt, 1)),
    parentSpanId: run.spanId,
    name: `step ${step.stepId}`,
    startedAt,
    finishedAt: step.finishedAt,
    status: step.state === "succeeded" ? "ok" : step.state === "failed" ? "error" : "unset",
    attributes: {
      "run.id": run.id,
      "step.id": step.stepId,
      "step.attempt": step.attempt,
      "step.state": step.state,
    },
  };
}
