import { Socket } from "node:net";
import type { Pool, QueryResult } from "pg";
import { newId } from "../../kernel/ids.ts";
import type { Clock } from "../../ports/platform.ts";
import type { NewEvent } from "../../ports/records.ts";
import { jsonText, optJsonText, text } from "../rows.ts";
import { checkValues, type LockName, type Row, type Sql, type SqlValue } from "../sql.ts";
import { codeOf, translatePgError } from "./errors.ts";
import { clash, gather, type EventsPart, type Part } from "./gathered.ts";
import { statement, type PgClient } from "./pool.ts";

/** Advisory locks: an arbitrary class of our own, and a number for each name. */
export const LOCK_CLASS = 1_469_598_103;
/** The number of each lock. */
export const LOCKS: Readonly<Record<LockName, number>> = { provenance: 1 };

const NOW = `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now`;
const TX_ABORTED = "25P02";

/** The channel on which replicas tell each other of new events. */
export const EVENT_CHANNEL = "workflow_ui_events";

/** Reads outside of transactions, each on whatever connection is free. */
export class PgReadSql implements Sql {
  readonly forUpdate = "";
  readonly prefersFewStatements = true;
  readonly keepsPages = false;
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

/** Where a transaction gets its connection. */
export interface Lines {
  /** One for itself. */
  own(): Promise<PgClient>;
  /** The one on which whole transactions follow each other. */
  shared(): Promise<PgClient>;
  /** The shared one can no longer be used. */
  broken(client: PgClient): void;
}

/**
 * The statements of one transaction. Writes nobody waits for are gathered and become one statement, sent before the
 * next whose answer is needed or with the commit: a transaction that only writes is one round trip, its begin and its
 * commit included.
 */
export class PgTxSql implements Sql {
  readonly forUpdate = " FOR UPDATE";
  readonly prefersFewStatements = true;
  readonly keepsPages = false;
  readonly #lines: Lines;
  readonly #clock: Clock;
  readonly #events: NewEvent[] = [];
  /** What is to be sent, each group in a statement of its own. */
  #groups: Part[][] = [];
  #locks = "";
  #client: PgClient | null = null;
  #connecting: Promise<PgClient> | null = null;
  #begun = false;
  #open = true;
  #firstError: unknown;
  #lastSent: Promise<unknown> = Promise.resolve();

  constructor(lines: Lines, clock: Clock) {
    this.#lines = lines;
    this.#clock = clock;
  }

  async run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  async write(sql: string, values: readonly SqlValue[]): Promise<void> {
    const table = INSERTS_INTO.exec(sql)?.[1];
    if (table === undefined) await this.#query(sql, values);
    else this.later({ table, text: sql, values });
  }

  async runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<readonly number[]> {
    const results = await Promise.all(rows.map((values) => this.#query(sql, values)));
    return results.map((result) => result.rowCount ?? 0);
  }

  /** However many rows, they travel as one JSON text. */
  async writeMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    if (rows.length === 0) return;
    for (const values of rows) this.#check(values);
    const { table, columns, text } = forRows(sql);
    const records = rows.map((values) => Object.fromEntries(columns.map((name, at) => [name, values[at]])));
    this.later({ table, text, values: [JSON.stringify(records)] });
  }

  /** Something to be written, or to be so, by the time of the next answer or of the commit. */
  later(part: Part): void {
    this.#check(part.values);
    const group = this.#groups.at(-1);
    if (group === undefined || group.some((other) => clash(part, other))) this.#groups.push([part]);
    else group.push(part);
  }

  /** Begins, if need be, and sends what was gathered so far; waits for no answer. */
  async flush(): Promise<void> {
    this.#flush(await this.#connected(), null);
  }

  async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return (await this.#query(sql, values)).rows;
  }

  async lock(name: LockName): Promise<void> {
    this.#check([]);
    this.#locks += `;SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[name]})`;
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
    const client = await this.#connected();
    this.#flush(client, null);
    const sent = values.length === 0 ? client.query(sql) : client.query(sql, [...values]);
    const result: unknown = await this.#answer(sent);
    const last: unknown = Array.isArray(result) ? result.at(-1) : result;
    return { rows: rowsOf(last) };
  }

  /** Writes the events and commits, and calls when all is sent; throws unless the server said that it committed. */
  async commit(sent: () => void): Promise<void> {
    const events = this.#events.length === 0 ? null : eventsPart(this.#events, this.#clock.now());
    this.#open = false;
    if (!this.#begun && this.#groups.length === 0 && events === null) return;
    // Whole transactions that take turns anyway go out one behind the other.
    const whole = !this.#begun && this.#locks !== "";
    const client = whole ? await this.#lines.shared() : await this.#connected();
    this.#flush(client, events);
    const committed = client.query("COMMIT");
    sent();
    try {
      const { command } = await committed;
      if (command === "COMMIT") return;
    } catch (error) {
      if (whole) this.#lines.broken(client);
      throw error;
    }
    // The server undid everything because a statement was refused that nobody had waited for.
    await this.#lastSent;
    throw this.#firstError ?? new Error("the transaction was undone by the server");
  }

  async rollBack(): Promise<void> {
    this.#open = false;
    if (this.#begun) await this.#client?.query("ROLLBACK");
  }

  /** Gives the connection back, if there is one. */
  release(broken: boolean): void {
    this.#client?.release(broken);
    this.#client = null;
  }

  async #connected(): Promise<PgClient> {
    if (this.#client !== null) return this.#client;
    this.#connecting ??= this.#lines.own();
    this.#client = await this.#connecting;
    return this.#client;
  }

  /** Sends what was gathered, after the begin and the locks it needs. */
  #flush(client: PgClient, events: EventsPart | null): void {
    gatherPackets(client);
    const locks = this.#locks;
    this.#locks = "";
    if (!this.#begun) this.#send(client.query(`BEGIN${locks}`));
    else if (locks !== "") this.#send(client.query(locks.slice(1)));
    this.#begun = true;
    const groups = this.#groups;
    this.#groups = [];
    if (events !== null && groups.length === 0) groups.push([]);
    groups.forEach((parts, at) => {
      const { text, values } = gather(parts, at === groups.length - 1 ? events : null);
      this.#send(client.query(statement(text, values)));
    });
  }

  async #query(sql: string, values: readonly SqlValue[]): Promise<QueryResult<Row>> {
    this.#check(values);
    const client = await this.#connected();
    this.#flush(client, null);
    return this.#answer(client.query<Row>(statement(sql, values)));
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
    checkValues(values);
  }
}

/** Statements that are given in one turn leave in one packet. */
function gatherPackets(client: PgClient): void {
  const socket = socketOf(client);
  if (socket === null || socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** The connection's socket; null when the driver no longer shows it. */
function socketOf(client: object): Socket | null {
  const connection: unknown = Reflect.get(client, "connection");
  if (typeof connection !== "object" || connection === null) return null;
  const socket: unknown = Reflect.get(connection, "stream");
  return socket instanceof Socket ? socket : null;
}

const INSERTS_INTO = /^INSERT INTO (\w+) (?![^]*RETURNING)/;

interface ManyRows {
  readonly table: string;
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
  const made = { table, columns: list.split(", "), text };
  manyRows.set(sql, made);
  return made;
}

function eventsPart(events: readonly NewEvent[], now: number): EventsPart {
  const time = new Date(now).toISOString();
  const rows = events.map((event, at) => {
    checkValues([event.type, event.subject, event.traceparent]);
    return {
      sequence: at + 1,
      id: newId("event"),
      type: event.type,
      subject: event.subject,
      time,
      traceparent: event.traceparent,
      data: jsonText(event.data),
      public_data: optJsonText(event.publicData),
    };
  });
  return { count: rows.length, rows: JSON.stringify(rows), channel: EVENT_CHANNEL };
}

function rowsOf(result: unknown): Record<string, unknown>[] {
  if (typeof result !== "object" || result === null || !("rows" in result)) return [];
  return Array.isArray(result.rows) ? result.rows : [];
}
