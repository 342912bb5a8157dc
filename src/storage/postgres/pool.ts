import type { Pool, QueryConfig } from "pg";
import type { SqlValue } from "../sql.ts";
import { loadDriver, type Servers } from "./servers.ts";

/** What a pool is opened with. */
export interface PoolOptions {
  readonly servers: Servers;
  readonly max: number;
  /** For migrations and copies, whose statements may take as long as they take. */
  readonly patient?: boolean;
}

const CONNECT_MS = 3_000;
const STATEMENT_MS = 30_000;
/** A transaction awaits nothing but its own statements; one that idles belongs to a frozen process, whose locks must go. */
const IDLE_IN_TRANSACTION_MS = 5_000;

/** Opens a pool. Connections are made when needed and replaced when they break. */
export async function openPool(options: PoolOptions, onIdleError: (error: Error) => void): Promise<Pool> {
  const driver = await loadDriver();
  const pool = new driver.Pool({
    Client: options.servers.Client,
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

/** Texts with filters and lists of many lengths; beyond this they are sent unprepared. */
const MAX_PREPARED = 1_000;

/** Statements with PostgreSQL's placeholders, each prepared once on each connection of a pool. */
export class Statements {
  readonly #known = new Map<string, { readonly name: string; readonly text: string }[]>();
  #count = 0;

  /** The statement with its values; `INSERT … VALUES (?, ?) …` for a number of rows. */
  of(sql: string, values: readonly SqlValue[], rows = 1): QueryConfig {
    const sizes = this.#known.get(sql) ?? [];
    const known = sizes[rows] ?? { name: `s${this.#count}`, text: withPlaceholders(forRows(sql, rows)) };
    if (sizes[rows] === undefined) {
      if (this.#count >= MAX_PREPARED) return { text: known.text, values: [...values] };
      this.#count += 1;
      sizes[rows] = known;
      this.#known.set(sql, sizes);
    }
    return { name: known.name, text: known.text, values: [...values] };
  }
}

function forRows(sql: string, count: number): string {
  return count === 1
    ? sql
    : sql.replace(
        /VALUES (\([?, ]+\))/,
        (_, row: string) => `VALUES ${Array.from({ length: count }, () => row).join(", ")}`,
      );
}

/** The same statement with `$1, $2, …` for `?`. */
export function withPlaceholders(sql: string): string {
  let index = 0;
  return sql.replaceAll("?", () => `$${++index}`);
}
