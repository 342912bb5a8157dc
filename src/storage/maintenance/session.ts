import { existsSync } from "node:fs";
import type { PoolClient } from "pg";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../ports/platform.ts";
import { databaseTarget } from "../open.ts";
import { openPool, withPlaceholders } from "../postgres/pool.ts";
import { Servers } from "../postgres/servers.ts";
import { translatePgError } from "../postgres/errors.ts";
import type { AppliedMigration, MigrationListener } from "../migrations.ts";
import { appliedPgMigrations, migratePostgres } from "../postgres/migrate.ts";
import type { Row, SqlValue } from "../sql.ts";
import { SqliteConnection } from "../sqlite/connection.ts";
import { translateSqliteError } from "../sqlite/errors.ts";
import { appliedMigrations, migrateSqlite } from "../sqlite/migrate.ts";
import { openWriter } from "../sqlite/store.ts";

/** One connection for the work an operator does on a database, the service running or not. */
export interface Session {
  readonly kind: "sqlite" | "postgres";
  /** The SQLite file; null for PostgreSQL. */
  readonly path: string | null;
  all(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** All rows of a query, a few at a time. */
  each(sql: string): AsyncIterable<Row>;
  run(sql: string, values: readonly SqlValue[]): Promise<void>;
  begin(mode: "read" | "write"): Promise<void>;
  commit(): Promise<void>;
  applied(): Promise<readonly AppliedMigration[]>;
  /** Applies the migrations that are missing, up to a schema or all. */
  migrate(clock: Clock, upTo?: number, onMigration?: MigrationListener): Promise<number>;
  close(): Promise<void>;
}

/** What a session is opened for: only one that writes may create the file. */
export type SessionMode = "read" | "write";

/** Opens a session; a SQLite file that does not exist is created only for writing. */
export function openSession(databaseUrl: string, mode: SessionMode): Promise<Session> {
  const target = databaseTarget(databaseUrl);
  switch (target.kind) {
    case "none":
      throw new AppError("storage_unavailable", "DATABASE_URL is none: there is no database.");
    case "sqlite":
      return Promise.resolve(sqliteSession(target.path, mode));
    case "postgres":
      return postgresSession(target.url);
  }
}

const BUSY_MS = 10_000;

function sqliteSession(path: string, mode: SessionMode): Session {
  if (mode === "read" && !existsSync(path)) {
    throw new AppError("not_found", `There is no database file ${path}.`);
  }
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw translateSqliteError(error);
    }
  };
  const connection = guarded(() =>
    mode === "write" ? openWriter(path) : new SqliteConnection(path, { readOnly: true, busyMs: BUSY_MS }),
  );
  return {
    kind: "sqlite",
    path,
    all: async (sql, values = []) => guarded(() => connection.prepare(sql).all(...values)),
    async *each(sql) {
      yield* connection.db.prepare(sql).iterate();
    },
    run: async (sql, values) => {
      guarded(() => connection.prepare(sql).run(...values));
    },
    begin: async (begin) =>
      guarded(() => connection.db.exec(begin === "write" ? "BEGIN IMMEDIATE" : "BEGIN")),
    commit: async () => guarded(() => connection.db.exec("COMMIT")),
    applied: async () => guarded(() => appliedMigrations(connection)),
    migrate: async (clock, upTo, onMigration = () => undefined) =>
      guarded(() => migrateSqlite(connection, clock, onMigration, upTo)),
    close: async () => connection.close(),
  };
}

const BATCH = 500;

async function postgresSession(url: string): Promise<Session> {
  const servers = await Servers.of(url);
  const pool = await openPool({ servers, max: 2, patient: true }, () => {});
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translatePgError(error);
    }
  };
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    await pool.end();
    servers.close();
    throw translatePgError(error);
  }
  return {
    kind: "postgres",
    path: null,
    all: (sql, values = []) =>
      guarded(async () => (await client.query<Row>(withPlaceholders(sql), [...values])).rows),
    async *each(sql) {
      await client.query(`DECLARE rows CURSOR FOR ${sql}`);
      for (;;) {
        const { rows } = await client.query<Row>(`FETCH ${BATCH} FROM rows`);
        if (rows.length === 0) break;
        yield* rows;
      }
      await client.query("CLOSE rows");
    },
    run: (sql, values) =>
      guarded(async () => {
        await client.query(withPlaceholders(sql), [...values]);
      }),
    begin: (begin) =>
      guarded(async () => {
        await client.query(begin === "write" ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      }),
    commit: () =>
      guarded(async () => {
        await client.query("COMMIT");
      }),
    applied: () => guarded(() => appliedPgMigrations(client)),
    migrate: (clock, upTo, onMigration = () => undefined) =>
      guarded(() => migratePostgres(pool, clock, onMigration, upTo)),
    close: async () => {
      client.release(true);
      await pool.end();
      servers.close();
    },
  };
}
