import type pg from "pg";
import type { Pool, PoolClient, QueryConfig } from "pg";
import type { SqlValue } from "../sql.ts";

/** A client whose statements go out without waiting for the answers to those before. */
export type PgClient = Pick<PoolClient, "query" | "release" | "on" | "off">;

/** What a pool is opened with. */
export interface PoolOptions {
  readonly url: string;
  readonly max: number;
  /** For migrations and copies, whose statements may take as long as they take. */
  readonly patient?: boolean;
  /** For batches of checkpoints: they find a few rows by their keys, for which an index alone is the shortest way. */
  readonly byKeys?: boolean;
}

/** A plan that needs no statistics can be made once: to plan such a statement takes longer than to carry it out. */
const BY_KEYS =
  "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c plan_cache_mode=force_generic_plan";

const CONNECT_MS = 3_000;
const STATEMENT_MS = 30_000;
/** A transaction awaits nothing but its own statements; one that idles belongs to a frozen process, whose locks must go. */
const IDLE_IN_TRANSACTION_MS = 5_000;

/** Loads the driver: users of SQLite never pay for it. */
export async function loadDriver(): Promise<Pick<typeof pg, "Pool" | "Client" | "types">> {
  const module = await import("pg");
  return module.default;
}

/** Opens a pool. Connections are made when needed and replaced when they break. */
export async function openPool(options: PoolOptions, onIdleError: (error: Error) => void): Promise<Pool> {
  const driver = await loadDriver();
  const pool = new driver.Pool({
    connectionString: options.url,
    max: options.max,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
    ...(options.patient !== true && {
      statement_timeout: STATEMENT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      query_timeout: STATEMENT_MS + 5_000,
    }),
    ...(options.byKeys === true && { options: BY_KEYS }),
    application_name: "workflow-ui",
    // Our numbers are whole and below 2^53; the driver would give 64-bit ones as text.
    types: {
      getTypeParser: (oid, format) =>
        oid === driver.types.builtins.INT8
          ? Number
          : driver.types.getTypeParser(oid, format === "binary" ? "binary" : "text"),
    },
  });
  pool.on("error", onIdleError);
  // A connection that breaks while in use rejects its statements; the event itself must not end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
  });
  return pool;
}

/**
 * Connections for transactions: one of the pool for each that asks for it, and one that whole transactions share. That
 * one is not the pool's, so that nobody who holds one of those can keep it from being made.
 */
export class PoolLines {
  readonly #pool: Pool;
  readonly #single: Pool;
  readonly announce: () => boolean;
  #shared: Promise<PoolClient> | null = null;

  constructor(pool: Pool, single: Pool, announce: () => boolean) {
    this.#pool = pool;
    this.#single = single;
    this.announce = announce;
  }

  own(): Promise<PgClient> {
    return this.#pool.connect();
  }

  async shared(): Promise<PgClient> {
    const shared = (this.#shared ??= this.#single.connect());
    try {
      return await shared;
    } catch (error) {
      if (this.#shared === shared) this.#shared = null;
      throw error;
    }
  }

  broken(client: PgClient): void {
    void this.#giveBack(client, true);
  }

  async close(): Promise<void> {
    await this.#giveBack(null, false);
    await this.#single.end();
  }

  async #giveBack(only: PgClient | null, broken: boolean): Promise<void> {
    const shared = this.#shared;
    const client = await shared?.catch(() => null);
    if (client === undefined || client === null || this.#shared !== shared) return;
    if (only !== null && client !== only) return;
    this.#shared = null;
    client.release(broken);
  }
}

const statements = new Map<string, { readonly name: string; readonly text: string }>();
/** Texts with filters and lists of many lengths; beyond this they are sent unprepared. */
const MAX_PREPARED = 1_000;

/** The statement with PostgreSQL's placeholders, prepared once on each connection. */
export function statement(sql: string, values: readonly SqlValue[]): QueryConfig {
  let known = statements.get(sql);
  if (known === undefined) {
    let index = 0;
    known = { name: `s${statements.size}`, text: sql.replaceAll("?", () => `$${++index}`) };
    if (statements.size >= MAX_PREPARED) return { text: known.text, values: [...values] };
    statements.set(sql, known);
  }
  return { name: known.name, text: known.text, values: [...values] };
}
