import { Socket } from "node:net";
import type { Pool, QueryResult } from "pg";
import { newId } from "../../kernel/ids.ts";
import type { Clock } from "../../ports/platform.ts";
import type { NewEvent } from "../../ports/records.ts";
import { jsonText, optJsonText, text } from "../rows.ts";
import { checkValues, type LockName, type Row, type Sql, type SqlValue } from "../sql.ts";
import { codeOf, translatePgError } from "./errors.ts";
import { statement, type PgClient } from "./pool.ts";

/** Advisory locks: an arbitrary class of our own, and a number for each name. */
export const LOCK_CLASS = 1_469_598_103;
const LOCKS: Readonly<Record<LockName, number>> = { provenance: 1 };

const NOW = `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now`;
/** Rows of one statement: with the widest table still far below the 65,535 values that PostgreSQL takes. */
const TX_ABORTED = "25P02";

/** The channel on which replicas tell each other of new events. */
export const EVENT_CHANNEL = "workflow_ui_events";

/**
 * Takes the next sequences from a counter row and writes the events, as the last statement before the commit. The
 * row stays locked until then, so sequences become visible in their own order and none is ever skipped.
 */
const APPEND_EVENTS = `WITH head AS (
    UPDATE counters SET value = value + $1::bigint WHERE name = 'events' RETURNING value
  ), written AS (
    INSERT INTO events (sequence, id, type, subject, time, traceparent, data, public_data)
    SELECT head.value - $1::bigint + e.place, e.id, e.type, e.subject, e.time, e.traceparent, e.data, e.public_data
    FROM head, unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      WITH ORDINALITY AS e (id, type, subject, time, traceparent, data, public_data, place)
    RETURNING sequence
  )
  SELECT pg_notify('${EVENT_CHANNEL}', max(sequence)::text) FROM written`;

/** Reads outside of transactions, each on whatever connection is free. */
export class PgReadSql implements Sql {
  readonly forUpdate = "";
  readonly prefersFewStatements = true;
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return (await this.#query(sql, values)).rows;
  }

  async now(): Promise<string> {
    const row = await this.get(NOW, []);
    if (row === undefined) throw new Error("the database did not tell the time");
    return text(row, "now");
  }

  run(): Promise<never> {
    return Promise.reject(readOnly());
  }

  write(): Promise<never> {
    return Promise.reject(readOnly());
  }

  runMany(): Promise<never> {
    return Promise.reject(readOnly());
  }

  writeMany(): Promise<never> {
    return Promise.reject(readOnly());
  }

  lock(): Promise<never> {
    return Promise.reject(readOnly());
  }

  appendEvents(): Promise<never> {
    return Promise.reject(readOnly());
  }

  async #query(sql: string, values: readonly SqlValue[]): Promise<QueryResult<Row>> {
    checkValues(values);
    try {
      return await this.#pool.query<Row>(statement(sql, values));
    } catch (error) {
      throw translatePgError(error);
    }
  }
}

function readOnly(): Error {
  return new Error("a write outside of a transaction");
}

/**
 * The statements of one transaction. They go out as they are given; only those whose answer is needed are waited
 * for, so a transaction costs one round trip for each answer it looks at and one for its commit.
 */
export class PgTxSql implements Sql {
  readonly forUpdate = " FOR UPDATE";
  readonly prefersFewStatements = true;
  readonly #client: PgClient;
  readonly #clock: Clock;
  readonly #events: NewEvent[] = [];
  readonly #socket: Socket | null;
  #gathering = false;
  #open = true;
  #firstError: unknown;
  #lastSent: Promise<unknown> = Promise.resolve();

  constructor(client: PgClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.#socket = socketOf(client);
    this.#gather();
    this.#send(this.#client.query("BEGIN"));
  }

  async run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  async write(sql: string, values: readonly SqlValue[]): Promise<void> {
    this.#check(values);
    this.#send(this.#client.query(statement(sql, values)));
  }

  async runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<readonly number[]> {
    const results = await Promise.all(rows.map((values) => this.#query(sql, values)));
    return results.map((result) => result.rowCount ?? 0);
  }

  /** One statement, prepared once, however many rows: they travel as one JSON text. */
  async writeMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    if (rows.length === 0) return;
    for (const values of rows) this.#check(values);
    const { columns, text } = forRows(sql);
    const records = rows.map((values) => Object.fromEntries(columns.map((name, at) => [name, values[at]])));
    this.#send(this.#client.query(statement(text, [JSON.stringify(records)])));
  }

  async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return (await this.#query(sql, values)).rows;
  }

  async lock(name: LockName): Promise<void> {
    this.#check([]);
    this.#send(this.#client.query(`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[name]})`));
  }

  async appendEvents(events: readonly NewEvent[]): Promise<void> {
    this.#check([]);
    for (const event of events) this.#events.push(event);
  }

  async now(): Promise<string> {
    const row = await this.get(NOW, []);
    if (row === undefined) throw new Error("the database did not tell the time");
    return text(row, "now");
  }

  /** A library's own SQL, in its own words, within this transaction. */
  async raw(sql: string, values: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    this.#check([]);
    const sent = values.length === 0 ? this.#client.query(sql) : this.#client.query(sql, [...values]);
    const result: unknown = await this.#answer(sent);
    const last: unknown = Array.isArray(result) ? result.at(-1) : result;
    return { rows: rowsOf(last) };
  }

  /** Writes the events and commits; throws unless the server said that it committed. */
  async commit(): Promise<void> {
    this.#gather();
    if (this.#events.length > 0) {
      const values = eventValues(this.#events, new Date(this.#clock.now()).toISOString());
      this.#send(this.#client.query({ name: "append_events", text: APPEND_EVENTS, values }));
    }
    this.#open = false;
    const { command } = await this.#client.query("COMMIT");
    if (command === "COMMIT") return;
    // The server undid everything because a statement was refused that nobody had waited for.
    await this.#lastSent;
    throw this.#firstError ?? new Error("the transaction was undone by the server");
  }

  async rollBack(): Promise<void> {
    this.#open = false;
    await this.#client.query("ROLLBACK");
  }

  /** Statements that are given in one turn leave in one packet. */
  #gather(): void {
    const socket = this.#socket;
    if (this.#gathering || socket === null) return;
    this.#gathering = true;
    socket.cork();
    process.nextTick(() => {
      this.#gathering = false;
      socket.uncork();
    });
  }

  async #query(sql: string, values: readonly SqlValue[]): Promise<QueryResult<Row>> {
    this.#check(values);
    return this.#answer(this.#client.query<Row>(statement(sql, values)));
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

  #send(sent: Promise<unknown>): void {
    this.#lastSent = sent.catch((error: unknown) => {
      this.#firstError ??= error;
    });
  }

  #check(values: readonly SqlValue[]): void {
    if (!this.#open) throw new Error("a transaction was used after it had ended");
    this.#gather();
    checkValues(values);
  }
}

/** The connection's socket; null when the driver no longer shows it. */
function socketOf(client: object): Socket | null {
  const connection: unknown = Reflect.get(client, "connection");
  if (typeof connection !== "object" || connection === null) return null;
  const socket: unknown = Reflect.get(connection, "stream");
  return socket instanceof Socket ? socket : null;
}

interface ManyRows {
  readonly columns: readonly string[];
  readonly text: string;
}

const manyRows = new Map<string, ManyRows>();

/** `INSERT INTO table (a, b) VALUES (?, ?) …` with the rows read from JSON, by the table's own types. */
function forRows(sql: string): ManyRows {
  const known = manyRows.get(sql);
  if (known !== undefined) return known;
  const [, table, list, rest] = /^INSERT INTO (\w+) \(([\w, ]+)\) VALUES \([?, ]+\)([^]*)$/.exec(sql) ?? [];
  if (table === undefined || list === undefined || rest === undefined)
    throw new Error(`not for many rows: ${sql}`);
  const text = `INSERT INTO ${table} (${list}) SELECT ${list} FROM json_populate_recordset(NULL::${table}, ?)${rest}`;
  const made = { columns: list.split(", "), text };
  manyRows.set(sql, made);
  return made;
}

function eventValues(events: readonly NewEvent[], time: string): unknown[] {
  for (const event of events) checkValues([event.type, event.subject, event.traceparent]);
  return [
    events.length,
    events.map(() => newId("event")),
    events.map((event) => event.type),
    events.map((event) => event.subject),
    events.map(() => time),
    events.map((event) => event.traceparent),
    events.map((event) => jsonText(event.data)),
    events.map((event) => optJsonText(event.publicData)),
  ];
}

function rowsOf(result: unknown): Record<string, unknown>[] {
  if (typeof result !== "object" || result === null || !("rows" in result)) return [];
  return Array.isArray(result.rows) ? result.rows : [];
}
