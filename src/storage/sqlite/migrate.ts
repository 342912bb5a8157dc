import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";
import { forSqlite, MIGRATIONS_TABLE, pendingMigrations } from "../migrations.ts";
import { int } from "../rows.ts";
import type { SqliteConnection } from "./connection.ts";

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";

/** The migrations that a database has, without changing it. */
export function appliedMigrations(connection: SqliteConnection): readonly number[] {
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
  return connection.db
    .prepare("SELECT version FROM schema_migrations ORDER BY version")
    .all()
    .map((row) => int(row, "version"));
}

/**
 * Brings the schema up to this build, one transaction a migration. The write lock is taken before looking, so two
 * processes that start together apply each once; a process killed half-way leaves the migration undone.
 */
export function migrateSqlite(connection: SqliteConnection, clock: Clock, upTo?: number): number {
  let count = 0;
  for (;;) {
    connection.db.exec("BEGIN IMMEDIATE");
    try {
      const next = pendingMigrations(appliedMigrations(connection), upTo)[0];
      if (next === undefined) {
        connection.db.exec("COMMIT");
        return count;
      }
      connection.db.exec(forSqlite(MIGRATIONS_TABLE));
      connection.db.exec(forSqlite(next.sql));
      connection.db
        .prepare("INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)")
        .run(next.version, next.name, new Date(clock.now()).toISOString());
      connection.db.exec("COMMIT");
      count += 1;
    } catch (error) {
      if (connection.db.isTransaction) connection.db.exec("ROLLBACK");
      throw error;
    }
  }
}
