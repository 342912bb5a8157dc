import type { Pool, PoolClient, QueryResult } from "pg";
import { text } from "../rows.ts";
import { checkValues, type Row, type Sql, type SqlValue } from "../sql.ts";
import { codeOf, translatePgError } from "./errors.ts";
import type { Statements } from "./pool.ts";

/** Advisory locks: an arbitrary class of our own. */
export const LOCK_CLASS = 1_469_598_103;
/** Who extends the log or numbers events. Held until the transaction ends. */
const SEQUENCER_LOCK = 1;

const NOW = `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now`;
/**
 * One life of a server: it changes with a restart, with a failover, and with a crash that the server recovers from by
 * itself (which resets the statistics). A crash forgets transactions that were not committed, and gives their ids again.
 */
const SERVER_LIFE = "concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())";
/** The transaction's id comes with the first answer: it is at hand when the connection breaks during the commit. */
const BEGIN = `BEGIN; SELECT pg_current_xact_id()::text AS id, ${SERVER_LIFE} AS life`;
/** What became of a transaction, asked on another connection. */
export const OUTCOME = `SELECT pg_xact_status($1::xid8) AS status, ${SERVER_LIFE} AS life`;
/** A transaction for the sake of its commit. */
export const PROBE = `UPDATE counters SET value = value + 1 WHERE name = 'probe' RETURNING ${SERVER_LIFE} AS life`;
const TX_ABORTED = "25P02";
/** Rows go out in statements of these sizes, so that few texts are prepared whatever the number of rows. */
const CHUNKS = [64, 32, 16, 8, 4, 2, 1];

/** A transaction's id, which names it within one life of the server. */
export interface XactId {
  readonly id: string;
  readonly life: string;
}

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
  readonly #began: Promise<XactId>;
  #open = true;
  #locked = false;
  #firstError: unknown;

  constructor(client: PoolClient, statements: Statements) {
    this.#client = client;
    this.#statements = statements;
    const began: Promise<unknown> = client.query(BEGIN);
    this.#sent(began);
    this.#began = began.then(idOf);
    this.#began.catch(() => {});
  }

  async run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  async insert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number> {
    let sent = 0;
    for (const size of CHUNKS) {
      for (; rows.length - sent >= size; sent += size) {
        const values = rows.slice(sent, sent + size).flat();
        this.#check(values);
        this.#sent(this.#client.query(this.#statements.of(sql, values, size)));
      }
    }
    return 0;
  }

  async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return (await this.#query(sql, values)).rows;
  }

  /** What is sent after it waits behind it, so the answer need not be awaited. */
  async lock(): Promise<void> {
    if (this.#locked) return;
    this.#check([]);
    this.#sent(this.#client.query(`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${SEQUENCER_LOCK})`));
    this.#locked = true;
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

  /** Takes nothing more; gives the transaction's id. */
  async finish(): Promise<XactId> {
    this.#open = false;
    return this.#began;
  }

  /** Commits; throws unless the server confirmed it. One that a statement failed in is undone by the server. */
  async commit(): Promise<void> {
    const { command } = await this.#client.query("COMMIT");
    if (command !== "COMMIT") throw this.#firstError ?? new Error("the transaction was undone by the server");
  }

  async rollBack(): Promise<void> {
    this.#open = false;
    await this.#client.query("ROLLBACK");
  }

  #sent(statement: Promise<unknown>): void {
    statement.catch((error: unknown) => {
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

/** The id in the answer to `BEGIN; SELECT …`. */
function idOf(answer: unknown): XactId {
  const [row] = rowsOf(Array.isArray(answer) ? answer.at(-1) : answer);
  if (row === undefined) throw new Error("the database gave the transaction no id");
  return { id: text(row, "id"), life: text(row, "life") };
}

function rowsOf(result: unknown): Record<string, unknown>[] {
  if (typeof result !== "object" || result === null || !("rows" in result)) return [];
  return Array.isArray(result.rows) ? result.rows : [];
}
