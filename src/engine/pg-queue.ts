import { newId } from "../kernel/ids.ts";
import type { Clock, Log } from "../ports/platform.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Store, StoreTx } from "../ports/store.ts";
import type { Release, RunQueue, RunTaker } from "./queue.ts";

/** How often a worker shows that it is there, and looks who is not. */
const TICK_MS = 500;
/** A worker that is silent for longer has lost its runs. */
const LEASE_MS = 4_000;
/** Every N ticks a worker compares what it has with what the database says. */
const COMPARE_TICKS = 4;
/** What wakes later is found by a tick. */
const WAKE_SOON_MS = 30_000;
const MAX_TAKEN = 256;

type QueueStore = Pick<Store, "transact" | "read" | "onWanted">;

/**
 * Runs over all replicas. The run's row says which worker has it and whether a worker has to look at it; a worker takes
 * runs without a worker that are wanted or due. A dead worker's runs are wanted again when it is silent for too long, and the run's epoch
 * keeps what it may still write out of the database.
 */
export class PgQueue implements RunQueue {
  readonly #store: QueueStore;
  readonly #clock: Clock;
  readonly #log: Log;
  #worker: string | null = null;
  #taker: RunTaker | null = null;
  #isTaking = false;
  #taken: Promise<void> = Promise.resolve();
  #again = false;
  /** There may be runs without a worker: one became wanted, or there was no room for all. */
  #mayBeMore = false;
  #tick: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | null = null;
  #ticks = 0;
  /** Since when the database answers without a break, by a clock that goes on while the process is stopped. */
  #answersSince = Number.NEGATIVE_INFINITY;
  #lastAnswer = Number.NaN;
  /** Runs that the database says are ours and that this process does not work on, as of the last comparison. */
  #strays: ReadonlySet<string> = new Set();
  #stopListening: () => void = () => undefined;
  #closed = false;

  constructor(store: QueueStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  get worker(): string | null {
    return this.#worker;
  }

  async begin(taker: RunTaker): Promise<void> {
    await this.#join();
    this.#taker = taker;
    this.#stopListening = this.#store.onWanted((runIds) => {
      if (runIds === null) taker.recheckAll();
      this.wake(runIds ?? []);
    });
    this.#tick = setInterval(() => {
      this.#ticking ??= this.#onTick(taker)
        .catch((error: unknown) => this.#trouble(error))
        .finally(() => {
          this.#ticking = null;
        });
    }, TICK_MS);
    this.#tick.unref();
    this.#take();
  }

  async enqueue(tx: StoreTx, runIds: readonly string[]): Promise<void> {
    await tx.runs.want(runIds, "");
  }

  wake(runIds: readonly string[]): void {
    for (const id of runIds) this.#taker?.recheckRun(id);
    this.#mayBeMore = true;
    this.#take();
  }

  roomMade(): void {
    if (!this.#mayBeMore) return;
    this.#mayBeMore = false;
    this.#take();
  }

  released({ id, epoch, wakeAt }: RunRecord, why: Release): void {
    if (why === "left") {
      if (this.#closed) return;
      this.#giveBack([{ id, epoch }]).catch((error: unknown) => this.#trouble(error));
      return;
    }
    const wait = why === "waiting" && wakeAt !== null ? Date.parse(wakeAt) - this.#clock.now() : WAKE_SOON_MS;
    if (wait < WAKE_SOON_MS) setTimeout(() => this.#take(), Math.max(wait, 0) + 1).unref();
    this.roomMade();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#tick);
    this.#stopListening();
    await Promise.all([this.#taken, this.#ticking]);
    const worker = this.#worker;
    if (worker === null) return;
    // What is still held goes back at once, so that another replica need not wait for the lease to lapse.
    await this.#store
      .transact(async (tx) => {
        await tx.workers.leave(worker);
        await tx.runs.want([], "");
      })
      .catch((error: unknown) =>
        this.#log.warn("the runs of this worker are given back when its lease lapses", {}, error),
      );
  }

  async #join(): Promise<void> {
    const worker = newId("worker");
    await this.#store.transact(async (tx) => tx.workers.join(worker, await tx.now()));
    this.#worker = worker;
  }

  async #onTick(taker: RunTaker): Promise<void> {
    const worker = this.#worker ?? "";
    const answers = await this.#beat(worker);
    if (this.#closed) return;
    if (!answers) {
      // Others took this worker for dead: what it worked on is theirs.
      this.#log.warn("other workers took over the runs of this one, which was silent for too long", {});
      await this.#join();
      taker.lostAll();
    }
    this.#ticks += 1;
    if (this.#ticks % COMPARE_TICKS === 0) await this.#compare(worker, taker);
    this.#take();
  }

  /**
   * Shows that this worker is there, and strikes off those that are not. After the database was away, others get the
   * time to show themselves first.
   */
  async #beat(worker: string): Promise<boolean> {
    const { isThere, reaped } = await this.#store.transact(async (tx) => {
      const now = await tx.now();
      const before = new Date(Date.parse(now) - LEASE_MS).toISOString();
      const there = await tx.workers.beat(worker, now);
      // Asked after the answers: the database may have been away since the transaction began.
      return { isThere: there, reaped: this.#mayReap() ? await tx.workers.reap(before) : 0 };
    });
    this.#lastAnswer = performance.now();
    if (reaped > 0) this.#log.warn("workers are gone; others go on with their runs", { count: reaped });
    return isThere;
  }

  #mayReap(): boolean {
    if (performance.now() - this.#lastAnswer > LEASE_MS) this.#answersSince = performance.now();
    return performance.now() - this.#answersSince > LEASE_MS;
  }

  /** Runs that are ours in the database and that this process does not work on (a lost answer, or an error of ours) are given back. */
  async #compare(worker: string, taker: RunTaker): Promise<void> {
    const held = await this.#store.read.runs.heldBy(worker);
    const strays = held.filter(({ id }) => !taker.has(id));
    const twice = strays.filter(({ id }) => this.#strays.has(id));
    this.#strays = new Set(strays.map(({ id }) => id));
    if (twice.length > 0) await this.#giveBack(twice);
  }

  async #giveBack(runs: readonly Pick<RunRecord, "id" | "epoch">[]): Promise<void> {
    await this.#store.transact(async (tx) => {
      await tx.runs.giveBack(runs);
      await tx.runs.want(
        runs.map(({ id }) => id),
        "",
      );
    });
  }

  /** Runs end together, so their places are filled together: what is asked in one turn is one statement. */
  #take(): void {
    this.#again = true;
    if (this.#isTaking || this.#taker === null || this.#closed) return;
    this.#isTaking = true;
    const taker = this.#taker;
    this.#taken = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#takeAll(taker))
      .catch((error: unknown) => this.#trouble(error))
      .finally(() => {
        this.#isTaking = false;
        // Asked for after the last look, before this.
        if (this.#again) this.#take();
      });
  }

  async #takeAll(taker: RunTaker): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      const limit = Math.min(taker.room(), MAX_TAKEN);
      if (limit <= 0) {
        this.#mayBeMore = true;
        return;
      }
      // By the clock that the runs are opened with: one that is not due by it would be let go and taken again at once.
      const now = new Date(this.#clock.now()).toISOString();
      const worker = this.#worker ?? "";
      const answers = await taker.take((tx) => tx.runs.take(worker, now, limit));
      if (answers.size === limit) {
        this.#again = true;
        this.#mayBeMore = true;
      }
    }
  }

  #trouble(error: unknown): void {
    if (this.#closed) return;
    this.#log.warn("the queue is in trouble", {}, error);
  }
}
