import { Value } from "typebox/value";
import { FIRING_STATES, TRIGGER_KINDS, TriggerSettings, type FiringState } from "../../model/triggers.ts";
import type { Page, PageRequest } from "../../ports/store.ts";
import type { FiringRecord, SavedForm, TriggerRecord, TriggerStore } from "../../ports/triggers.ts";
import { NEWEST, selectPage, type Condition } from "../paging.ts";
import { int, jsonText, object, oneOf, optJson, optJsonText, optText, text } from "../rows.ts";
import { insertInto, type Row, type Sql, type SqlValue } from "../sql.ts";

const COLUMNS =
  "id, workflow_id, kind, slug, settings, acts_for, acts_via, paused_at, pause_note, due_at, fire_at, last_run_id, " +
  "revision, created_at";
const INSERT = `${insertInto("triggers", COLUMNS)} ON CONFLICT (slug) DO NOTHING`;
/** Only a schedule keeps its newest run, for its dates to wait for: webhooks would queue up for the one row of their trigger. */
const NEWEST_RUN = `CASE kind WHEN 'schedule' THEN last_run_id ELSE coalesce((SELECT f.run_id FROM trigger_firings f
  WHERE f.trigger_id = triggers.id AND f.run_id IS NOT NULL ORDER BY f.created_at DESC, f.id DESC LIMIT 1), last_run_id)
  END AS last_run_id`;
const SELECT = `SELECT ${COLUMNS.replace("last_run_id", NEWEST_RUN)} FROM triggers`;
const UPDATE = `UPDATE triggers SET slug = ?, settings = ?, acts_for = ?, acts_via = ?, paused_at = ?, pause_note = ?,
  due_at = ?, fire_at = ?, revision = ? WHERE id = ? AND revision = ?`;
const DUE = `${SELECT} WHERE fire_at <= ? AND fire_at IS NOT NULL AND paused_at IS NULL ORDER BY fire_at, id LIMIT ?`;
/** A date that another replica acts on is left to it: to wait could be to wait for each other. */
const ADVANCE = (lock: string): string => `UPDATE triggers SET due_at = ?, fire_at = ?
  WHERE id = (SELECT id FROM triggers WHERE id = ? AND due_at = ? AND paused_at IS NULL${lock})`;
const LAST_RUN = "UPDATE triggers SET last_run_id = ? WHERE id = ?";

const FIRING_COLUMNS =
  "id, trigger_id, firing_key, state, due_at, payload, run_id, depth, reason, created_at";
const INSERT_FIRING = `${insertInto("trigger_firings", FIRING_COLUMNS)} ON CONFLICT (trigger_id, firing_key) DO NOTHING`;
const SELECT_FIRING = `SELECT ${FIRING_COLUMNS} FROM trigger_firings`;
const SETTLE =
  "UPDATE trigger_firings SET state = ?, run_id = ?, reason = ?, payload = ? WHERE id = ? AND state = ?";
/** Without the triggers whose run goes on: however many wait for theirs, they do not hide the others. */
const QUEUED = `SELECT ${FIRING_COLUMNS.replaceAll(/\w+/g, "f.$&")} FROM triggers t JOIN trigger_firings f ON f.id =
  (SELECT q.id FROM trigger_firings q WHERE q.trigger_id = t.id AND q.state = 'queued' ORDER BY q.due_at, q.id LIMIT 1)
  WHERE t.paused_at IS NULL AND t.id IN (SELECT DISTINCT trigger_id FROM trigger_firings WHERE state = 'queued')
  AND (t.settings LIKE '%"overlap":"allow"%'
    OR NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = t.last_run_id AND r.finished_at IS NULL)) LIMIT ?`;
const COUNT_QUEUED = "SELECT count(*) AS many FROM trigger_firings WHERE trigger_id = ? AND state = 'queued'";
const OF_RUN = "SELECT trigger_id, depth FROM trigger_firings WHERE run_id = ?";
const TRIM = "DELETE FROM trigger_firings WHERE created_at < ? AND state <> 'queued'";
const KEEP_FORM = insertInto("saved_forms", "id, trigger_id, fields, expires_at");
const SAVED_FORM =
  "SELECT id, trigger_id, fields, expires_at FROM saved_forms WHERE id = ? AND trigger_id = ? AND expires_at > ?";
const COUNT_FORMS = "SELECT count(*) AS many FROM saved_forms WHERE trigger_id = ? AND expires_at > ?";
const CURSOR = "SELECT value FROM counters WHERE name = 'trigger_cursor'";
const SET_CURSOR = "UPDATE counters SET value = ? WHERE name = 'trigger_cursor' AND value < ?";

function trigger(row: Row): TriggerRecord {
  const settings = object(row, "settings");
  return {
    id: text(row, "id"),
    workflowId: text(row, "workflow_id"),
    kind: oneOf(row, "kind", TRIGGER_KINDS),
    slug: optText(row, "slug"),
    settings: Value.Check(TriggerSettings, settings) ? settings : {},
    actsFor: text(row, "acts_for"),
    actsVia: optText(row, "acts_via"),
    pausedAt: optText(row, "paused_at"),
    pauseNote: optText(row, "pause_note"),
    dueAt: optText(row, "due_at"),
    fireAt: optText(row, "fire_at"),
    lastRunId: optText(row, "last_run_id"),
    revision: int(row, "revision"),
    createdAt: text(row, "created_at"),
  };
}

function firing(row: Row): FiringRecord {
  return {
    id: text(row, "id"),
    triggerId: text(row, "trigger_id"),
    key: text(row, "firing_key"),
    state: oneOf(row, "state", FIRING_STATES),
    dueAt: optText(row, "due_at"),
    payload: optJson(row, "payload"),
    runId: optText(row, "run_id"),
    depth: int(row, "depth"),
    reason: optText(row, "reason"),
    createdAt: text(row, "created_at"),
  };
}

/** Triggers and their firings over either database. */
export class TriggerRecords implements TriggerStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: TriggerRecord): Promise<boolean> {
    const values: readonly SqlValue[] = [
      record.id,
      record.workflowId,
      record.kind,
      record.slug,
      jsonText(record.settings),
      record.actsFor,
      record.actsVia,
      record.pausedAt,
      record.pauseNote,
      record.dueAt,
      record.fireAt,
      record.lastRunId,
      record.revision,
      record.createdAt,
    ];
    return (await this.#sql.run(INSERT, values)) === 1;
  }

  get(id: string): Promise<TriggerRecord | null> {
    return this.#one(`${SELECT} WHERE id = ?`, id);
  }

  bySlug(slug: string): Promise<TriggerRecord | null> {
    return this.#one(`${SELECT} WHERE slug = ?`, slug);
  }

  async #one(sql: string, value: string): Promise<TriggerRecord | null> {
    const row = await this.#sql.get(sql, [value]);
    return row === undefined ? null : trigger(row);
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
    return selectPage(this.#sql, SELECT, { only: where }, NEWEST, page, trigger);
  }

  async update(record: TriggerRecord): Promise<boolean> {
    const values: readonly SqlValue[] = [
      record.slug,
      jsonText(record.settings),
      record.actsFor,
      record.actsVia,
      record.pausedAt,
      record.pauseNote,
      record.dueAt,
      record.fireAt,
      record.revision,
      record.id,
      record.revision - 1,
    ];
    return (await this.#sql.run(UPDATE, values)) === 1;
  }

  async remove(id: string): Promise<void> {
    await this.#sql.run("DELETE FROM trigger_firings WHERE trigger_id = ?", [id]);
    await this.#sql.run("DELETE FROM saved_forms WHERE trigger_id = ?", [id]);
    await this.#sql.run("DELETE FROM triggers WHERE id = ?", [id]);
  }

  async due(now: string, limit: number): Promise<readonly TriggerRecord[]> {
    return (await this.#sql.all(DUE, [now, limit])).map(trigger);
  }

  async advance(
    id: string,
    from: string,
    { dueAt, fireAt }: Pick<TriggerRecord, "dueAt" | "fireAt">,
  ): Promise<boolean> {
    const lock = this.#sql.dialect === "postgres" ? `${this.#sql.forUpdate} SKIP LOCKED` : "";
    return (await this.#sql.run(ADVANCE(lock), [dueAt, fireAt, id, from])) === 1;
  }

  async setLastRun(id: string, runId: string): Promise<void> {
    await this.#sql.run(LAST_RUN, [runId, id]);
  }

  async insertFiring(record: FiringRecord): Promise<boolean> {
    const values: readonly SqlValue[] = [
      record.id,
      record.triggerId,
      record.key,
      record.state,
      record.dueAt,
      optJsonText(record.payload),
      record.runId,
      record.depth,
      record.reason,
      record.createdAt,
    ];
    return (await this.#sql.run(INSERT_FIRING, values)) === 1;
  }

  async settle({ id, state, runId, reason, payload }: FiringRecord, from: FiringState): Promise<boolean> {
    return (await this.#sql.run(SETTLE, [state, runId, reason, optJsonText(payload), id, from])) === 1;
  }

  async firing(
    triggerId: string,
    by: { readonly key: string } | { readonly id: string },
  ): Promise<FiringRecord | null> {
    const [column, value] = "key" in by ? ["firing_key", by.key] : ["id", by.id];
    const row = await this.#sql.get(`${SELECT_FIRING} WHERE trigger_id = ? AND ${column} = ?`, [
      triggerId,
      value,
    ]);
    return row === undefined ? null : firing(row);
  }

  firings(triggerId: string, page: PageRequest): Promise<Page<FiringRecord>> {
    const where = { along: [{ sql: "trigger_id = ?", values: [triggerId] }] };
    return selectPage(this.#sql, SELECT_FIRING, where, NEWEST, page, firing);
  }

  async queued(limit: number): Promise<readonly FiringRecord[]> {
    return (await this.#sql.all(QUEUED, [limit])).map(firing);
  }

  async countQueued(triggerId: string): Promise<number> {
    const row = await this.#sql.get(COUNT_QUEUED, [triggerId]);
    return row === undefined ? 0 : int(row, "many");
  }

  async ofRun(runId: string): Promise<Pick<FiringRecord, "triggerId" | "depth"> | null> {
    const row = await this.#sql.get(OF_RUN, [runId]);
    return row === undefined ? null : { triggerId: text(row, "trigger_id"), depth: int(row, "depth") };
  }

  async trim(before: string): Promise<number> {
    await this.#sql.run("DELETE FROM saved_forms WHERE expires_at < ?", [before]);
    return this.#sql.run(TRIM, [before]);
  }

  async keepForm({ id, triggerId, fields, expiresAt }: SavedForm): Promise<void> {
    await this.#sql.run(KEEP_FORM, [id, triggerId, fields, expiresAt]);
  }

  async savedForm(triggerId: string, id: string, now: string): Promise<SavedForm | null> {
    const row = await this.#sql.get(SAVED_FORM, [id, triggerId, now]);
    return row === undefined
      ? null
      : { id, triggerId, fields: text(row, "fields"), expiresAt: text(row, "expires_at") };
  }

  async countForms(triggerId: string, now: string): Promise<number> {
    const row = await this.#sql.get(COUNT_FORMS, [triggerId, now]);
    return row === undefined ? 0 : int(row, "many");
  }

  async dropForm(id: string): Promise<void> {
    await this.#sql.run("DELETE FROM saved_forms WHERE id = ?", [id]);
  }

  async cursor(): Promise<number> {
    const row = await this.#sql.get(CURSOR, []);
    return row === undefined ? 0 : int(row, "value");
  }

  async setCursor(sequence: number): Promise<void> {
    await this.#sql.run(SET_CURSOR, [sequence, sequence]);
  }
}
