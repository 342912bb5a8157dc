import { DatabaseSync, type StatementSync } from "node:sqlite";
import { newId } from "../../kernel/ids.ts";
import { isoTime } from "../../kernel/time.ts";
import type { NewEvent } from "../../ports/records.ts";
import type { Clock } from "../../ports/platform.ts";
import { jsonText, optJsonText } from "../rows.ts";
import { checkValues, insertInto, type Row, type Sql, type SqlValue } from "../sql.ts";
import { translateSqliteError } from "./errors.ts";
import type { StoreLogbook } from "./logbook.ts";

/** Events are in their own table and in the pages of runs, under sequences that go through both. */
export const LAST_EVENT = `SELECT max(coalesce((SELECT max(sequence) FROM events), 0),
  coalesce((SELECT max(last_event) FROM run_pages WHERE last_event IS NOT NULL), 0)) AS last`;
const INSERT_EVENT = insertInto(
  "events",
  "sequence, id, type, subject, time, traceparent, data, public_data",
);
/** Statement texts come from constants and a few filters; this many never come together in practice. */
const MAX_STATEMENTS = 500;

/** One SQLite connection with its prepared statements. Everything in it is synchronous. */
export class SqliteConnection {
  readonly db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, options: { readonly readOnly: boolean; readonly busyMs: number }) {
    this.db = new DatabaseSync(path, {
      readOnly: options.readOnly,
      timeout: options.busyMs,
      enableForeignKeyConstraints: true,
    });
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const made = this.db.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  close(): void {
    this.#statements.clear();
    if (this.db.isOpen) this.db.close();
  }
}

/** The common SQL interface over a SQLite connection, for as long as it is open. */
export class SqliteSql implements Sql {
  readonly forUpdate = "";
  readonly prefersFewStatements = false;
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  #open = true;
  /** The sequence of the newest event written here, 0 when none was. */
  lastEvent = 0;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** A transaction's handle is worthless once the transaction has ended. */
  end(): void {
    this.#open = false;
  }

  // The methods are async so that whatever SQLite throws becomes a rejection.
  async run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return this.#run(sql, values);
  }

  async write(sql: string, values: readonly SqlValue[]): Promise<void> {
    this.#run(sql, values);
  }

  async runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<readonly number[]> {
    return rows.map((values) => this.#run(sql, values));
  }

  async writeMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      const statement = this.#connection.prepare(sql);
      for (const values of rows) {
        this.#check(values);
        statement.run(...values);
      }
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  /** There is one writer, so nobody has to wait. */
  async lock(): Promise<void> {}

  async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    this.#check(values);
    try {
      return this.#connection.prepare(sql).get(...values);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    this.#check(values);
    try {
      return this.#connection.prepare(sql).all(...values);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  async appendEvents(events: readonly NewEvent[]): Promise<void> {
    const time = isoTime(this.#clock.now());
    let sequence = events.length === 0 ? 0 : this.newestEvent();
    for (const event of events) {
      sequence += 1;
      const values = [
        sequence,
        newId("event"),
        event.type,
        event.subject,
        time,
        event.traceparent,
        jsonText(event.data),
        optJsonText(event.publicData),
      ];
      this.#check(values);
      try {
        this.#connection.prepare(INSERT_EVENT).run(...values);
        this.lastEvent = sequence;
      } catch (error) {
        throw translateSqliteError(error);
      }
    }
  }

  async now(): Promise<string> {
    return new Date(this.#clock.now()).toISOString();
  }

  /** The sequence of the newest event; 0 when there is none. */
  newestEvent(): number {
    const last = this.#connection.prepare(LAST_EVENT).get()?.["last"];
    return typeof last === "number" ? last : 0;
  }

  #run(sql: string, values: readonly SqlValue[]): number {
    this.#check(values);
    try {
      return Number(this.#connection.prepare(sql).run(...values).changes);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  #check(values: readonly SqlValue[]): void {
    if (!this.#open) throw new Error("a transaction was used after it had ended");
    checkValues(values);
  }
}

/** Reads that wait until everything that was entered in a logbook before is in its tables. */
export class SettledSql extends SqliteSql {
  readonly #logbook: StoreLogbook;

  constructor(connection: SqliteConnection, clock: Clock, logbook: StoreLogbook) {
    super(connection, clock);
    this.#logbook = logbook;
  }

  override async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    const settling = this.#logbook.settled();
    if (settling !== null) await settling;
    return super.get(sql, values);
  }

  override async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    const settling = this.#logbook.settled();
    if (settling !== null) await settling;
    return super.all(sql, values);
  }
}
