import { AppError } from "../kernel/errors.ts";
import type { Log } from "../ports/platform.ts";
import { int } from "./rows.ts";
import type { Row } from "./sql.ts";
import { ACCESS_TABLES } from "./schema/access.ts";
import { APPROVAL_TABLES } from "./schema/approvals.ts";
import { ARTIFACT_TABLES } from "./schema/artifacts.ts";
import { AUDIT_TABLES } from "./schema/audit.ts";
import { CONNECTION_TABLES } from "./schema/connections.ts";
import { EVENT_TABLES } from "./schema/events.ts";
import { HANDOFF_TABLES } from "./schema/handoffs.ts";
import { LIST_INDEXES } from "./schema/lists.ts";
import { NOTIFICATION_TABLES } from "./schema/notifications.ts";
import { OAUTH_TABLES } from "./schema/oauth.ts";
import { PEOPLE_TABLES } from "./schema/people.ts";
import { KEY_TABLES, PROVENANCE_TABLES } from "./schema/provenance.ts";
import { RETENTION_TABLES } from "./schema/retention.ts";
import { RUN_TABLES } from "./schema/runs.ts";
import { SIGNAL_TABLES } from "./schema/signals.ts";
import { TRIGGER_TABLES } from "./schema/triggers.ts";
import { VAULT_TABLES } from "./schema/vault.ts";
import { WORKER_TABLES } from "./schema/workers.ts";
import { WORKFLOW_TABLES } from "./schema/workflows.ts";

/** One step forward of the schema. It is applied whole, in a transaction of its own, or not at all. */
export interface Migration {
  readonly version: number;
  /** The first version of the service with it: builds that differ in schema differ in version. */
  readonly since: string;
  readonly name: string;
  /** In the common dialect; `forSqlite` and `forPostgres` make it fit. */
  readonly sql: string;
  /** Builds of the schema before it go on working beside it: replicas can be replaced one after the other. */
  readonly compatible?: true;
}

/** A migration that a database has. */
export interface AppliedMigration {
  readonly version: number;
  readonly compatible: boolean;
}

/** Called before each migration is applied: a large database takes a while. */
export type MigrationListener = (migration: Migration, left: number) => void;

/** Schemas before this one were never released. */
const FIRST_VERSION = 14;

/** Every migration, oldest first. A released one never changes; tables of a new domain are a schema file of their own. */
const MIGRATIONS: readonly Migration[] = [
  {
    version: FIRST_VERSION,
    since: "0.10.0",
    name: "first schema",
    sql: [
      WORKFLOW_TABLES,
      RUN_TABLES,
      ARTIFACT_TABLES,
      HANDOFF_TABLES,
      KEY_TABLES,
      PROVENANCE_TABLES,
      EVENT_TABLES,
      ACCESS_TABLES,
      VAULT_TABLES,
      CONNECTION_TABLES,
      PEOPLE_TABLES,
      OAUTH_TABLES,
      APPROVAL_TABLES,
      NOTIFICATION_TABLES,
      AUDIT_TABLES,
    ].join("\n"),
  },
  {
    version: 15,
    since: "0.11.0",
    name: "what the steps of a run refer to",
    sql: "ALTER TABLE runs ADD COLUMN resolved TEXT;",
  },
  {
    version: 16,
    since: "0.11.0",
    name: "who is behind a key, and with what a person decided",
    sql: `ALTER TABLE api_keys ADD COLUMN created_by TEXT;
UPDATE api_keys SET created_by = (SELECT actor FROM audit_entries
  WHERE subject = 'keys/' || api_keys.id ORDER BY created_at, audit_entries.id LIMIT 1);
ALTER TABLE approvals ADD COLUMN decided_via TEXT;
ALTER TABLE approval_votes ADD COLUMN via TEXT;`,
  },
  { version: 17, since: "0.11.0", name: "which worker has a run", sql: WORKER_TABLES },
  {
    version: 18,
    since: "0.11.0",
    name: "what clients were shown of approvals",
    sql: `CREATE TABLE approval_shown (
  approval_id TEXT NOT NULL REFERENCES approvals (id),
  client TEXT NOT NULL,
  shown_digest TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (approval_id, client)
);`,
  },
  {
    version: 19,
    since: "0.11.0",
    name: "whose rights a run acts with",
    sql: `ALTER TABLE runs ADD COLUMN acts_for TEXT;
ALTER TABLE runs ADD COLUMN acts_via TEXT;`,
  },
  { version: 20, since: "0.11.0", name: "how long runs are kept", sql: RETENTION_TABLES },
  {
    version: 21,
    since: "0.11.0",
    name: "whose artifacts and handoffs they are",
    sql: `ALTER TABLE artifacts ADD COLUMN created_by TEXT;
ALTER TABLE handoffs ADD COLUMN created_by TEXT;`,
  },
  { version: 22, since: "0.11.0", name: "what starts runs by itself", sql: TRIGGER_TABLES },
  { version: 23, since: "0.11.0", name: "indexes of lists", sql: LIST_INDEXES },
  {
    version: 24,
    since: "0.11.0",
    name: "settings of the guard",
    sql: `CREATE TABLE guard_revisions (
  revision INTEGER PRIMARY KEY CHECK (revision >= 1),
  policy TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  changed_by TEXT NOT NULL,
  created_at TEXT NOT NULL
);`,
  },
  { version: 25, since: "0.11.0", name: "what is sent to runs", sql: SIGNAL_TABLES },
  {
    version: 26,
    since: "0.11.0",
    name: "how often callers used tools",
    sql: `CREATE TABLE guard_counts (
  caller TEXT NOT NULL,
  tool TEXT NOT NULL,
  unit TEXT NOT NULL,
  since INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (caller, tool, unit)
);`,
  },
  {
    version: 27,
    since: "0.11.0",
    name: "which migrations older builds can work with",
    sql: "ALTER TABLE schema_migrations ADD COLUMN compatible INTEGER NOT NULL DEFAULT 0;",
    compatible: true,
  },
  {
    version: 28,
    since: "0.11.0",
    name: "the span that a run stands below",
    sql: "ALTER TABLE runs ADD COLUMN parent_span_id TEXT;",
    compatible: true,
  },
  {
    version: 29,
    since: "0.11.0",
    name: "toolsets",
    sql: `CREATE TABLE toolset_revisions (
  revision INTEGER PRIMARY KEY CHECK (revision >= 1),
  policy TEXT NOT NULL,
  digest TEXT NOT NULL CHECK (digest LIKE 'sha256:%'),
  changed_by TEXT NOT NULL,
  created_at TEXT NOT NULL
);`,
    compatible: true,
  },
  {
    version: 30,
    since: "0.11.0",
    name: "form pages to go on with later",
    // No reference to the trigger: a build that does not know the table can still remove it.
    sql: `CREATE TABLE saved_forms (
  id TEXT PRIMARY KEY,
  trigger_id TEXT NOT NULL,
  fields TEXT NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE INDEX saved_forms_of_trigger ON saved_forms (trigger_id, expires_at);
CREATE INDEX saved_forms_old ON saved_forms (expires_at);`,
    compatible: true,
  },
  {
    version: 31,
    since: "0.11.0",
    name: "what people changed so that a run can go on",
    sql: "ALTER TABLE runs ADD COLUMN repairs TEXT;",
  },
  {
    version: 32,
    since: "0.11.0",
    name: "what workflows were called when they were published",
    sql: `ALTER TABLE workflows ADD COLUMN published_texts TEXT;
ALTER TABLE workflow_versions ADD COLUMN name TEXT;
UPDATE workflow_versions SET name = (SELECT workflows.name FROM workflows WHERE workflows.id = workflow_id);`,
    compatible: true,
  },
  {
    version: 33,
    since: "0.11.0",
    name: "payloads that started no run",
    sql: `CREATE INDEX trigger_firings_failed ON trigger_firings (trigger_id, created_at)
  WHERE state = 'failed' AND payload IS NOT NULL;`,
    compatible: true,
  },
  {
    version: 34,
    since: "0.11.0",
    name: "in which run an event was made, and the headers of a webhook",
    sql: `ALTER TABLE events ADD COLUMN made_in TEXT;
ALTER TABLE trigger_firings ADD COLUMN headers TEXT;`,
    compatible: true,
  },
  {
    version: 35,
    since: "0.11.0",
    name: "through which clients versions were published",
    sql: "ALTER TABLE workflow_versions ADD COLUMN published_via TEXT;",
    compatible: true,
  },
];

/** The schema this build works with. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/** The table that says which migrations were applied, in the common dialect. */
export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at TEXT NOT NULL
);`;

/** Notes that a migration was applied. The column for the second comes with migration 27. */
export const NOTE_APPLIED = "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)";
export const NOTE_COMPATIBLE = "UPDATE schema_migrations SET compatible = 1 WHERE version = ?";

/** The rows of `schema_migrations`. */
export function appliedOf(rows: readonly Row[]): readonly AppliedMigration[] {
  return rows.map((row) => ({ version: int(row, "version"), compatible: row["compatible"] === 1 }));
}

/** `(state IN ('a', 'b')`, which the schema uses in constraints only. */
const LISTED = /\((\w+) IN\s+\(('[^()]+)\)/g;

/**
 * Strict tables: SQLite then refuses a value of the wrong type as PostgreSQL does. Its one writer numbers rows itself.
 * SQLite fills a temporary table with the values of a list for every row that it checks, which takes longer than writing
 * the row; a chain of comparisons does not.
 */
export function forSqlite(sql: string): string {
  return sql
    .replaceAll("-- sqlite: ", "")
    .replaceAll(LISTED, (_listed, column: string, values: string) => {
      const equal = values.split(",").map((value) => `${column} = ${value.trim()}`);
      return `((${equal.join(" OR ")})`;
    })
    .replaceAll(/\bNUMBERED\b/g, "INTEGER PRIMARY KEY")
    .replaceAll("\n);", "\n) STRICT;");
}

/**
 * 64-bit numbers, and text that sorts by code point whatever the database's locale. A sequencer numbers rows later.
 * PostgreSQL reads a constraint again for every statement that it checks: one array is read faster than a list of values.
 */
export function forPostgres(sql: string): string {
  return sql
    .replaceAll("-- postgres: ", "")
    .replaceAll(LISTED, (_listed, column: string, values: string) => {
      const items = values.split(",").map((value) => value.trim().slice(1, -1));
      return `(${column} = ANY ('{${items.join(",")}}')`;
    })
    .replaceAll(
      /^( *)(\w+) NUMBERED\b/gm,
      "$1ordinal BIGINT GENERATED ALWAYS AS IDENTITY,\n$1$2 BIGINT UNIQUE",
    )
    .replaceAll(/\bINTEGER\b/g, "BIGINT")
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}

/**
 * The migrations up to a schema that are missing; refuses a database that an unreleased older build has written, or a
 * newer one whose schema is not compatible.
 */
export function pendingMigrations(
  applied: readonly AppliedMigration[],
  upTo: number = SCHEMA_VERSION,
): readonly Migration[] {
  const newest = newestOf(applied);
  if (applied.some(({ version, compatible }) => version > SCHEMA_VERSION && !compatible)) {
    throw new AppError(
      "storage_unavailable",
      `The database has schema ${newest}; this build knows only ${SCHEMA_VERSION}. It was left untouched.`,
      { nextAction: "Start a build that is at least as new as the one that last used this database." },
    );
  }
  if (applied.some(({ version }) => version < FIRST_VERSION)) {
    throw new AppError(
      "storage_unavailable",
      `The database was written by an older, unreleased build (schema ${newest}); this build works with schema ${FIRST_VERSION} or later. It was left untouched.`,
      { nextAction: "Point DATABASE_URL to a new database, or start the build that wrote this one." },
    );
  }
  const known = new Set(applied.map(({ version }) => version));
  return MIGRATIONS.filter(({ version }) => version <= upTo && !known.has(version));
}

/** Logs each migration of a database that is not new. */
export function logMigrations(log: Log): MigrationListener {
  let isNew = false;
  return ({ version }, left) => {
    isNew ||= left === MIGRATIONS.length;
    if (!isNew) log.info("store.migrating", { schema: version, count: left });
  };
}

/** The schema that a database has; 0 for an empty one. */
export function newestOf(applied: readonly AppliedMigration[]): number {
  return applied.reduce((high, { version }) => Math.max(high, version), 0);
}
