import { Value } from "typebox/value";
import { ATTEMPT_STATES, runHasEnded, RUN_STATES, STEP_STATES, type RunState } from "../../model/states.ts";
import { RunRepairs, type RunRepair } from "../../model/repairs.ts";
import { isObject } from "../../kernel/json.ts";
import type { AttemptRecord, RunRecord, RunResolution, StepRecord } from "../../ports/records.ts";
import type { RunFilter, RunStore } from "../../ports/store.ts";
import { anyOf, listed, NEWEST, occurs, selectPage, type Condition, type Filter } from "../paging.ts";
import { int, jsonText, object, optJson, optJsonText, optObject, optText, text } from "../rows.ts";
import { RUN_CHANNEL } from "../channels.ts";
import { insertInto, marks, type Row, type Sql, type SqlValue } from "../sql.ts";
import { changesOne, exec, insertRows, first } from "./statements.ts";
import { column, is, table } from "../table.ts";

/* Long on purpose: runs with all that is written in the transaction of a checkpoint, over the same columns. */

const PUT_DOCUMENT = `${insertInto("documents", "digest, document")} ON CONFLICT (digest) DO NOTHING`;
const GET_DOCUMENT = "SELECT document FROM documents WHERE digest = ?";

const NO_REPAIRS: readonly RunRepair[] = [];
function repairsIn(row: Row, name: string): readonly RunRepair[] {
  const stored = optJson(row, name);
  return stored !== null && Value.Check(RunRepairs, stored) ? stored : NO_REPAIRS;
}

const VISIBILITY = is.oneOf(["private", "public"]);
const RUNS = table<RunRecord>("runs", {
  id: is.text,
  workflowId: is.optText,
  workflowVersion: is.optInt,
  documentDigest: is.text,
  kind: is.oneOf(["run", "dry_run"]),
  state: is.oneOf(RUN_STATES),
  visibility: VISIBILITY,
  inputs: is.object,
  outputs: is.optJson,
  error: is.optObject,
  traceId: is.text,
  spanId: is.text,
  parentSpanId: is.optText,
  epoch: is.int,
  worker: is.optText,
  wakeAt: is.optText,
  startedBy: is.text,
  scopes: is.scopes,
  /** Nothing where it is who started the run. */
  actsFor: column(
    (row, name) => optText(row, name) ?? text(row, "started_by"),
    (actsFor, { startedBy }) => (actsFor === startedBy ? null : actsFor),
  ),
  actsVia: is.optText,
  parentRunId: is.optText,
  parentStepId: is.optText,
  handoffId: is.optText,
  resolved: column(resolution, optJsonText),
  createdAt: is.text,
  startedAt: is.optText,
  finishedAt: is.optText,
  detailsRemovedAt: is.optText,
  repairs: column(repairsIn, (repairs) => (repairs.length === 0 ? null : JSON.stringify(repairs))),
});
const INSERT = insertInto("runs", `${RUNS.columns}, wanted`);
const GET = `${RUNS.select} WHERE id = ?`;
/** What the index of open runs is made by. */
const ACTIVE = "finished_at IS NULL";
const SAVE = RUNS.update(
  ["state", "outputs", "error", "wakeAt", "startedAt", "finishedAt", "worker"],
  "WHERE id = ? AND epoch = ?",
);
const REPAIR = RUNS.update(["documentDigest", "workflowVersion", "resolved", "repairs"], "WHERE id = ?");
const ACT_FOR = "UPDATE runs SET acts_for = ?, acts_via = ?, scopes = ? WHERE id = ?";
const RESOLVE = "UPDATE runs SET resolved = ? WHERE id = ? AND resolved IS NULL";
/** For any number of rows that are held already. */
const SAVE_ALL = `UPDATE runs SET state = v.column1, outputs = v.column2, error = v.column3,
  wake_at = v.column4, started_at = v.column5, finished_at = v.column6, worker = v.column7
  FROM (VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)) AS v
  WHERE runs.id = v.column8 AND runs.epoch = CAST(v.column9 AS BIGINT)`;
const MAKE_DUE =
  "UPDATE runs SET wake_at = ? WHERE id = ? AND state = 'waiting' AND (wake_at IS NULL OR wake_at > ?)";
const LISTED = "= ANY (string_to_array(?, ','))";
const WANT = `UPDATE runs SET wanted = 1 WHERE id ${LISTED} AND wanted = 0 AND ${ACTIVE}`;
const TELL = `SELECT pg_notify('${RUN_CHANNEL}', ?)`;
/** Those whose time has come, then those that are wanted, oldest first. What another worker takes just now is skipped. */
const TAKE = `WITH due AS (
    SELECT id FROM runs WHERE state = 'waiting' AND wake_at IS NOT NULL AND wake_at <= ? AND worker IS NULL
    ORDER BY wake_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED),
  asked AS (
    SELECT id FROM runs WHERE wanted = 1 AND worker IS NULL AND ${ACTIVE}
    ORDER BY created_at, id LIMIT (SELECT CAST(? AS BIGINT) - count(*) FROM due) FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE runs SET epoch = epoch + 1, worker = ?, wanted = 0
  WHERE id IN (SELECT id FROM due UNION SELECT id FROM asked) RETURNING ${RUNS.columns}`;
const HELD_BY = `SELECT id, epoch FROM runs WHERE worker = ? AND ${ACTIVE}`;
const GIVE_BACK = `UPDATE runs SET worker = NULL, wanted = 1 WHERE id = ? AND epoch = ? AND ${ACTIVE}`;
const HOLD = "SELECT id, epoch, visibility FROM runs WHERE id = ?";
/** One run after the other through its index: a plan for all at once that was made while the table was small reads it whole. */
const HOLD_ALL = `SELECT held.id, held.epoch, held.visibility FROM unnest(string_to_array(?, ',')) AS wanted (id),
  LATERAL (SELECT id, epoch, visibility FROM runs WHERE runs.id = wanted.id FOR NO KEY UPDATE) AS held`;
const CLAIM_ALL = (count: number): string =>
  `UPDATE runs SET epoch = epoch + 1, worker = NULL WHERE id IN (${marks(count)}) AND ${ACTIVE} RETURNING ${RUNS.columns}`;
const ACTING_FOR = (count: number): string =>
  `SELECT id FROM runs WHERE ${ACTIVE} AND coalesce(acts_for, started_by) IN (${marks(count)})`;
const QUEUED = `${RUNS.select} WHERE state = 'queued' AND ${ACTIVE} ORDER BY created_at, id LIMIT ?`;
const GOING = `${RUNS.select} WHERE state IN ('running', 'cancelling') AND ${ACTIVE} ORDER BY created_at, id LIMIT ?`;
const GOING_OF = `SELECT 1 AS one FROM runs WHERE workflow_id = ? AND state IN ('running', 'waiting', 'cancelling')
  AND ${ACTIVE} LIMIT ?`;
const WAKEABLE = `SELECT id FROM runs WHERE state = 'waiting' AND wake_at IS NOT NULL AND wake_at <= ? ORDER BY wake_at LIMIT ?`;
const OF_TRACE = `${RUNS.select} WHERE trace_id = ? ORDER BY created_at, id LIMIT ?`;
const NEXT_WAKE = "SELECT min(wake_at) AS wake_at FROM runs WHERE state = 'waiting' AND wake_at IS NOT NULL";
/** Runs that a hidden one started carry its values: they are hidden with it, whatever workflow they run. */
const HIDE = `WITH RECURSIVE hidden (id) AS (
    SELECT id FROM runs WHERE workflow_id = ?
    UNION SELECT runs.id FROM runs JOIN hidden ON runs.parent_run_id = hidden.id)
  UPDATE runs SET visibility = 'private' WHERE visibility = 'public' AND id IN (SELECT id FROM hidden)`;

/** What is counted for operators is counted up to here: beyond it, the exact number changes nothing. */
const MAX_COUNTED = 50_000;
const OPEN_IN = (state: string): string =>
  `SELECT created_at FROM runs WHERE state = '${state}' AND ${ACTIVE} ORDER BY created_at, id LIMIT ${MAX_COUNTED}`;
const ACTIVE_COUNTS = `SELECT count(*) AS queued, min(created_at) AS oldest,
  (SELECT count(*) FROM (${OPEN_IN("waiting")}) AS w) AS waiting FROM (${OPEN_IN("queued")}) AS q`;

const STEPS = table<StepRecord>("steps", {
  runId: is.text,
  stepId: is.text,
  state: is.oneOf(STEP_STATES),
  attempt: is.int,
  port: is.optText,
  input: is.optJson,
  output: is.optJson,
  error: is.optObject,
  idempotencyKey: is.optText,
  wakeAt: is.optText,
  startedAt: is.optText,
  finishedAt: is.optText,
});
const PUT_STEP = STEPS.upsert("runId", "stepId");
const STEPS_BY = `${STEPS.select} WHERE run_id = ? ORDER BY step_id`;
/** `OFFSET 0` keeps PostgreSQL from making one join of it; see HOLD_ALL. */
const STEPS_OF = `SELECT found.* FROM unnest(string_to_array(?, ',')) AS wanted (id),
  LATERAL (${STEPS.select} WHERE run_id = wanted.id ORDER BY step_id OFFSET 0) AS found`;

const ATTEMPTS = table<AttemptRecord>("attempts", {
  runId: is.text,
  stepId: is.text,
  attempt: is.int,
  state: is.oneOf(ATTEMPT_STATES),
  spanId: is.text,
  error: is.optObject,
  startedAt: is.text,
  finishedAt: is.optText,
});
const PUT_ATTEMPT = ATTEMPTS.upsert("runId", "stepId", "attempt");
const ATTEMPTS_OF = `${ATTEMPTS.select} WHERE run_id = ? ORDER BY step_id, attempt`;

/** A notification holds 8,000 bytes; one that names no run says that there are many. */
const MAX_NAMED = 200;

function resolution(row: Row, name: string): RunResolution | null {
  const stored = optObject(row, name);
  if (stored === null) return null;
  const { workflows, definitions, late } = stored;
  const versions: Record<string, { version: number; digest: string } | null> = {};
  for (const [key, pinned] of Object.entries(isObject(workflows) ? workflows : {})) {
    const { version, digest } = isObject(pinned) ? pinned : {};
    versions[key] = typeof version === "number" && typeof digest === "string" ? { version, digest } : null;
  }
  const digests: Record<string, string | null> = {};
  for (const [key, digest] of Object.entries(isObject(definitions) ? definitions : {})) {
    digests[key] = typeof digest === "string" ? digest : null;
  }
  return { workflows: versions, definitions: digests, ...(late === true && { late }) };
}

function insertValues(record: RunRecord): readonly SqlValue[] {
  return [...RUNS.values(record), record.state === "queued" ? 1 : 0];
}

function saveValues(record: RunRecord): readonly SqlValue[] {
  return [...SAVE.values(record), record.id, record.epoch];
}

/** Runs, steps and attempts over either database. */
export const runRecords = (sql: Sql): RunStore => ({
  putDocument: async (digest, document) => insertRows(sql, PUT_DOCUMENT, [[digest, jsonText(document)]]),
  document: (digest) => first(sql, GET_DOCUMENT, [digest], (row) => object(row, "document")),
  insert: async (...records) => insertRows(sql, INSERT, records.map(insertValues)),
  get: (id) => RUNS.one(sql, GET, [id]),
  list: (page, filter = {}) =>
    selectPage(sql, RUNS.select, filterOf(filter, sql.dialect), NEWEST, page, RUNS.read),
  goingOf: async (workflowId, most) => (await sql.all(GOING_OF, [workflowId, most])).length,
  claimAll: async (ids) => (ids.length === 0 ? [] : RUNS.all(sql, CLAIM_ALL(ids.length), ids)),
  save: (record) => changesOne(sql, SAVE.sql, saveValues(record)),
  actFor: async (id, { actsFor, actsVia }, held) =>
    exec(sql, ACT_FOR, [actsFor, actsVia, jsonText(held), id]),
  async actingFor(actors) {
    const rows = await sql.all(ACTING_FOR(actors.length), actors);
    return rows.map((row) => text(row, "id"));
  },
  repair: async (record) => exec(sql, REPAIR.sql, [...REPAIR.values(record), record.id]),
  resolve: async (id, resolved) => exec(sql, RESOLVE, [jsonText(resolved), id]),
  saveAll: async (held) => insertRows(sql, SAVE_ALL, held.map(saveValues)),
  async holdAll(runs) {
    const held = new Map<string, RunRecord["visibility"]>();
    const epochs = new Map(runs.map(({ id, epoch }) => [id, epoch]));
    const hold = (row: Row): void => {
      const id = text(row, "id");
      if (int(row, "epoch") === epochs.get(id)) held.set(id, VISIBILITY.read(row, "visibility"));
    };
    if (sql.dialect === "sqlite") {
      for (const { id } of runs) (await sql.all(HOLD, [id])).forEach(hold);
    } else if (runs.length > 0) {
      // In one order, so that two who hold several runs do not wait for each other.
      const ids = [...epochs.keys()].toSorted().join(",");
      (await sql.all(HOLD_ALL, [ids])).forEach(hold);
    }
    return held;
  },
  async want(ids, at) {
    if (sql.dialect === "sqlite") {
      // The run's row is the entry: one that waits becomes due, so that a start after a crash finds it.
      for (const id of ids) await sql.run(MAKE_DUE, [at, id, at]);
      return;
    }
    const listed = ids.join(",");
    await Promise.all([sql.run(WANT, [listed]), sql.all(TELL, [ids.length > MAX_NAMED ? "" : listed])]);
  },
  take: (worker, now, limit) => RUNS.all(sql, TAKE, [now, limit, limit, worker]),
  async heldBy(worker) {
    const rows = await sql.all(HELD_BY, [worker]);
    return rows.map((row) => ({ id: text(row, "id"), epoch: int(row, "epoch") }));
  },
  async giveBack(runs) {
    for (const { id, epoch } of runs) await sql.run(GIVE_BACK, [id, epoch]);
  },
  queued: (limit) => RUNS.all(sql, QUEUED, [limit]),
  going: (limit) => RUNS.all(sql, GOING, [limit]),
  wakeable: async (now, limit) => (await sql.all(WAKEABLE, [now, limit])).map((row) => text(row, "id")),
  ofTrace: (traceId, limit) => RUNS.all(sql, OF_TRACE, [traceId, limit]),
  nextWakeAt: () => first(sql, NEXT_WAKE, [], (row) => optText(row, "wake_at")),
  async activeCounts() {
    const row = await sql.get(ACTIVE_COUNTS, []);
    return row === undefined
      ? { queued: 0, waiting: 0, oldestQueuedAt: null }
      : {
          queued: int(row, "queued"),
          waiting: int(row, "waiting"),
          oldestQueuedAt: optText(row, "oldest"),
        };
  },
  hideOf: async (workflowId) => exec(sql, HIDE, [workflowId]),
  putSteps: async (records) => insertRows(sql, PUT_STEP, records.map(STEPS.values)),
  steps: (runId) => STEPS.all(sql, STEPS_BY, [runId]),
  async stepsOf(runIds) {
    if (runIds.length === 0) return new Map();
    if (sql.dialect === "postgres") {
      const found = (await sql.all(STEPS_OF, [runIds.join(",")])).map(STEPS.read);
      return Map.groupBy(found, ({ runId }) => runId);
    }
    return new Map(
      await Promise.all(runIds.map(async (id) => [id, await STEPS.all(sql, STEPS_BY, [id])] as const)),
    );
  },
  putAttempts: async (records) => insertRows(sql, PUT_ATTEMPT, records.map(ATTEMPTS.values)),
  attempts: (runId) => ATTEMPTS.all(sql, ATTEMPTS_OF, [runId]),
});

/** The narrowest of what has an index decides which one; the rest is looked at row by row. */
function filterOf(filter: RunFilter, dialect: Sql["dialect"]): Filter {
  const { workflowId, startedBy, states, from, to, text: part } = filter;
  const within: Condition[] = [];
  if (from !== undefined) within.push({ sql: "created_at >= ?", values: [from] });
  if (to !== undefined) within.push({ sql: "created_at < ?", values: [to] });
  const visible = listed(filter, "started_by", "visibility = 'public'");
  const inState = (states ?? []).map(stateCondition);
  const alternatives = [
    startedBy === undefined ? [] : [{ sql: "started_by = ?", values: [startedBy] }],
    // Most runs succeed: they are found soon without an index.
    states?.includes("succeeded") === true ? [] : inState,
    workflowId === undefined ? [] : [{ sql: "workflow_id = ?", values: [workflowId] }],
    visible,
  ];
  const along = alternatives.find((one) => one.length > 0) ?? [];
  const rest = [...alternatives, inState].filter((one) => one !== along);
  const only = [...new Set(rest)].flatMap(anyOf);
  if (states?.length === 0) only.push({ sql: "1 = 0", values: [] });
  if (part !== undefined) {
    // As it stands in the JSON that is stored.
    only.push(occurs(dialect, "inputs", JSON.stringify(part).slice(1, -1)));
  }
  return { along, within, only };
}

/** As the partial indexes of runs have it. */
function stateCondition(state: RunState): Condition {
  if (state === "succeeded") return { sql: "state = ?", values: [state] };
  const ended = runHasEnded(state) ? "finished_at IS NOT NULL AND state <> 'succeeded'" : ACTIVE;
  return { sql: `state = ? AND ${ended}`, values: [state] };
}
