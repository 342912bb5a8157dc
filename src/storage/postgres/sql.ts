import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { text } from "../rows.ts";
import { checkValues, type Row, type Sql, type SqlValue } from "../sql.ts";
import { codeOf, translatePgError } from "./errors.ts";
import type { Statements } from "./pool.ts";

/** Advisory locks: an arbitrary class of our own. */
export const LOCK_CLASS = 1_469_598_103;
/** Who extends the log or numbers events. Held until the transaction ends. */
const SEQUENCER_LOCK = 1;

const NOW = `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now`;
const XACT_ID = "SELECT pg_current_xact_id_if_assigned()::text AS id";
const TX_ABORTED = "25P02";
/** Rows go out in statements of these sizes, so that few texts are prepared whatever the number of rows. */
const CHUNKS = [64, 16, 4, 1];

/** Reads outside of transactions, each on whatever connection is free. */
export class PgReadSql implements Sql {
  readonly dialect = "postgres";
  readonly forUpdate = "";
  readonly #pool: Pool;
  readonly #statements: Statements;

  constructor(pool: Pool, statements: Statements) {
    this.#pool = pool;
    this.#statements = statements;
  }

  async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.all(sql, values))[0];
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    checkValues(values);
    try {
      return (await this.#pool.query<Row>(this.#statements.of(sql, values))).rows;
    } catch (error) {
      throw translatePgError(error);
    }
  }

  now(): Promise<string> {
    return nowOf(this);
  }

  run(): Promise<never> {
    return Promise.reject(readOnly());
  }

  insert(): Promise<never> {
    return Promise.reject(readOnly());
  }

  lock(): Promise<never> {
    return Promise.reject(readOnly());
  }
}

function readOnly(): Error {
  return new Error("a write outside of a transaction");
}

async function nowOf(sql: Sql): Promise<string> {
  const row = await sql.get(NOW, []);
  if (row === undefined) throw new Error("the database did not tell the time");
  return text(row, "now");
}

/**
 * The statements of one transaction, sent one behind the other without waiting for answers nobody needs: `BEGIN` and
 * inserts travel with the next statement whose answer is awaited.
 */
export class PgTxSql implements Sql {
  readonly dialect = "postgres";
  // Not `FOR UPDATE`: that would hold up rows that refer to the row.
  readonly forUpdate = " FOR NO KEY UPDATE";
  readonly #client: PoolClient;
  readonly #statements: Statements;
  #open = true;
  #firstError: unknown;
  /** True when the transaction inserted something. */
  inserted = false;

  constructor(client: PoolClient, statements: Statements) {
    this.#client = client;
    this.#statements = statements;
    this.#send("BEGIN");
  }

  async run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  async insert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    let sent = 0;
    for (const size of CHUNKS) {
      for (; rows.length - sent >= size; sent += size) {
        const values = rows.slice(sent, sent + size).flat();
        this.#check(values);
        this.#send(this.#statements.of(forRows(sql, size), values));
      }
    }
    this.inserted = true;
  }

  async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return (await this.#query(sql, values)).rows;
  }

  async lock(): Promise<void> {
    await this.#query(`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${SEQUENCER_LOCK})`, []);
  }

  now(): Promise<string> {
    return nowOf(this);
  }

  /** A library's own SQL, in its own words, within this transaction. */
  async raw(sql: string, values: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    this.#check([]);
    const sent = values.length === 0 ? this.#client.query(sql) : this.#client.query(sql, [...values]);
    const result: unknown = await this.#answer(sent);
    return { rows: rowsOf(Array.isArray(result) ? result.at(-1) : result) };
  }

  /** Waits for everything that was sent; gives the transaction's id, or null when it has changed nothing. */
  async finish(): Promise<string | null> {
    const row = await this.get(XACT_ID, []);
    this.#open = false;
    const id = row?.["id"];
    return typeof id === "string" ? id : null;
  }

  /** Commits; throws unless the server said that it did. */
  async commit(): Promise<void> {
    const { command } = await this.#client.query("COMMIT");
    if (command !== "COMMIT") throw this.#firstError ?? new Error("the transaction was undone by the server");
  }

  async rollBack(): Promise<void> {
    this.#open = false;
    await this.#client.query("ROLLBACK");
  }

  #send(query: string | QueryConfig): void {
    const sent = typeof query === "string" ? this.#client.query(query) : this.#client.query(query);
    sent.catch((error: unknown) => {
      this.#firstError ??= error;
    });
  }

  #query(sql: string, values: readonly SqlValue[]): Promise<QueryResult<Row>> {
    this.#check(values);
    return this.#answer(this.#client.query<Row>(this.#statements.of(sql, values)));
  }

  async #answer<T>(sent: Promise<T>): Promise<T> {
    try {
      return await sent;
    } catch (error) {
      // After the first refusal PostgreSQL refuses everything; the first one says why.
      if (codeOf(error) !== TX_ABORTED || this.#firstError === undefined) this.#firstError ??= error;
      throw this.#firstError;
    }
  }

  #check(values: readonly SqlValue[]): void {
    if (!this.#open) throw new Error("a transaction was used after it had ended");
    checkValues(values);
  }
}

/** `INSERT … VALUES (?, ?) …` for a number of rows. */
function forRows(sql: string, count: number): string {
  return count === 1
    ? sql
    : sql.replace(
        /VALUES (\([?, ]+\))/,
        (_, row: string) => `VALUES ${Array.from({ length: count }, () => row).join(", ")}`,
      );
}

function rowsOf(result: unknown): Record<string, unknown>[] {
  if (typeof result !== "object" || result === null || !("rows" in result)) return [];
  return Array.isArray(result.rows) ? result.rows : [];
}
