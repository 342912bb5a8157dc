import { VERDICTS, APPROVAL_STATES } from "../../model/states.ts";
import { isObject } from "../../kernel/json.ts";
import { decisionProofIn } from "../../kernel/webauthn.ts";
import {
  type AbsenceRecord,
  type ApprovalComment,
  type ApprovalFilter,
  type ApprovalStore,
  type ApprovalVote,
  type DecidedVia,
  type Delegation,
  type ShownRecord,
} from "../../ports/approvals.ts";
import { type ApprovalRecord } from "../../ports/records.ts";
import type { Page, PageRequest } from "../../ports/store.ts";
import { narrowed, NEWEST, selectPage, type Condition } from "../paging.ts";
import {
  int,
  jsonText,
  object,
  oneOf,
  optJson,
  optJsonText,
  optObject,
  optText,
  strings,
  text,
} from "../rows.ts";
import { insertInto, marks, type Row, type Sql } from "../sql.ts";

const COLUMNS =
  "id, run_id, step_id, state, title, shown, shown_digest, form_schema, approvers, required, step_up, delegations, " +
  "claimed_by, due_at, expires_at, created_at, decided_at, decided_by, decided_via, reason, answers";
const INSERT = insertInto("approvals", COLUMNS);
const SELECT = `SELECT ${COLUMNS} FROM approvals`;
const WAITING_SINCE =
  "SELECT created_at FROM approvals WHERE state = 'pending' ORDER BY created_at, id LIMIT ?";
const GET = `${SELECT} WHERE id = ?`;
const DECIDE = `UPDATE approvals SET state = ?, decided_at = ?, decided_by = ?, decided_via = ?, reason = ?, answers = ?
  WHERE id = ? AND state = 'pending'`;
const ASSIGN = `UPDATE approvals SET approvers = ?, delegations = ?, claimed_by = ? WHERE id = ? AND state = 'pending'`;
const PREVIOUS = `SELECT ${COLUMNS.replaceAll(/\w+/g, "a.$&")} FROM approvals a JOIN runs r ON r.id = a.run_id
  WHERE r.workflow_id = ? AND a.step_id = ? AND a.decided_at IS NOT NULL AND a.decided_at < ?
  ORDER BY a.decided_at DESC, a.id DESC LIMIT 1`;
const ADD_ASSIGNEE = insertInto("approval_assignees", "approval_id, entry");
const DROP_ASSIGNEES = "DELETE FROM approval_assignees WHERE approval_id = ?";
const VOTE_COLUMNS = "approval_id, voter, via, seat, verdict, reason, at, assertion";
const VOTE = `${insertInto("approval_votes", VOTE_COLUMNS)} ON CONFLICT DO NOTHING`;
const VOTES = `SELECT ${VOTE_COLUMNS} FROM approval_votes WHERE approval_id = ? ORDER BY at, voter`;
const NOTE_SHOWN = `${insertInto("approval_shown", "approval_id, client, shown_digest, at")}
  ON CONFLICT (approval_id, client) DO UPDATE SET shown_digest = excluded.shown_digest, at = excluded.at`;
const FORGET_SHOWN = "DELETE FROM approval_shown WHERE at < ?";
const SHOWN_TO = "SELECT shown_digest FROM approval_shown WHERE approval_id = ? AND client = ? AND at >= ?";
const COMMENT_COLUMNS = "id, approval_id, author, body, created_at";
const COMMENT = insertInto("approval_comments", COMMENT_COLUMNS);
const COMMENTS = `SELECT ${COMMENT_COLUMNS} FROM approval_comments WHERE approval_id = ?
  ORDER BY created_at, id LIMIT ?`;
const ABSENCE_COLUMNS = "person_id, substitute_id, from_at, until_at, created_at";
const PUT_ABSENCE = `${insertInto("absences", ABSENCE_COLUMNS)} ON CONFLICT (person_id) DO UPDATE SET
  substitute_id = excluded.substitute_id, from_at = excluded.from_at, until_at = excluded.until_at,
  created_at = excluded.created_at`;
const ABSENCE = `SELECT ${ABSENCE_COLUMNS} FROM absences WHERE person_id = ?`;
const DROP_ABSENCE = "DELETE FROM absences WHERE person_id = ?";
const SUBSTITUTED = `SELECT ${ABSENCE_COLUMNS} FROM absences WHERE substitute_id = ? AND from_at <= ? AND until_at > ?
  ORDER BY person_id`;
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
    required: int(row, "required"),
    stepUp: int(row, "step_up") === 1,
    delegations: delegations(row),
    claimedBy: optText(row, "claimed_by"),
    dueAt: optText(row, "due_at"),
    expiresAt: optText(row, "expires_at"),
    createdAt: text(row, "created_at"),
    decidedAt: optText(row, "decided_at"),
    decidedBy: optText(row, "decided_by"),
    decidedVia: via(row, "decided_via"),
    reason: optText(row, "reason"),
    values: optObject(row, "answers"),
  };
}

function delegations(row: Row): readonly Delegation[] {
  const stored = optJson(row, "delegations");
  if (!Array.isArray(stored)) throw new TypeError("approvals.delegations is not a list");
  return stored.map((item): Delegation => {
    const { from, to, at } = isObject(item) ? item : {};
    if (typeof from !== "string" || typeof to !== "string" || typeof at !== "string") {
      throw new TypeError("approvals.delegations holds something else");
    }
    return { from, to, at };
  });
}

function via(row: Row, column: string): DecidedVia | null {
  const { kind, id, name } = optObject(row, column) ?? {};
  const known = kind === "oauth" || kind === "token" || kind === "key" ? kind : null;
  return known === null || typeof id !== "string" || typeof name !== "string"
    ? null
    : { kind: known, id, name };
}

function vote(row: Row): ApprovalVote {
  return {
    approvalId: text(row, "approval_id"),
    voter: text(row, "voter"),
    via: via(row, "via"),
    seat: text(row, "seat"),
    verdict: oneOf(row, "verdict", VERDICTS),
    reason: optText(row, "reason"),
    at: text(row, "at"),
    assertion: decisionProofIn(optJson(row, "assertion")),
  };
}

function comment(row: Row): ApprovalComment {
  return {
    id: text(row, "id"),
    approvalId: text(row, "approval_id"),
    author: text(row, "author"),
    body: text(row, "body"),
    createdAt: text(row, "created_at"),
  };
}

function absence(row: Row): AbsenceRecord {
  return {
    personId: text(row, "person_id"),
    substituteId: text(row, "substitute_id"),
    fromAt: text(row, "from_at"),
    untilAt: text(row, "until_at"),
    createdAt: text(row, "created_at"),
  };
}

/** What an inbox finds an approval by. Ids of keys keep their case. */
function assigneesOf({ approvers, delegations: given }: ApprovalRecord): readonly string[] {
  if (approvers.length === 0) return ["*", ...given.map(({ to }) => `person:${to}`)];
  const named = approvers.map((entry) => (entry.includes(":") ? entry.toLowerCase() : entry));
  return [...new Set([...named, ...given.map(({ to }) => `person:${to}`)])];
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
      record.required,
      record.stepUp ? 1 : 0,
      jsonText(record.delegations),
      record.claimedBy,
      record.dueAt,
      record.expiresAt,
      record.createdAt,
      record.decidedAt,
      record.decidedBy,
      optJsonText(record.decidedVia),
      record.reason,
      optJsonText(record.values),
    ]);
    await this.#putAssignees(record);
  }

  async get(id: string): Promise<ApprovalRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : approval(row);
  }

  async lock(id: string): Promise<ApprovalRecord | null> {
    const row = await this.#sql.get(GET + this.#sql.forUpdate, [id]);
    return row === undefined ? null : approval(row);
  }

  list(page: PageRequest, filter: ApprovalFilter = {}): Promise<Page<ApprovalRecord>> {
    const where: Condition[] = [];
    if (filter.runId !== undefined) where.push({ sql: "run_id = ?", values: [filter.runId] });
    if (filter.state === "pending") where.push({ sql: "state = 'pending'", values: [] });
    const only: Condition[] = [];
    if (filter.state !== undefined && filter.state !== "pending")
      only.push({ sql: "state = ?", values: [filter.state] });
    if (filter.assigned !== undefined) {
      only.push({
        sql: `id IN (SELECT approval_id FROM approval_assignees WHERE entry IN (${marks(filter.assigned.length)}))`,
        values: filter.assigned,
      });
    }
    return selectPage(this.#sql, SELECT, narrowed(where, only), NEWEST, page, approval);
  }

  async waitingSince(limit: number): Promise<readonly string[]> {
    return (await this.#sql.all(WAITING_SINCE, [limit])).map((row) => text(row, "created_at"));
  }

  async decide(record: ApprovalRecord): Promise<boolean> {
    const changed = await this.#sql.run(DECIDE, [
      record.state,
      record.decidedAt,
      record.decidedBy,
      optJsonText(record.decidedVia),
      record.reason,
      optJsonText(record.values),
      record.id,
    ]);
    return changed === 1;
  }

  async assign(record: ApprovalRecord): Promise<boolean> {
    const { approvers, delegations: given, claimedBy, id } = record;
    const changed = await this.#sql.run(ASSIGN, [jsonText(approvers), jsonText(given), claimedBy, id]);
    if (changed !== 1) return false;
    await this.#sql.run(DROP_ASSIGNEES, [id]);
    await this.#putAssignees(record);
    return true;
  }

  async previous(workflowId: string, stepId: string, before: string): Promise<ApprovalRecord | null> {
    const row = await this.#sql.get(PREVIOUS, [workflowId, stepId, before]);
    return row === undefined ? null : approval(row);
  }

  async vote(record: ApprovalVote): Promise<boolean> {
    const { approvalId, voter, seat, verdict, reason, at } = record;
    const [used, assertion] = [optJsonText(record.via), optJsonText(record.assertion)];
    return (await this.#sql.run(VOTE, [approvalId, voter, used, seat, verdict, reason, at, assertion])) === 1;
  }

  async votes(approvalId: string): Promise<readonly ApprovalVote[]> {
    return (await this.#sql.all(VOTES, [approvalId])).map(vote);
  }

  async noteShown(record: ShownRecord, before: string): Promise<void> {
    await this.#sql.run(FORGET_SHOWN, [before]);
    await this.#sql.run(NOTE_SHOWN, [record.approvalId, record.client, record.shownDigest, record.at]);
  }

  async shownTo(approvalId: string, client: string, since: string): Promise<string | null> {
    const row = await this.#sql.get(SHOWN_TO, [approvalId, client, since]);
    return row === undefined ? null : text(row, "shown_digest");
  }

  async comment(record: ApprovalComment): Promise<void> {
    const { id, approvalId, author, body, createdAt } = record;
    await this.#sql.run(COMMENT, [id, approvalId, author, body, createdAt]);
  }

  async comments(approvalId: string, limit: number): Promise<readonly ApprovalComment[]> {
    return (await this.#sql.all(COMMENTS, [approvalId, limit])).map(comment);
  }

  async putAbsence(record: AbsenceRecord): Promise<void> {
    const { personId, substituteId, fromAt, untilAt, createdAt } = record;
    await this.#sql.run(PUT_ABSENCE, [personId, substituteId, fromAt, untilAt, createdAt]);
  }

  async absence(personId: string): Promise<AbsenceRecord | null> {
    const row = await this.#sql.get(ABSENCE, [personId]);
    return row === undefined ? null : absence(row);
  }

  async dropAbsence(personId: string): Promise<boolean> {
    return (await this.#sql.run(DROP_ABSENCE, [personId])) === 1;
  }

  async substitutedBy(personId: string, at: string): Promise<readonly AbsenceRecord[]> {
    return (await this.#sql.all(SUBSTITUTED, [personId, at, at])).map(absence);
  }

  async #putAssignees(record: ApprovalRecord): Promise<void> {
    await this.#sql.insert(
      ADD_ASSIGNEE,
      assigneesOf(record).map((entry) => [record.id, entry]),
    );
  }

  async expired(now: string, limit: number): Promise<readonly ApprovalRecord[]> {
    return (await this.#sql.all(EXPIRED, [now, limit])).map(approval);
  }
}
