import type { Pool, PoolClient } from "pg";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";
import {
  appliedOf,
  forPostgres,
  MIGRATIONS_TABLE,
  NOTE_APPLIED,
  NOTE_COMPATIBLE,
  pendingMigrations,
  type AppliedMigration,
  type MigrationListener,
} from "../migrations.ts";
import type { Row } from "../sql.ts";
import { LISTENER } from "./listen.ts";
import { withPlaceholders } from "./pool.ts";
import { LOCK_CLASS } from "./sql.ts";

const MIGRATION_LOCK = 0;
const OURS = `SELECT count(*) FILTER (WHERE tablename = 'schema_migrations') AS migrations, count(*) AS tables
  FROM pg_tables WHERE schemaname = current_schema() AND tablename IN ('schema_migrations', 'workflows', 'runs', 'events')`;
/** Every process of every build holds one connection that listens; this one opens it after the migrations. */
const OTHERS = `SELECT count(*) AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = '${LISTENER}'`;

/** The migrations that a database has, without changing it. */
export async function appliedPgMigrations(
  client: Pick<PoolClient, "query">,
): Promise<readonly AppliedMigration[]> {
  const found = (await client.query<{ migrations: number; tables: number }>(OURS)).rows[0];
  if (found === undefined || found.migrations === 0) {
    if (found !== undefined && found.tables > 0) {
      throw new AppError(
        "storage_unavailable",
        "The database has tables of our names but no schema version. It was left untouched.",
        { nextAction: "Point DATABASE_URL to a database of this service or to an empty one." },
      );
    }
    return [];
  }
  return appliedOf((await client.query<Row>("SELECT * FROM schema_migrations ORDER BY version")).rows);
}

/**
 * Brings the schema up to this build, one transaction a migration. Each transaction takes the same lock before it
 * looks, so replicas that start together apply each migration once; one cut off half-way is undone by the server.
 */
export async function migratePostgres(
  pool: Pool,
  clock: Clock,
  onMigration: MigrationListener,
  upTo?: number,
): Promise<number> {
  let count = 0;
  for (;;) {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query("BEGIN");
      await client.query(`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${MIGRATION_LOCK})`);
      const applied = await appliedPgMigrations(client);
      const pending = pendingMigrations(applied, upTo);
      const [next] = pending;
      if (next !== undefined) {
        // Decided before the first one: what is refused leaves the database as it was.
        const breaking = pending.find(({ compatible }) => compatible !== true);
        if (breaking !== undefined) await refuseWhileOthersRun(client, breaking.version);
        onMigration(next, pending.length);
        await client.query(forPostgres(MIGRATIONS_TABLE));
        await client.query(forPostgres(next.sql));
        const at = new Date(clock.now()).toISOString();
        await client.query(withPlaceholders(NOTE_APPLIED), [next.version, next.name, at]);
        if (next.compatible === true) await client.query(withPlaceholders(NOTE_COMPATIBLE), [next.version]);
      }
      await client.query("COMMIT");
      broken = false;
      if (next === undefined) return count;
      count += 1;
    } finally {
      // A connection that ended in an error is closed, which undoes its transaction.
      client.release(broken);
    }
  }
}

/** Replicas of the build before would fail under a schema that is not compatible: they have to stop first. */
async function refuseWhileOthersRun(client: Pick<PoolClient, "query">, version: number): Promise<void> {
  const others = (await client.query<{ count: number }>(OTHERS)).rows[0]?.count ?? 0;
  if (others === 0) return;
  throw new AppError(
    "storage_unavailable",
    `${others} processes of an older build work on this database, which cannot go on with schema ${version}. It was left untouched.`,
    { retryAfterSeconds: 5, nextAction: "Stop every process of the older build, then start this one." },
  );
}
