import { AppError } from "../../kernel/errors.ts";
import { RUN_STATES, STEP_STATES, type RunRecord, type StepRecord } from "../../ports/records.ts";
import type { RunPages } from "../records/run-pages.ts";
import { ENDED, RUN_COLUMNS, RunRecords, runOf } from "../records/runs.ts";
import { optJsonText } from "../rows.ts";
import { checkValues, type SqlValue } from "../sql.ts";
import { fromJsonRows, fromRowText, rowText } from "./row-text.ts";
import type { PgTxSql } from "./sql.ts";

// With the states named the other way round PostgreSQL does not think of looking through all open runs for a few.
const CLAIM_ALL = `UPDATE runs SET epoch = epoch + 1 WHERE id = ANY (?::text[])
  AND state NOT IN ('succeeded', 'failed', 'timed_out', 'cancelled') RETURNING ${RUN_COLUMNS}`;

const EXISTING = "SELECT id FROM runs WHERE id = ANY (?::text[]) FOR KEY SHARE";
const STEP_STATE: ReadonlySet<string> = new Set(STEP_STATES);
const RUN_STATE: ReadonlySet<string> = new Set(RUN_STATES);

/** States are of their set, and an end has a time: the database would read the rule anew for each statement. */
function checkRuns(records: readonly RunRecord[]): void {
  for (const { state, finishedAt } of records) {
    if (!RUN_STATE.has(state) || ENDED.has(state) !== (finishedAt !== null)) throw brokenRule();
  }
}

function brokenRule(): AppError {
  return new AppError("conflict", "The record breaks a rule of the database.");
}

/** Runs within a transaction. */
export class PgRuns extends RunRecords {
  readonly #sql: PgTxSql;
  readonly #pages: RunPages;
  /** Runs of which the transaction knows that they exist, because it wrote or holds them. */
  readonly #known = new Set<string>();

  constructor(sql: PgTxSql, pages: RunPages) {
    super(sql, pages);
    this.#sql = sql;
    this.#pages = pages;
  }

  override async claimAll(ids: readonly string[]): Promise<readonly RunRecord[]> {
    if (ids.length === 0) return [];
    return (await this.#sql.all(CLAIM_ALL, [arrayText(ids)])).map(runOf);
  }

  override async insert(record: RunRecord): Promise<void> {
    checkRuns([record]);
    await super.insert(record);
    this.#known.add(record.id);
  }

  override async save(record: RunRecord): Promise<boolean> {
    checkRuns([record]);
    return super.save(record);
  }

  override async saveAll(records: readonly RunRecord[]): Promise<readonly string[]> {
    checkRuns(records);
    return this.knows(await super.saveAll(records));
  }

  override async hold(records: readonly RunRecord[]): Promise<readonly string[]> {
    return this.knows(await super.hold(records));
  }

  override async putSteps(records: readonly StepRecord[]): Promise<void> {
    await this.checkSteps(records);
    if (records.length > 0) await this.#pages.putSteps(records, this.#sql.time());
  }

  /** Steps need their run, and a state that there is: the database would look row by row. */
  async checkSteps(records: readonly StepRecord[]): Promise<void> {
    const missing = new Set<string>();
    for (const { runId, state } of records) {
      if (!STEP_STATE.has(state)) throw brokenRule();
      if (!this.#known.has(runId)) missing.add(runId);
    }
    if (missing.size > 0) await this.#find([...missing]);
  }

  /** These exist, or the transaction is undone. */
  protected knows(ids: readonly string[]): readonly string[] {
    for (const id of ids) this.#known.add(id);
    return ids;
  }

  async #find(ids: readonly string[]): Promise<void> {
    const found = await this.#sql.all(EXISTING, [arrayText(ids)]);
    if (found.length < ids.length) {
      throw new AppError("conflict", "The record refers to one that does not exist.");
    }
    this.knows(ids);
  }
}

const SAVED_COLUMNS = [
  "state",
  "visibility",
  "outputs",
  "error",
  "wake_at",
  "started_at",
  "finished_at",
  "id",
  "epoch",
] as const;
const save = (from: string): string => `UPDATE runs SET state = v.state, visibility = v.visibility,
  outputs = v.outputs, error = v.error, wake_at = v.wake_at, started_at = v.started_at, finished_at = v.finished_at
  FROM ${from} WHERE runs.id = ANY (?::text[]) AND runs.id = v.id AND runs.epoch = v.epoch`;
const SAVE = save(fromRowText(SAVED_COLUMNS));
const SAVE_JSON = save(fromJsonRows(SAVED_COLUMNS));
// By a list and not a join: for that PostgreSQL may read all runs while there are few, and go on when there are many.
const HOLD = `SELECT 1 FROM runs WHERE id = ANY (?::text[]) AND epoch = (?::bigint[])[array_position(?::text[], id)]
  FOR NO KEY UPDATE`;
const HOLD_ALIKE = "SELECT 1 FROM runs WHERE id = ANY (?::text[]) AND epoch = ?::bigint FOR NO KEY UPDATE";

/** Runs within a transaction that takes for granted that they are still this worker's, and is undone when one is not. */
export class OwnedRuns extends PgRuns {
  readonly #sql: PgTxSql;

  constructor(sql: PgTxSql, pages: RunPages) {
    super(sql, pages);
    this.#sql = sql;
  }

  override async saveAll(records: readonly RunRecord[]): Promise<readonly string[]> {
    const ids = records.map(({ id }) => id);
    if (new Set(ids).size < ids.length) return super.saveAll(records);
    if (ids.length === 0) return ids;
    checkRuns(records);
    const rows = records.map((one) => [
      one.state,
      one.visibility,
      optJsonText(one.outputs),
      optJsonText(one.error),
      one.wakeAt,
      one.startedAt,
      one.finishedAt,
      one.id,
      one.epoch,
    ]);
    const sent = rowText(rows);
    const value = sent ?? JSON.stringify(rows);
    this.#owned("runs", sent === null ? SAVE_JSON : SAVE, [value, arrayText(ids)], ids.length);
    return this.knows(ids);
  }

  override async hold(records: readonly RunRecord[]): Promise<readonly string[]> {
    const ids = records.map(({ id }) => id);
    if (new Set(ids).size < ids.length) return super.hold(records);
    const [first] = records;
    if (first === undefined) return ids;
    const list = arrayText(ids);
    // Most runs were claimed as often as most others.
    if (records.every(({ epoch }) => epoch === first.epoch)) {
      this.#owned("held runs", HOLD_ALIKE, [list, first.epoch], ids.length);
    } else {
      const epochs = arrayText(records.map(({ epoch }) => String(epoch)));
      this.#owned("held runs", HOLD, [list, epochs, list], ids.length);
    }
    return this.knows(ids);
  }

  #owned(table: string, text: string, values: readonly SqlValue[], count: number): void {
    const all = { orElse: "owner" as const, text: "(SELECT count(*) FROM $) = ?::bigint", values: [count] };
    this.#sql.later({ table, text, values, expects: all });
  }
}

/** PostgreSQL's text of an array. */
function arrayText(items: readonly string[]): string {
  checkValues(items);
  return `{${items.map((item) => `"${item.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
