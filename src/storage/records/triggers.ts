import type { Sql } from "../sql.ts";
import { FIRING_STATES, TRIGGER_KINDS, TriggerSettings } from "../../model/triggers.ts";
import type { FiringRecord, SavedForm, TriggerRecord, TriggerStore } from "../../ports/triggers.ts";
import { NEWEST, selectPage, type Condition } from "../paging.ts";
import { int, text } from "../rows.ts";
import { changesOne, exec, numberOf, first } from "./statements.ts";
import { is, named, table } from "../table.ts";

const TRIGGERS = table<TriggerRecord>("triggers", {
  id: is.text,
  workflowId: is.text,
  kind: is.oneOf(TRIGGER_KINDS),
  slug: is.optText,
  settings: is.shaped(TriggerSettings, {}),
  actsFor: is.text,
  actsVia: is.optText,
  pausedAt: is.optText,
  pauseNote: is.optText,
  dueAt: is.optText,
  fireAt: is.optText,
  lastRunId: is.optText,
  revision: is.int,
  createdAt: is.text,
});
/** Only a schedule keeps its newest run, for its dates to wait for: webhooks would queue up for the one row of their trigger. */
const NEWEST_RUN = `CASE kind WHEN 'schedule' THEN last_run_id ELSE coalesce((SELECT f.run_id FROM trigger_firings f
  WHERE f.trigger_id = triggers.id AND f.run_id IS NOT NULL ORDER BY f.created_at DESC, f.id DESC LIMIT 1), last_run_id)
  END AS last_run_id`;
const SELECT = TRIGGERS.select.replace("last_run_id", NEWEST_RUN);
const COUNT_OF_WORKFLOW = "SELECT count(*) AS many FROM triggers WHERE workflow_id = ?";
const COUNT_OF_KIND = "SELECT count(*) AS many FROM triggers WHERE kind = ?";
const INSERT = `${TRIGGERS.insert} ON CONFLICT (slug) DO NOTHING`;
const UPDATE = TRIGGERS.update(
  ["slug", "settings", "actsFor", "actsVia", "pausedAt", "pauseNote", "dueAt", "fireAt", "revision"],
  "WHERE id = ? AND revision = ?",
);
const DUE = `${SELECT} WHERE fire_at <= ? AND fire_at IS NOT NULL AND paused_at IS NULL ORDER BY fire_at, id LIMIT ?`;
/** A date that another replica acts on is left to it: to wait could be to wait for each other. */
const ADVANCE = (lock: string): string => `UPDATE triggers SET due_at = ?, fire_at = ?
  WHERE id = (SELECT id FROM triggers WHERE id = ? AND due_at = ? AND paused_at IS NULL${lock})`;
const LAST_RUN = "UPDATE triggers SET last_run_id = ? WHERE id = ?";

const FIRINGS = table<FiringRecord>("trigger_firings", {
  id: is.text,
  triggerId: is.text,
  key: named("firing_key", is.text),
  state: is.oneOf(FIRING_STATES),
  dueAt: is.optText,
  payload: is.optJson,
  headers: is.optObject,
  runId: is.optText,
  depth: is.int,
  reason: is.optText,
  createdAt: is.text,
});
const INSERT_FIRING = `${FIRINGS.insert} ON CONFLICT (trigger_id, firing_key) DO NOTHING`;
const SETTLE = FIRINGS.update(
  ["state", "runId", "reason", "payload", "headers"],
  "WHERE id = ? AND state = ?",
);
/** Without the triggers whose run goes on: however many wait for theirs, they do not hide the others. */
const QUEUED = `SELECT ${FIRINGS.columnsOf("f")} FROM triggers t JOIN trigger_firings f ON f.id =
  (SELECT q.id FROM trigger_firings q WHERE q.trigger_id = t.id AND q.state = 'queued' ORDER BY q.due_at, q.id LIMIT 1)
  WHERE t.paused_at IS NULL AND t.id IN (SELECT DISTINCT trigger_id FROM trigger_firings WHERE state = 'queued')
  AND (t.settings LIKE '%"overlap":"allow"%'
    OR NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = t.last_run_id AND r.finished_at IS NULL)) LIMIT ?`;
const COUNT_QUEUED = "SELECT count(*) AS many FROM trigger_firings WHERE trigger_id = ? AND state = 'queued'";
const OF_RUN = "SELECT trigger_id, depth FROM trigger_firings WHERE run_id = ?";
const TRIM = "DELETE FROM trigger_firings WHERE created_at < ? AND state <> 'queued'";
const FORMS = table<SavedForm>("saved_forms", {
  id: is.text,
  triggerId: is.text,
  fields: is.text,
  expiresAt: is.text,
});
const SAVED_FORM = `${FORMS.select} WHERE id = ? AND trigger_id = ? AND expires_at > ?`;
const COUNT_FORMS = "SELECT count(*) AS many FROM saved_forms WHERE trigger_id = ? AND expires_at > ?";
const CURSOR = "SELECT value FROM counters WHERE name = 'trigger_cursor'";
const SET_CURSOR = "UPDATE counters SET value = ? WHERE name = 'trigger_cursor' AND value < ?";

/** Triggers and their firings over either database. */
export const triggerRecords = (sql: Sql): TriggerStore => ({
  insert: (record) => changesOne(sql, INSERT, TRIGGERS.values(record)),
  get: (id) => TRIGGERS.one(sql, `${SELECT} WHERE id = ?`, [id]),
  bySlug: (slug) => TRIGGERS.one(sql, `${SELECT} WHERE slug = ?`, [slug]),
  list(page, filter = {}) {
    const where: Condition[] = [];
    const { workflowId, kind, ownedBy } = filter;
    for (const [column, value] of [
      ["workflow_id", workflowId],
      ["kind", kind],
      ["acts_for", ownedBy],
    ] as const)
      if (value !== undefined) where.push({ sql: `${column} = ?`, values: [value] });
    return selectPage(sql, SELECT, { only: where }, NEWEST, page, TRIGGERS.read);
  },
  async count(of) {
    const row =
      "kind" in of
        ? await sql.get(COUNT_OF_KIND, [of.kind])
        : await sql.get(COUNT_OF_WORKFLOW, [of.workflowId]);
    return row === undefined ? 0 : int(row, "many");
  },
  async update(record) {
    const values = [...UPDATE.values(record), record.id, record.revision - 1];
    return changesOne(sql, UPDATE.sql, values);
  },
  async remove(id) {
    await sql.run("DELETE FROM trigger_firings WHERE trigger_id = ?", [id]);
    await sql.run("DELETE FROM saved_forms WHERE trigger_id = ?", [id]);
    await sql.run("DELETE FROM triggers WHERE id = ?", [id]);
  },
  due: (now, limit) => TRIGGERS.all(sql, DUE, [now, limit]),
  async advance(id, from, { dueAt, fireAt }) {
    const lock = sql.dialect === "postgres" ? `${sql.forUpdate} SKIP LOCKED` : "";
    return changesOne(sql, ADVANCE(lock), [dueAt, fireAt, id, from]);
  },
  setLastRun: async (id, runId) => exec(sql, LAST_RUN, [runId, id]),
  insertFiring: (record) => changesOne(sql, INSERT_FIRING, FIRINGS.values(record)),
  settle: (record, from) => changesOne(sql, SETTLE.sql, [...SETTLE.values(record), record.id, from]),
  firing(triggerId, by) {
    const [column, value] = "key" in by ? ["firing_key", by.key] : ["id", by.id];
    return FIRINGS.one(sql, `${FIRINGS.select} WHERE trigger_id = ? AND ${column} = ?`, [triggerId, value]);
  },
  firings(triggerId, page) {
    const where = { along: [{ sql: "trigger_id = ?", values: [triggerId] }] };
    return selectPage(sql, FIRINGS.select, where, NEWEST, page, FIRINGS.read);
  },
  queued: (limit) => FIRINGS.all(sql, QUEUED, [limit]),
  countQueued: (triggerId) => numberOf(sql, COUNT_QUEUED, [triggerId], "many"),
  ofRun: (runId) =>
    first(sql, OF_RUN, [runId], (row) => ({ triggerId: text(row, "trigger_id"), depth: int(row, "depth") })),
  async trim(before) {
    await sql.run("DELETE FROM saved_forms WHERE expires_at < ?", [before]);
    return sql.run(TRIM, [before]);
  },
  keepForm: async (form) => exec(sql, FORMS.insert, FORMS.values(form)),
  savedForm: (triggerId, id, now) => FORMS.one(sql, SAVED_FORM, [id, triggerId, now]),
  countForms: (triggerId, now) => numberOf(sql, COUNT_FORMS, [triggerId, now], "many"),
  dropForm: async (id) => exec(sql, "DELETE FROM saved_forms WHERE id = ?", [id]),
  cursor: () => numberOf(sql, CURSOR, [], "value"),
  setCursor: async (sequence) => exec(sql, SET_CURSOR, [sequence, sequence]),
});
