import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Records, Store, StoreStatus } from "../../ports/store.ts";
import { pendingMigrations, SCHEMA_VERSION } from "../migrations.ts";
import { RecordSet } from "../records/record-set.ts";
import { SqliteConnection, SqliteSql } from "./connection.ts";
import { appliedMigrations } from "./migrate.ts";

/**
 * A database on a disk that is full at the start: SQLite finds no room for what it shares between connections. What is in
 * the file can be read without it, as long as nothing waits in a write-ahead log. Everything else waits for a restart.
 */
export class ReadOnlyStore implements Store {
  readonly kind = "sqlite";
  readonly read: Records;
  readonly #path: string;
  readonly #reader: SqliteConnection;
  readonly #reason: string;

  private constructor(path: string, reader: SqliteConnection, clock: Clock, reason: string) {
    this.#path = path;
    this.#reader = reader;
    this.#reason = `${reason} It was so at the start: make room and start again; until then only reading works.`;
    this.read = new RecordSet(new SqliteSql(reader, clock), clock);
  }

  /** Opens a file that a store could not be opened on; null when that would hide something. */
  static open(path: string, clock: Clock, reason: string): ReadOnlyStore | null {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return null;
    const url = pathToFileURL(path);
    url.searchParams.set("immutable", "1");
    try {
      const reader = new SqliteConnection(url, { readOnly: true, busyMs: 0 });
      const applied = appliedMigrations(reader);
      if (applied.length > 0 && pendingMigrations(applied).length === 0)
        return new ReadOnlyStore(path, reader, clock, reason);
      reader.close();
    } catch {
      // The reason that it is not opened for writing is the one to report.
    }
    return null;
  }

  transact(): Promise<never> {
    return Promise.reject(new AppError("storage_unavailable", this.#reason, { retryAfterSeconds: 30 }));
  }

  onEvents(): () => void {
    return () => undefined;
  }

  onWanted(): () => void {
    return () => undefined;
  }

  async status(): Promise<StoreStatus> {
    return {
      kind: this.kind,
      ready: false,
      reason: this.#reason,
      durability: "Nothing is written: the disk was full at the start.",
      schemaVersion: SCHEMA_VERSION,
      sizeBytes: statSync(this.#path, { throwIfNoEntry: false })?.size ?? null,
      lastProbeAt: null,
      lastProbeMs: null,
    };
  }

  async close(): Promise<void> {
    this.#reader.close();
  }
}
