import type { JsonObject } from "../../kernel/json.ts";
import {
  RUN_STATES,
  STEP_STATES,
  type AttemptRecord,
  type RunRecord,
  type RunState,
  type StepRecord,
} from "../../ports/records.ts";
import type { Page, PageRequest, RunStore } from "../../ports/store.ts";
import { NEWEST, selectPage, type Condition } from "../paging.ts";
import {
  int,
  jsonText,
  object,
  oneOf,
  optInt,
  optJson,
  optJsonText,
  optObject,
  optText,
  scopes,
  text,
} from "../rows.ts";
import type { RunPages } from "./run-pages.ts";
import { insertInto, marks, padded, type Row, type Sql, type SqlValue } from "../sql.ts";

const PUT_DOCUMENT = `${insertInto("documents", "digest, document")} ON CONFLICT (digest) DO NOTHING`;
const GET_DOCUMENT = "SELECT document FROM documents WHERE digest = ?";

/** The columns of a run, in the order of every statement that gives runs. */
export const RUN_COLUMNS =
  "id, workflow_id, workflow_version, document_digest, kind, state, visibility, inputs, outputs, error, trace_id, " +
  "span_id, epoch, wake_at, started_by, scopes, parent_run_id, parent_step_id, handoff_id, created_at, started_at, finished_at";
const INSERT = insertInto("runs", RUN_COLUMNS);
const SELECT = `SELECT ${RUN_COLUMNS} FROM runs`;
const GET = `${SELECT} WHERE id = ?`;
// The first half is what SQLite's index of open runs is made by, the second PostgreSQL's.
const ACTIVE = "state IN ('queued', 'running', 'waiting', 'cancelling') AND finished_at IS NULL";
/** The states of a run that has ended. */
export const ENDED: ReadonlySet<RunState> = new Set(["succeeded", "failed", "timed_out", "cancelled"]);
const CLAIM = `UPDATE runs SET epoch = epoch + 1 WHERE id = ? AND epoch = ? AND ${ACTIVE} RETURNING ${RUN_COLUMNS}`;
const SAVE = `UPDATE runs SET state = ?, visibility = ?, outputs = ?, error = ?, wake_at = ?, started_at = ?,
  finished_at = ? WHERE id = ? AND epoch = ?`;
/** `SAVE` for many runs in one statement, in PostgreSQL's words. A run given twice is written once. */
const saveMany = (rows: number): string =>
  `UPDATE runs SET state = v.state, visibility = v.visibility, outputs = v.outputs, error = v.error,
  wake_at = v.wake_at, started_at = v.started_at, finished_at = v.finished_at
  FROM (VALUES ${Array.from({ length: rows }, () => "(?, ?, ?, ?, ?, ?, ?, ?, ?::bigint)").join(", ")}) AS v
  (state, visibility, outputs, error, wake_at, started_at, finished_at, id, epoch)
  WHERE runs.id = v.id AND runs.epoch = v.epoch RETURNING runs.id`;
const DUE = `${SELECT} WHERE ${ACTIVE} AND kind = 'run' AND (state <> 'waiting' OR wake_at <= ?)
  ORDER BY created_at, id LIMIT ?`;
const HOLD = "SELECT id FROM runs WHERE id = ? AND epoch = ?";
const QUEUED = `${SELECT} WHERE state = 'queued' AND ${ACTIVE} ORDER BY created_at, id LIMIT ?`;
const GOING = `${SELECT} WHERE state IN ('running', 'cancelling') AND ${ACTIVE} ORDER BY created_at, id LIMIT ?`;
const WAKEABLE = `${SELECT} WHERE state = 'waiting' AND wake_at IS NOT NULL AND wake_at <= ? ORDER BY wake_at LIMIT ?`;
const OF_TRACE = `${SELECT} WHERE trace_id = ? ORDER BY created_at, id LIMIT ?`;
const NEXT_WAKE = "SELECT min(wake_at) AS wake_at FROM runs WHERE state = 'waiting' AND wake_at IS NOT NULL";
const COUNT_ACTIVE = `SELECT count(*) AS total FROM runs WHERE workflow_id = ? AND ${ACTIVE}`;

const ACTIVE_COUNTS = `SELECT count(CASE WHEN state = 'queued' THEN 1 END) AS queued,
  count(CASE WHEN state = 'waiting' THEN 1 END) AS waiting FROM runs WHERE ${ACTIVE}`;

/** The columns of a step, in the order of `stepValues`. */
export const STEP_COLUMNS =
  "run_id, step_id, state, attempt, port, input, output, error, idempotency_key, wake_at, started_at, finished_at";
const STEPS = `SELECT ${STEP_COLUMNS} FROM steps WHERE run_id = ? ORDER BY step_id`;

const ATTEMPT_COLUMNS = "run_id, step_id, attempt, state, span_id, error, started_at, finished_at";
const PUT_ATTEMPT = `${insertInto("attempts", ATTEMPT_COLUMNS)} ON CONFLICT (run_id, step_id, attempt) DO UPDATE SET
  state = excluded.state, span_id = excluded.span_id, error = excluded.error, started_at = excluded.started_at,
  finished_at = excluded.finished_at`;
const ATTEMPTS = `SELECT ${ATTEMPT_COLUMNS} FROM attempts WHERE run_id = ? ORDER BY step_id, attempt`;

/** The run in a row of `RUN_COLUMNS`. */
export function runOf(row: Row): RunRecord {
  return {
    id: text(row, "id"),
    workflowId: optText(row, "workflow_id"),
    workflowVersion: optInt(row, "workflow_version"),
    documentDigest: text(row, "document_digest"),
    kind: oneOf(row, "kind", ["run", "dry_run"]),
    state: oneOf(row, "state", RUN_STATES),
    visibility: oneOf(row, "visibility", ["private", "public"]),
    inputs: object(row, "inputs"),
    outputs: optJson(row, "outputs"),
    error: optObject(row, "error"),
    traceId: text(row, "trace_id"),
    spanId: text(row, "span_id"),
    epoch: int(row, "epoch"),
    wakeAt: optText(row, "wake_at"),
    startedBy: text(row, "started_by"),
    scopes: scopes(row, "scopes"),
    parentRunId: optText(row, "parent_run_id"),
    parentStepId: optText(row, "parent_step_id"),
    handoffId: optText(row, "handoff_id"),
    createdAt: text(row, "created_at"),
    startedAt: optText(row, "started_at"),
    finishedAt: optText(row, "finished_at"),
  };
}

function step(row: Row): StepRecord {
  return {
    runId: text(row, "run_id"),
    stepId: text(row, "step_id"),
    state: oneOf(row, "state", STEP_STATES),
    attempt: int(row, "attempt"),
    port: optText(row, "port"),
    input: optJson(row, "input"),
    output: optJson(row, "output"),
    error: optObject(row, "error"),
    idempotencyKey: optText(row, "idempotency_key"),
    wakeAt: optText(row, "wake_at"),
    startedAt: optText(row, "started_at"),
    finishedAt: optText(row, "finished_at"),
  };
}

function saveValues(record: RunRecord): readonly SqlValue[] {
  return [
    record.state,
    record.visibility,
    optJsonText(record.outputs),
    optJsonText(record.error),
    record.wakeAt,
    record.startedAt,
    record.finishedAt,
    record.id,
    record.epoch,
  ];
}

/** The values of a step's columns. */
export function stepValues(record: StepRecord): readonly SqlValue[] {
  return [
    record.runId,
    record.stepId,
    record.state,
    record.attempt,
    record.port,
    optJsonText(record.input),
    optJsonText(record.output),
    optJsonText(record.error),
    record.idempotencyKey,
    record.wakeAt,
    record.startedAt,
    record.finishedAt,
  ];
}

const ATTEMPT_STATES = ["running", "succeeded", "failed", "timed_out", "cancelled", "cut_off"] as const;

function attempt(row: Row): AttemptRecord {
  return {
    runId: text(row, "run_id"),
    stepId: text(row, "step_id"),
    attempt: int(row, "attempt"),
    state: oneOf(row, "state", ATTEMPT_STATES),
    spanId: text(row, "span_id"),
    error: optObject(row, "error"),
    startedAt: text(row, "started_at"),
    finishedAt: optText(row, "finished_at"),
  };
}

/** Runs, steps and attempts over either database. */
export class RunRecords implements RunStore {
  readonly #sql: Sql;
  readonly #pages: RunPages;

  /** Steps are written to pages; what is in their table is older. */
  constructor(sql: Sql, pages: RunPages) {
    this.#sql = sql;
    this.#pages = pages;
  }

  async putDocument(digest: string, document: JsonObject): Promise<void> {
    await this.#sql.write(PUT_DOCUMENT, [digest, jsonText(document)]);
  }

  async document(digest: string): Promise<JsonObject | null> {
    const row = await this.#sql.get(GET_DOCUMENT, [digest]);
    return row === undefined ? null : object(row, "document");
  }

  async insert(record: RunRecord): Promise<void> {
    await this.#sql.run(INSERT, [
      record.id,
      record.workflowId,
      record.workflowVersion,
      record.documentDigest,
      record.kind,
      record.state,
      record.visibility,
      jsonText(record.inputs),
      optJsonText(record.outputs),
      optJsonText(record.error),
      record.traceId,
      record.spanId,
      record.epoch,
      record.wakeAt,
      record.startedBy,
      jsonText(record.scopes),
      record.parentRunId,
      record.parentStepId,
      record.handoffId,
      record.createdAt,
      record.startedAt,
      record.finishedAt,
    ]);
  }

  async get(id: string): Promise<RunRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : runOf(row);
  }

  list(
    page: PageRequest,
    filter: { visibleTo?: "public" | "all"; workflowId?: string; states?: readonly RunState[] } = {},
  ): Promise<Page<RunRecord>> {
    const where: Condition[] = [];
    if (filter.visibleTo === "public") where.push({ sql: "visibility = 'public'", values: [] });
    if (filter.workflowId !== undefined) where.push({ sql: "workflow_id = ?", values: [filter.workflowId] });
    if (filter.states !== undefined) where.push(inStates(filter.states));
    return selectPage(this.#sql, SELECT, where, NEWEST, page, runOf);
  }

  async claim(id: string, expectedEpoch: number): Promise<RunRecord | null> {
    const row = await this.#sql.get(CLAIM, [id, expectedEpoch]);
    return row === undefined ? null : runOf(row);
  }

  async claimAll(ids: readonly string[]): Promise<readonly RunRecord[]> {
    if (ids.length === 0) return [];
    const wanted = padded(ids);
    const sql = `UPDATE runs SET epoch = epoch + 1 WHERE id IN (${marks(wanted.length)}) AND ${ACTIVE} RETURNING ${RUN_COLUMNS}`;
    return (await this.#sql.all(sql, wanted)).map(runOf);
  }

  async save(record: RunRecord): Promise<boolean> {
    return (await this.#sql.run(SAVE, saveValues(record))) === 1;
  }

  async saveAll(records: readonly RunRecord[]): Promise<readonly string[]> {
    if (this.#sql.prefersFewStatements && records.length > 1) {
      const rows = padded(records).map(saveValues);
      const saved = await this.#sql.all(saveMany(rows.length), rows.flat());
      return saved.map((row) => text(row, "id"));
    }
    const changed = await this.#sql.runMany(SAVE, records.map(saveValues));
    return records.filter((_, index) => changed[index] === 1).map((record) => record.id);
  }

  async hold(records: readonly RunRecord[]): Promise<readonly string[]> {
    if (this.#sql.prefersFewStatements && records.length > 1) {
      const ids = padded(records.map((record) => record.id));
      const sql = `SELECT id, epoch FROM runs WHERE id IN (${marks(ids.length)})${this.#sql.forUpdate}`;
      const epochs = new Map(
        (await this.#sql.all(sql, ids)).map((row) => [text(row, "id"), int(row, "epoch")]),
      );
      return records.filter(({ id, epoch }) => epochs.get(id) === epoch).map(({ id }) => id);
    }
    if (records.length > 1 && (await this.#holdsAll(records))) return records.map(({ id }) => id);
    const sql = HOLD + this.#sql.forUpdate;
    const rows = await Promise.all(records.map(({ id, epoch }) => this.#sql.get(sql, [id, epoch])));
    return records.filter((_, index) => rows[index] !== undefined).map((record) => record.id);
  }

  /** Nearly always all runs of a batch are still held, and have the same epoch: one look says so. */
  async #holdsAll(records: readonly RunRecord[]): Promise<boolean> {
    const epoch = records[0]?.epoch ?? 0;
    if (!records.every((record) => record.epoch === epoch)) return false;
    const ids = padded(records.map((record) => record.id));
    const sql = `SELECT count(*) AS held FROM runs WHERE epoch = ? AND id IN (${marks(ids.length)})`;
    const row = await this.#sql.get(sql, [epoch, ...ids]);
    return row !== undefined && int(row, "held") === records.length;
  }

  async due(now: string, limit: number): Promise<readonly RunRecord[]> {
    return (await this.#sql.all(DUE, [now, limit])).map(runOf);
  }

  async inStates(states: readonly RunState[], limit: number): Promise<readonly RunRecord[]> {
    const condition = inStates(states);
    const rows = await this.#sql.all(`${SELECT} WHERE ${condition.sql} ORDER BY created_at, id LIMIT ?`, [
      ...condition.values,
      limit,
    ]);
    return rows.map(runOf);
  }

  async queued(limit: number): Promise<readonly RunRecord[]> {
    return (await this.#sql.all(QUEUED, [limit])).map(runOf);
  }

  async going(limit: number): Promise<readonly RunRecord[]> {
    return (await this.#sql.all(GOING, [limit])).map(runOf);
  }

  async wakeable(now: string, limit: number): Promise<readonly RunRecord[]> {
    return (await this.#sql.all(WAKEABLE, [now, limit])).map(runOf);
  }

  async ofTrace(traceId: string, limit: number): Promise<readonly RunRecord[]> {
    return (await this.#sql.all(OF_TRACE, [traceId, limit])).map(runOf);
  }

  async nextWakeAt(): Promise<string | null> {
    const row = await this.#sql.get(NEXT_WAKE, []);
    return row === undefined ? null : optText(row, "wake_at");
  }

  async activeCounts(): Promise<{ queued: number; waiting: number }> {
    const row = await this.#sql.get(ACTIVE_COUNTS, []);
    return row === undefined
      ? { queued: 0, waiting: 0 }
      : { queued: int(row, "queued"), waiting: int(row, "waiting") };
  }

  async countActive(workflowId: string): Promise<number> {
    const row = await this.#sql.get(COUNT_ACTIVE, [workflowId]);
    return row === undefined ? 0 : int(row, "total");
  }

  async putStep(record: StepRecord): Promise<void> {
    await this.putSteps([record]);
  }

  async putSteps(records: readonly StepRecord[]): Promise<void> {
    await this.#pages.putSteps(records, await this.#sql.now());
  }

  async steps(runId: string): Promise<readonly StepRecord[]> {
    const rows = (await this.#sql.all(STEPS, [runId])).map(step);
    const newer = await this.#pages.steps(runId);
    if (newer.length === 0) return rows;
    const newest = new Map([...rows, ...newer].map((record) => [record.stepId, record]));
    return [...newest.values()].sort((a, b) => (a.stepId < b.stepId ? -1 : 1));
  }

  async putAttempt(record: AttemptRecord): Promise<void> {
    await this.#sql.write(PUT_ATTEMPT, [
      record.runId,
      record.stepId,
      record.attempt,
      record.state,
      record.spanId,
      optJsonText(record.error),
      record.startedAt,
      record.finishedAt,
    ]);
  }

  async attempts(runId: string): Promise<readonly AttemptRecord[]> {
    return (await this.#sql.all(ATTEMPTS, [runId])).map(attempt);
  }
}

function inStates(states: readonly RunState[]): Condition {
  if (states.length === 0) return { sql: "1 = 0", values: [] };
  const open = states.some((state) => ENDED.has(state)) ? "" : " AND finished_at IS NULL";
  return { sql: `state IN (${marks(states.length)})${open}`, values: states };
}
