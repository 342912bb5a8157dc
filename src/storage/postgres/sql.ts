import { Socket } from "node:net";
import type { Pool, QueryResult } from "pg";
import { newId } from "../../kernel/ids.ts";
import { isoTime } from "../../kernel/time.ts";
import type { Clock } from "../../ports/platform.ts";
import type { NewEvent } from "../../ports/records.ts";
import { OWN_COLUMNS, pageRows, sharedValues, type RunPage } from "../records/run-pages.ts";
import { jsonText, optJsonText, text } from "../rows.ts";
import { checkValues, type LockName, type Row, type Sql, type SqlValue } from "../sql.ts";
import { codeOf, isRefusal, translatePgError } from "./errors.ts";
import { clash, EVENT_COLUMNS, gather, type EventsPart, type Part, type SentRows } from "./gathered.ts";
import { statement, type PgClient } from "./pool.ts";
import { fromJsonRows, fromRowText, fromRowTextInOrder, rowText } from "./row-text.ts";

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
  /** True when the events that are written next are announced to other replicas in the same transaction. */
  announce(): boolean;
}

/** The last event of a transaction, and whether other replicas were told of it. */
export interface Written {
  readonly last: number;
  readonly announced: boolean;
}

/**
 * The statements of one transaction. Writes nobody waits for are gathered and become one statement, sent before the
 * next whose answer is needed or with the commit: a transaction that only writes is one round trip, its begin and its
 * commit included.
 */
export class PgTxSql implements Sql {
  readonly forUpdate = " FOR UPDATE";
  readonly prefersFewStatements = true;
  readonly #lines: Lines;
  readonly #clock: Clock;
  readonly #events: NewEvent[] = [];
  readonly #pages: RunPage[] = [];
  /** What is to be sent, each group in a statement of its own. */
  #groups: Part[][] = [];
  readonly #locks = new Set<LockName>();
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
    else {
      checkValues(values);
      this.later({ table, text: sql, values });
    }
  }

  async runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<readonly number[]> {
    const results = await Promise.all(rows.map((values) => this.#query(sql, values)));
    return results.map((result) => result.rowCount ?? 0);
  }

  /** However many rows, they travel as one text. */
  async writeMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    if (rows.length > 0) this.later(rowsPart(sql, rows));
  }

  /** Something to be written, or to be so, by the time of the next answer or of the commit. Its values are fit. */
  later(part: Part): void {
    this.#check([]);
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
    this.#locks.add(name);
  }

  async appendEvents(events: readonly NewEvent[]): Promise<void> {
    this.#check([]);
    for (const event of events) this.#events.push(event);
  }

  /** Pages whose events are written with the others, at the end; until then something may still be added to them. */
  appendPages(pages: readonly RunPage[]): void {
    this.#check([]);
    for (const page of pages) this.#pages.push(page);
  }

  /** This process's time. */
  time(): string {
    return isoTime(this.#clock.now());
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

  /**
   * Writes the events and commits, and calls when all is sent; throws unless the server said that it committed. Gives
   * the last event, if there is one.
   */
  async commit(sent: () => void): Promise<Written | null> {
    const told = this.#events.length + this.#pages.length > 0;
    const announced = told && this.#lines.announce();
    const events = told ? eventsPart(this.#events, this.#pages, this.time(), announced) : null;
    this.#open = false;
    if (!this.#begun && this.#groups.length === 0 && events === null) return null;
    // Whole transactions that take turns anyway go out one behind the other.
    const whole = !this.#begun && this.#locks.size > 0;
    const client = whole ? await this.#lines.shared() : await this.#connected();
    try {
      const last =
        whole && this.#groups.length < 2
          ? await this.#commitAtOnce(client, events, sent)
          : await this.#commitBegun(client, events, sent);
      return last === null ? null : { last, announced };
    } catch (error) {
      if (whole && !isRefusal(error)) this.#lines.broken(client);
      throw error;
    }
  }

  /** One statement is a transaction of its own: it takes the lock, writes, and is committed when it is answered. */
  async #commitAtOnce(client: PgClient, events: EventsPart | null, sent: () => void): Promise<number | null> {
    const [name] = this.#locks;
    const lock = name === undefined ? null : lockOf(name);
    const { text, values } = gather(this.#groups[0] ?? [], events, lock);
    const answered = client.query<Row>(statement(text, values));
    sent();
    return lastOf(await answered);
  }

  async #commitBegun(client: PgClient, events: EventsPart | null, sent: () => void): Promise<number | null> {
    this.#flush(client, events);
    const committed = client.query("COMMIT");
    sent();
    const { command } = await committed;
    if (command === "COMMIT") return events === null ? null : lastOf(await this.#lastSent);
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
    const locks = Array.from(this.#locks, (name) => `SELECT ${lockOf(name)}`);
    this.#locks.clear();
    const begin = this.#begun ? locks : ["BEGIN", ...locks];
    if (begin.length > 0) this.#send(client.query(begin.join(";")));
    this.#begun = true;
    const groups = this.#groups;
    this.#groups = [];
    if (events !== null && groups.length === 0) groups.push([]);
    groups.forEach((parts, at) => {
      const { text, values } = gather(parts, at === groups.length - 1 ? events : null, null);
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
    this.#lastSent = sent.catch((error: unknown): void => {
      this.#firstError ??= error;
    });
  }

  #check(values: readonly SqlValue[]): void {
    if (!this.#open) throw new Error("a transaction was used after it had ended");
    checkValues(values);
  }
}

/** `INSERT INTO … VALUES (?, …) …` for many rows of what only the owner of a run or of the log writes, as one value. */
export function rowsPart(sql: string, rows: readonly (readonly SqlValue[])[]): Part {
  const { table, text, json } = forRows(sql);
  const sent = rowText(rows);
  return { table, text: sent === null ? json : text, values: [sent ?? JSON.stringify(rows)], isLate: true };
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
  /** The statement for rows that are one text. */
  readonly text: string;
  /** The same for rows in JSON. */
  readonly json: string;
}

const manyRows = new Map<string, ManyRows>();

/** `INSERT INTO table (a, b) VALUES (?, ?) …` with all the rows in one value. */
function forRows(sql: string): ManyRows {
  const known = manyRows.get(sql);
  if (known !== undefined) return known;
  const [, table, list, rest] = /^INSERT INTO (\w+) \(([\w, ]+)\) VALUES \([?, ]+\)([^]*)$/.exec(sql) ?? [];
  if (table === undefined || list === undefined || rest === undefined)
    throw new Error(`not for many rows: ${sql}`);
  const columns = list.split(", ");
  const insert = `INSERT INTO ${table} (${list}) SELECT ${list} FROM `;
  const made = {
    table,
    text: `${insert}${fromRowText(columns)}${rest}`,
    json: `${insert}${fromJsonRows(columns)}${rest}`,
  };
  manyRows.set(sql, made);
  return made;
}

const EVENTS_FROM_TEXT = fromRowTextInOrder(EVENT_COLUMNS);
const EVENTS_FROM_JSON = fromJsonRows(EVENT_COLUMNS);
const PAGES_FROM_TEXT = fromRowText(OWN_COLUMNS.split(", "));
const PAGES_FROM_JSON = fromJsonRows(OWN_COLUMNS.split(", "));

function eventsPart(
  events: readonly NewEvent[],
  pages: readonly RunPage[],
  time: string,
  announced: boolean,
): EventsPart {
  const { rows, last } = pageRows(pages, events.length);
  const paged = {
    ...sentRows(rows, PAGES_FROM_TEXT, PAGES_FROM_JSON),
    shared: sharedValues(pages, pages.find(({ leaves }) => leaves.length > 0)?.leaves[0]?.at ?? time),
  };
  return {
    count: last,
    events: events.length === 0 ? null : eventRows(events, time),
    pages: pages.length === 0 ? null : paged,
    channel: EVENT_CHANNEL,
    announced,
  };
}

function eventRows(events: readonly NewEvent[], time: string): SentRows {
  const rows = events.map((event) => [
    newId("event"),
    event.type,
    event.subject,
    time,
    event.traceparent,
    jsonText(event.data),
    optJsonText(event.publicData),
  ]);
  return sentRows(rows, EVENTS_FROM_TEXT, EVENTS_FROM_JSON);
}

function sentRows(rows: readonly (readonly SqlValue[])[], text: string, json: string): SentRows {
  const sent = rowText(rows);
  return { from: sent === null ? json : text, rows: sent ?? JSON.stringify(rows) };
}

function lockOf(name: LockName): string {
  return `pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[name]})`;
}

/** The last event's sequence that a gathered statement tells of. */
function lastOf(answer: unknown): number | null {
  const last = rowsOf(answer)[0]?.["last"];
  return typeof last === "number" ? last : null;
}

function rowsOf(result: unknown): Record<string, unknown>[] {
  if (typeof result !== "object" || result === null || !("rows" in result)) return [];
  return Array.isArray(result.rows) ? result.rows : [];
}
