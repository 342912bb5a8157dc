import type { JsonObject } from "../kernel/json.ts";
import { approvalEvent, approvalFact, type ApprovalNews } from "../approvals/journal.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { ApprovalRecord, AttemptRecord, NewEvent, RunRecord, StepRecord } from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";
import type { WorkAction } from "../workflows/interpreter/actions.ts";
import { runEvent, runFact, stepEvent, stepFact, stepHasEnded, type RunHead } from "./journal.ts";
import { runHasEnded } from "./states.ts";

/** A run that another run starts. */
export interface ChildRun {
  readonly record: RunRecord;
  readonly document: JsonObject;
}

/** An approval that is put before further people. */
export interface Escalation {
  readonly id: string;
  readonly approvers: readonly string[];
}

/** Everything that becomes true in one transaction because of one run. */
export interface Checkpoint {
  readonly head: RunHead;
  /** The run's row as it is written; null when only steps changed: then its epoch is checked and nothing written. */
  readonly run: RunRecord | null;
  /** True when the run is in another state than before, so that an event tells of it. */
  readonly moved: boolean;
  readonly steps: readonly StepRecord[];
  readonly attempts: readonly AttemptRecord[];
  /** Approvals that are opened. */
  readonly opened: readonly ApprovalRecord[];
  /** Approvals that are closed, unless a person was faster. */
  readonly closed: readonly ApprovalRecord[];
  /** Approvals that further people may decide from now on. */
  readonly escalated: readonly Escalation[];
  /** What events tell of approvals. */
  readonly news: readonly (readonly [ApprovalRecord, ApprovalNews])[];
  readonly children: readonly ChildRun[];
  /** Other runs that want to be looked at when this is written. */
  readonly wake: readonly string[];
}

/** What writing a checkpoint needs besides the store. */
export interface CheckpointWriter {
  /** Writes provenance with the change. */
  provenance(tx: StoreTx, facts: readonly ProvenanceFact[]): Promise<readonly string[]>;
  /** Puts runs before the workers, inside the same transaction. */
  enqueue(tx: StoreTx, runIds: readonly string[]): Promise<void>;
}

/** Writes a checkpoint. False, and nothing written, when the run belongs to another worker. */
export async function writeCheckpoint(
  tx: StoreTx,
  checkpoint: Checkpoint,
  writer: CheckpointWriter,
): Promise<boolean> {
  const { run, head } = checkpoint;
  const owned = run === null ? await tx.runs.hold(head) : await tx.runs.save(run);
  if (owned) await writeParts(tx, checkpoint, writer);
  return owned;
}

/**
 * Whether a checkpoint is in the store that was to be written before and whose outcome nobody knows. To write it again
 * would repeat its events and its provenance records.
 */
export async function isWritten(tx: StoreTx, { head, run, steps }: Checkpoint): Promise<boolean> {
  const stored = await tx.runs.get(head.id);
  if (stored?.epoch !== head.epoch) return false;
  if (run !== null && (stored.state !== run.state || stored.wakeAt !== run.wakeAt)) return false;
  const known = new Map((await tx.runs.steps(head.id)).map((step) => [step.stepId, step]));
  return steps.every((step) => isSameStep(step, known.get(step.stepId)));
}

function isSameStep(a: StepRecord, b: StepRecord | undefined): boolean {
  return (
    a.state === b?.state &&
    a.attempt === b.attempt &&
    a.wakeAt === b.wakeAt &&
    a.startedAt === b.startedAt &&
    a.finishedAt === b.finishedAt
  );
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
  await writeParts(tx, checkpoint, writer);
}

async function writeParts(tx: StoreTx, checkpoint: Checkpoint, writer: CheckpointWriter): Promise<void> {
  const { steps, attempts, opened, closed, escalated, children, wake } = checkpoint;
  if (steps.length > 0) await tx.runs.putSteps(steps);
  if (attempts.length > 0) await tx.runs.putAttempts(attempts);
  for (const approval of closed) await tx.approvals.decide(approval);
  for (const { id, approvers } of escalated) await escalate(tx, id, approvers);
  for (const approval of opened) await tx.approvals.insert(approval);
  for (const { record, document } of children) {
    await tx.runs.putDocument(record.documentDigest, document);
    await tx.runs.insert(record);
  }
  if (wake.length > 0) await writer.enqueue(tx, wake);
  await tx.events.append(eventsOf(checkpoint));
  const facts = factsOf(checkpoint);
  if (facts.length > 0) await writer.provenance(tx, facts);
}

/** One that names nobody is open to everybody already: to name people then would shut others out. */
async function escalate(tx: StoreTx, id: string, further: readonly string[]): Promise<void> {
  const approval = await tx.approvals.lock(id);
  if (approval === null || approval.approvers.length === 0) return;
  await tx.approvals.assign({
    ...approval,
    approvers: [...new Set([...approval.approvers, ...further])],
    // Who has claimed it and is late does not keep the others from deciding.
    claimedBy: null,
  });
}

/** The events of a checkpoint. A run begins before its steps and ends after them. */
function eventsOf({ head, run, moved, steps, news }: Checkpoint): readonly NewEvent[] {
  const events: NewEvent[] = [];
  if (moved && run?.state === "running") events.push(runEvent(run));
  for (const step of steps) {
    if (step.state !== "ready" && step.state !== "pending") events.push(stepEvent(head, step));
  }
  for (const [approval, what] of news) events.push(approvalEvent(head, approval, what));
  if (moved && run !== null && run.state !== "running") events.push(runEvent(run));
  return events;
}

function factsOf({ run, steps, closed }: Checkpoint): readonly ProvenanceFact[] {
  const facts: ProvenanceFact[] = [];
  for (const step of steps) if (stepHasEnded(step.state)) facts.push(stepFact(step));
  for (const approval of closed) facts.push(approvalFact(approval));
  if (run !== null && runHasEnded(run.state)) facts.push(runFact(run));
  return facts;
}

/** True when there is nothing to write. */
export function isEmpty(checkpoint: Checkpoint): boolean {
  const { run, steps, attempts, opened, closed, children } = checkpoint;
  return (
    run === null && steps.length + attempts.length + opened.length + closed.length + children.length === 0
  );
}

/**
 * A run that was queued and whose first steps may safely be repeated begins at once: that it runs is written with the
 * first thing it has done, or when that takes a while.
 */
export function onlyBegins(checkpoint: Checkpoint, before: RunRecord, work: readonly WorkAction[]): boolean {
  const { run, steps, attempts, opened, closed, children } = checkpoint;
  return (
    before.state === "queued" &&
    run?.state === "running" &&
    work.length > 0 &&
    steps.length + attempts.length + opened.length + closed.length + children.length === 0
  );
}

/** True when the run itself has to be written. */
export function differs(run: RunRecord, before: RunRecord): boolean {
  return run.state !== before.state || run.wakeAt !== before.wakeAt || run.error !== before.error;
}
