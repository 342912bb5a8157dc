import { AppError } from "../kernel/errors.ts";
import { writeRunEntries, type RunEntry } from "../engine/entries.ts";
import type { Clock } from "../ports/platform.ts";
import type { LogEntry } from "../ports/logbook.ts";
import type { StoreTx } from "../ports/store.ts";
import { LogWriter } from "../provenance/log-writer.ts";
import { SqliteSql, type SqliteConnection } from "../storage/sqlite/connection.ts";
import { translateSqliteError } from "../storage/sqlite/errors.ts";
import { GroupedTx } from "../storage/sqlite/group-commit.ts";
import type { Frame } from "./frames.ts";

const APPLIED = "logbook_applied";
const BOOK = "logbook_book";
const GET_COUNTER = "SELECT value FROM counters WHERE name = ?";
const SET_COUNTER = `INSERT INTO counters (name, value) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** What became of frames. */
export interface Folded {
  /** The newest frame that is in its tables. */
  readonly sequence: number;
  /** The newest event that was written; 0 when none was. */
  readonly lastEvent: number;
  /** Runs that belong to another worker by now. */
  readonly lost: readonly string[];
  /** Entries that no table takes, and why: nothing of them was written. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/** Puts what a logbook promises into its tables. */
export class Folder {
  readonly #connection: SqliteConnection;
  readonly #provenance: LogWriter;
  #now = 0;
  readonly #clock: Clock = { now: () => this.#now };
  #seenVersion: unknown;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#provenance = new LogWriter(this.#clock);
  }

  /** Which book the database goes with, and the newest frame of it that is in its tables. */
  state(): { readonly bookId: number; readonly sequence: number } {
    return { bookId: this.#counter(BOOK), sequence: this.#counter(APPLIED) };
  }

  /** From now on the database goes with this book. */
  adopt(bookId: number): void {
    this.#connection.prepare(SET_COUNTER).run(BOOK, bookId);
  }

  /** Writes the entries of the frames and what follows from them in one transaction. */
  async fold(frames: readonly Frame[]): Promise<Folded> {
    const last = frames.at(-1);
    if (last === undefined) throw new Error("there is nothing to fold");
    this.#now = last.at;
    const entries = frames.flatMap((frame) => frame.entries);
    try {
      return await this.#write(last.sequence, [entries], false);
    } catch (error) {
      const said = translateSqliteError(error);
      if (said instanceof AppError && said.code === "storage_unavailable") throw said;
      // One of them is at fault: each by itself, so that it takes no other with it.
      return this.#write(
        last.sequence,
        entries.map((entry) => [entry]),
        true,
      );
    }
  }

  async #write(sequence: number, parts: readonly LogEntry[][], apart: boolean): Promise<Folded> {
    this.#exec("BEGIN IMMEDIATE");
    const sql = new SqliteSql(this.#connection, this.#clock);
    const tx = new GroupedTx(sql);
    const lost: string[] = [];
    const refused: { id: string; why: string }[] = [];
    try {
      this.#noticeOthers();
      for (const part of parts) {
        if (apart) this.#exec("SAVEPOINT one");
        try {
          lost.push(...(await this.#apply(tx, part)));
        } catch (error) {
          const said = translateSqliteError(error);
          if (!apart || (said instanceof AppError && said.code === "storage_unavailable")) throw said;
          this.#exec("ROLLBACK TO one");
          refused.push(...part.map((entry) => ({ id: idOf(entry), why: messageOf(said) })));
        }
        if (apart) this.#exec("RELEASE one");
      }
      for (const work of tx.beforeCommitWork.values()) await work(tx);
      this.#connection.prepare(SET_COUNTER).run(APPLIED, sequence);
      this.#exec("COMMIT");
    } catch (error) {
      if (this.#connection.db.isTransaction) this.#exec("ROLLBACK");
      throw error;
    } finally {
      sql.end();
    }
    return { sequence, lastEvent: sql.lastEvent, lost, refused };
  }

  async #apply(tx: StoreTx, entries: readonly LogEntry[]): Promise<readonly string[]> {
    const runs = entries.filter((entry): entry is RunEntry => entry.kind === "run");
    return runs.length === 0
      ? []
      : writeRunEntries(tx, runs, { provenance: (inside, facts) => this.#provenance.append(inside, facts) });
  }

  /** Whoever else wrote to the database may have changed the signing key. */
  #noticeOthers(): void {
    const version = this.#connection.prepare("PRAGMA data_version").get()?.["data_version"];
    if (version !== this.#seenVersion) this.#provenance.forgetKeys();
    this.#seenVersion = version;
  }

  #counter(name: string): number {
    const value = this.#connection.prepare(GET_COUNTER).get(name)?.["value"];
    return typeof value === "number" ? value : 0;
  }

  #exec(sql: string): void {
    this.#connection.prepare(sql).run();
  }
}

function idOf(entry: LogEntry): string {
  return "head" in entry && typeof entry.head === "object" && entry.head !== null && "id" in entry.head
    ? String(entry.head.id)
    : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}
