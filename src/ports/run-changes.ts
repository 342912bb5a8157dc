import type { Json, JsonObject } from "../kernel/json.ts";
import type { AttemptRecord, NewEvent, RunRecord, RunState, StepRecord, StepState } from "./records.ts";

/*
 * What becomes true of a run in one commit, and the events that follow from it. The events are a function of the change,
 * so a store may keep the change and make them when somebody reads.
 */

/** What its steps' events and facts say of a run, and what tells whose it is. */
export type RunHead = Pick<RunRecord, "id" | "epoch" | "visibility" | "traceId" | "spanId">;

/** What becomes true of one run and its steps in one commit. */
export interface RunChange {
  readonly head: RunHead;
  /** The run's row as it is written; null when only steps changed: then its epoch is checked and nothing written. */
  readonly run: RunRecord | null;
  /** True when the run is in another state than before, so that an event tells of it. */
  readonly moved: boolean;
  readonly steps: readonly StepRecord[];
  readonly attempts: readonly AttemptRecord[];
}

const STEP_ENDED: ReadonlySet<StepState> = new Set(["succeeded", "failed", "skipped", "cancelled"]);

/** True when a step in this state has its result. */
export function stepHasEnded(state: StepState): boolean {
  return STEP_ENDED.has(state);
}

/** The `traceparent` that a run's events carry. */
export function runTraceparent(run: RunHead): string {
  return `00-${run.traceId}-${run.spanId}-01`;
}

/** What the event of a run says of it. */
export type ToldRun = RunHead & Pick<RunRecord, "state" | "workflowId" | "kind" | "startedBy" | "error">;

/** A run changed its state. */
export function runEvent(run: ToldRun): NewEvent {
  return {
    type: `svc.run.${run.state}`,
    subject: run.id,
    traceparent: runTraceparent(run),
    data: {
      id: run.id,
      status: run.state,
      workflowId: run.workflowId,
      kind: run.kind,
      startedBy: run.startedBy,
      ...(run.error !== null && { error: { code: run.error["code"], step: run.error["step"] } }),
    },
    publicData: run.visibility === "public" ? { id: run.id, status: run.state } : null,
  };
}

/** A step changed its state. */
export function stepEvent(run: RunHead, traceparent: string, step: StepRecord): NewEvent {
  const { stepId, state, attempt, port, wakeAt, error } = step;
  return {
    type: `svc.step.${state}`,
    subject: run.id,
    traceparent,
    data: {
      runId: run.id,
      stepId,
      status: state,
      attempt,
      port,
      ...(wakeAt !== null && { wakeAt }),
      ...(error !== null && { error: { code: error["code"] } }),
    },
    publicData: run.visibility === "public" ? { runId: run.id, stepId, status: state } : null,
  };
}

/** The events of a change. A run begins before its steps and ends after them; `between` comes before its end. */
export function eventsOf(
  head: RunHead,
  told: ToldRun | null,
  steps: readonly StepRecord[],
  between: readonly NewEvent[] = [],
): readonly NewEvent[] {
  const traceparent = runTraceparent(head);
  const events: NewEvent[] = [];
  if (told?.state === "running") events.push(runEvent(told));
  for (const step of steps) if (isTold(step)) events.push(stepEvent(head, traceparent, step));
  events.push(...between);
  if (told !== null && told.state !== "running") events.push(runEvent(told));
  return events;
}

/** How many events follow from a change. */
export function countEvents(moved: boolean, steps: readonly StepRecord[]): number {
  let count = moved ? 1 : 0;
  for (const step of steps) if (isTold(step)) count++;
  return count;
}

function isTold({ state }: StepRecord): boolean {
  return state !== "ready" && state !== "pending";
}

/**
 * A change as it is kept: the run's new state and error where an event tells of it, or zero, and the steps as lists of
 * their values. Names would be most of it.
 */
type PackedStep = readonly [...StepResult, ...PackedRest];
type PackedRest = readonly [
  error: JsonObject | null,
  idempotencyKey: string | null | 1,
  wakeAt: string | null,
  startedAt: string | null,
  finishedAt: string | null,
];
type PackedChange = readonly [state: RunState | 0, error: JsonObject | null, steps: readonly PackedStep[]];

/** A change of a run as it is kept with others. */
export interface KeptChange {
  readonly told: Pick<RunRecord, "state" | "error"> | null;
  readonly steps: readonly StepRecord[];
}

/** The JSON text of a change. */
export function packChange(
  told: Pick<RunRecord, "state" | "error"> | null,
  steps: readonly StepRecord[],
): string {
  return packParts(told, steps).text;
}

/** The JSON text of a change, and from where to where in it the result of each step stands, but for its last bracket. */
export function packParts(
  told: Pick<RunRecord, "state" | "error"> | null,
  steps: readonly StepRecord[],
): { readonly text: string; readonly results: readonly (readonly [from: number, to: number])[] } {
  let text = told === null ? "[0,null,[" : `[${JSON.stringify(told.state)},${JSON.stringify(told.error)},[`;
  const results: [number, number][] = [];
  for (const step of steps) {
    if (results.length > 0) text += ",";
    const result = JSON.stringify(resultOf(step)).slice(0, -1);
    results.push([text.length, text.length + result.length]);
    text += `${result},${JSON.stringify(restOf(step)).slice(1)}`;
  }
  return { text: `${text}]]`, results };
}

/** What a step came to, as a list: how a packed step begins, and what the log commits to. */
export type StepResult = readonly [
  stepId: string,
  state: StepState,
  attempt: number,
  port: string | null,
  input: Json | null,
  output: Json | null,
];

/** What a step came to. */
export function resultOf({ stepId, state, attempt, port, input, output }: StepRecord): StepResult {
  return [stepId, state, attempt, port, input, output];
}

/** What a packed change says that a step came to; null when it says nothing of it. */
export function resultIn(text: string, stepId: string): StepResult | null {
  const [, , steps]: PackedChange = JSON.parse(text);
  const step = steps.find(([id]) => id === stepId);
  return step === undefined ? null : [step[0], step[1], step[2], step[3], step[4], step[5]];
}

/** The change of a run that a JSON text holds. */
export function unpackChange(runId: string, [state, error, steps]: PackedChange): KeptChange {
  return {
    told: state === 0 ? null : { state, error },
    steps: steps.map((step) => unpackStep(runId, step)),
  };
}

function restOf(step: StepRecord): PackedRest {
  const { error, idempotencyKey: key, wakeAt, startedAt, finishedAt } = step;
  return [error, key === usualKey(step.runId, step.stepId) ? 1 : key, wakeAt, startedAt, finishedAt];
}

function unpackStep(runId: string, packed: PackedStep): StepRecord {
  const [stepId, state, attempt, port, input, output, error, key, wakeAt, startedAt, finishedAt] = packed;
  const idempotencyKey = key === 1 ? usualKey(runId, stepId) : key;
  return {
    runId,
    stepId,
    state,
    attempt,
    port,
    input,
    output,
    error,
    idempotencyKey,
    wakeAt,
    startedAt,
    finishedAt,
  };
}

function usualKey(runId: string, stepId: string): string {
  return `${runId}:${stepId}`;
}
