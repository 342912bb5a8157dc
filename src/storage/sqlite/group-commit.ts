import { AppError } from "../../kernel/errors.ts";
import type { StoreTx } from "../../ports/store.ts";
import { RecordSet } from "../records/record-set.ts";
import type { SqliteSql, SqliteConnection } from "./connection.ts";
import { translateSqliteError } from "./errors.ts";

/** As many transactions share a commit at most, so that the first one does not wait long for it. */
const MAX_GROUP = 256;
/** A transaction that awaits anything but its own methods would hold up all others; it is cut off. */
const MAX_TRANSACTION_MS = 10_000;

interface Job {
  readonly work: (tx: StoreTx) => Promise<unknown>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs transactions one after another on the one writer connection. Those that arrive together share one
 * `BEGIN IMMEDIATE … COMMIT`, each within a savepoint of its own, and hear of success after the commit only.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #openSql: () => SqliteSql;
  readonly #onEvents: (last: number) => void;
  #queue: Job[] = [];
  #scheduled = false;
  #idle: Promise<void> = Promise.resolve();

  constructor(connection: SqliteConnection, openSql: () => SqliteSql, onEvents: (last: number) => void) {
    this.#connection = connection;
    this.#openSql = openSql;
    this.#onEvents = onEvents;
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

  /** Resolves when nothing is queued or running. */
  async drain(): Promise<void> {
    while (this.#scheduled) await this.#idle;
  }

  /** The next turn of the event loop: whatever else arrives in this one joins the group. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#idle = new Promise((resolve) => {
      setImmediate(() => {
        void this.#runGroup().finally(() => {
          this.#scheduled = false;
          if (this.#queue.length > 0) this.#schedule();
          resolve();
        });
      });
    });
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
    let ran = 0;
    while (ran < this.#queue.length && ran < MAX_GROUP) {
      const job = this.#queue[ran];
      ran += 1;
      if (job === undefined) break;
      const sql = this.#openSql();
      try {
        // The first one needs no savepoint: to undo it is to undo the group.
        if (done.length > 0) this.#exec("SAVEPOINT one");
        await bounded(job.work(new RecordSet(sql)));
        if (done.length > 0) this.#exec("RELEASE one");
        done.push(job);
        lastEvent = Math.max(lastEvent, sql.lastEvent);
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
    this.#commit(done, lastEvent);
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
    try {
      this.#exec("COMMIT");
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
}

async function bounded(work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AppError("timed_out", "A transaction took too long and was undone."));
    }, MAX_TRANSACTION_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
