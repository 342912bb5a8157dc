import type { JsonObject } from "../kernel/json.ts";
import { isoTime } from "../kernel/time.ts";
import type { Caller } from "../ports/caller.ts";
import type { ApprovalRecord, AttemptRecord, RunRecord, StepRecord } from "../ports/records.ts";
import { heldInBoth, type PresentRights } from "../ports/rights.ts";
import type {
  Action,
  ApprovalAction,
  ChildAction,
  StepError,
  WorkAction,
} from "../workflows/interpreter/actions.ts";
import { callsBehind } from "../workflows/calls-behind.ts";
import type { RunMachine } from "../workflows/interpreter/machine.ts";
import { rightsEnded } from "../workflows/interpreter/step-errors.ts";
import { newApproval } from "../approvals/record.ts";
import { refOf, traitsOf } from "./call-traits.ts";
import type { Host } from "./host.ts";
import {
  differs,
  isEmpty,
  onlyBegins,
  type Checkpoint,
  type ChildRun,
  type Escalation,
} from "./checkpoint.ts";
import type { ApprovalEvent } from "../approvals/journal.ts";
import type { RunHead } from "./journal.ts";
import { type RunState, runHasEnded } from "../model/states.ts";
import { spanIdOf } from "../tracing/spans.ts";
import { StepAttempt, type CallTraits, type Ended } from "./step-attempt.ts";

/**
 * A step begins without asking the database when the run was known to be ours this recently. Another worker takes a run
 * over only after the lease has lapsed, which takes several times as long.
 */
const OWNED_FOR_MS = 2_000;
/** A wait is until a time on the clock, which can be moved: the clock is looked at again this often. */
const LONGEST_TIMER_MS = 5_000;

/* Long on purpose: one class, whose methods change the same checkpoint between two commits. */

/** A run that this process works on: the interpreter, the attempts under way, and the commits between them. */
export class ActiveRun {
  record: RunRecord;
  readonly machine: RunMachine;
  readonly #host: Host;
  #caller: Caller;
  #rights: PresentRights | null = null;
  readonly #head: RunHead;
  readonly #running = new Map<string, StepAttempt>();
  #attempts: AttemptRecord[] = [];
  #turning: Promise<void> | null = null;
  #again = false;
  /** When the run was last known to be ours, by a clock that goes on while the process is stopped. */
  #ownedAt = performance.now();
  /** What the first checkpoint, which the engine writes with the run, begins. */
  #first: readonly WorkAction[] | null = null;
  #gone = false;
  /** Nothing is under way and nothing begins: how the run ended, or what it waits for, is being written. */
  #leaving = false;
  #paused: PromiseWithResolvers<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** The stored checkpoints still say that steps failed or were cancelled: all that differs must be written. */
  #reopened: boolean;

  constructor(host: Host, record: RunRecord, machine: RunMachine, reopened = false) {
    this.#reopened = reopened;
    this.#host = host;
    this.record = record;
    this.machine = machine;
    const { id, epoch, visibility, traceId, spanId } = record;
    this.#head = { id, epoch, visibility, traceId, spanId };
    this.#caller = { kind: "system", id: record.actsFor, scopes: new Set(record.scopes) };
  }

  get isLeaving(): boolean {
    return this.#leaving;
  }

  /** Goes on until the run waits for something; at once when nothing is under way, else after what is. */
  turn(): Promise<void> {
    this.#again = true;
    this.#turning ??= this.#turns();
    return this.#turning;
  }

  /** Stops what runs; the steps that have not begun never will. */
  cancel(error: StepError): Promise<void> {
    this.machine.cancel(error, this.#now());
    return this.turn();
  }

  /** Lets go of the run without another word: another worker owns it, or the process ends. */
  abandon(why: "lost" | "broken" | "left"): void {
    if (this.#gone) return;
    this.#gone = true;
    clearTimeout(this.#timer);
    this.#paused?.resolve();
    for (const one of this.#running.values()) one.abandon();
    this.#running.clear();
    this.#host.released(this, why);
  }

  /** Begins nothing more; resolves when the attempts under way have ended and are checkpointed. */
  pause(): Promise<void> {
    this.#paused ??= Promise.withResolvers<void>();
    if (this.#gone) this.#paused.resolve();
    else void this.turn();
    return this.#paused.promise;
  }

  /** Looks after attempts that have run for a while: they are checkpointed, so that everybody sees them, or ended. */
  markSlow(olderThanMs: number): void {
    const before = this.#now() - olderThanMs;
    for (const one of this.#running.values()) {
      one.checkTime();
      if (one.marked || one.startedAt > before) continue;
      one.marked = true;
      this.machine.touch(one.action.stepId);
      void this.turn();
    }
  }

  /** The first checkpoint of a run that is not stored yet; its work begins with `began`. */
  async first(): Promise<PreparedTurn> {
    return this.#prepare(this.machine.advance(this.#now()));
  }

  /** The first checkpoint is on disk. */
  began(checkpoint: Checkpoint, work: readonly WorkAction[]): void {
    this.#written(checkpoint);
    this.#first = work;
    void this.turn();
  }

  #now(): number {
    return this.#host.services.clock.now();
  }

  async #turns(): Promise<void> {
    try {
      while (this.#again && !this.#gone) {
        this.#again = false;
        await this.#once();
      }
    } catch (error) {
      if (this.#gone) return;
      const { log } = this.#host.services;
      log.error("run stopped by an internal error", { runId: this.record.id }, error);
      this.abandon("broken");
    } finally {
      this.#turning = null;
    }
  }

  /** While the process ends, what has happened is kept, and what comes next is left to another. */
  async #keep(): Promise<void> {
    const attempts = this.#takeAttempts();
    const steps = this.machine.takeChanges().filter(({ state }) => state !== "ready" && state !== "pending");
    const checkpoint = this.#checkpoint(steps, attempts, new CheckpointExtras());
    if (steps.length + attempts.length > 0) {
      await this.#host.commit({ ...checkpoint, run: null, moved: false });
    }
    if (this.#running.size === 0) this.abandon("left");
  }

  async #once(): Promise<void> {
    if (this.#paused !== null) {
      await this.#keep();
      return;
    }
    if (this.#first !== null) {
      const work = this.#first;
      this.#first = null;
      await this.#begin(work);
      return;
    }
    const rights = this.#host.rights(this.record);
    this.#actWith(rights instanceof Promise ? await rights : rights);
    const actions = this.machine.advance(this.#now());
    if (this.machine.stopping) for (const one of this.#running.values()) one.stop();
    const prepared = this.#prepare(actions);
    // Nearly always it is there at once; to wait for it would cost another turn.
    const { checkpoint, work } = prepared instanceof Promise ? await prepared : prepared;
    this.#leaving = this.machine.working === 0;
    const isOver = ({ stepId, state }: StepRecord): boolean =>
      state === "succeeded" && this.machine.isTimer(stepId);
    if (isEmpty(checkpoint) || onlyBegins(checkpoint, this.record, work, isOver)) {
      for (const { stepId } of checkpoint.steps) this.machine.touch(stepId);
      await this.#begin(work);
      return;
    }
    if (this.#leaving) this.#host.roomMade();
    this.#host.fault?.("before_checkpoint");
    const askedAt = performance.now();
    const owned = await this.#host.commit(checkpoint);
    this.#host.fault?.("after_checkpoint");
    if (this.#gone) return;
    if (!owned) {
      this.abandon("lost");
      return;
    }
    this.#ownedAt = askedAt;
    this.#written(checkpoint);
    await this.#begin(work);
  }

  /** Steps act with the rights of the run's start that are still held; without any left, the run stops. */
  #actWith(rights: PresentRights): void {
    if (rights === this.#rights) return;
    this.#rights = rights;
    if ("ended" in rights) this.machine.fail(rightsEnded(this.record.actsFor, rights.ended), this.#now());
    else this.#caller = { ...this.#caller, scopes: heldInBoth(new Set(this.record.scopes), rights.scopes) };
  }

  #written(checkpoint: Checkpoint): void {
    this.record = checkpoint.run ?? this.record;
    this.#host.saved(this.record, checkpoint.wake);
  }

  /** Begins steps, unless another worker has the run: a process that was stopped for a while must not act on it. */
  async #begin(work: readonly WorkAction[]): Promise<void> {
    while (work.length > 0 && performance.now() - this.#ownedAt > OWNED_FOR_MS) {
      const askedAt = performance.now();
      const owned = await this.#host.owns(this.record);
      if (this.#gone) return;
      if (!owned) {
        this.abandon("lost");
        return;
      }
      this.#ownedAt = askedAt;
    }
    for (const action of work) this.#startAttempt(action);
    this.#releaseIfIdle();
  }

  #releaseIfIdle(): void {
    if (this.#gone || this.#again) return;
    const ended = this.machine.result !== null;
    clearTimeout(this.#timer);
    if (!ended && this.machine.working > 0) {
      this.#arm(this.machine.wakeAt);
      return;
    }
    this.#gone = true;
    this.#paused?.resolve();
    this.#host.released(this, ended ? "ended" : "waiting");
  }

  /** While steps run, what the run waits for beside them is waited for here. */
  #arm(wakeAt: number | null): void {
    if (wakeAt === null) return;
    const wait = Math.min(Math.max(wakeAt - this.#now(), 1), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => void this.turn(), wait);
    this.#timer.unref();
  }

  #startAttempt(action: WorkAction): void {
    const one = new StepAttempt(
      this.#host.services,
      this.record,
      this.#caller,
      action,
      this.#traits(action),
      (ended) => this.#attempted(one, ended),
    );
    this.#running.set(action.stepId, one);
    this.#host.fault?.("before_effect");
    one.begin();
  }

  #attempted(one: StepAttempt, ended: Ended): void {
    if (this.#gone) return;
    this.#host.fault?.("after_effect");
    const { stepId, attempt } = one.action;
    this.#running.delete(stepId);
    const now = this.#now();
    const { outcome } = ended;
    const tool = one.action.kind === "call" ? one.action.tool : "handoff";
    this.#host.measures.step(tool, outcome.kind, now - one.startedAt);
    if (outcome.kind !== "succeeded") {
      this.#attempts.push({
        runId: this.record.id,
        stepId,
        attempt,
        state: ended.state,
        spanId: spanIdOf(this.record.id, stepId, attempt),
        error: "error" in outcome ? outcome.error : null,
        startedAt: new Date(one.startedAt).toISOString(),
        finishedAt: new Date(now).toISOString(),
      });
    }
    this.machine.complete(stepId, outcome, now);
    void this.turn();
  }

  #traits(action: WorkAction): CallTraits {
    return traitsOf(this.#host.services, action.kind === "handoff" ? "handoff" : action);
  }

  #prepare(actions: readonly Action[]): PreparedTurn | Promise<PreparedTurn> {
    const work = actions.filter(isWork);
    return work.length === actions.length
      ? this.#prepared(work, NO_EXTRAS)
      : this.#actThenPrepare(actions, work);
  }

  async #actThenPrepare(actions: readonly Action[], work: readonly WorkAction[]): Promise<PreparedTurn> {
    const extras = new CheckpointExtras();
    for (const action of actions) if (!isWork(action)) await this.#act(action, extras);
    return this.#prepared(work, extras);
  }

  #prepared(work: readonly WorkAction[], extras: CheckpointExtras): PreparedTurn {
    const unmarked = new Set<string>();
    for (const action of work) {
      const { repeatable, changes, outside } = this.#traits(action);
      // A call that changes something elsewhere is noted first: after a cut its next attempt knows of it.
      if (repeatable && !(changes && outside)) unmarked.add(action.stepId);
    }
    const attempts = this.#takeAttempts();
    // An attempt is kept with its step: one that failed and goes on at once is written, however safe it is.
    for (const { stepId } of attempts) unmarked.delete(stepId);
    const changes = this.machine.takeChanges();
    const steps = this.#reopened
      ? changes
      : changes.filter((step) => step.state !== "running" || !unmarked.has(step.stepId));
    this.#reopened = false;
    return { work, checkpoint: this.#checkpoint(steps, attempts, extras) };
  }

  #takeAttempts(): readonly AttemptRecord[] {
    if (this.#attempts.length === 0) return NONE;
    const attempts = this.#attempts;
    this.#attempts = [];
    return attempts;
  }

  #checkpoint(
    steps: readonly StepRecord[],
    attempts: readonly AttemptRecord[],
    extras: CheckpointExtras,
  ): Checkpoint {
    const next = this.#nextRecord();
    const parent = runHasEnded(next.state) && next.parentRunId !== null ? [next.parentRunId] : NONE;
    return {
      head: this.#head,
      run: differs(next, this.record) ? next : null,
      begins: null,
      moved: next.state !== this.record.state,
      steps,
      attempts,
      opened: extras.opened,
      closed: extras.closed,
      escalated: extras.escalated,
      approvalEvents: extras.approvalEvents,
      children: extras.children,
      wake:
        extras.children.length === 0
          ? parent
          : [...parent, ...extras.children.map(({ record }) => record.id)],
    };
  }

  #nextRecord(): RunRecord {
    const { machine, record } = this;
    const now = (): string => isoTime(this.#now());
    const { result } = machine;
    const startedAt = record.startedAt ?? now();
    if (result !== null) {
      const { state, outputs, error } = result;
      return { ...record, state, outputs, error, worker: null, wakeAt: null, startedAt, finishedAt: now() };
    }
    const wakeAt = machine.wakeAt === null ? null : isoTime(machine.wakeAt);
    const going: RunState = machine.working > 0 ? "running" : "waiting";
    const state = record.state === "cancelling" || machine.cancelling ? "cancelling" : going;
    const error = state === "cancelling" ? record.error : null;
    // Any free worker may look at a run without a worker.
    const worker = going === "waiting" ? null : record.worker;
    const same =
      state === record.state &&
      wakeAt === record.wakeAt &&
      error === record.error &&
      worker === record.worker;
    if (same && record.startedAt !== null) return record;
    return { ...record, state, error, worker, startedAt, wakeAt };
  }

  async #act(action: Exclude<Action, WorkAction>, extras: CheckpointExtras): Promise<void> {
    switch (action.kind) {
      case "approval":
        await this.#ask(action, extras);
        return;
      case "child":
        await this.#startChild(action, extras);
        return;
      case "listen": {
        const { scope } = this.machine.standpoint(action.stepId);
        const output = await this.#host.listen(this.record, action, scope);
        if (output === null || this.machine.step(action.stepId)?.state !== "waiting") return;
        this.machine.received(action.stepId, output, this.#now());
        this.#again = true;
        return;
      }
      case "notify": {
        const approval = await this.#approvalOf(action.stepId);
        if (approval === null || approval.state !== "pending") return;
        if (action.what === "escalation" && action.approvers.length > 0) {
          extras.escalated.push({ id: approval.id, approvers: action.approvers });
        }
        extras.approvalEvents.push([approval, action.what === "escalation" ? "escalated" : action.what]);
        return;
      }
      case "expire": {
        const id = action.opened["approvalId"];
        if (typeof id !== "string" || !(await this.#host.expire(this.record, id))) return;
        if (this.machine.step(action.stepId)?.state !== "waiting") return;
        this.machine.expire(action.stepId, this.#now());
        this.#again = true;
        return;
      }
      case "withdraw":
        await this.#withdraw(action.opened, extras);
        return;
    }
  }

  async #ask(action: ApprovalAction, extras: CheckpointExtras): Promise<void> {
    const calls = callsBehind(
      this.machine.standpoint(action.stepId),
      await this.#host.subworkflows(this.record),
    );
    const approval = newApproval(action, this.record, calls, this.#now());
    extras.opened.push(approval);
    extras.approvalEvents.push([approval, "requested"]);
    this.machine.opened(action.stepId, { approvalId: approval.id });
  }

  async #startChild(action: ChildAction, extras: CheckpointExtras): Promise<void> {
    const answer = await this.#host.child(this.record, action);
    if ("child" in answer) {
      extras.children.push(answer.child);
      this.machine.opened(action.stepId, { runId: answer.child.record.id });
      return;
    }
    const { error } = answer;
    this.machine.childEnded(action.stepId, { kind: "failed", error, retryable: false }, this.#now());
    this.#again = true;
  }

  async #approvalOf(stepId: string): Promise<ApprovalRecord | null> {
    const id = refOf(this.machine.step(stepId)?.output, "approvalId");
    return id === null ? null : this.#host.approval(id);
  }

  async #withdraw(opened: JsonObject, extras: CheckpointExtras): Promise<void> {
    const runId = refOf(opened, "runId");
    if (runId !== null) this.#host.cancelChild(runId);
    const approvalId = refOf(opened, "approvalId");
    if (approvalId === null) return;
    const approval = await this.#host.approval(approvalId);
    if (approval === null || approval.state !== "pending") return;
    const closed: ApprovalRecord = { ...approval, state: "cancelled" };
    extras.closed.push(closed);
    extras.approvalEvents.push([closed, "cancelled"]);
  }
}

/** What only some checkpoints have. */
class CheckpointExtras {
  readonly opened: ApprovalRecord[] = [];
  readonly closed: ApprovalRecord[] = [];
  readonly escalated: Escalation[] = [];
  readonly children: ChildRun[] = [];
  readonly approvalEvents: [ApprovalRecord, ApprovalEvent][] = [];
}

const NO_EXTRAS = new CheckpointExtras();
const NONE: readonly never[] = [];

/** What a turn wants to be on disk, and what it begins then. */
interface PreparedTurn {
  readonly checkpoint: Checkpoint;
  readonly work: readonly WorkAction[];
}

function isWork(action: Action): action is WorkAction {
  return action.kind === "call" || action.kind === "handoff";
}
