import type { JsonObject } from "../kernel/json.ts";
import type { ProvenanceFact, StepFact } from "../ports/provenance.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import { eventsOf, stepHasEnded, type RunChange } from "../ports/run-changes.ts";
import type { StoreTx } from "../ports/store.ts";
import { approvalEvent, approvalFact, runFact, stepFact, type ApprovalNews } from "./journal.ts";
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
}

/** True for a checkpoint that changes nothing but its own run and steps. */
export function isPlain({ opened, closed, news, children, wake }: Checkpoint): boolean {
  return opened.length + closed.length + news.length + children.length + wake.length === 0;
}

/** The facts of a checkpoint, for the provenance log. */
function factsOf({ run, steps, closed }: Checkpoint): readonly (ProvenanceFact | StepFact)[] {
  const facts: (ProvenanceFact | StepFact)[] = [];
  for (const step of steps) if (stepHasEnded(step.state)) facts.push(stepFact(step));
  for (const approval of closed) facts.push(approvalFact(approval));
  if (run !== null && runHasEnded(run.state)) facts.push(runFact(run));
  return facts;
}

/** What writing a checkpoint needs besides the store. */
export interface CheckpointWriter {
  /** Writes provenance with the change. */
  provenance(tx: StoreTx, facts: readonly (ProvenanceFact | StepFact)[]): Promise<unknown>;
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
  const paged = tx.writeChanges === undefined ? new Set<Checkpoint>() : fitForPages(valid);
  if (paged.size > 0) await tx.writeChanges?.([...paged]);
  const others = paged.size === 0 ? valid : valid.filter((checkpoint) => !paged.has(checkpoint));
  const steps = others.flatMap((checkpoint) => checkpoint.steps);
  if (steps.length > 0) await tx.runs.putSteps(steps);
  for (const checkpoint of valid) {
    if (checkpoint.attempts.length > 0 || !isPlain(checkpoint)) await writeRare(tx, checkpoint);
  }
  const wake = valid.flatMap((checkpoint) => checkpoint.wake);
  if (wake.length > 0) await writer.enqueue(tx, wake);
  const events = others.flatMap((checkpoint) =>
    eventsOf(
      checkpoint.head,
      checkpoint.moved ? checkpoint.run : null,
      checkpoint.steps,
      checkpoint.news.map(([approval, news]) => approvalEvent(checkpoint.head, approval, news)),
    ),
  );
  if (events.length > 0) await tx.events.append(events);
  const facts = valid.flatMap(factsOf);
  if (facts.length > 0) await writer.provenance(tx, facts);
}

/** The checkpoints whose steps and events a page can hold: a run has its events in one place and in their order. */
function fitForPages(valid: readonly Checkpoint[]): ReadonlySet<Checkpoint> {
  const runs = new Set(valid.map(({ head }) => head.id));
  if (runs.size < valid.length) return new Set();
  return new Set(valid.filter((checkpoint) => checkpoint.steps.length > 0 && isPlain(checkpoint)));
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
