import { RUN_STATES, STEP_STATES } from "../../model/states.ts";
import { newestOf, pendingMigrations, SCHEMA_VERSION, type MigrationListener } from "../migrations.ts";
import { int } from "../rows.ts";
import type { Clock } from "../../ports/platform.ts";
import { missingCommits } from "../sqlite/mark.ts";
import { walDamage } from "../sqlite/wal.ts";
import { checkEvidence } from "./evidence.ts";
import { openSession, type Session } from "./session.ts";

/** What an operator sees of a database. */
export interface DatabaseStatus {
  readonly kind: "sqlite" | "postgres";
  /** The newest migration the database has; 0 for an empty one. */
  readonly schemaVersion: number;
  /** What this build works with. */
  readonly knownVersion: number;
  readonly pending: readonly { readonly version: number; readonly name: string }[];
  readonly counts: Readonly<Record<string, number>>;
}

const COUNTED = ["workflows", "runs", "approvals", "artifacts", "handoffs", "events", "api_keys", "webhooks"];

/** Looks at a database without changing it. */
export async function databaseStatus(databaseUrl: string): Promise<DatabaseStatus> {
  const session = await openSession(databaseUrl, "read");
  try {
    const applied = await session.applied();
    const pending = pendingMigrations(applied).map(({ version, name }) => ({ version, name }));
    const counts: Record<string, number> = {};
    if (applied.length > 0) {
      for (const table of COUNTED)
        counts[table] = await count(session, `SELECT count(*) AS total FROM ${table}`);
    }
    return {
      kind: session.kind,
      schemaVersion: newestOf(applied),
      knownVersion: SCHEMA_VERSION,
      pending,
      counts,
    };
  } finally {
    await session.close();
  }
}

/** Applies the migrations that are missing and says how many there were. */
export async function migrateDatabase(
  databaseUrl: string,
  clock: Clock,
  onMigration?: MigrationListener,
): Promise<number> {
  const session = await openSession(databaseUrl, "write");
  try {
    return await session.migrate(clock, undefined, onMigration);
  } finally {
    await session.close();
  }
}

const LAST_EVENT = "SELECT coalesce(max(sequence), 0) AS total FROM events";

function listOf(states: readonly string[]): string {
  return states.map((state) => `'${state}'`).join(", ");
}

/** A promise about the data, and the query that counts where it is broken. */
const INVARIANTS: readonly { readonly name: string; readonly broken: string }[] = [
  {
    name: "completed handoffs have a result reference",
    broken: "SELECT count(*) AS total FROM handoffs WHERE state = 'completed' AND result_ref IS NULL",
  },
  {
    name: "published workflows have the version they name",
    broken: `SELECT count(*) AS total FROM workflows w WHERE w.published_version IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM workflow_versions v WHERE v.workflow_id = w.id AND v.version = w.published_version)`,
  },
  {
    name: "artifacts have every version up to the newest",
    broken: `SELECT count(*) AS total FROM artifacts a WHERE a.version <>
      (SELECT count(*) FROM artifact_versions v WHERE v.id = a.id)`,
  },
  {
    name: "event sequences have no gap",
    broken: `SELECT count(*) AS total FROM (SELECT sequence, lag(sequence) OVER (ORDER BY sequence) AS before
      FROM events WHERE sequence IS NOT NULL) AS numbered WHERE sequence <> before + 1`,
  },
  {
    name: "the provenance log has no gap",
    broken: `SELECT count(*) AS total FROM (SELECT leaf_index, coalesce(lag(leaf_index) OVER (ORDER BY leaf_index), -1)
      AS before FROM provenance_records WHERE leaf_index IS NOT NULL) AS leaves WHERE leaf_index <> before + 1`,
  },
  {
    name: "runs have the document they are pinned to",
    broken: `SELECT count(*) AS total FROM runs r WHERE NOT EXISTS
      (SELECT 1 FROM documents d WHERE d.digest = r.document_digest)`,
  },
  {
    name: "runs are in a state that there is, and those that have ended have a time of it",
    broken: `SELECT count(*) AS total FROM runs WHERE state NOT IN (${listOf(RUN_STATES)})
      OR (state IN ('succeeded', 'failed', 'timed_out', 'cancelled')) <> (finished_at IS NOT NULL)`,
  },
  {
    name: "steps have their run",
    broken: `SELECT count(*) AS total FROM steps s WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = s.run_id)`,
  },
  {
    name: "steps are in a state that there is",
    broken: `SELECT count(*) AS total FROM steps WHERE state NOT IN (${listOf(STEP_STATES)})`,
  },
  {
    name: "triggers and retention rules that were made and not removed are there",
    broken: `SELECT count(*) AS total FROM (
      SELECT a.subject FROM audit_entries a WHERE a.action = 'trigger.created'
        AND NOT EXISTS (SELECT 1 FROM triggers t WHERE 'triggers/' || t.id = a.subject)
        AND NOT EXISTS (SELECT 1 FROM audit_entries r WHERE r.subject = a.subject AND r.action = 'trigger.removed')
      UNION ALL SELECT a.subject FROM audit_entries a WHERE a.action = 'retention.set'
        AND NOT EXISTS (SELECT 1 FROM audit_entries r WHERE r.subject = a.subject AND r.action LIKE 'retention.%'
          AND (r.created_at, r.id) > (a.created_at, a.id))
        AND NOT EXISTS (SELECT 1 FROM retention_rules t WHERE a.subject =
          CASE t.workflow_id WHEN '' THEN 'retention' ELSE 'workflows/' || t.workflow_id END)) AS lost`,
  },
  {
    name: "ended runs have no open approval",
    broken: `SELECT count(*) AS total FROM approvals a JOIN runs r ON r.id = a.run_id
      WHERE a.state = 'pending' AND r.state IN ('succeeded', 'failed', 'timed_out', 'cancelled')`,
  },
];

/** What a check found: nothing, or each problem in one line. */
export interface CheckReport {
  readonly ok: boolean;
  readonly checked: readonly string[];
  readonly problems: readonly string[];
}

/** Checks the file's structure, its references and our own promises about the data. */
export async function checkDatabase(databaseUrl: string): Promise<CheckReport> {
  const session = await openSession(databaseUrl, "read");
  const checked: string[] = [];
  const problems: string[] = [];
  try {
    if (session.path !== null) {
      checked.push("write-ahead log", "file structure", "references between records");
      const damage = walDamage(session.path);
      if (damage !== null) problems.push(damage);
      for (const row of await session.all("PRAGMA integrity_check(20)")) {
        const found = row["integrity_check"];
        if (typeof found === "string" && found !== "ok") problems.push(found);
      }
      for (const row of await session.all("PRAGMA foreign_key_check")) {
        problems.push(`table ${String(row["table"])} refers to a missing record of ${String(row["parent"])}`);
      }
    }
    const applied = await session.applied();
    if (session.path !== null) {
      checked.push("the newest commit");
      const last = applied.length === 0 ? 0 : await count(session, LAST_EVENT);
      const missing = missingCommits(session.path, last);
      if (missing !== null) problems.push(missing);
    }
    if (pendingMigrations(applied).length > 0) problems.push("the schema is older than this build");
    else {
      for (const { name, broken } of INVARIANTS) {
        checked.push(name);
        const total = await count(session, broken);
        if (total !== 0) problems.push(`${name}: broken ${total} times`);
      }
      checked.push(...(await checkEvidence(session, (problem) => problems.push(problem))));
    }
    return { ok: problems.length === 0, checked, problems };
  } finally {
    await session.close();
  }
}

async function count(session: Session, sql: string): Promise<number> {
  const [row] = await session.all(sql);
  return row === undefined ? 0 : int(row, "total");
}
