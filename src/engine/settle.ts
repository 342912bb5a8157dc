import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { SettleOutcome } from "../model/states.ts";
import type { StepRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { Outcome } from "../workflows/interpreter/actions.ts";
import type { Graph } from "../workflows/interpreter/program.ts";
import type { StoreTx } from "../ports/store.ts";
import { spanIdOf } from "../tracing/spans.ts";
import type { CheckpointWriter } from "./checkpoint.ts";
import { stepEvent, stepFact } from "./journal.ts";
import type { Worker } from "./worker.ts";

/** What a person says became of a step. */
export interface Settlement {
  readonly runId: string;
  readonly stepId: string;
  readonly outcome: SettleOutcome;
  readonly output: JsonObject | null;
  readonly by: string;
  /** Why the person says so. */
  readonly reason: string | null;
}

/** Keeps who settled a step and why, with its attempt and in the provenance log. */
export async function noteSettlement(
  tx: StoreTx,
  step: StepRecord,
  next: StepRecord,
  settlement: Settlement,
  writer: CheckpointWriter,
  at: string,
): Promise<void> {
  if (settlement.outcome === "retry") return;
  const { outcome, by, reason } = settlement;
  const settled = { outcome, by, reason, at };
  await tx.runs.putAttempts([
    {
      runId: step.runId,
      stepId: step.stepId,
      attempt: step.attempt,
      state: outcome,
      spanId: spanIdOf(step.runId, step.stepId, step.attempt),
      error: { ...step.error, settled },
      startedAt: step.startedAt ?? at,
      finishedAt: at,
    },
  ]);
  await writer.provenance(tx, [stepFact(next, settled)]);
}

/** The same as the interpreter receives it. */
export function settledOutcome(
  outcome: Settlement["outcome"],
  output: JsonObject | null,
  by: string,
): Outcome | "retry" {
  if (outcome === "retry") return "retry";
  if (outcome === "succeeded") return { kind: "succeeded", output: output ?? {} };
  const error = { code: "settled_failed", message: "A person reported that the step failed.", by };
  return { kind: "failed", error, retryable: false };
}

/** Settles a step of a run that nobody works on: its checkpoint changes, and the run goes on from there. */
export async function settleStored(
  services: Services,
  worker: Worker,
  settlement: Settlement,
): Promise<void> {
  const { store, clock } = services;
  const found = await store.read.runs.get(settlement.runId);
  if (found === null) throw new AppError("not_found", "There is no run with this id.");
  const { graph } = await worker.programs.load(found.documentDigest, store.read.runs);
  await store.transact(async (tx) => {
    // Taken from its worker first: what is read of it then stays true.
    const [current] = await tx.runs.claimAll([settlement.runId]);
    if (current === undefined) throw new AppError("conflict", "The run has ended already.");
    const steps = await tx.runs.steps(settlement.runId);
    const step = steps.find(({ stepId }) => stepId === settlement.stepId);
    if (step?.state !== "outcome_unknown") {
      throw new AppError("conflict", "The outcome of this step is not unknown.");
    }
    const at = new Date(clock.now()).toISOString();
    const next = settled(step, settlement, graph, at);
    await tx.runs.putSteps([next]);
    await worker.writer.enqueue(tx, [current.id]);
    if (next.state === "ready") return;
    await tx.events.append([stepEvent(current, next)]);
    await noteSettlement(tx, step, next, settlement, worker.writer, at);
  });
}

/** The step as a person settled it. */
export function settled(step: StepRecord, settlement: Settlement, graph: Graph, at: string): StepRecord {
  const outcome = settledOutcome(settlement.outcome, settlement.output, settlement.by);
  if (outcome === "retry" || outcome.kind === "cancelled") {
    return { ...step, state: "ready", attempt: step.attempt - 1, error: null };
  }
  if (outcome.kind === "succeeded") {
    return {
      ...step,
      state: "succeeded",
      port: "success",
      output: outcome.output,
      error: null,
      finishedAt: at,
    };
  }
  const port = caught(step.stepId, graph) ? "error" : null;
  return { ...step, state: "failed", port, error: outcome.error, finishedAt: at };
}

/** True when an edge listens to the failure of the step. Items of a map have no edges of their own. */
function caught(stepId: string, graph: Graph): boolean {
  const [, map, inner] = /^([^[]+)\[\d+\]\.(.+)$/.exec(stepId) ?? [];
  const nodes =
    map === undefined ? graph.nodes : (graph.nodes.find(({ node }) => node.id === map)?.body?.nodes ?? []);
  const found = nodes.find(({ node }) => node.id === (inner ?? stepId));
  return found?.out.some(({ port }) => port === "error") ?? false;
}
