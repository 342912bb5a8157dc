import type { JsonObject } from "../kernel/json.ts";
import type { ApprovalRecord, RunRecord, RunResolution, StepRecord } from "../ports/records.ts";
import type { PresentRights } from "../ports/rights.ts";
import type { Services } from "../ports/services.ts";
import type { Store, StoreTx } from "../ports/store.ts";
import { awaitedBy } from "../workflows/awaited.ts";
import type { Scope } from "../workflows/expressions.ts";
import type { ChildAction, ListenAction, Outcome, StepError } from "../workflows/interpreter/actions.ts";
import { RunMachine } from "../workflows/interpreter/machine.ts";
import type { RunFacts, StepRepair } from "../workflows/interpreter/run-facts.ts";
import { ActiveRun } from "./active-run.ts";
import { refOf, traitsOf } from "./call-traits.ts";
import type { FaultPoint, Host } from "./host.ts";
import { lastingPart, shownDigest, shownOf } from "../approvals/record.ts";
import type { Checkpoint, CheckpointWriter, ChildRun } from "./checkpoint.ts";
import type { Measures } from "./measures.ts";
import { CheckpointGroup, isTrouble } from "./group.ts";
import type { Release } from "./queue.ts";
import { approvalEvent, approvalFact } from "../approvals/journal.ts";
import { received } from "./signals.ts";
import { childRun } from "./start.ts";
import type { Programs } from "./programs.ts";
import type { Subworkflows } from "../workflows/calls-behind.ts";
import type { Program } from "../workflows/interpreter/program.ts";
import type { Source, Sources } from "./sources.ts";
import { runHasEnded } from "../model/states.ts";

/* Long on purpose: one class that claims, drives, hands over and releases the same runs. */

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
/** How deep runs may start runs. */
const MAX_DEPTH = 8;
/** An attempt that runs longer is checkpointed as running, for people to see. */
const SLOW_MS = 100;

const NOTHING_RESOLVED: RunResolution = { workflows: {}, definitions: {} };

/** Who is notified of what the worker does. */
export interface WorkerListener {
  /** Another run may be worked on. */
  roomMade(): void;
  /** A run is no longer worked on here. */
  released(record: RunRecord, why: Release): void;
  /** A run's new state is on disk; other runs may want to be looked at now. */
  saved(record: RunRecord, wake: readonly string[]): void;
  /** Asks a run that was started by another to stop. */
  cancelChild(runId: string): void;
}

/** What a worker needs. */
export interface WorkerParts {
  readonly services: Services;
  readonly sources: Sources;
  readonly programs: Programs;
  readonly measures: Measures;
  readonly listener: WorkerListener;
  readonly enqueue: (tx: StoreTx, runIds: readonly string[]) => Promise<void>;
  readonly fault?: (point: FaultPoint) => void;
}

/** Works on runs: opens them from their checkpoints, carries them on, lets them go. */
export class Worker implements Host {
  readonly services: Services;
  readonly writer: CheckpointWriter;
  readonly group: CheckpointGroup;
  readonly programs: Programs;
  readonly measures: Measures;
  readonly fault?: (point: FaultPoint) => void;
  readonly #store: Store;
  readonly #sources: Sources;
  readonly #listener: WorkerListener;
  readonly #active = new Map<string, ActiveRun>();
  readonly #slow: NodeJS.Timeout;
  #draining = false;
  #closed = false;

  constructor(parts: WorkerParts) {
    const { services, fault } = parts;
    this.services = services;
    this.programs = parts.programs;
    this.measures = parts.measures;
    this.#store = services.store;
    this.#sources = parts.sources;
    this.#listener = parts.listener;
    if (fault !== undefined) this.fault = fault;
    this.writer = {
      enqueue: parts.enqueue,
      provenance: (tx, facts) => {
        this.fault?.("in_transaction");
        return services.provenance.append(tx, facts);
      },
    };
    this.group = new CheckpointGroup(services.store, this.writer, parts.measures);
    this.#slow = setInterval(() => {
      for (const run of this.#active.values()) run.markSlow(SLOW_MS);
    }, SLOW_MS);
    this.#slow.unref();
  }

  /** How many runs are worked on. */
  get size(): number {
    return this.#active.size;
  }

  /** How many of them have steps under way or to begin; the others only wait until their last checkpoint is written. */
  get working(): number {
    let count = 0;
    for (const run of this.#active.values()) if (!run.isLeaving) count++;
    return count;
  }

  /** The runs that are worked on. */
  get ids(): readonly string[] {
    return [...this.#active.keys()];
  }

  /** The run, if it is worked on here. */
  get(runId: string): ActiveRun | undefined {
    return this.#active.get(runId);
  }

  /** A run that is about to be stored for the first time. */
  prepare(record: RunRecord, source: Source): ActiveRun {
    const program = this.programs.of(source.digest, source.document);
    return new ActiveRun(
      this,
      record,
      new RunMachine(program, machineFacts(record, this.services.clock.now())),
    );
  }

  /** Works on a run from now on. */
  adopt(run: ActiveRun): void {
    this.#active.set(run.record.id, run);
    if (this.#draining) void run.pause();
  }

  /** Rebuilds a run that was claimed for this worker and carries it on. */
  async open(stored: RunRecord, steps: readonly StepRecord[], reopen = false): Promise<ActiveRun> {
    const { runs } = this.#store.read;
    const program = await this.programs.load(stored.documentDigest, runs);
    const record = stored.resolved === null ? await this.#resolveLate(stored) : stored;
    const now = this.services.clock.now();
    const machine = new RunMachine(program, machineFacts(record, now), steps, reopen);
    const run = new ActiveRun(this, record, machine, reopen);
    for (const step of run.machine.cutOff()) {
      const { repeatable, changes } = traitsOf(this.services, run.machine.callee(step.stepId));
      if (repeatable) run.machine.resume(step.stepId, now, changes);
      else run.machine.lose(step.stepId, now);
    }
    this.#active.get(record.id)?.abandon("lost");
    this.adopt(run);
    if (record.state === "cancelling") run.machine.cancel(cancelledBy(record), now);
    await this.#lookAtWaits(run);
    return run;
  }

  /** A run of a release that did not keep what its steps refer to: what is there now counts from here on. */
  async #resolveLate(record: RunRecord): Promise<RunRecord> {
    const document = await this.#store.read.runs.document(record.documentDigest);
    const found = await this.#sources.resolve({ digest: record.documentDigest, document: document ?? {} });
    const resolved: RunResolution = { ...found, late: true };
    await this.#store.transact((tx) => tx.runs.resolve(record.id, resolved));
    this.services.log.warn("run resolved when it was opened again", { runId: record.id });
    return { ...record, resolved };
  }

  /** Looks whether the run is still ours, and whether what it waits for has happened. */
  async look(run: ActiveRun): Promise<void> {
    const { id, epoch } = run.record;
    const now = await this.#whenBack(id, () => this.#store.read.runs.get(id));
    if (now !== null && now.epoch !== epoch) {
      run.abandon("lost");
      return;
    }
    await this.#readRights(run.record);
    await this.#lookAtWaits(run);
  }

  rights(run: RunRecord): PresentRights | Promise<PresentRights> {
    const known = this.services.rights.of(run);
    return known instanceof Promise ? known.catch(() => this.#readRights(run)) : known;
  }

  /** What runs waited for may have taken months, or be that their rights ended. Most act for few callers. */
  async refreshRights(runs: readonly RunRecord[]): Promise<void> {
    const waited = runs.filter(({ state }) => state === "waiting");
    const actors = new Map(waited.map((run) => [`${run.actsFor} ${run.actsVia ?? ""}`, run]));
    await Promise.all(Array.from(actors.values(), (run) => this.#readRights(run)));
  }

  #readRights(run: RunRecord): Promise<PresentRights> {
    return this.#whenBack(run.id, () => this.services.rights.read(run));
  }

  #lookAtWaits(run: ActiveRun): Promise<void> {
    return this.#whenBack(run.record.id, () => this.#lookOnce(run));
  }

  async #lookOnce(run: ActiveRun): Promise<void> {
    const { approvals, runs } = this.#store.read;
    for (const step of run.machine.waiting()) {
      const approvalId = refOf(step.output ?? undefined, "approvalId");
      const childId = refOf(step.output ?? undefined, "runId");
      if (approvalId !== null) {
        const approval = await approvals.get(approvalId);
        if (approval !== null) await this.#apply(run, step.stepId, approval);
      } else if (childId !== null) {
        const child = await runs.get(childId);
        if (child !== null && runHasEnded(child.state) && stillWaits(run, step.stepId)) {
          run.machine.childEnded(step.stepId, childOutcome(child), this.services.clock.now());
        }
      } else {
        await this.#lookForAwaited(run, step.stepId);
      }
    }
  }

  async #lookForAwaited(run: ActiveRun, stepId: string): Promise<void> {
    if (!stillWaits(run, stepId)) return;
    const { graph, index, scope } = run.machine.standpoint(stepId);
    const node = graph.nodes[index]?.node;
    const awaited = node?.type === "wait" ? awaitedBy(node) : null;
    if (awaited === null) return;
    const output = await received(this.services, run.record, stepId, awaited, scope);
    if (output !== null && stillWaits(run, stepId))
      run.machine.received(stepId, output, this.services.clock.now());
  }

  listen(run: RunRecord, { stepId, awaited }: ListenAction, scope: Scope): Promise<JsonObject | null> {
    return this.#whenBack(run.id, async () => {
      if (awaited.kind === "event") {
        const { type } = awaited;
        await this.#store.transact((tx) => tx.signals.listen({ runId: run.id, stepId, type }, run.createdAt));
      }
      return received(this.services, run, stepId, awaited, scope);
    });
  }

  /** Lets what is under way end and begins nothing more, for `ms` at most. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all([...this.#active.values()].map((run) => run.pause())), over]);
    clearTimeout(timer);
  }

  /** Lets go of everything; what was checkpointed stays. */
  close(): void {
    clearInterval(this.#slow);
    this.#closed = true;
    for (const run of this.#active.values()) run.abandon("left");
  }

  /**
   * Writes a checkpoint. While the store cannot write it waits: the effect of its steps has happened, so it is not given
   * up before the process ends.
   */
  commit(checkpoint: Checkpoint): Promise<boolean> {
    return this.#whenBack(checkpoint.head.id, (isRepeated) => this.group.write(checkpoint, isRepeated));
  }

  /** Works with the store for a run, and again while the store is away: what the run knows is in memory only. */
  async #whenBack<T>(runId: string, work: (isRepeated: boolean) => Promise<T>): Promise<T> {
    for (
      let retryMs = FIRST_RETRY_MS, isRepeated = false;
      ;
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
    ) {
      try {
        return await work(isRepeated);
      } catch (error) {
        if (!isTrouble(error) || this.#closed) throw error;
        isRepeated = true;
        this.services.log.warn("checkpoint delayed", { runId, retryMs });
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  owns({ id, epoch }: RunRecord): Promise<boolean> {
    return this.#whenBack(id, async () => (await this.#store.read.runs.get(id))?.epoch === epoch);
  }

  approval(id: string): Promise<ApprovalRecord | null> {
    return this.#whenBack(id, () => this.#store.read.approvals.get(id));
  }

  child(
    parent: RunRecord,
    action: ChildAction,
  ): Promise<{ readonly child: ChildRun } | { readonly error: StepError }> {
    return this.#whenBack(parent.id, () => this.#childOf(parent, action));
  }

  async #childOf(
    parent: RunRecord,
    action: ChildAction,
  ): Promise<{ readonly child: ChildRun } | { readonly error: StepError }> {
    if ((await this.#depthOf(parent)) >= MAX_DEPTH) {
      return { error: { code: "too_deep", message: `Runs start runs at most ${MAX_DEPTH} deep.` } };
    }
    const pins = parent.resolved ?? NOTHING_RESOLVED;
    const source = await this.#sources.pinned(action, pins);
    if ("error" in source) return source;
    const at = new Date(this.services.clock.now()).toISOString();
    const record = childRun(parent, action, source, await this.#sources.resolve(source, pins), at);
    return { child: { record, document: source.document } };
  }

  subworkflows(run: RunRecord): Promise<Subworkflows> {
    return this.#whenBack(run.id, () => this.#subworkflowsOf(run));
  }

  async #subworkflowsOf({ resolved }: RunRecord): Promise<Subworkflows> {
    const found = new Map<string, { readonly program: Program; readonly version: number }>();
    for (const [key, pin] of Object.entries(resolved?.workflows ?? {})) {
      const workflowId = key.slice(0, key.lastIndexOf("@"));
      const version = key.endsWith("@newest") ? null : (pin?.version ?? null);
      const source = await this.#sources.pinned({ workflowId, version }, resolved ?? NOTHING_RESOLVED);
      if (pin === null || "error" in source) continue;
      found.set(key, { program: this.programs.of(source.digest, source.document), version: pin.version });
    }
    return found;
  }

  expire(run: RunRecord, approvalId: string): Promise<boolean> {
    return this.#whenBack(run.id, () => this.#expireOnce(run, approvalId));
  }

  async #expireOnce(run: RunRecord, approvalId: string): Promise<boolean> {
    const approval = await this.#store.read.approvals.get(approvalId);
    if (approval === null) return false;
    if (approval.state === "expired") return true;
    const expired: ApprovalRecord = { ...approval, state: "expired" };
    return this.#store.transact(async (tx) => {
      if (!(await tx.approvals.decide(expired))) return false;
      await tx.events.append([approvalEvent((await tx.runs.get(run.id)) ?? run, expired, "expired")]);
      await this.writer.provenance(tx, [approvalFact(expired)]);
      return true;
    });
  }

  cancelChild(runId: string): void {
    this.#listener.cancelChild(runId);
  }

  roomMade(): void {
    this.#listener.roomMade();
  }

  released(run: ActiveRun, why: Release): void {
    if (this.#active.get(run.record.id) === run) this.#active.delete(run.record.id);
    this.#listener.released(run.record, why);
  }

  saved(record: RunRecord, wake: readonly string[]): void {
    this.#listener.saved(record, wake);
  }

  /** What was shown must be what would be done: a decision on anything else is asked for again. */
  async #apply(run: ActiveRun, stepId: string, approval: ApprovalRecord): Promise<void> {
    const now = this.services.clock.now();
    if (!stillWaits(run, stepId)) return;
    const { state } = approval;
    if (state === "approved" || state === "rejected" || state === "changes_requested") {
      run.machine.decide(
        stepId,
        {
          verdict: state,
          reason: approval.reason,
          values: approval.values,
          decidedBy: approval.decidedBy ?? "unknown",
          decidedAt: approval.decidedAt ?? new Date(now).toISOString(),
        },
        now,
      );
    } else if (state === "expired") {
      run.machine.expire(stepId, now);
    } else if (state === "pending") {
      await this.#supersedeIfChanged(run, stepId, approval);
    }
  }

  async #supersedeIfChanged(run: ActiveRun, stepId: string, approval: ApprovalRecord): Promise<void> {
    const shown = run.machine.wouldShow(stepId, this.services.clock.now());
    if (shown === null) return;
    const [now, then] = [shownOf(shown, run.record), lastingPart(approval.shown)];
    if (shownDigest(now, shown.form) === shownDigest(then, approval.formSchema)) return;
    const superseded: ApprovalRecord = { ...approval, state: "superseded" };
    const closed = await this.#store.transact(async (tx) => {
      if (!(await tx.approvals.decide(superseded))) return false;
      const seen = (await tx.runs.get(run.record.id)) ?? run.record;
      await tx.events.append([approvalEvent(seen, superseded, "superseded")]);
      await this.writer.provenance(tx, [approvalFact(superseded)]);
      return true;
    });
    if (closed && stillWaits(run, stepId)) run.machine.reask(stepId, this.services.clock.now());
  }

  async #depthOf(run: RunRecord): Promise<number> {
    let depth = 0;
    for (let parent = run.parentRunId; parent !== null && depth < MAX_DEPTH; depth++) {
      parent = (await this.#store.read.runs.get(parent))?.parentRunId ?? null;
    }
    return depth;
  }
}

function stillWaits(run: ActiveRun, stepId: string): boolean {
  return run.machine.step(stepId)?.state === "waiting";
}

/** What the interpreter knows of a run besides its checkpoints. */
export function machineFacts(record: RunRecord, now: number): RunFacts {
  const [first] = record.repairs;
  return {
    id: record.id,
    workflowId: record.workflowId,
    inputs: record.inputs,
    startedAt: record.startedAt === null ? now : Date.parse(record.startedAt),
    ...(first !== undefined && { firstStartedAt: Date.parse(first.startedAt), repairs: repairsOf(record) }),
  };
}

/** What people decided of steps; of several decisions about a step the last counts. */
function repairsOf({ repairs }: RunRecord): ReadonlyMap<string, StepRepair> {
  const found = new Map<string, StepRepair>();
  for (const { action, stepId, input, output } of repairs) {
    if (stepId === null) continue;
    if (action === "skip") found.set(stepId, { skip: true });
    else if (input !== undefined) found.set(stepId, { input });
    else if (output !== undefined) found.set(stepId, { output });
    else found.delete(stepId);
  }
  return found;
}

/** Why a run is being cancelled; its stored error says by whom. */
export function cancelledBy(record: RunRecord): StepError {
  const by = record.error?.["by"];
  return { code: "cancelled", message: "The run was cancelled.", ...(typeof by === "string" && { by }) };
}

function childOutcome(child: RunRecord): Outcome {
  if (child.state === "succeeded") return { kind: "succeeded", output: child.outputs ?? {} };
  return {
    kind: "failed",
    error: { code: "child_failed", message: `The run ${child.id} ended as ${child.state}.`, runId: child.id },
    retryable: false,
  };
}
