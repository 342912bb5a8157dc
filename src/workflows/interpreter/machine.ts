/* Long on purpose: one state machine; every method changes the same slots. */

import type { StepState } from "../../model/states.ts";
import { AppError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { StepRecord } from "../../ports/records.ts";
import type { ExpressionBudget } from "../expression-cost.ts";
import type { Standpoint } from "../calls-behind.ts";
import { awaitedBy } from "../awaited.ts";
import { evaluateCondition } from "../expressions.ts";
import {
  APPROVAL_TIMERS,
  type Action,
  type ApprovalAction,
  type DecisionOutput,
  type Outcome,
  type RunResult,
  type StepError,
} from "./actions.ts";
import { backoffDelay } from "./backoff.ts";
import { Flow, type Stop } from "./flow.ts";
import { calleeOf, isWork, prepare, type Prepared } from "./prepare.ts";
import type { Program } from "./program.ts";
import { succeeded, type RunFacts, type StepRepair } from "./run-facts.ts";
import { failureIn, givesTheSame, isEarlier } from "./earlier.ts";
import { restoreRun } from "./restore.ts";
import { approvalTimes, approvalWake, isRef, newFrame, recordOf, type Frame, type Slot } from "./slots.ts";
import {
  changesWanted,
  CUT_OFF,
  EXPIRED,
  LONGEST_PAUSE_MS,
  NOT_RECEIVED,
  OUT_OF_TIME,
  rejection,
  STOPPED,
  wantedPauseMs,
  inDoubt,
} from "./step-errors.ts";

/** What costly expressions may take each time a run is advanced: other runs and requests wait for it. */
const ADVANCE_MS = 200;

/**
 * Interprets one run. It does nothing itself: from what happened it computes what to do next. Everything it knows can
 * be rebuilt from the document and the checkpoints; what one event costs depends on the edges it touches, not on how
 * many steps have ended.
 */
export class RunMachine {
  /** How the run ended; null while it goes on. */
  result: RunResult | null = null;
  readonly #program: Program;
  readonly #run: RunFacts;
  readonly #root: Frame;
  readonly #flow = new Flow();
  readonly #budget: ExpressionBudget;
  /** Ready, but as many steps run as the policy allows. */
  readonly #parked: Slot[] = [];
  /** How steps ended before a repair, by step: what would do the same again is not done again. */
  readonly #earlier = new Map<string, StepRecord>();
  #working = 0;

  /** `reopen` runs an ended run again: what failed or was cancelled begins again, what succeeded stays. */
  constructor(program: Program, run: RunFacts, checkpoints: readonly StepRecord[] = [], reopen = false) {
    this.#program = program;
    this.#run = run;
    const about: JsonObject = {
      id: run.id,
      startedAt: new Date(run.firstStartedAt ?? run.startedAt).toISOString(),
      workflowId: run.workflowId,
    };
    this.#budget = run.expressions ?? { leftMs: ADVANCE_MS };
    const { inputs } = run;
    this.#root = newFrame(program.graph, null, { inputs, steps: {}, run: about, budget: this.#budget });
    for (const slot of this.#root.slots) this.#flow.slots.set(slot.key, slot);
    this.#flow.setNow(run.startedAt);
    for (const one of checkpoints) if (isEarlier(one)) this.#earlier.set(one.stepId, one);
    if (checkpoints.length > 0) this.#restore(checkpoints, reopen);
    if (this.#root.failure === null) this.#flow.startFrame(this.#root);
    else this.#flow.halt(this.#root);
  }

  /** True once the run was cancelled, ran out of time or may not go on: running steps must be asked to stop. */
  get stopping(): boolean {
    return this.#flow.stop !== null;
  }

  /** True once the run was cancelled. */
  get cancelling(): boolean {
    return this.#flow.stop?.state === "cancelled";
  }

  /** How many attempts are under way. */
  get working(): number {
    return this.#working;
  }

  /** The earliest time at which something happens by itself; null when nothing does. */
  get wakeAt(): number | null {
    if (this.result !== null) return null;
    let earliest = this.#flow.stop === null ? this.#deadline() : null;
    for (const { wakeAt } of this.#flow.timers) {
      if (wakeAt !== null && (earliest === null || wakeAt < earliest)) earliest = wakeAt;
    }
    return earliest;
  }

  /** Steps that a dead process left running, for the engine to `resume` or `lose`. */
  cutOff(): readonly StepRecord[] {
    const found: StepRecord[] = [];
    for (const slot of this.#flow.slots.values()) {
      if (slot.state === "running" && slot.progress === null && slot.body === null)
        found.push(this.#record(slot));
    }
    return found;
  }

  /** Steps that wait for a person, a time or another run. */
  waiting(): readonly StepRecord[] {
    return [...this.#flow.slots.values()]
      .filter((slot) => slot.state === "waiting")
      .map((slot) => this.#record(slot));
  }

  /** The step as it stands; undefined when the run has no such step. */
  step(stepId: string): StepRecord | undefined {
    const slot = this.#flow.slots.get(stepId);
    return slot === undefined ? undefined : this.#record(slot);
  }

  /** What a step calls, for judging whether it may be called again. */
  callee(stepId: string): "handoff" | { readonly tool: string; readonly keyed: boolean } {
    const slot = this.#flow.slots.get(stepId);
    if (slot === undefined) throw new AppError("not_found", `The run has no step ${stepId}.`);
    return calleeOf(slot);
  }

  /** True of a wait for a time, whose end follows from what is stored of it. */
  isTimer(stepId: string): boolean {
    const node = this.#flow.slots.get(stepId)?.step.node;
    return node?.type === "wait" && awaitedBy(node) === null;
  }

  /** What an approval that waits would show if it were asked now; null when it cannot be known. */
  wouldShow(stepId: string, now: number): Pick<ApprovalAction, "shown" | "form"> | null {
    const slot = this.#expect(stepId, "waiting");
    const prepared = prepare(slot, this.#run.id, now);
    return prepared.kind === "ask" ? prepared.action : null;
  }

  /** Where a step stands, for listing what comes after it. */
  standpoint(stepId: string): Standpoint {
    const { frame, step } = this.#expect(stepId, "waiting");
    const prefix = stepId.slice(0, stepId.lastIndexOf(".") + 1);
    const given = (id: string): JsonObject | undefined => this.#inputGiven(prefix + id);
    return { graph: frame.graph, index: step.index, scope: frame.scope, given };
  }

  #inputGiven(key: string): JsonObject | undefined {
    const repair = this.#run.repairs?.get(key);
    return repair !== undefined && "input" in repair ? repair.input : undefined;
  }

  /** Checkpoints that changed since the last call. */
  takeChanges(): readonly StepRecord[] {
    const records: StepRecord[] = [];
    for (const slot of this.#flow.changed) records.push(this.#record(slot));
    this.#flow.changed.clear();
    return records;
  }

  /** Lets time pass and gives everything that can be done now. */
  advance(now: number): readonly Action[] {
    this.#flow.setNow(now);
    if (this.result !== null) return [];
    if (this.#run.expressions === undefined) this.#budget.leftMs = ADVANCE_MS;
    this.#fireTimers();
    for (let slot = this.#nextReady(); slot !== undefined; slot = this.#nextReady()) {
      if (slot.state === "ready") this.#begin(slot);
    }
    const actions = this.#flow.actions.filter((action) => this.#stillWanted(action));
    this.#flow.actions = [];
    this.#finishIfDone();
    return actions;
  }

  /** A failure later in the same turn can take back what was about to begin. */
  #stillWanted(action: Action): boolean {
    const slot = this.#flow.slots.get(action.stepId);
    if (slot === undefined || action.kind === "withdraw") return true;
    if (action.kind !== "call" && action.kind !== "handoff") return slot.state === "waiting";
    if (!this.#flow.halted(slot)) return true;
    this.#working--;
    this.#conclude(slot, { kind: "cancelled" });
    return false;
  }

  /** Records how a try ended. */
  complete(stepId: string, outcome: Outcome, now: number): void {
    this.#flow.setNow(now);
    const slot = this.#expect(stepId, "running");
    this.#working--;
    this.#conclude(slot, outcome);
  }

  /** Notes what a waiting step opened: its approval, or the run it started. */
  opened(stepId: string, ref: JsonObject): void {
    const slot = this.#expect(stepId, "waiting");
    slot.output = ref;
    this.#flow.changed.add(slot);
  }

  /** A person decided. */
  decide(stepId: string, decision: DecisionOutput, now: number): void {
    this.#flow.setNow(now);
    const slot = this.#expect(stepId, "waiting");
    slot.output = decision;
    if (decision.verdict === "approved") this.#flow.succeed(slot, decision, "approved");
    else if (decision.verdict === "changes_requested")
      this.#flow.leaveBy(slot, "changes", decision, changesWanted(decision));
    else this.#flow.leaveBy(slot, "rejected", decision, rejection(decision));
  }

  /** Nobody decided in time, and the approval was closed as expired. */
  expire(stepId: string, now: number): void {
    this.#flow.setNow(now);
    const slot = this.#expect(stepId, "waiting");
    this.#flow.leaveBy(slot, "expired", { verdict: "expired", reason: null, values: null }, EXPIRED);
  }

  /** What a step waited for has come. */
  received(stepId: string, output: JsonObject, now: number): void {
    this.#flow.setNow(now);
    this.#flow.succeed(this.#expect(stepId, "waiting"), output, "success");
  }

  /** Checkpoints the step as it stands, though nothing about it changed. */
  touch(stepId: string): void {
    const slot = this.#flow.slots.get(stepId);
    if (slot !== undefined) this.#flow.changed.add(slot);
  }

  /** The approval must be asked again: what it shows is no longer what would be done. */
  reask(stepId: string, now: number): void {
    this.#flow.setNow(now);
    const slot = this.#expect(stepId, "waiting");
    this.#flow.timers.delete(slot);
    slot.startedAt = null;
    slot.state = "ready";
    this.#flow.ready.push(slot);
  }

  /** The run that a step started has ended. */
  childEnded(stepId: string, outcome: Outcome, now: number): void {
    this.#flow.setNow(now);
    this.#conclude(this.#expect(stepId, "waiting"), outcome);
  }

  /** A cut-off try may be made again under its own number: its effect is none, idempotent or guarded by its key. */
  resume(stepId: string, now: number, changes: boolean): void {
    this.#flow.setNow(now);
    const slot = this.#expect(stepId, "running");
    if (changes) slot.error = { ...CUT_OFF, effect: "unknown" };
    if (this.#flow.halted(slot)) {
      this.#conclude(slot, changes ? { kind: "unknown", error: CUT_OFF } : { kind: "cancelled" });
      return;
    }
    slot.attempt--;
    slot.state = "ready";
    this.#flow.ready.push(slot);
  }

  /** A cut-off step must not run again by itself: a person says what became of it. */
  lose(stepId: string, now: number): void {
    this.#flow.setNow(now);
    this.#conclude(this.#expect(stepId, "running"), { kind: "unknown", error: CUT_OFF });
  }

  /** A person says what became of a step whose outcome is unknown. */
  settle(stepId: string, outcome: Outcome | "retry", now: number): void {
    this.#flow.setNow(now);
    const slot = this.#expect(stepId, "outcome_unknown");
    slot.error = null;
    if (outcome === "retry") {
      slot.attempt--;
      slot.state = "ready";
      this.#flow.ready.push(slot);
      this.#flow.changed.add(slot);
    } else {
      this.#conclude(slot, outcome);
    }
  }

  /** Nothing begins any more; what waits is closed; what runs is waited for. */
  cancel(error: StepError, now: number): void {
    this.#flow.setNow(now);
    this.#stopRun("cancelled", error);
  }

  /** The same, as a failure: the run may not go on, and a retry can. */
  fail(error: StepError, now: number): void {
    this.#flow.setNow(now);
    this.#stopRun("failed", error);
  }

  #stopRun(state: Stop["state"], error: StepError): void {
    if (this.#flow.stop !== null || this.result !== null) return;
    this.#flow.stop = { state, error };
    this.#flow.halt(this.#root);
  }

  #deadline(): number | null {
    const { timeoutMs } = this.#program.policy;
    return timeoutMs === undefined ? null : this.#run.startedAt + timeoutMs;
  }

  #expect(stepId: string, state: StepState): Slot {
    const slot = this.#flow.slots.get(stepId);
    if (slot === undefined) throw new AppError("not_found", `The run has no step ${stepId}.`);
    if (slot.state !== state) {
      throw new AppError("conflict", `Step ${stepId} is ${slot.state}, not ${state}.`);
    }
    return slot;
  }

  #record(slot: Slot): StepRecord {
    return recordOf(this.#run.id, slot);
  }

  #fireTimers(): void {
    const deadline = this.#deadline();
    if (deadline !== null && deadline <= this.#flow.now) this.#stopRun("timed_out", OUT_OF_TIME);
    for (const slot of this.#flow.timers) {
      if (slot.wakeAt !== null && slot.wakeAt <= this.#flow.now) this.#fire(slot);
    }
  }

  #fire(slot: Slot): void {
    this.#flow.timers.delete(slot);
    const { node } = slot.step;
    if (slot.state === "backoff") {
      slot.state = "ready";
      slot.wakeAt = null;
      this.#flow.ready.push(slot);
    } else if (node.type === "wait" && awaitedBy(node) !== null) {
      this.#flow.leaveBy(slot, "expired", { expired: true }, NOT_RECEIVED);
    } else if (node.type === "wait" && slot.wakeAt !== null) {
      this.#flow.succeed(slot, { until: new Date(slot.wakeAt).toISOString() }, "success");
    } else if (node.type === "approval") {
      this.#remindOrExpire(slot);
    }
  }

  #remindOrExpire(slot: Slot): void {
    const { node } = slot.step;
    if (node.type !== "approval" || slot.startedAt === null) return;
    const ref = isRef(slot.output) ? slot.output : {};
    const began = Date.parse(slot.startedAt);
    const { expiresInMs, escalateTo } = node.approval;
    if (expiresInMs !== undefined && began + expiresInMs <= this.#flow.now) {
      this.#flow.actions.push({ kind: "expire", stepId: slot.key, opened: ref });
      return;
    }
    const times = approvalTimes(node);
    const ripe = APPROVAL_TIMERS.filter((what) => began + (times[what] ?? Infinity) <= this.#flow.now);
    for (const what of ripe) {
      if (ref[what] === true) continue;
      const approvers = what === "escalation" ? (escalateTo ?? []) : [];
      this.#flow.actions.push({ kind: "notify", stepId: slot.key, what, approvers });
    }
    slot.output = { ...ref, ...Object.fromEntries(ripe.map((what) => [what, true])) };
    this.#waitUntil(slot, approvalWake(slot, this.#flow.now));
  }

  #waitUntil(slot: Slot, wakeAt: number | null): void {
    slot.state = "waiting";
    slot.wakeAt = wakeAt;
    if (wakeAt !== null) this.#flow.timers.add(slot);
    this.#flow.changed.add(slot);
  }

  #begin(slot: Slot): void {
    const { node } = slot.step;
    const earlier = slot.startedAt === null ? this.#earlier.get(slot.key) : undefined;
    const isFull = isWork(slot) && this.#working >= this.#program.maxParallelSteps;
    if (isFull && earlier === undefined) {
      this.#parked.push(slot);
      return;
    }
    try {
      if (slot.map === null && slot.startedAt === null && node.if !== undefined) {
        if (!evaluateCondition(node.if, slot.frame.scope)) {
          this.#flow.end(slot, "skipped", null);
          return;
        }
      }
      if (earlier !== undefined) {
        slot.attempt = earlier.attempt;
        slot.input = earlier.input;
        slot.idempotencyKey = earlier.idempotencyKey;
      }
      const repair = this.#run.repairs?.get(slot.key);
      if (repair !== undefined && this.#repaired(slot, repair)) return;
      const prepared = prepare(slot, this.#run.id, this.#flow.now, this.#inputGiven(slot.key));
      if (earlier !== undefined && givesTheSame(prepared, earlier)) this.#reuse(slot, earlier);
      else if (isFull) this.#parked.push(slot);
      else this.#carryOut(slot, prepared);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#flow.fail(slot, { code: "value_error", message: error.message });
    }
  }

  /** A person supplied what the step gives, or skipped it: then what follows a success follows it. */
  #repaired(slot: Slot, repair: StepRepair): boolean {
    if ("input" in repair) return false;
    slot.attempt++;
    slot.startedAt = this.#flow.nowText;
    if ("output" in repair) this.#flow.succeed(slot, repair.output, "success");
    else this.#flow.end(slot, "skipped", "success");
    return true;
  }

  /** Ends a step as it ended before. */
  #reuse(slot: Slot, earlier: StepRecord): void {
    slot.startedAt = earlier.startedAt ?? this.#flow.nowText;
    const { error, port, output } = earlier;
    if (error === null) this.#flow.succeed(slot, output, port ?? "success");
    else this.#flow.fail(slot, failureIn(error));
    slot.finishedAt = earlier.finishedAt;
  }

  #nextReady(): Slot | undefined {
    const full = this.#working >= this.#program.maxParallelSteps;
    return this.#flow.ready.shift() ?? (full ? undefined : this.#parked.shift());
  }

  #carryOut(slot: Slot, prepared: Prepared): void {
    slot.attempt++;
    slot.startedAt ??= this.#flow.nowText;
    switch (prepared.kind) {
      case "work":
        this.#working++;
        slot.state = "running";
        slot.input = prepared.input;
        slot.idempotencyKey = prepared.action.idempotencyKey;
        slot.wakeAt = null;
        this.#flow.actions.push({ ...prepared.action, attempt: slot.attempt });
        this.#flow.changed.add(slot);
        return;
      case "ask":
        slot.input = prepared.input;
        this.#flow.actions.push({ ...prepared.action, attempt: slot.attempt });
        this.#waitUntil(slot, approvalWake(slot, this.#flow.now));
        return;
      case "child":
        slot.input = prepared.action.inputs;
        this.#flow.actions.push({ ...prepared.action, attempt: slot.attempt });
        this.#waitUntil(slot, null);
        return;
      case "sleep":
        slot.input = prepared.input;
        this.#waitUntil(slot, prepared.until);
        return;
      case "listen":
        slot.input = prepared.input;
        this.#flow.actions.push({ ...prepared.action, attempt: slot.attempt });
        this.#waitUntil(slot, prepared.until);
        return;
      case "made":
        this.#flow.succeed(slot, prepared.output, prepared.port);
        return;
      case "spread":
        this.#flow.spread(slot, prepared.items);
        return;
    }
  }

  #conclude(slot: Slot, outcome: Outcome): void {
    switch (outcome.kind) {
      case "succeeded":
        this.#flow.succeed(slot, outcome.output, "success");
        return;
      case "cancelled":
        slot.error = STOPPED;
        this.#flow.end(slot, "cancelled", null);
        return;
      case "unknown":
        this.#tryAgainOrEnd(slot, outcome.error, outcome.retryable === true, true);
        return;
      case "failed":
        // An earlier attempt may have had its effect: that a later one was refused does not take it back.
        this.#tryAgainOrEnd(slot, outcome.error, outcome.retryable, slot.error?.["effect"] === "unknown");
        return;
    }
  }

  #tryAgainOrEnd(slot: Slot, error: StepError, retryable: boolean, doubtful: boolean): void {
    const { retry } = slot.step;
    const wantedMs = wantedPauseMs(error);
    const isLast = !retryable || slot.attempt % retry.maxAttempts === 0 || wantedMs > LONGEST_PAUSE_MS;
    const isHalted = this.#flow.halted(slot);
    if (doubtful && (isLast || isHalted)) {
      this.#loseTrack(slot, error, isHalted);
      return;
    }
    if (isLast) {
      this.#flow.fail(slot, error);
      return;
    }
    slot.error = doubtful ? { ...error, effect: "unknown" } : error;
    if (isHalted) {
      // It would have been tried again, so it is not what the run failed of.
      this.#flow.end(slot, "cancelled", null);
      return;
    }
    slot.state = "backoff";
    const pauseMs = backoffDelay(retry, slot.attempt, `${this.#run.id}/${slot.key}`);
    slot.wakeAt = this.#flow.now + Math.max(pauseMs, wantedMs);
    this.#flow.timers.add(slot);
    this.#flow.changed.add(slot);
  }

  /** Whether the step had its effect is unknown: neither its error port nor another attempt may act on it. */
  #loseTrack(slot: Slot, error: StepError, isHalted: boolean): void {
    slot.state = "outcome_unknown";
    slot.error = inDoubt(error);
    slot.wakeAt = null;
    this.#flow.changed.add(slot);
    if (isHalted) this.#flow.release(slot);
  }

  #finishIfDone(): void {
    const frame = this.#root;
    if (this.result !== null) return;
    if (this.#flow.stop !== null) {
      if (this.#working === 0 && frame.active.size === 0) {
        this.result = { state: this.#flow.stop.state, outputs: null, error: this.#flow.stop.error };
      }
    } else if (frame.failure !== null) {
      if (frame.active.size === 0) this.result = { state: "failed", outputs: null, error: frame.failure };
    } else if (frame.open === 0) {
      this.result = succeeded(this.#program.document.outputs, frame.scope);
    }
  }

  #restore(checkpoints: readonly StepRecord[], reopen: boolean): void {
    restoreRun(checkpoints, reopen, {
      root: this.#root,
      addItem: (map, index) => this.#flow.addItem(map, index),
      openBody: (item) => this.#flow.openBody(item),
      startFrame: (frame) => this.#flow.startFrame(frame),
      follow: (slot) => this.#flow.follow(slot),
      ready: (slot) => this.#flow.ready.push(slot),
      timer: (slot) => this.#flow.timers.add(slot),
      prepare: (slot) => prepare(slot, this.#run.id, this.#flow.now),
      close: (frame) => this.#flow.closeIfDone(frame),
      nextItems: (map) => this.#flow.nextItems(map),
      halt: (frame) => this.#flow.halt(frame),
      changed: (slot) => this.#flow.changed.add(slot),
    });
  }
}
