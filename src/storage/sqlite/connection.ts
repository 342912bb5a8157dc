import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Clock } from "../../ports/platform.ts";
import { checkValues, type Row, type Sql, type SqlValue } from "../sql.ts";
import { translateSqliteError } from "./errors.ts";

/** Statement texts come from constants and a few filters; this many never come together in practice. */
const MAX_STATEMENTS = 500;

/** One SQLite connection with its prepared statements. Everything in it is synchronous. */
export class SqliteConnection {
  readonly db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string | URL, options: { readonly readOnly: boolean; readonly busyMs: number }) {
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
  readonly dialect = "sqlite";
  readonly forUpdate = "";
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  #open = true;

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
    return this.#with(sql, values, (statement) => Number(statement.run(...values).changes));
  }

  async insert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number> {
    let last = 0;
    for (const values of rows) {
      last = this.#with(sql, values, (statement) => Number(statement.run(...values).lastInsertRowid));
    }
    return last;
  }

  async get(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#with(sql, values, (statement) => statement.get(...values));
  }

  async all(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#with(sql, values, (statement) => statement.all(...values));
  }

  /** There is one writer, so nothing has to wait. */
  async lock(): Promise<void> {}

  async now(): Promise<string> {
    return new Date(this.#clock.now()).toISOString();
  }

  #with<T>(sql: string, values: readonly SqlValue[], use: (statement: StatementSync) => T): T {
    if (!this.#open) throw new Error("a transaction was used after it had ended");
    checkValues(values);
    try {
      return use(this.#connection.prepare(sql));
    } catch (error) {
      throw translateSqliteError(error);
    }
  }
}
