import type { JsonObject } from "../kernel/json.ts";
import { approvalEvent, approvalFact, type ApprovalEvent } from "../approvals/journal.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type {
  ApprovalRecord,
  AttemptRecord,
  IdempotencyRecord,
  NewEvent,
  RunRecord,
  StepRecord,
} from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";
import type { WorkAction } from "../workflows/interpreter/actions.ts";
import { runEvent, runFact, stepEvent, stepFact, type RunHead } from "./journal.ts";
import { runHasEnded, stepHasEnded } from "../model/states.ts";

/** A run that another run starts. */
export interface ChildRun {
  readonly record: RunRecord;
  readonly document: JsonObject;
}

/** What is stored with a run that begins. */
export interface Beginning {
  /** The run's document, unless it is known to be stored. */
  readonly document: JsonObject | null;
  /** The key under which the same start is recognised. */
  readonly key: IdempotencyRecord | null;
  /** What else becomes true with it; where it answers false the run does not begin. */
  readonly alongside?: ((tx: StoreTx) => Promise<boolean>) | undefined;
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
  /** With a run that is stored for the first time. */
  readonly begins: Beginning | null;
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
  readonly approvalEvents: readonly (readonly [ApprovalRecord, ApprovalEvent])[];
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

/** A checkpoint that is to be written. */
export interface Writing {
  readonly checkpoint: Checkpoint;
  /** It was sent before, and whether it was committed is unknown. */
  readonly isRepeated: boolean;
}

/**
 * Writes the checkpoints of several runs as one set. Says of each whether it is stored: it is not when the run belongs to
 * another worker or, of a run that begins, when its key is taken.
 */
export async function writeCheckpoints(
  tx: StoreTx,
  set: readonly Writing[],
  writer: CheckpointWriter,
): Promise<readonly boolean[]> {
  const held = await tx.runs.holdAll(
    set.flatMap(({ checkpoint: { begins, head } }) => (begins === null ? [head] : [])),
  );
  // Sent one behind the other: the answers of all keys take as long as that of one.
  const fates = await Promise.all(
    set.map(async ({ checkpoint, isRepeated }): Promise<"write" | "skip" | "there"> => {
      const { begins, head } = checkpoint;
      // The store may have lost its connection after the commit: then the checkpoint is there.
      if (isRepeated && (await isWritten(tx, checkpoint))) return "there";
      if (begins === null) return held.has(head.id) ? "write" : "skip";
      if (begins.alongside !== undefined && !(await begins.alongside(tx))) return "skip";
      return begins.key === null || (await tx.idempotency.insert(begins.key)) ? "write" : "skip";
    }),
  );
  const wanted = set.flatMap(({ checkpoint }, nth) =>
    fates[nth] === "write" ? [seenBy(checkpoint, held.get(checkpoint.head.id))] : [],
  );
  if (wanted.length > 0) await writeAll(tx, wanted, writer);
  return fates.map((fate) => fate !== "skip");
}

/** The workflow of a run that goes on may have been made private: from then on no event and no child is public. */
function seenBy(checkpoint: Checkpoint, visibility: RunRecord["visibility"] = "public"): Checkpoint {
  if (visibility === "public" || checkpoint.head.visibility === visibility) return checkpoint;
  const { head, run, children } = checkpoint;
  return {
    ...checkpoint,
    head: { ...head, visibility },
    run: run === null ? null : { ...run, visibility },
    children: children.map((child) => ({ ...child, record: { ...child.record, visibility } })),
  };
}

async function writeAll(tx: StoreTx, set: readonly Checkpoint[], writer: CheckpointWriter): Promise<void> {
  const begun: RunRecord[] = [];
  const saved: RunRecord[] = [];
  const documents = new Map<string, JsonObject>();
  for (const { run, begins, children } of set) {
    if (run !== null) (begins === null ? saved : begun).push(run);
    if (run !== null && begins?.document) documents.set(run.documentDigest, begins.document);
    for (const { record, document } of children) {
      begun.push(record);
      documents.set(record.documentDigest, document);
    }
  }
  for (const [digest, document] of documents) await tx.runs.putDocument(digest, document);
  await tx.runs.insert(...begun);
  await tx.runs.saveAll(saved);
  await tx.runs.putSteps(set.flatMap(({ steps }) => steps));
  await tx.runs.putAttempts(set.flatMap(({ attempts }) => attempts));
  for (const { opened, closed, escalated } of set) {
    for (const approval of closed) await tx.approvals.decide(approval);
    for (const { id, approvers } of escalated) await escalate(tx, id, approvers);
    for (const approval of opened) await tx.approvals.insert(approval);
  }
  const wake = set.flatMap((one) => one.wake);
  if (wake.length > 0) await writer.enqueue(tx, wake);
  await tx.events.append(set.flatMap(eventsOf));
  const facts = set.flatMap(factsOf);
  if (facts.length > 0) await writer.provenance(tx, facts);
}

/**
 * Whether a checkpoint is in the store that was to be written before and whose outcome nobody knows. To write it again
 * would repeat its events and its provenance records.
 */
async function isWritten(tx: StoreTx, { head, run, steps }: Checkpoint): Promise<boolean> {
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
function eventsOf({ head, run, moved, steps, approvalEvents }: Checkpoint): readonly NewEvent[] {
  const events: NewEvent[] = [];
  if (moved && run?.state === "running") events.push(runEvent(run));
  for (const step of steps) {
    if (step.state !== "ready" && step.state !== "pending") events.push(stepEvent(head, step));
  }
  for (const [approval, what] of approvalEvents) events.push(approvalEvent(head, approval, what));
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

/** What is true of a run that waits for a worker. */
export function queuedCheckpoint(run: RunRecord): Checkpoint {
  const { id, epoch, visibility, traceId, spanId } = run;
  return {
    head: { id, epoch, visibility, traceId, spanId },
    run,
    begins: null,
    moved: true,
    steps: [],
    attempts: [],
    opened: [],
    closed: [],
    escalated: [],
    approvalEvents: [],
    children: [],
    wake: [id],
  };
}

/** True when there is nothing to write. */
export function isEmpty(checkpoint: Checkpoint): boolean {
  const { run, steps, attempts, opened, closed, children } = checkpoint;
  return (
    run === null && steps.length + attempts.length + opened.length + closed.length + children.length === 0
  );
}

/**
 * A run that was queued or waited for a time, and whose next steps may safely be repeated, goes on at once: that it runs
 * is written with the first thing it has done, or when that takes a while. That a time has come follows from its step.
 */
export function onlyBegins(
  checkpoint: Checkpoint,
  before: RunRecord,
  work: readonly WorkAction[],
  isOver: (step: StepRecord) => boolean,
): boolean {
  const { run, steps, attempts, opened, closed, children, escalated, approvalEvents } = checkpoint;
  return (
    (before.state === "queued" || before.state === "waiting") &&
    run?.state === "running" &&
    work.length > 0 &&
    steps.every(isOver) &&
    [attempts, opened, closed, children, escalated, approvalEvents].every((part) => part.length === 0)
  );
}

/** True when the run itself has to be written. */
export function differs(run: RunRecord, before: RunRecord): boolean {
  return (
    run.state !== before.state ||
    run.wakeAt !== before.wakeAt ||
    run.error !== before.error ||
    run.worker !== before.worker
  );
}
