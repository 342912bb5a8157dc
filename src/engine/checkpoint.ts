import type { JsonObject } from "../kernel/json.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import { eventsOf, stepHasEnded, type RunChange } from "../ports/run-changes.ts";
import type { StoreTx } from "../ports/store.ts";
import { approvalEvent, approvalFact, runFact, stepDigest, stepFact, type ApprovalNews } from "./journal.ts";
import { runHasEnded } from "./states.ts";

/** A run that another run starts. */
export interface ChildRun {
  readonly record: RunRecord;
  readonly document: JsonObject;
}

/** Everything that becomes true in one commit because of one run. */
export interface Checkpoint extends RunChange {
  /** Approvals that are opened. */
  readonly opened: readonly ApprovalRecord[];
  /** Approvals that are closed, unless a person was faster. */
  readonly closed: readonly ApprovalRecord[];
  /** What events tell of approvals. */
  readonly news: readonly (readonly [ApprovalRecord, ApprovalNews])[];
  readonly children: readonly ChildRun[];
  /** Other runs that want to be looked at when this is written. */
  readonly wake: readonly string[];
  /** The facts, when their statements were signed before the commit; otherwise they are made with it. */
  readonly signed: readonly ProvenanceFact[] | null;
}

/** The facts of a change, for the provenance log. */
export function factsOf(
  { head, run, steps }: RunChange,
  closed: readonly ApprovalRecord[] = [],
): readonly ProvenanceFact[] {
  const facts: ProvenanceFact[] = [];
  for (const step of steps) if (stepHasEnded(step.state)) facts.push(stepFact(head, step, stepDigest(step)));
  for (const approval of closed) facts.push(approvalFact(approval));
  if (run !== null && runHasEnded(run.state)) facts.push(runFact(run));
  return facts;
}

/** What writing a checkpoint needs besides the store. */
export interface CheckpointWriter {
  /** Writes provenance with the change. */
  provenance(tx: StoreTx, facts: readonly ProvenanceFact[]): Promise<unknown>;
  /** Puts runs before the workers, inside the same transaction. */
  enqueue(tx: StoreTx, runIds: readonly string[]): Promise<void>;
}

/**
 * Writes the checkpoints of many runs in as few statements as possible. A run whose epoch is no longer the current
 * one belongs to another worker: nothing of its checkpoint is written. Gives the ids of those that were.
 */
export async function writeCheckpoints(
  tx: StoreTx,
  batch: readonly Checkpoint[],
  writer: CheckpointWriter,
): Promise<ReadonlySet<string>> {
  const saved = new Set([
    ...(await tx.runs.saveAll(batch.flatMap(({ run }) => run ?? []))),
    ...(await tx.runs.hold(batch.filter(({ run }) => run === null).map(({ head }) => head))),
  ]);
  const valid = saved.size === batch.length ? batch : batch.filter(({ head }) => saved.has(head.id));
  if (valid.length > 0) await writeParts(tx, valid, writer);
  return saved;
}

/** Writes a run together with the first thing that is true of it, and its document unless that is stored. */
export async function insertRun(
  tx: StoreTx,
  record: RunRecord,
  checkpoint: Checkpoint,
  document: JsonObject | null,
  writer: CheckpointWriter,
): Promise<void> {
  if (document !== null) await tx.runs.putDocument(record.documentDigest, document);
  await tx.runs.insert(record);
  await writeParts(tx, [checkpoint], writer);
}

async function writeParts(
  tx: StoreTx,
  valid: readonly Checkpoint[],
  writer: CheckpointWriter,
): Promise<void> {
  const steps = valid.flatMap((checkpoint) => checkpoint.steps);
  if (steps.length > 0) await tx.runs.putSteps(steps);
  for (const checkpoint of valid) await writeRare(tx, checkpoint);
  const wake = valid.flatMap((checkpoint) => checkpoint.wake);
  if (wake.length > 0) await writer.enqueue(tx, wake);
  const events = valid.flatMap((checkpoint) =>
    eventsOf(
      checkpoint.head,
      checkpoint.moved ? checkpoint.run : null,
      checkpoint.steps,
      checkpoint.news.map(([approval, news]) => approvalEvent(checkpoint.head, approval, news)),
    ),
  );
  if (events.length > 0) await tx.events.append(events);
  const facts = valid.flatMap((checkpoint) => checkpoint.signed ?? factsOf(checkpoint, checkpoint.closed));
  if (facts.length > 0) await writer.provenance(tx, facts);
}

async function writeRare(tx: StoreTx, checkpoint: Checkpoint): Promise<void> {
  for (const attempt of checkpoint.attempts) await tx.runs.putAttempt(attempt);
  for (const approval of checkpoint.closed) await tx.approvals.decide(approval);
  for (const approval of checkpoint.opened) await tx.approvals.insert(approval);
  for (const { record, document } of checkpoint.children) {
    await tx.runs.putDocument(record.documentDigest, document);
    await tx.runs.insert(record);
  }
}
