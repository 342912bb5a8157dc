import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";
import {
  appliedOf,
  forSqlite,
  MIGRATIONS_TABLE,
  NOTE_APPLIED,
  NOTE_COMPATIBLE,
  pendingMigrations,
  type AppliedMigration,
  type MigrationListener,
} from "../migrations.ts";
import type { SqliteConnection } from "./connection.ts";

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";

/** The migrations that a database has, without changing it. */
export function appliedMigrations(connection: SqliteConnection): readonly AppliedMigration[] {
  const tables = connection.db.prepare(TABLES).all();
  if (!tables.some((row) => row["name"] === "schema_migrations")) {
    if (tables.length > 0) {
      throw new AppError(
        "storage_unavailable",
        "The database belongs to another program: it has tables but no schema version. It was left untouched.",
        { nextAction: "Point DATABASE_URL to a file of this service or to a new one." },
      );
    }
    return [];
  }
  return appliedOf(connection.db.prepare("SELECT * FROM schema_migrations ORDER BY version").all());
}

/**
 * Brings the schema up to this build, one transaction a migration. The write lock is taken before looking, so two
 * processes that start together apply each once; a process killed half-way leaves the migration undone.
 */
export function migrateSqlite(
  connection: SqliteConnection,
  clock: Clock,
  onMigration: MigrationListener,
  upTo?: number,
): number {
  let count = 0;
  for (;;) {
    connection.db.exec("BEGIN IMMEDIATE");
    try {
      const pending = pendingMigrations(appliedMigrations(connection), upTo);
      const [next] = pending;
      if (next === undefined) {
        connection.db.exec("COMMIT");
        return count;
      }
      onMigration(next, pending.length);
      connection.db.exec(forSqlite(MIGRATIONS_TABLE));
      connection.db.exec(forSqlite(next.sql));
      connection.db.prepare(NOTE_APPLIED).run(next.version, next.name, new Date(clock.now()).toISOString());
      if (next.compatible === true) connection.db.prepare(NOTE_COMPATIBLE).run(next.version);
      connection.db.exec("COMMIT");
      count += 1;
    } catch (error) {
      if (connection.db.isTransaction) connection.db.exec("ROLLBACK");
      throw error;
    }
  }
}
