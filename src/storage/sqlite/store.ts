import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { AppError } from "../../kernel/errors.ts";
import type { Clock, Log } from "../../ports/platform.ts";
import type { Records, Store, StoreStatus, StoreTx } from "../../ports/store.ts";
import { Listeners } from "../listeners.ts";
import { logMigrations, pendingMigrations, SCHEMA_VERSION } from "../migrations.ts";
import { ReadinessProbe } from "../readiness.ts";
import { RecordSet } from "../records/record-set.ts";
import { SqliteConnection, SqliteSql } from "./connection.ts";
import { translateSqliteError } from "./errors.ts";
import { createFolder } from "./folder.ts";
import { GroupCommit } from "./group-commit.ts";
import { CommitMark, refuseMissingCommits, removeMark } from "./mark.ts";
import { appliedMigrations, migrateSqlite } from "./migrate.ts";
import { refuseDamagedWal } from "./wal.ts";

const BUSY_MS = 5_000;
/** How often commits of another process on the same file are looked for. */
const WATCH_MS = 500;
const LAST_EVENT = "SELECT max(sequence) AS last FROM events";
const PROBE = "UPDATE counters SET value = value + 1 WHERE name = 'probe'";

/** Opens the file for writing with the settings durability rests on. */
export function openWriter(path: string): SqliteConnection {
  createPrivately(path);
  refuseDamagedWal(path);
  const connection = new SqliteConnection(path, { readOnly: false, busyMs: BUSY_MS });
  let isNew: boolean;
  try {
    // Before anything is changed: a database that is not ours, or newer than we are, stays as it is.
    const applied = appliedMigrations(connection);
    pendingMigrations(applied);
    isNew = applied.length === 0;
    refuseMissingCommits(path, isNew ? 0 : lastEvent(connection));
  } catch (error) {
    connection.close();
    throw error;
  }
  // Pages that retention frees go back to the disk. Only a new file can be arranged for it.
  if (isNew) connection.db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  // SQLite walks its page cache at the end of a commit: one of 64 MB made commits take twice as long as one of 8 MB.
  connection.db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4000;",
  );
  return connection;
}

/** The embedded store: one file, one writer, readers that never wait for it. */
export class SqliteStore implements Store {
  readonly kind = "sqlite";
  readonly read: Records;
  readonly #path: string;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #commits: GroupCommit;
  readonly #mark: CommitMark;
  readonly #listeners: Listeners<number>;
  readonly #probe: ReadinessProbe;
  readonly #watch: NodeJS.Timeout;
  #seenEvent = 0;
  #seenVersion: unknown;
  #closed = false;

  constructor(path: string, clock: Clock, log: Log) {
    this.#path = path;
    try {
      this.#writer = openWriter(path);
      migrateSqlite(this.#writer, clock, logMigrations(log));
      this.#reader = new SqliteConnection(path, { readOnly: true, busyMs: BUSY_MS });
      this.#mark = new CommitMark(path);
    } catch (error) {
      throw translateSqliteError(error);
    }
    this.#listeners = new Listeners(log);
    this.read = new RecordSet(new SqliteSql(this.#reader, clock), clock);
    this.#commits = new GroupCommit(this.#writer, clock, (last) => {
      this.#mark.write(last);
      this.#announce(last);
    });
    this.#probe = new ReadinessProbe(clock, () => this.#commits.probe(PROBE));
    this.#watch = setInterval(() => this.#lookForOthers(), WATCH_MS);
    this.#watch.unref();
  }

  transact<T>(work: (tx: StoreTx) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return this.#commits.transact(work);
  }

  /** A wanted run is reported to the queue of this process. */
  onWanted(): () => void {
    return () => {};
  }

  onEvents(listener: (lastSequence: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  async status(): Promise<StoreStatus> {
    const probe = this.#closed
      ? { ready: false, reason: closed().message, lastProbeAt: null, lastProbeMs: null }
      : await this.#probe.look();
    return {
      kind: this.kind,
      ...probe,
      durability: "Every write is on disk before it is confirmed (write-ahead log, synchronous FULL).",
      schemaVersion: SCHEMA_VERSION,
      sizeBytes: this.#size(),
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#watch);
    await this.#commits.close();
    this.#reader.close();
    this.#writer.close();
    this.#mark.close();
  }

  #announce(last: number): void {
    if (last <= this.#seenEvent) return;
    this.#seenEvent = last;
    this.#listeners.tell(last);
  }

  /** Another process, such as the command line, may have written events to the same file. */
  #lookForOthers(): void {
    try {
      const version = this.#reader.prepare("PRAGMA data_version").get()?.["data_version"];
      if (version === this.#seenVersion) return;
      this.#seenVersion = version;
      this.#announce(lastEvent(this.#reader));
    } catch {
      // The probe tells of a file that cannot be read.
    }
  }

  #size(): number | null {
    try {
      return (
        statSync(this.#path).size + (statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
      );
    } catch {
      return null;
    }
  }
}

/** Signing keys and webhook secrets are in the file, so a new one is for its owner only, and so is a new folder. */
function createPrivately(path: string): void {
  createFolder(path);
  if (existsSync(path)) return;
  removeMark(path);
  closeSync(openSync(path, "a", 0o600));
}

function lastEvent(connection: SqliteConnection): number {
  const last = connection.prepare(LAST_EVENT).get()?.["last"];
  return typeof last === "number" ? last : 0;
}

function closed(): AppError {
  return new AppError("storage_unavailable", "The store is closed.");
}
