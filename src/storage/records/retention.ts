import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { OldRuns, RetentionRule, RetentionStore, RunPlace } from "../../ports/retention.ts";
import type { Page } from "../../ports/store.ts";
import { NEWEST, selectPage, type Condition, type Filter, type Order } from "../paging.ts";
import { int, text } from "../rows.ts";
import { marks, type Row, type SqlValue, type Sql } from "../sql.ts";
import { changesOne, insertRows } from "./statements.ts";
import { column, is, table } from "../table.ts";

/** The rule of all workflows has no id of one; a key cannot be null. */
const ALL = "";
const RULES = table<RetentionRule>("retention_rules", {
  workflowId: column(
    (row, name) => text(row, name) || null,
    (id) => id ?? ALL,
  ),
  detailsDays: is.optInt,
  runsDays: is.optInt,
  runsKept: is.optInt,
  updatedAt: is.text,
  updatedBy: is.text,
});
const PUT_RULE = RULES.upsert("workflowId");
const REMOVE_RULE = "DELETE FROM retention_rules WHERE workflow_id = ?";
const WORKFLOW_IDS = "SELECT id FROM workflows WHERE id > ? ORDER BY id LIMIT ?";

/** The conditions of the two indexes. */
const STAGES = {
  details: "finished_at IS NOT NULL AND parent_run_id IS NULL AND details_removed_at IS NULL",
  run: "details_removed_at IS NOT NULL AND parent_run_id IS NULL",
} as const;
/** An open handoff still reports to its run, and a run that was started by it may still end. */
const NOTHING_OPEN = `NOT EXISTS (SELECT 1 FROM handoffs h WHERE h.run_id = runs.id AND h.next_attempt_at IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_run_id = runs.id AND c.finished_at IS NULL)`;

/** What of a run goes first, in an order that no reference stands against. */
const DETAILS: readonly string[] = [
  ...["approval_assignees", "approval_votes", "approval_comments", "approval_shown", "notifications"].map(
    (table) => `DELETE FROM ${table} WHERE approval_id IN (SELECT id FROM approvals WHERE run_id IN (?))`,
  ),
  "DELETE FROM approvals WHERE run_id IN (?)",
  "DELETE FROM run_signals WHERE run_id IN (?)",
  "DELETE FROM event_waits WHERE run_id IN (?)",
  "DELETE FROM attempts WHERE run_id IN (?)",
  "DELETE FROM steps WHERE run_id IN (?)",
  "DELETE FROM connection_calls WHERE run_id IN (?)",
  "UPDATE trigger_firings SET payload = NULL, headers = NULL WHERE run_id IN (?)",
];

/** What was sent and started no run belongs to no run's details. */
const FAILED_PAYLOADS = `UPDATE trigger_firings SET payload = NULL, headers = NULL WHERE id IN (SELECT id FROM trigger_firings
  WHERE trigger_id IN (SELECT id FROM triggers WHERE workflow_id = ?) AND state = 'failed' AND payload IS NOT NULL
  AND created_at < ? LIMIT ?)`;

const OLDEST: Order = { ...NEWEST, direction: "ASC" };
const COUNTED_AT_ONCE = 500;

function place(row: Row): RunPlace {
  return { createdAt: text(row, "created_at"), id: text(row, "id") };
}

/** The rules of retention and what they remove, over either database. */
export const retentionRecords = (sql: Sql): RetentionStore => ({
  rules: () => RULES.all(sql, `${RULES.select} ORDER BY workflow_id`, []),
  put: async (rule) => insertRows(sql, PUT_RULE, [RULES.values(rule)]),
  remove: (workflowId) => changesOne(sql, REMOVE_RULE, [workflowId ?? ALL]),
  workflowIds: async (after, limit) =>
    (await sql.all(WORKFLOW_IDS, [after, limit])).map((row) => text(row, "id")),
  async firstBeyond(workflowId, kept) {
    const of = ofWorkflow(workflowId);
    const row = await sql.get(
      `SELECT created_at, id FROM runs WHERE ${of.sql} AND finished_at IS NOT NULL AND parent_run_id IS NULL
       ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?`,
      [...of.values, kept],
    );
    return row === undefined ? null : place(row);
  },
  async count(runs, most) {
    let count = 0;
    for (let cursor: string | null = ""; cursor !== null && count < most;) {
      // Beside a page's own windows: a preview counts for many workflows.
      await yieldToEventLoop();
      const page: Page<Row> = await selectPage(
        sql,
        "SELECT created_at, id FROM runs",
        selected(runs),
        OLDEST,
        { limit: COUNTED_AT_ONCE, ...(cursor !== "" && { cursor }) },
        (row) => row,
      );
      count += page.items.length;
      cursor = page.nextCursor;
    }
    return Math.min(count, most);
  },
  async removeDetails(runs, limit, at) {
    const roots = await hold(sql, runs, limit);
    const all = await withDescendants(sql, roots);
    await Promise.all([
      ...DETAILS.map((statement) => each(sql, statement, all)),
      each(
        sql,
        "UPDATE runs SET inputs = '{}', outputs = NULL, error = NULL, resolved = NULL, repairs = NULL, details_removed_at = ? WHERE id IN (?)",
        all,
        [at],
      ),
    ]);
    return roots.length;
  },
  async removeRuns(runs, limit) {
    const roots = await hold(sql, runs, limit);
    const all = await withDescendants(sql, roots);
    await Promise.all([
      each(sql, "UPDATE handoffs SET run_id = NULL WHERE run_id IN (?)", all),
      // Those that were started last go first: none refers to a run that is gone.
      each(sql, "DELETE FROM runs WHERE id IN (?)", all.toReversed()),
    ]);
    return roots.length;
  },
  removePayloads: (workflowId, before, limit) => sql.run(FAILED_PAYLOADS, [workflowId, before, limit]),
  async reclaim() {
    if (sql.dialect === "postgres") return 0;
    // A file that an older build made is not arranged for it: its free pages are used again, and it stays as large.
    const mode = await sql.get("PRAGMA auto_vacuum", []);
    if (mode === undefined || int(mode, "auto_vacuum") !== INCREMENTAL) return 0;
    await sql.all(RECLAIM, []);
    const left = await sql.get("PRAGMA freelist_count", []);
    return left === undefined ? 0 : int(left, "freelist_count");
  },
});

async function hold(sql: Sql, runs: OldRuns, limit: number): Promise<readonly string[]> {
  const { along, within, only } = selected(runs);
  const all = [...along, ...within, ...only];
  const where = all.map((one) => one.sql).join(" AND ");
  const skip = sql.dialect === "postgres" ? " FOR UPDATE SKIP LOCKED" : "";
  const rows = await sql.all(`SELECT id FROM runs WHERE ${where} ORDER BY created_at, id LIMIT ?${skip}`, [
    ...all.flatMap(({ values }) => values),
    limit,
  ]);
  return rows.map((row) => text(row, "id"));
}

async function withDescendants(sql: Sql, roots: readonly string[]): Promise<readonly string[]> {
  const all = [...roots];
  for (let level = roots; level.length > 0;) {
    const found: string[] = [];
    for (const piece of pieces(level)) {
      const rows = await sql.all(CHILDREN, piece);
      found.push(...rows.map((row) => text(row, "id")));
    }
    all.push(...found);
    level = found;
  }
  return all;
}

/** Runs a statement whose `IN (?)` takes many ids, in pieces. All are sent before it returns, one behind the other. */
function each(
  sql: Sql,
  statement: string,
  ids: readonly string[],
  before: readonly SqlValue[] = [],
): Promise<unknown> {
  const inPieces = statement.replace("IN (?)", `IN (${marks(PIECE)})`);
  return Promise.all(pieces(ids).map((piece) => sql.run(inPieces, [...before, ...piece])));
}

const PIECE = 50;
const CHILDREN = `SELECT id FROM runs WHERE parent_run_id IN (${marks(PIECE)})`;
const INCREMENTAL = 2;
/** One piece takes about a millisecond. */
const RECLAIM = "PRAGMA incremental_vacuum(200)";

/** Lists of one length, filled up with ids of nothing: a statement for them is prepared once. */
function pieces(ids: readonly string[]): readonly (readonly string[])[] {
  const starts = Array.from({ length: Math.ceil(ids.length / PIECE) }, (_, index) => index * PIECE);
  return starts.map((start) => {
    const piece = ids.slice(start, start + PIECE);
    return [...piece, ...Array.from({ length: PIECE - piece.length }, () => "")];
  });
}

function ofWorkflow(workflowId: string | null): Condition {
  return workflowId === null
    ? { sql: "workflow_id IS NULL", values: [] }
    : { sql: "workflow_id = ?", values: [workflowId] };
}

function selected({ workflowId, stage, endedBefore, upTo }: OldRuns): Required<Filter> {
  const { sql, values } = ofWorkflow(workflowId);
  const within: Condition[] = [];
  const only: Condition[] = [{ sql: NOTHING_OPEN, values: [] }];
  if (endedBefore !== null) {
    // A run ends after it was created: the first condition is what the index is read by.
    within.push({ sql: "created_at < ?", values: [endedBefore] });
    only.push({ sql: "finished_at < ?", values: [endedBefore] });
  }
  if (upTo !== null) within.push({ sql: "(created_at, id) <= (?, ?)", values: [upTo.createdAt, upTo.id] });
  return { along: [{ sql: `${sql} AND ${STAGES[stage]}`, values }], within, only };
}
