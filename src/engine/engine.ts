/* Long on purpose: every way into the engine in one class, over the same queue, waiters and programs. */

import { LRUCache } from "lru-cache";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Caller } from "../ports/caller.ts";
import type { RepairReport } from "../model/repairs.ts";
import type { Decision, Engine, RepairRequest, SendSignal, StartRun } from "../ports/engine.ts";
import type { ApprovalRecord, RunRecord, StepRecord } from "../ports/records.ts";
import type { SignalRecord } from "../ports/signals.ts";
import { actorOfCaller } from "../ports/rights.ts";
import type { Services } from "../ports/services.ts";
import type { Settings } from "../ports/settings.ts";
import type { Store, StoreTx } from "../ports/store.ts";
import type { FaultPoint } from "./host.ts";
import { decideApproval } from "../approvals/decide.ts";
import { beginIfCapacity } from "./capacity.ts";
import { exportSpans } from "./spans.ts";
import { queuedCheckpoint, type Checkpoint } from "./checkpoint.ts";
import { runEvent } from "./journal.ts";
import { noteSettlement, settled, settledOutcome, settleStored } from "./settle.ts";
import { checkInputs } from "./inputs.ts";
import { busy, ended, noRun, removed } from "./refusals.ts";
import type { Hold } from "./hold.ts";
import { Measures } from "./measures.ts";
import { Programs } from "./programs.ts";
import type { Release, RunQueue, RunTaker, ClaimResult } from "./queue.ts";
import { previewRepair, repairRun } from "./repair.ts";
import { sendSignal } from "./signals.ts";
import { Sources, type Source } from "./sources.ts";
import { newRun, startDigest, startScope } from "./start.ts";
import { runHasEnded, type SettleOutcome } from "../model/states.ts";
import { Waiters } from "./waiters.ts";
import { cancelledBy, Worker } from "./worker.ts";

const MAX_DOCUMENTS = 1_000;
/** While the store is slow, this many times the runs that are worked on are held, most of them to be written. */
const MOST_HELD = 8;

/** What may be set from outside. */
export interface EngineOptions {
  /** Keeps runs from going on in a restored database. */
  readonly hold?: Hold;
  /** Called at each named point, so that a test can end the process there. */
  readonly fault?: (point: FaultPoint) => void;
}

/** The engine, and what only the wiring uses of it. */
export interface ManagedEngine extends Engine {
  /** Takes up what a dead process left and begins to work. */
  begin(services: Services): Promise<void>;
  /** Begins nothing more, and waits at most this long for the steps under way. Runs that are started are left to other workers. */
  drain(graceMs: number): Promise<void>;
  /** Lets go of all runs; another process goes on with them. */
  close(): Promise<void>;
}

/** Durable execution over a store. */
export function createEngine(
  store: Store,
  queue: RunQueue,
  settings: Pick<Settings, "role" | "workerRuns">,
  options: EngineOptions = {},
): ManagedEngine {
  return new DurableEngine(store, queue, settings, options);
}

class DurableEngine implements ManagedEngine, RunTaker {
  readonly #store: Store;
  readonly #queue: RunQueue;
  readonly measures = new Measures();
  readonly #settings: Pick<Settings, "role" | "workerRuns">;
  readonly #options: EngineOptions;
  readonly #waiters: Waiters;
  readonly #taking = new Set<string>();
  /** Those among them that are to be looked at again once they are open. */
  readonly #recheckEarly = new Set<string>();
  /** Digests of documents that are known to be stored: they stay. */
  readonly #documents = new LRUCache<string, true>({ max: MAX_DOCUMENTS });
  #parts: { readonly worker: Worker; readonly sources: Sources; readonly services: Services } | null = null;
  #draining = false;
  #closed = false;

  constructor(
    store: Store,
    queue: RunQueue,
    settings: Pick<Settings, "role" | "workerRuns">,
    options: EngineOptions,
  ) {
    this.#store = store;
    this.#queue = queue;
    this.#settings = settings;
    this.#options = options;
    this.#waiters = new Waiters(store, (runId) => this.#parts?.worker.get(runId) !== undefined);
  }

  async begin(services: Services): Promise<void> {
    const sources = new Sources(services);
    const worker = new Worker({
      services,
      sources,
      programs: new Programs(),
      measures: this.measures,
      enqueue: (tx, ids) => this.#queue.enqueue(tx, ids),
      ...(this.#options.fault && { fault: this.#options.fault }),
      listener: {
        roomMade: () => this.#queue.roomMade(),
        released: (record, why) => this.#released(record, why),
        saved: (record, wake) => {
          this.#waiters.saved(record);
          if (wake.length > 0) this.#queue.wake(wake);
        },
        cancelChild: (runId) => {
          this.#cancelChild(runId).catch((error: unknown) =>
            services.log.error("a child run could not be cancelled", { runId }, error),
          );
        },
      },
    });
    this.#parts = { worker, sources, services };
    if (this.#settings.role === "gateway" || this.#store.kind === "none") return;
    const { hold } = this.#options;
    if (hold?.isOn !== true) return this.#queue.begin(this);
    hold.whenOver(() => {
      this.#queue
        .begin(this)
        .catch((error: unknown) => services.log.error("the queue could not begin", {}, error));
    });
  }

  async start(request: StartRun): Promise<RunRecord> {
    const { services, sources, worker } = this.#ready();
    const known = await this.#startedBefore(request);
    if (known !== null) return known;
    const source = await sources.forStart(request.workflowId, request.caller, request.version);
    const program = worker.programs.of(source.digest, source.document);
    const inputs = request.inputsFor?.(program.document.inputs) ?? request.inputs;
    await checkInputs(services, program.document.inputs, inputs);
    const resolved = await sources.resolve(source);
    const at = new Date(services.clock.now()).toISOString();
    const record = newRun({ ...request, inputs }, source, resolved, at);
    const direct =
      this.#settings.role !== "gateway" && this.room() > 0 && program.policy.maxConcurrentRuns === undefined;
    const run = direct
      ? await this.#startHere(record, source, request)
      : await this.#startQueued(record, source, request);
    this.#options.fault?.("before_reply");
    return run;
  }

  async cancel(runId: string, caller: Caller): Promise<RunRecord> {
    const { worker, services } = this.#ready();
    const active = worker.get(runId);
    if (active !== undefined) {
      await active.cancel(cancelledBy({ ...active.record, error: { by: caller.id } }));
      const now = await this.#record(runId);
      if (runHasEnded(now.state) || now.state === "cancelling") return now;
    }
    const cancelling = await this.#store.transact(async (tx) => {
      const [claimed] = await tx.runs.claimAll([runId]);
      if (claimed === undefined) {
        const current = await tx.runs.get(runId);
        throw current === null ? noRun() : ended(current);
      }
      const next: RunRecord = {
        ...claimed,
        state: "cancelling",
        error: { code: "cancelled", by: caller.id },
      };
      await tx.runs.save(next);
      if (claimed.state !== "cancelling") await tx.events.append([runEvent(next)]);
      await this.#queue.enqueue(tx, [runId]);
      return next;
    });
    services.log.info("run cancelled", { runId });
    this.#queue.wake([runId]);
    return this.#afterAWhile(cancelling);
  }

  async retry(runId: string, caller: Caller): Promise<RunRecord> {
    const { services } = this.#ready();
    const retried = await this.#store.transact(async (tx) => {
      const current = await tx.runs.get(runId);
      if (current === null) throw noRun();
      if (current.kind !== "run" || (current.state !== "failed" && current.state !== "timed_out")) {
        throw new AppError(
          "conflict",
          `The run is ${current.state}; only a failed or timed-out run is retried.`,
        );
      }
      if (current.detailsRemovedAt !== null) throw removed(current.detailsRemovedAt);
      const next: RunRecord = {
        ...current,
        state: "queued",
        error: { code: "retried", by: caller.id },
        wakeAt: null,
        finishedAt: null,
        ...actorOfCaller(caller),
        scopes: [...caller.scopes],
        // The time-out starts again.
        startedAt: new Date(services.clock.now()).toISOString(),
      };
      if (!(await tx.runs.save(next))) throw busy();
      await tx.runs.actFor(runId, next, next.scopes);
      await tx.events.append([runEvent(next)]);
      await this.#queue.enqueue(tx, [runId]);
      return next;
    });
    this.#queue.wake([runId]);
    return this.#afterAWhile(retried);
  }

  previewRepair(request: RepairRequest): Promise<RepairReport> {
    return previewRepair(this.#ready(), request);
  }

  async repair(request: RepairRequest): Promise<RunRecord> {
    const repaired = await repairRun(this.#ready(), request);
    this.#options.fault?.("before_reply");
    this.#queue.wake([request.runId]);
    return this.#afterAWhile(repaired);
  }

  async recheck(actors: readonly string[]): Promise<void> {
    const { services } = this.#ready();
    try {
      const runIds = await this.#store.transact(async (tx) => {
        const found = await tx.runs.actingFor(actors);
        if (found.length > 0) await this.#queue.enqueue(tx, found);
        return found;
      });
      this.#queue.wake(runIds);
    } catch (error) {
      // They stop at their next step.
      services.log.warn("runs were not looked at again", {}, error);
    }
  }

  async decide(decision: Decision): Promise<ApprovalRecord> {
    const { services, worker } = this.#ready();
    const approval = await decideApproval(services, worker.writer, decision);
    if (approval.state !== "pending") this.#queue.wake([approval.runId]);
    return approval;
  }

  async signal(sent: SendSignal): Promise<SignalRecord> {
    const { services, worker } = this.#ready();
    const signal = await sendSignal(services, worker, sent);
    this.#options.fault?.("before_reply");
    this.#queue.wake([sent.runId]);
    return signal;
  }

  async lookAt(runIds: readonly string[]): Promise<void> {
    this.#ready();
    await this.#store.transact((tx) => this.#queue.enqueue(tx, runIds));
    this.#queue.wake(runIds);
  }

  async settle(
    runId: string,
    stepId: string,
    outcome: SettleOutcome,
    output: JsonObject | null,
    caller: Caller,
    reason: string | null = null,
  ): Promise<RunRecord> {
    const { worker, services } = this.#ready();
    const now = services.clock.now();
    const active = worker.get(runId);
    const settlement = { runId, stepId, outcome, output, by: caller.id, reason };
    if (active === undefined) {
      await settleStored(services, worker, settlement);
      this.#queue.wake([runId]);
    } else {
      const step = active.machine.step(stepId);
      if (step?.state === "outcome_unknown") {
        const at = new Date(now).toISOString();
        const { graph } = await worker.programs.load(active.record.documentDigest, this.#store.read.runs);
        const next = settled(step, settlement, graph, at);
        await this.#store.transact((tx) => noteSettlement(tx, step, next, settlement, worker.writer, at));
      }
      active.machine.settle(stepId, settledOutcome(outcome, output, caller.id), now);
      await active.turn();
    }
    return (await this.#waiters.wait(runId, 50, "waiting")) ?? this.#record(runId);
  }

  async waitFor(runId: string, timeoutMs: number, until: "ended" | "waiting" = "ended"): Promise<RunRecord> {
    const found = await this.#waiters.wait(runId, timeoutMs, until);
    if (found === null) throw noRun();
    return found;
  }

  async status(): ReturnType<Engine["status"]> {
    const counts = this.#closed ? null : await this.#store.read.runs.activeCounts().catch(() => null);
    const active = this.#parts?.worker.size ?? 0;
    const { waiting = null, queued: backlog = null } = counts ?? {};
    return { role: this.#settings.role, active, waiting, backlog };
  }

  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    await this.#parts?.worker.drain(graceMs);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue.close();
    this.#parts?.worker.close();
    this.#waiters.close();
  }

  room(): number {
    const { working = 0, size = 0 } = this.#parts?.worker ?? {};
    const { workerRuns } = this.#settings;
    const mayBegin = !this.#closed && !this.#draining && this.#options.hold?.isOn !== true;
    return !mayBegin ? 0 : Math.min(workerRuns - working, workerRuns * MOST_HELD - size) - this.#taking.size;
  }

  has(runId: string): boolean {
    return this.#parts?.worker.get(runId) !== undefined || this.#taking.has(runId);
  }

  recheckRun(runId: string): boolean {
    const parts = this.#parts;
    const run = parts?.worker.get(runId);
    if (parts === null || run === undefined) {
      if (this.#taking.has(runId)) this.#recheckEarly.add(runId);
      return this.#taking.has(runId);
    }
    parts.worker.look(run).then(
      // One that was released while it was looked at does not have what was found: it is opened again.
      () => (parts.worker.get(runId) === run ? run.turn() : this.#queue.wake([runId])),
      (error: unknown) => {
        if (!this.#closed) parts.services.log.error("a run could not be looked at", { runId }, error);
      },
    );
    return true;
  }

  recheckAll(): void {
    for (const id of this.#parts?.worker.ids ?? []) this.recheckRun(id);
  }

  async take(
    claim: (tx: StoreTx) => Promise<readonly RunRecord[]>,
    expected: readonly string[] = [],
  ): Promise<ReadonlyMap<string, ClaimResult>> {
    const answers = new Map<string, ClaimResult>();
    if (this.#closed) return answers;
    const taking = new Set(expected);
    for (const id of expected) this.#taking.add(id);
    try {
      this.#options.fault?.("before_claim");
      const claimed = await this.#store.transact(claim);
      for (const { id } of claimed) {
        this.#taking.add(id);
        taking.add(id);
      }
      if (claimed.length > 0) this.#options.fault?.("after_claim");
      const begun = claimed.filter(({ startedAt }) => startedAt !== null).map(({ id }) => id);
      const [steps] = await Promise.all([
        this.#store.read.runs.stepsOf(begun),
        this.#parts?.worker.refreshRights(claimed),
      ]);
      await Promise.all(
        claimed.map(async (record) =>
          answers.set(record.id, await this.#open(record, steps.get(record.id) ?? [])),
        ),
      );
    } finally {
      for (const id of taking) this.#taking.delete(id);
    }
    for (const id of taking) if (this.#recheckEarly.delete(id)) this.recheckRun(id);
    return answers;
  }

  lostAll(): void {
    const worker = this.#parts?.worker;
    for (const id of worker?.ids ?? []) worker?.get(id)?.abandon("lost");
  }

  #ready(): { readonly worker: Worker; readonly sources: Sources; readonly services: Services } {
    if (this.#parts === null || this.#store.kind === "none") {
      throw new AppError("storage_unavailable", "Runs need a database, and none is configured.", {
        nextAction: "Set DATABASE_URL and start again.",
      });
    }
    if (this.#closed) throw new AppError("unavailable", "The service is shutting down.");
    return this.#parts;
  }

  /** Opens a run that was claimed, unless its workflow has enough runs going. */
  async #open(record: RunRecord, steps: readonly StepRecord[]): Promise<ClaimResult> {
    const { worker, services } = this.#ready();
    try {
      const most = await this.#concurrencyOf(record);
      if (most !== null && !(await this.#store.transact((tx) => beginIfCapacity(tx, record, most)))) {
        return "refused";
      }
      const run = await worker.open(record, steps, record.error?.["code"] === "retried");
      void run.turn();
      return "taken";
    } catch (error) {
      if (!this.#closed) services.log.error("a run could not be opened", { runId: record.id }, error);
      return "failed";
    }
  }

  /** A workflow may say how many of its runs go at the same time; the others stay queued. */
  async #concurrencyOf(record: RunRecord): Promise<number | null> {
    if (record.state !== "queued" || record.workflowId === null) return null;
    const { worker } = this.#ready();
    const program = await worker.programs.load(record.documentDigest, this.#store.read.runs);
    return program.policy.maxConcurrentRuns ?? null;
  }

  async #startedBefore(request: StartRun): Promise<RunRecord | null> {
    if (request.idempotencyKey === undefined) return null;
    const known = await this.#store.read.idempotency.get(startScope(request), request.idempotencyKey);
    if (known === null) return null;
    if (known.requestDigest !== startDigest(request)) {
      throw new AppError("conflict", "This idempotency key was used to start another run.");
    }
    const runId = known.answer["runId"];
    return typeof runId === "string" ? this.#store.read.runs.get(runId) : null;
  }

  async #startHere(record: RunRecord, source: Source, request: StartRun): Promise<RunRecord> {
    const { worker } = this.#ready();
    const claimed: RunRecord = {
      ...record,
      epoch: 1,
      worker: this.#queue.worker,
      startedAt: record.createdAt,
    };
    const run = worker.prepare(claimed, source);
    const { checkpoint, work } = await run.first();
    const stored = checkpoint.run ?? claimed;
    await this.#insert({ ...checkpoint, run: stored }, source, request);
    worker.adopt(run);
    run.began(checkpoint, work);
    return stored;
  }

  async #startQueued(record: RunRecord, source: Source, request: StartRun): Promise<RunRecord> {
    await this.#insert(queuedCheckpoint(record), source, request);
    this.#queue.wake([record.id]);
    return record;
  }

  /** Stores a run with the first thing that is true of it, and with its document and its key. */
  async #insert(checkpoint: Checkpoint, { digest, document }: Source, request: StartRun): Promise<void> {
    const { worker } = this.#ready();
    const { head, run } = checkpoint;
    const { alongside } = request;
    const known = this.#documents.has(digest);
    const key =
      request.idempotencyKey === undefined
        ? null
        : {
            scope: startScope(request),
            key: request.idempotencyKey,
            requestDigest: startDigest(request),
            answer: { runId: head.id },
            createdAt: run?.createdAt ?? "",
          };
    const begins = {
      document: known ? null : document,
      key,
      ...(alongside && { alongside: (tx: StoreTx) => alongside(tx, head.id) }),
    };
    let isStored: boolean;
    try {
      isStored = await worker.group.write({ ...checkpoint, begins });
    } catch (error) {
      // Whatever it was, the next start takes nothing for granted.
      this.#documents.delete(digest);
      throw error;
    }
    if (!isStored) {
      throw new AppError("conflict", "A run with this idempotency key is being started.", {
        nextAction: "Ask again to get that run.",
      });
    }
    this.#documents.set(digest, true);
  }

  #released(record: RunRecord, why: Release): void {
    this.#queue.released(record, why);
    if (why !== "ended") return;
    void this.#admitNext(record);
    if (this.#parts !== null) void exportSpans(record, this.#parts.services);
  }

  /** The end of a run may make room for another one of the same workflow. */
  async #admitNext(record: RunRecord): Promise<void> {
    if (record.workflowId === null || this.#closed) return;
    try {
      const { worker } = this.#ready();
      const program = await worker.programs.load(record.documentDigest, this.#store.read.runs);
      if (program.policy.maxConcurrentRuns === undefined) return;
      const queued = await this.#store.read.runs.queued(1_000);
      const next = queued.find(({ workflowId }) => workflowId === record.workflowId);
      if (next === undefined) return;
      await this.#store.transact((tx) => this.#queue.enqueue(tx, [next.id]));
      this.#queue.wake([next.id]);
    } catch (error) {
      this.#parts?.services.log.error("the next run could not be admitted", {}, error);
    }
  }

  async #cancelChild(runId: string): Promise<void> {
    const child = await this.#store.read.runs.get(runId);
    if (child === null || runHasEnded(child.state)) return;
    await this.cancel(runId, { kind: "system", id: "parent-run", scopes: new Set(["run"]) });
  }

  async #record(runId: string): Promise<RunRecord> {
    const record = await this.#store.read.runs.get(runId);
    if (record === null) throw noRun();
    return record;
  }

  /** Gives a change the moment it usually needs to take effect. */
  async #afterAWhile(record: RunRecord): Promise<RunRecord> {
    return (await this.#waiters.wait(record.id, 50, "waiting")) ?? record;
  }
}
