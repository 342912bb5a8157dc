import type { Pool, PoolClient } from "pg";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";
import { forPostgres, MIGRATIONS_TABLE, pendingMigrations } from "../migrations.ts";
import { LOCK_CLASS } from "./sql.ts";

const MIGRATION_LOCK = 0;
const OURS = `SELECT count(*) FILTER (WHERE tablename = 'schema_migrations') AS migrations, count(*) AS tables
  FROM pg_tables WHERE schemaname = current_schema() AND tablename IN ('schema_migrations', 'workflows', 'runs', 'events')`;

/** The migrations that a database has, without changing it. */
export async function appliedPgMigrations(client: Pick<PoolClient, "query">): Promise<readonly number[]> {
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
  const rows = await client.query<{ version: number }>(
    "SELECT version FROM schema_migrations ORDER BY version",
  );
  return rows.rows.map((row) => row.version);
}

/**
 * Brings the schema up to this build, one transaction a migration. Each transaction takes the same lock before it
 * looks, so replicas that start together apply each migration once; one cut off half-way is undone by the server.
 */
export async function migratePostgres(pool: Pool, clock: Clock, upTo?: number): Promise<number> {
  let count = 0;
  for (;;) {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query("BEGIN");
      await client.query(`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${MIGRATION_LOCK})`);
      const next = pendingMigrations(await appliedPgMigrations(client), upTo)[0];
      if (next !== undefined) {
        await client.query(forPostgres(MIGRATIONS_TABLE));
        await client.query(forPostgres(next.sql));
        await client.query("INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)", [
          next.version,
          next.name,
          new Date(clock.now()).toISOString(),
        ]);
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
