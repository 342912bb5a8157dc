import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";
import type { StoreTx } from "../../ports/store.ts";
import { RecordSet } from "../records/record-set.ts";
import { SqliteSql, type SqliteConnection } from "./connection.ts";
import { translateSqliteError } from "./errors.ts";

/** As many transactions share a commit at most, so that the first one does not wait long for it. */
const MAX_GROUP = 256;
/**
 * A commit that takes longer is worth a turn of the event loop for the sake of those who may join it. Where commits are quick
 * (on tmpfs), to always wait made one run at a time 0.95 times as fast (median of five rounds in turns, 0.76 to 1.08,
 * 19 November 2026, two Xeon cores at a load of 13).
 */
const QUICK_COMMIT_MS = 0.4;
const MAX_GROUPS_A_TURN = 8;
/** A transaction that awaits anything but its own methods would hold up all others; it is cut off. */
const MAX_TRANSACTION_MS = 10_000;

type TxWork = (tx: StoreTx) => Promise<void>;

/** The records of one transaction of a group, and what it wants done before the commit that it shares. */
class GroupedTx extends RecordSet {
  readonly beforeCommitWork = new Map<string, TxWork>();

  beforeCommit(name: string, work: TxWork): void {
    this.beforeCommitWork.set(name, work);
  }
}

interface Job {
  readonly work: (tx: StoreTx) => Promise<unknown>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs transactions one after another on the one writer connection. Those that arrive together share one
 * `BEGIN IMMEDIATE … COMMIT`, each within a savepoint of its own, and report success after the commit only.
 */
export class GroupCommit {
  /** SQLite waits for a lock without letting go of the thread: two stores of one process on one file take turns. */
  static #someoneWrites = false;
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #onEvents: (last: number) => void;
  #queue: Job[] = [];
  #busy = false;
  #whenIdle: (() => void)[] = [];
  #commitMs = 0;
  #groupsThisTurn = 0;
  #cutOff: ((error: AppError) => void) | null = null;
  #seenByWatchdog: ((error: AppError) => void) | null = null;
  readonly #watchdog: NodeJS.Timeout;
  readonly #onTurn = (): void => {
    this.#groupsThisTurn = 0;
  };
  readonly #begin = (): void => {
    if (GroupCommit.#someoneWrites) {
      setImmediate(this.#begin);
      return;
    }
    GroupCommit.#someoneWrites = true;
    void this.#runGroup().finally(() => {
      GroupCommit.#someoneWrites = false;
      this.#busy = false;
      if (this.#queue.length > 0) this.#schedule();
      else for (const tell of this.#whenIdle.splice(0)) tell();
    });
  };

  constructor(connection: SqliteConnection, clock: Clock, onEvents: (last: number) => void) {
    this.#connection = connection;
    this.#clock = clock;
    this.#onEvents = onEvents;
    this.#watchdog = setInterval(() => this.#watch(), MAX_TRANSACTION_MS / 2);
    this.#watchdog.unref();
  }

  /** Queues a transaction; resolves when it is on disk. */
  transact<T>(work: (tx: StoreTx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#queue.push({
        work: async (tx) => {
          result = await work(tx);
        },
        resolve: () => resolve(result),
        reject,
      });
      this.#schedule();
    });
  }

  /** Writes one statement durably, to see whether that is possible. */
  probe(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        work: async () => {
          this.#exec(sql);
        },
        resolve,
        reject,
      });
      this.#schedule();
    });
  }

  /** Resolves when nothing is queued or running; nothing may be queued afterwards. */
  async close(): Promise<void> {
    if (this.#busy) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    clearInterval(this.#watchdog);
  }

  /**
   * Whatever arrives until the group begins joins it. Where a commit is slow, that is the rest of this turn of the
   * event loop. Where it is quick, waiting would cost more than it saves: the group begins at once, but only a few
   * times in one turn, so that a busy loop of transactions cannot keep the process from its sockets.
   */
  #schedule(): void {
    if (this.#busy) return;
    this.#busy = true;
    if (this.#commitMs < QUICK_COMMIT_MS && this.#groupsThisTurn < MAX_GROUPS_A_TURN) {
      if (this.#groupsThisTurn === 0) setImmediate(this.#onTurn);
      this.#groupsThisTurn += 1;
      queueMicrotask(this.#begin);
    } else {
      setImmediate(this.#begin);
    }
  }

  async #runGroup(): Promise<void> {
    const done: Job[] = [];
    let lastEvent = 0;
    try {
      this.#exec("BEGIN IMMEDIATE");
    } catch (error) {
      this.#failAll(error);
      return;
    }
    const closing = new Map<string, TxWork>();
    let ran = 0;
    while (ran < this.#queue.length && ran < MAX_GROUP) {
      const job = this.#queue[ran];
      ran += 1;
      if (job === undefined) break;
      const sql = new SqliteSql(this.#connection, this.#clock);
      const tx = new GroupedTx(sql, this.#clock);
      try {
        // The first one needs no savepoint: to undo it is to undo the group.
        if (done.length > 0) this.#exec("SAVEPOINT one");
        await this.#bounded(job.work(tx));
        if (done.length > 0) this.#exec("RELEASE one");
        done.push(job);
        lastEvent = Math.max(lastEvent, tx.written.lastEvent);
        for (const [name, work] of tx.beforeCommitWork) closing.set(name, work);
      } catch (error) {
        job.reject(translateSqliteError(error));
        if (!this.#undo(done, error)) {
          this.#queue = this.#queue.slice(ran);
          return;
        }
      } finally {
        sql.end();
      }
    }
    this.#queue = ran === this.#queue.length ? [] : this.#queue.slice(ran);
    if (closing.size === 0 || (await this.#close(closing.values(), done))) this.#commit(done, lastEvent);
  }

  /** What the transactions of the group wanted done once for all of them. Without it none is committed. */
  async #close(closing: Iterable<TxWork>, done: readonly Job[]): Promise<boolean> {
    const sql = new SqliteSql(this.#connection, this.#clock);
    try {
      for (const work of closing) await this.#bounded(work(new RecordSet(sql, this.#clock)));
      return true;
    } catch (error) {
      this.#cutOff = null;
      this.#rollBackQuietly();
      for (const one of done) one.reject(translateSqliteError(error));
      return false;
    } finally {
      sql.end();
    }
  }

  /** Undoes one transaction. False when SQLite has undone the whole group, as it does when the disk is full. */
  #undo(done: readonly Job[], error: unknown): boolean {
    try {
      if (done.length > 0 && this.#connection.db.isTransaction) {
        this.#exec("ROLLBACK TO one");
        this.#exec("RELEASE one");
        return true;
      }
      if (done.length === 0) {
        if (this.#connection.db.isTransaction) this.#exec("ROLLBACK");
        this.#exec("BEGIN IMMEDIATE");
        return true;
      }
    } catch (second) {
      this.#rollBackQuietly();
      for (const one of done) one.reject(translateSqliteError(second));
      return false;
    }
    for (const one of done) one.reject(translateSqliteError(error));
    return false;
  }

  #commit(done: readonly Job[], lastEvent: number): void {
    this.#cutOff = null;
    const began = performance.now();
    try {
      this.#exec("COMMIT");
      this.#commitMs += (performance.now() - began - this.#commitMs) / 8;
    } catch (error) {
      this.#rollBackQuietly();
      for (const one of done) one.reject(translateSqliteError(error));
      return;
    }
    for (const one of done) one.resolve();
    if (lastEvent > 0) this.#onEvents(lastEvent);
  }

  #failAll(error: unknown): void {
    const failed = this.#queue;
    this.#queue = [];
    for (const job of failed) job.reject(translateSqliteError(error));
  }

  #rollBackQuietly(): void {
    try {
      if (this.#connection.db.isTransaction) this.#exec("ROLLBACK");
    } catch {
      // The connection is broken; the next BEGIN reports why.
    }
  }

  #exec(sql: string): void {
    this.#connection.prepare(sql).run();
  }

  /** The work, or an error when the watchdog cuts it off. */
  #bounded(work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#cutOff = reject;
      work.then(resolve, reject);
    });
  }

  /** Cuts a transaction off that it has seen before: that one has lasted for half the time at least. */
  #watch(): void {
    if (this.#cutOff !== null && this.#cutOff === this.#seenByWatchdog) {
      this.#cutOff(new AppError("timed_out", "A transaction took too long and was undone."));
    }
    this.#seenByWatchdog = this.#cutOff;
  }
}
