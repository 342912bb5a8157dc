import type { RunRecord } from "../../ports/records.ts";
import { RUN_COLUMNS, RunRecords, runOf } from "../records/runs.ts";
import { optJsonText } from "../rows.ts";
import { checkValues } from "../sql.ts";
import { fromJsonRows, fromRowText, rowText } from "./row-text.ts";
import type { PgTxSql } from "./sql.ts";

// With the states named the other way round PostgreSQL does not think of looking through all open runs for a few.
const CLAIM_ALL = `UPDATE runs SET epoch = epoch + 1 WHERE id = ANY (?::text[])
  AND state NOT IN ('succeeded', 'failed', 'timed_out', 'cancelled') RETURNING ${RUN_COLUMNS}`;

/** Runs within a transaction. */
export class PgRuns extends RunRecords {
  readonly #sql: PgTxSql;

  constructor(sql: PgTxSql) {
    super(sql);
    this.#sql = sql;
  }

  override async claimAll(ids: readonly string[]): Promise<readonly RunRecord[]> {
    if (ids.length === 0) return [];
    return (await this.#sql.all(CLAIM_ALL, [arrayText(ids)])).map(runOf);
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
const SAVE = save(fromRowText(SAVED_COLUMNS, "v"));
const SAVE_JSON = save(fromJsonRows(SAVED_COLUMNS, "v"));
const HOLD = `SELECT 1 FROM runs, unnest(?::text[], ?::bigint[]) AS v (id, epoch)
  WHERE runs.id = v.id AND runs.epoch = v.epoch FOR NO KEY UPDATE OF runs`;

/** Runs within a transaction that takes for granted that they are still this worker's, and is undone when one is not. */
export class OwnedRuns extends PgRuns {
  readonly #sql: PgTxSql;

  constructor(sql: PgTxSql) {
    super(sql);
    this.#sql = sql;
  }

  override async saveAll(records: readonly RunRecord[]): Promise<readonly string[]> {
    const ids = records.map(({ id }) => id);
    if (new Set(ids).size < ids.length) return super.saveAll(records);
    if (ids.length === 0) return ids;
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
    return ids;
  }

  override async hold(records: readonly RunRecord[]): Promise<readonly string[]> {
    const ids = records.map(({ id }) => id);
    if (new Set(ids).size < ids.length) return super.hold(records);
    const epochs = records.map(({ epoch }) => String(epoch));
    if (ids.length > 0) this.#owned("held runs", HOLD, [arrayText(ids), arrayText(epochs)], ids.length);
    return ids;
  }

  #owned(table: string, text: string, values: readonly string[], count: number): void {
    const all = { orElse: "owner" as const, text: "(SELECT count(*) FROM $) = ?::bigint", values: [count] };
    this.#sql.later({ table, text, values, expects: all });
  }
}

/** PostgreSQL's text of an array. */
function arrayText(items: readonly string[]): string {
  checkValues(items);
  return `{${items.map((item) => `"${item.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
