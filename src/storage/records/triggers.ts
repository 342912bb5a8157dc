import { FIRING_STATES, TRIGGER_KINDS, TriggerSettings, type FiringState } from "../../model/triggers.ts";
import type { Page, PageRequest } from "../../ports/store.ts";
import type { FiringRecord, SavedForm, TriggerRecord, TriggerStore } from "../../ports/triggers.ts";
import { NEWEST, selectPage, type Condition } from "../paging.ts";
import { int, text } from "../rows.ts";
import { OverSql } from "./over-sql.ts";
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
export class TriggerRecords extends OverSql implements TriggerStore {
  insert(record: TriggerRecord): Promise<boolean> {
    return this.changesOne(INSERT, TRIGGERS.values(record));
  }

  get(id: string): Promise<TriggerRecord | null> {
    return TRIGGERS.one(this.sql, `${SELECT} WHERE id = ?`, [id]);
  }

  bySlug(slug: string): Promise<TriggerRecord | null> {
    return TRIGGERS.one(this.sql, `${SELECT} WHERE slug = ?`, [slug]);
  }

  list(page: PageRequest, filter: Parameters<TriggerStore["list"]>[1] = {}): Promise<Page<TriggerRecord>> {
    const where: Condition[] = [];
    const { workflowId, kind, ownedBy } = filter;
    for (const [column, value] of [
      ["workflow_id", workflowId],
      ["kind", kind],
      ["acts_for", ownedBy],
    ] as const)
      if (value !== undefined) where.push({ sql: `${column} = ?`, values: [value] });
    return selectPage(this.sql, SELECT, { only: where }, NEWEST, page, TRIGGERS.read);
  }

  async count(of: Parameters<TriggerStore["count"]>[0]): Promise<number> {
    const row =
      "kind" in of
        ? await this.sql.get(COUNT_OF_KIND, [of.kind])
        : await this.sql.get(COUNT_OF_WORKFLOW, [of.workflowId]);
    return row === undefined ? 0 : int(row, "many");
  }

  async update(record: TriggerRecord): Promise<boolean> {
    const values = [...UPDATE.values(record), record.id, record.revision - 1];
    return this.changesOne(UPDATE.sql, values);
  }

  async remove(id: string): Promise<void> {
    await this.sql.run("DELETE FROM trigger_firings WHERE trigger_id = ?", [id]);
    await this.sql.run("DELETE FROM saved_forms WHERE trigger_id = ?", [id]);
    await this.sql.run("DELETE FROM triggers WHERE id = ?", [id]);
  }

  due(now: string, limit: number): Promise<readonly TriggerRecord[]> {
    return TRIGGERS.all(this.sql, DUE, [now, limit]);
  }

  async advance(
    id: string,
    from: string,
    { dueAt, fireAt }: Pick<TriggerRecord, "dueAt" | "fireAt">,
  ): Promise<boolean> {
    const lock = this.sql.dialect === "postgres" ? `${this.sql.forUpdate} SKIP LOCKED` : "";
    return this.changesOne(ADVANCE(lock), [dueAt, fireAt, id, from]);
  }

  async setLastRun(id: string, runId: string): Promise<void> {
    await this.sql.run(LAST_RUN, [runId, id]);
  }

  insertFiring(record: FiringRecord): Promise<boolean> {
    return this.changesOne(INSERT_FIRING, FIRINGS.values(record));
  }

  settle(record: FiringRecord, from: FiringState): Promise<boolean> {
    return this.changesOne(SETTLE.sql, [...SETTLE.values(record), record.id, from]);
  }

  firing(
    triggerId: string,
    by: { readonly key: string } | { readonly id: string },
  ): Promise<FiringRecord | null> {
    const [column, value] = "key" in by ? ["firing_key", by.key] : ["id", by.id];
    return FIRINGS.one(this.sql, `${FIRINGS.select} WHERE trigger_id = ? AND ${column} = ?`, [
      triggerId,
      value,
    ]);
  }

  firings(triggerId: string, page: PageRequest): Promise<Page<FiringRecord>> {
    const where = { along: [{ sql: "trigger_id = ?", values: [triggerId] }] };
    return selectPage(this.sql, FIRINGS.select, where, NEWEST, page, FIRINGS.read);
  }

  queued(limit: number): Promise<readonly FiringRecord[]> {
    return FIRINGS.all(this.sql, QUEUED, [limit]);
  }

  async countQueued(triggerId: string): Promise<number> {
    const row = await this.sql.get(COUNT_QUEUED, [triggerId]);
    return row === undefined ? 0 : int(row, "many");
  }

  async ofRun(runId: string): Promise<Pick<FiringRecord, "triggerId" | "depth"> | null> {
    const row = await this.sql.get(OF_RUN, [runId]);
    return row === undefined ? null : { triggerId: text(row, "trigger_id"), depth: int(row, "depth") };
  }

  async trim(before: string): Promise<number> {
    await this.sql.run("DELETE FROM saved_forms WHERE expires_at < ?", [before]);
    return this.sql.run(TRIM, [before]);
  }

  async keepForm(form: SavedForm): Promise<void> {
    await this.sql.run(FORMS.insert, FORMS.values(form));
  }

  savedForm(triggerId: string, id: string, now: string): Promise<SavedForm | null> {
    return FORMS.one(this.sql, SAVED_FORM, [id, triggerId, now]);
  }

  async countForms(triggerId: string, now: string): Promise<number> {
    const row = await this.sql.get(COUNT_FORMS, [triggerId, now]);
    return row === undefined ? 0 : int(row, "many");
  }

  async dropForm(id: string): Promise<void> {
    await this.sql.run("DELETE FROM saved_forms WHERE id = ?", [id]);
  }

  async cursor(): Promise<number> {
    const row = await this.sql.get(CURSOR, []);
    return row === undefined ? 0 : int(row, "value");
  }

  async setCursor(sequence: number): Promise<void> {
    await this.sql.run(SET_CURSOR, [sequence, sequence]);
  }
}
