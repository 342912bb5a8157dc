import type { Clock, Log } from "../ports/platform.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Store, StoreTx } from "../ports/store.ts";
import type { Release, RunQueue, RunTaker } from "./queue.ts";

const PAGE = 500;
/** Ids kept in memory; past this, the database is asked when there is room again. */
const MAX_PENDING = 5_000;
/** A wait is until a time on the clock, which can be moved: the clock is looked at again this often. */
const LONGEST_TIMER_MS = 5_000;
const RETRY_MS = 1_000;
/** How long it takes until a run that was woken is claimed. */
const CLAIM_MS = 20;

/** One process, one queue: ids in memory, with the database as the truth about what wants work and when. */
export class EmbeddedQueue implements RunQueue {
  readonly worker = null;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  #taker: RunTaker | null = null;
  readonly #pending = new Set<string>();
  /** The database holds more queued runs than are kept here. */
  #more = false;
  #refilling = false;
  #pumping = false;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  async begin(taker: RunTaker): Promise<void> {
    this.#taker = taker;
    const { runs } = this.#store.read;
    const left = await runs.going(1_000_000);
    for (const { id } of left) this.#pending.add(id);
    this.#more = true;
    this.#pump();
    await this.#arm();
  }

  async enqueue(tx: StoreTx, runIds: readonly string[]): Promise<void> {
    await tx.runs.want(runIds, new Date(this.#clock.now()).toISOString());
  }

  wake(runIds: readonly string[]): void {
    for (const id of runIds) {
      if (this.#taker?.recheckRun(id) === true) continue;
      if (this.#pending.size < MAX_PENDING) this.#pending.add(id);
      else {
        this.#more = true;
        this.#armFor(this.#clock.now() + RETRY_MS);
      }
    }
    this.#pump();
  }

  roomMade(): void {
    this.#pump();
  }

  released(record: RunRecord, why: Release): void {
    if (why === "broken") setTimeout(() => this.wake([record.id]), RETRY_MS).unref();
    // No other process works on it: a caller changed the run while it was opened, and who opened it knows nothing of that.
    if (why === "lost") this.wake([record.id]);
    if (record.wakeAt !== null) this.#armFor(Date.parse(record.wakeAt));
    this.#pump();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Runs end together, so their places are filled together: what is asked in one turn is one claim. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#fill();
    });
  }

  #fill(): void {
    const taker = this.#taker;
    if (taker === null || this.#closed) return;
    const next: string[] = [];
    const room = taker.room();
    for (const id of this.#pending) {
      if (next.length >= room) break;
      this.#pending.delete(id);
      next.push(id);
    }
    if (next.length > 0) void this.#hand(taker, next);
    if (this.#more && !this.#refilling && taker.room() > 0) void this.#refill();
  }

  async #hand(taker: RunTaker, runIds: readonly string[]): Promise<void> {
    const ids = runIds.filter((id) => !taker.recheckRun(id));
    let failed: readonly string[] = ids;
    try {
      const answers = await taker.take((tx) => tx.runs.claimAll(ids), ids);
      failed = ids.filter((id) => answers.get(id) === "failed");
    } catch (error) {
      this.#trouble(error);
    }
    if (failed.length > 0) setTimeout(() => this.wake(failed), RETRY_MS).unref();
  }

  async #refill(): Promise<void> {
    this.#refilling = true;
    try {
      const found = await this.#store.read.runs.queued(PAGE);
      this.#more = found.length === PAGE;
      for (const { id } of found) this.#pending.add(id);
    } catch (error) {
      this.#trouble(error);
    } finally {
      this.#refilling = false;
    }
    if (this.#pending.size > 0) this.#pump();
  }

  async #arm(): Promise<void> {
    try {
      const next = await this.#store.read.runs.nextWakeAt();
      if (next !== null) this.#armFor(Date.parse(next));
    } catch (error) {
      this.#trouble(error);
    }
  }

  #armFor(time: number): void {
    if (time >= this.#timerAt || this.#closed) return;
    clearTimeout(this.#timer);
    this.#timerAt = time;
    const wait = Math.min(Math.max(time - this.#clock.now(), 0), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => void this.#ring(), wait);
    this.#timer.unref();
  }

  async #ring(): Promise<void> {
    this.#timerAt = Number.POSITIVE_INFINITY;
    try {
      const now = new Date(this.#clock.now()).toISOString();
      const due = await this.#store.read.runs.wakeable(now, MAX_PENDING);
      // Those that are worked on here know the time themselves.
      this.wake(due.filter((id) => this.#taker?.has(id) === false));
    } catch (error) {
      this.#trouble(error);
      return;
    }
    // Those just woken are still due in the database until they are claimed, which may have to wait for room.
    const pause = this.#pending.size > 0 ? RETRY_MS : CLAIM_MS;
    const next = await this.#store.read.runs.nextWakeAt().catch(() => null);
    if (next !== null) this.#armFor(Math.max(Date.parse(next), this.#clock.now() + pause));
  }

  #trouble(error: unknown): void {
    if (this.#closed) return;
    this.#log.warn("the queue cannot read the store", {}, error);
    this.#armFor(this.#clock.now() + RETRY_MS);
  }
}
