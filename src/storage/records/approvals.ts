import { APPROVAL_STATES, type ApprovalRecord, type ApprovalState } from "../../ports/records.ts";
import type { ApprovalStore, Page, PageRequest } from "../../ports/store.ts";
import { NEWEST, selectPage, type Condition } from "../paging.ts";
import { jsonText, object, oneOf, optJsonText, optObject, optText, strings, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS =
  "id, run_id, step_id, state, title, shown, shown_digest, form_schema, approvers, expires_at, created_at, " +
  "decided_at, decided_by, reason, answers";
const INSERT = insertInto("approvals", COLUMNS);
const SELECT = `SELECT ${COLUMNS} FROM approvals`;
const GET = `${SELECT} WHERE id = ?`;
const DECIDE = `UPDATE approvals SET state = ?, decided_at = ?, decided_by = ?, reason = ?, answers = ?
  WHERE id = ? AND state = 'pending'`;
const EXPIRED = `${SELECT} WHERE state = 'pending' AND expires_at IS NOT NULL AND expires_at <= ?
  ORDER BY expires_at, id LIMIT ?`;

function approval(row: Row): ApprovalRecord {
  return {
    id: text(row, "id"),
    runId: text(row, "run_id"),
    stepId: text(row, "step_id"),
    state: oneOf(row, "state", APPROVAL_STATES),
    title: text(row, "title"),
    shown: object(row, "shown"),
    shownDigest: text(row, "shown_digest"),
    formSchema: optObject(row, "form_schema"),
    approvers: strings(row, "approvers"),
    expiresAt: optText(row, "expires_at"),
    createdAt: text(row, "created_at"),
    decidedAt: optText(row, "decided_at"),
    decidedBy: optText(row, "decided_by"),
    reason: optText(row, "reason"),
    values: optObject(row, "answers"),
  };
}

/** Approvals over either database. */
export class ApprovalRecords implements ApprovalStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: ApprovalRecord): Promise<void> {
    await this.#sql.run(INSERT, [
      record.id,
      record.runId,
      record.stepId,
      record.state,
      record.title,
      jsonText(record.shown),
      record.shownDigest,
      optJsonText(record.formSchema),
      jsonText(record.approvers),
      record.expiresAt,
      record.createdAt,
      record.decidedAt,
      record.decidedBy,
      record.reason,
      optJsonText(record.values),
    ]);
  }

  async get(id: string): Promise<ApprovalRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : approval(row);
  }

  list(
    page: PageRequest,
    filter: { state?: ApprovalState; runId?: string } = {},
  ): Promise<Page<ApprovalRecord>> {
    const where: Condition[] = [];
    if (filter.state !== undefined) where.push({ sql: "state = ?", values: [filter.state] });
    if (filter.runId !== undefined) where.push({ sql: "run_id = ?", values: [filter.runId] });
    return selectPage(this.#sql, SELECT, where, NEWEST, page, approval);
  }

  async decide(record: ApprovalRecord): Promise<boolean> {
    const changed = await this.#sql.run(DECIDE, [
      record.state,
      record.decidedAt,
      record.decidedBy,
      record.reason,
      optJsonText(record.values),
      record.id,
    ]);
    return changed === 1;
  }

  async expired(now: string, limit: number): Promise<readonly ApprovalRecord[]> {
    return (await this.#sql.all(EXPIRED, [now, limit])).map(approval);
  }
}
