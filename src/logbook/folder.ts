import { AppError } from "../kernel/errors.ts";
import { isoTime } from "../kernel/time.ts";
import {
  endsRun,
  readRunEntry,
  runFactOf,
  stepFactsOf,
  writeRuns,
  type RunEntry,
} from "../engine/entries.ts";
import { acceptanceFact, readHandoffEntry, writeHandoffs, type HandoffEntry } from "../handoffs/entries.ts";
import type { Clock } from "../ports/platform.ts";
import type { StepLeaf } from "../ports/store.ts";
import type { ProvenanceFact, StepFact } from "../ports/provenance.ts";
import { LogWriter } from "../provenance/log-writer.ts";
import { ProvenanceRecords } from "../storage/records/provenance.ts";
import type { RunPage } from "../storage/records/run-pages.ts";
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

/** Keeps the leaves of steps for the pages that they go into. */
class PagedProvenance extends ProvenanceRecords {
  #leaves: readonly StepLeaf[] = [];

  override async appendSteps(leaves: readonly StepLeaf[]): Promise<void> {
    this.#leaves = leaves;
  }

  /** The leaves since the last time. */
  takeLeaves(): readonly StepLeaf[] {
    const leaves = this.#leaves;
    this.#leaves = [];
    return leaves;
  }
}

/** A transaction whose steps end up in pages. */
class PagedTx extends GroupedTx {
  readonly #provenance: PagedProvenance;

  constructor(sql: SqliteSql) {
    super(sql);
    this.#provenance = new PagedProvenance(sql, this.pages);
  }

  override get provenance(): PagedProvenance {
    return this.#provenance;
  }
}

/** What writes provenance. */
export type FactWriter = Pick<LogWriter, "append" | "forgetKeys">;

/** Puts what a logbook promises into its tables. */
export class Folder {
  readonly #connection: SqliteConnection;
  readonly #provenance: FactWriter;
  #now = 0;
  readonly #clock: Clock = { now: () => this.#now };
  #seenVersion: unknown;

  constructor(
    connection: SqliteConnection,
    writer: (clock: Clock) => FactWriter = (clock) => new LogWriter(clock),
  ) {
    this.#connection = connection;
    this.#provenance = writer(this.#clock);
  }

  /** Which book the database goes with, and the newest frame of it that is in its tables. */
  state(): { readonly bookId: number; readonly sequence: number } {
    return { bookId: this.#counter(BOOK), sequence: this.#counter(APPLIED) };
  }

  /** From now on the database goes with this book. */
  adopt(bookId: number): void {
    this.#connection.prepare(SET_COUNTER).run(BOOK, bookId);
  }

  /** Writes the entries of frames and what follows from them in one transaction. */
  async fold(frames: readonly Frame[]): Promise<Folded> {
    const last = frames.at(-1);
    if (last === undefined) throw new Error("there is nothing to fold");
    this.#now = last.at;
    this.#noticeOthers();
    const entries = frames.flatMap((frame) => frame.entries.map(readEntry));
    try {
      return await this.#write(last, [entries], false);
    } catch (error) {
      const said = translateSqliteError(error);
      if (said instanceof AppError && said.code === "storage_unavailable") throw said;
      // One of them is at fault: each by itself, so that it takes no other with it.
      const each = entries.map((entry) => [entry]);
      return this.#write(last, each, true);
    }
  }

  /** What is written apart is undone by itself when it fails. */
  async #write(
    { sequence, at }: Frame,
    parts: readonly (readonly Entry[])[],
    apart: boolean,
  ): Promise<Folded> {
    this.#exec("BEGIN IMMEDIATE");
    const sql = new SqliteSql(this.#connection, this.#clock);
    const tx = new PagedTx(sql);
    const lost: string[] = [];
    const refused: { id: string; why: string }[] = [];
    try {
      for (const part of parts) {
        if (apart) this.#exec("SAVEPOINT one");
        try {
          lost.push(...(await this.#apply(tx, sql, part, isoTime(at))));
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

  /** Writes entries with their events and facts; gives the runs that belong to another worker by now. */
  async #apply(
    tx: PagedTx,
    sql: SqliteSql,
    entries: readonly Entry[],
    at: string,
  ): Promise<readonly string[]> {
    const { byRun, lost } = await writeRuns(tx, entries.filter(isRunEntry));
    await this.#provenance.append(tx, runFactsOf(byRun));
    const pages = pagesOf(byRun, tx.provenance.takeLeaves());
    if (pages.length > 0) sql.lastEvent = await tx.pages.append(pages, at, sql.newestEvent());
    const accepted = await writeHandoffs(tx, entries.filter(isHandoffEntry));
    await this.#provenance.append(tx, accepted.map(acceptanceFact));
    return lost;
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

type Entry = RunEntry | HandoffEntry;

function readEntry(text: string): Entry {
  return readHandoffEntry(text) ?? readRunEntry(text);
}

function isRunEntry(entry: Entry): entry is RunEntry {
  return "head" in entry;
}

function isHandoffEntry(entry: Entry): entry is HandoffEntry {
  return "record" in entry;
}

function idOf(entry: Entry): string {
  return isRunEntry(entry) ? entry.head.id : entry.record.id;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

/** What provenance says of runs: first of their steps, those of one run side by side, then of the runs that ended. */
function runFactsOf(byRun: ReadonlyMap<string, readonly RunEntry[]>): readonly (ProvenanceFact | StepFact)[] {
  const facts: (ProvenanceFact | StepFact)[] = [];
  for (const ofRun of byRun.values()) for (const entry of ofRun) facts.push(...stepFactsOf(entry));
  for (const ofRun of byRun.values()) {
    const end = ofRun.findLast(endsRun);
    if (end !== undefined) facts.push(...runFactOf(end));
  }
  return facts;
}

/** One page for each run. The leaves of its steps stand side by side in the log, so that they fit into it. */
function pagesOf(
  byRun: ReadonlyMap<string, readonly RunEntry[]>,
  leaves: readonly StepLeaf[],
): readonly RunPage[] {
  let next = 0;
  return [...byRun].map(([runId, ofRun]) => {
    const from = next;
    while (leaves[next]?.runId === runId) next++;
    let events = 0;
    for (const entry of ofRun) events += entry.events;
    const changes = `[${ofRun.map(({ change }) => change).join(",")}]`;
    return { runId, changes, events, leaves: leaves.slice(from, next) };
  });
}
