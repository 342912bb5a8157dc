import { AppError } from "../kernel/errors.ts";
import { ACCESS_TABLES } from "./schema/access.ts";
import { ARTIFACT_TABLES } from "./schema/artifacts.ts";
import { CHECKED_BEFORE } from "./schema/checked-before.ts";
import { CONNECTION_TABLES } from "./schema/connections.ts";
import { END_OF_LOG } from "./schema/end-of-log.ts";
import { EVENT_TABLES } from "./schema/events.ts";
import { HANDOFF_TABLES } from "./schema/handoffs.ts";
import { LEAN_WRITES } from "./schema/lean-writes.ts";
import { PAGES_OF_MANY_WRITERS } from "./schema/pages-of-many-writers.ts";
import { PROVENANCE_TABLES } from "./schema/provenance.ts";
import { RUN_PAGES } from "./schema/run-pages.ts";
import { RUN_TABLES } from "./schema/runs.ts";
import { VAULT_TABLES } from "./schema/vault.ts";
import { WORKFLOW_TABLES } from "./schema/workflows.ts";

/** One step forward of the schema. It is applied whole, in a transaction of its own, or not at all. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** In the common dialect; `forSqlite` and `forPostgres` make it fit. */
  readonly sql: string;
}

/** Every migration, oldest first. A released one never changes. */
const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: "first schema",
    sql: [
      WORKFLOW_TABLES,
      RUN_TABLES,
      ARTIFACT_TABLES,
      HANDOFF_TABLES,
      PROVENANCE_TABLES,
      EVENT_TABLES,
      ACCESS_TABLES,
    ].join("\n"),
  },
  { version: 2, name: "lean writes", sql: LEAN_WRITES },
  { version: 3, name: "run pages", sql: RUN_PAGES },
  { version: 4, name: "checked before", sql: CHECKED_BEFORE },
  { version: 5, name: "pages of many writers", sql: PAGES_OF_MANY_WRITERS },
  { version: 6, name: "end of the log", sql: END_OF_LOG },
  { version: 7, name: "vault", sql: VAULT_TABLES },
  { version: 8, name: "connections", sql: CONNECTION_TABLES },
];

/** The schema this build works with. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/** The table that says which migrations were applied, in the common dialect. */
export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at TEXT NOT NULL
);`;

/** Strict tables: SQLite then refuses a value of the wrong type as PostgreSQL does. */
export function forSqlite(sql: string): string {
  return sql.replaceAll("\n);", "\n) STRICT;");
}

/** 64-bit numbers, text that sorts by code point whatever the database's locale, and what is a comment elsewhere. */
export function forPostgres(sql: string): string {
  return sql
    .replaceAll("-- postgres: ", "")
    .replaceAll(/\bINTEGER\b/g, "BIGINT")
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}

/** The migrations that are missing; refuses a database that a newer build has written. */
export function pendingMigrations(applied: readonly number[]): readonly Migration[] {
  const newest = applied.reduce((high, version) => Math.max(high, version), 0);
  if (newest > SCHEMA_VERSION) {
    throw new AppError(
      "storage_unavailable",
      `The database has schema ${newest}; this build knows only ${SCHEMA_VERSION}. It was left untouched.`,
      { nextAction: "Start a build that is at least as new as the one that last used this database." },
    );
  }
  return MIGRATIONS.filter((migration) => !applied.includes(migration.version));
}
