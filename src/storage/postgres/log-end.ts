import type { ProvenanceRecord } from "../../ports/records.ts";
import type { StepLeaf } from "../../ports/store.ts";
import {
  INSERT_LEAF,
  INSERT_STEP_LEAF,
  leafValues,
  ProvenanceRecords,
  stepLeafValues,
} from "../records/provenance.ts";
import { stemOf, type RunPages } from "../records/run-pages.ts";
import type { ChangedRun } from "./changed-runs.ts";
import { missed } from "./gathered.ts";
import { rowsPart, type PgTxSql } from "./sql.ts";

/** After another replica was faster, the end of the log is read instead of guessed for so long. */
const READ_FOR_MS = 1_000;
/** More than can be under way at a time. */
const REMEMBERED = 64;

/** Where the provenance log ends. */
export interface End {
  readonly size: number;
  readonly lastLeafHash: string | null;
}

/**
 * Where this process takes the provenance log to end. Only one transaction writes to the log at a time, so whoever
 * wrote last knows; that it still is so is checked by the statement that builds on it. In the process, transactions
 * take turns: each begins where the one before it will have ended.
 */
export class LogEnd {
  #end: End | null = null;
  /** The ends that this process has made lately, or tried to. */
  readonly #own: (string | null)[] = [];
  #readUntil = 0;
  #turns: Promise<void> = Promise.resolve();

  /** The end, or null when it must be read. */
  get guess(): End | null {
    return this.contended ? null : this.#end;
  }

  /** True while other processes write to the log as well. */
  get contended(): boolean {
    return performance.now() < this.#readUntil;
  }

  /** What is sent next ends here. */
  expect(end: End): void {
    this.#end = end;
    this.#own.push(end.lastLeafHash);
    if (this.#own.length > REMEMBERED) this.#own.shift();
  }

  /** A transaction that wrote to the log failed, or its outcome is not known. */
  forget(): void {
    this.#end = null;
  }

  /** The end was read: when this process did not write it, another one writes to the log as well. */
  read({ lastLeafHash }: End): void {
    if (this.#own.length === 0 || this.#own.includes(lastLeafHash)) return;
    this.#readUntil = performance.now() + READ_FOR_MS;
  }

  /** Waits until it is the caller's turn; gives what ends the turn. */
  async turn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#turns;
    this.#turns = before.then(() => promise);
    await before;
    return resolve;
  }
}

const MOVE_END = "UPDATE counters SET value = ?::bigint, witness = ? WHERE name = 'log'";

/** The log within a transaction. */
export class TxProvenance extends ProvenanceRecords {
  readonly #sql: PgTxSql;
  readonly #log: LogEnd;
  readonly #changed: ReadonlyMap<string, ChangedRun>;
  readonly #guessing: boolean;
  #endTurn: (() => void) | null = null;
  /** Where the log is taken to end, when that was not read. */
  #guessed: End | null = null;
  #written: End | null = null;
  #first: StepLeaf | null = null;
  #locked = false;
  #mayGuess = false;

  constructor(
    sql: PgTxSql,
    pages: RunPages,
    log: LogEnd,
    changed: ReadonlyMap<string, ChangedRun>,
    guessing: boolean,
  ) {
    super(sql, pages);
    this.#sql = sql;
    this.#log = log;
    this.#changed = changed;
    this.#guessing = guessing;
  }

  /** Where the log ends with this transaction: whether that leaf is there tells whether the transaction happened. */
  get witness(): End | null {
    return this.#written;
  }

  override async lock(): Promise<void> {
    if (this.#locked) return;
    this.#locked = true;
    this.#mayGuess = this.#guessing && this.#log.guess !== null;
    // Whoever reads the end has done before what can be done before, and does not wait for a connection in his turn.
    if (!this.#mayGuess) await this.#sql.flush();
    // Among processes only the lock says whose turn it is: the more wait for it, the less it idles.
    if (!this.#log.contended) this.#endTurn = await this.#log.turn();
    await super.lock();
  }

  override async head(): Promise<End> {
    if (this.#written !== null) return this.#written;
    if (!this.#mayGuess) {
      const end = await super.head();
      if (this.#locked) this.#log.read(end);
      return end;
    }
    const guess = this.#log.guess;
    // The transaction before it failed: this one is done again without guessing.
    if (guess === null) throw missed();
    this.#guessed = guess;
    return guess;
  }

  override async append(records: readonly ProvenanceRecord[]): Promise<void> {
    this.#sql.later(rowsPart(INSERT_LEAF, records.map(leafValues)));
    this.#wrote(records.at(-1));
  }

  /** Leaves go to the pages of their runs; those that fit into none are rows. */
  override async appendSteps(leaves: readonly StepLeaf[]): Promise<void> {
    const [one] = leaves;
    if (one === undefined) return;
    // The pages of a commit share the time of their leaves and how the ids of these begin.
    this.#first ??= one;
    const isAlike = one.at === this.#first.at && stemOf(one) === stemOf(this.#first);
    const rows: StepLeaf[] = [];
    for (let from = 0, next = 0; from < leaves.length; from = next) {
      const runId = leaves[from]?.runId ?? "";
      while (leaves[next]?.runId === runId) next++;
      const ofRun = leaves.slice(from, next);
      if (!isAlike || this.#changed.get(runId)?.take(ofRun) !== true) rows.push(...ofRun);
    }
    if (rows.length > 0) this.#sql.later(rowsPart(INSERT_STEP_LEAF, rows.map(stepLeafValues)));
    this.#wrote(leaves.at(-1));
  }

  #wrote(last: Pick<StepLeaf, "leafIndex" | "leafHash"> | undefined): void {
    if (last === undefined || last.leafIndex < (this.#written?.size ?? 0)) return;
    this.#written = { size: last.leafIndex + 1, lastLeafHash: last.leafHash };
    this.#log.expect(this.#written);
  }

  /**
   * Nothing more will be appended: the end moves to where it is now. If it was not where it was taken to be, the whole
   * statement is refused, whatever its snapshot shows: a row that is updated is looked at as it is by then.
   */
  finish(): void {
    if (this.#written === null) return;
    const { size, lastLeafHash } = this.#written;
    const from = this.#guessed;
    const values = [size, lastLeafHash];
    this.#sql.later({
      table: "end of the log",
      text: from === null ? MOVE_END : `${MOVE_END} AND value = ?::bigint AND witness = ?`,
      values: from === null ? values : [...values, from.size, from.lastLeafHash ?? ""],
      expects: { orElse: "head", text: "EXISTS (SELECT 1 FROM $)", values: [] },
    });
  }

  /** Everything is sent, or nothing more will be: the next may begin. */
  sent(): void {
    this.#endTurn?.();
    this.#endTurn = null;
  }
}
