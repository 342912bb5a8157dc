import { VERDICTS, APPROVAL_STATES } from "../../model/states.ts";
import { isObject } from "../../kernel/json.ts";
import { decisionProofIn } from "../../kernel/webauthn.ts";
import type {
  AbsenceRecord,
  ApprovalComment,
  ApprovalStore,
  ApprovalVote,
  DecidedVia,
  Delegation,
} from "../../ports/approvals.ts";
import type { ApprovalRecord } from "../../ports/records.ts";
import { narrowed, NEWEST, selectPage, type Condition } from "../paging.ts";
import { jsonText, optJson, optJsonText, optObject, text } from "../rows.ts";
import { insertInto, marks, type Row, type Sql } from "../sql.ts";
import { changesOne, exec, first } from "./statements.ts";
import { column, is, named, table } from "../table.ts";

const VIA = column<DecidedVia | null>(viaOf, optJsonText);
const APPROVALS = table<ApprovalRecord>("approvals", {
  id: is.text,
  runId: is.text,
  stepId: is.text,
  state: is.oneOf(APPROVAL_STATES),
  title: is.text,
  shown: is.object,
  shownDigest: is.text,
  formSchema: is.optObject,
  approvers: is.strings,
  required: is.int,
  stepUp: is.flag,
  delegations: column(delegationsOf, jsonText),
  claimedBy: is.optText,
  dueAt: is.optText,
  expiresAt: is.optText,
  createdAt: is.text,
  decidedAt: is.optText,
  decidedBy: is.optText,
  decidedVia: VIA,
  reason: is.optText,
  values: named("answers", is.optObject),
});
const WAITING_SINCE =
  "SELECT created_at FROM approvals WHERE state = 'pending' ORDER BY created_at, id LIMIT ?";
const GET = `${APPROVALS.select} WHERE id = ?`;
const DECIDE = APPROVALS.update(
  ["state", "decidedAt", "decidedBy", "decidedVia", "reason", "values"],
  "WHERE id = ? AND state = 'pending'",
);
const ASSIGN = APPROVALS.update(
  ["approvers", "delegations", "claimedBy"],
  "WHERE id = ? AND state = 'pending'",
);
const PREVIOUS = `SELECT ${APPROVALS.columnsOf("a")} FROM approvals a JOIN runs r ON r.id = a.run_id
  WHERE r.workflow_id = ? AND a.step_id = ? AND a.decided_at IS NOT NULL AND a.decided_at < ?
  ORDER BY a.decided_at DESC, a.id DESC LIMIT 1`;
const ADD_ASSIGNEE = insertInto("approval_assignees", "approval_id, entry");
const DROP_ASSIGNEES = "DELETE FROM approval_assignees WHERE approval_id = ?";
const VOTES = table<ApprovalVote>("approval_votes", {
  approvalId: is.text,
  voter: is.text,
  via: VIA,
  seat: is.text,
  verdict: is.oneOf(VERDICTS),
  reason: is.optText,
  at: is.text,
  assertion: column((row, name) => decisionProofIn(optJson(row, name)), optJsonText),
});
const NOTE_SHOWN = `${insertInto("approval_shown", "approval_id, client, shown_digest, at")}
  ON CONFLICT (approval_id, client) DO UPDATE SET shown_digest = excluded.shown_digest, at = excluded.at`;
const FORGET_SHOWN = "DELETE FROM approval_shown WHERE at < ?";
const SHOWN_TO = "SELECT shown_digest FROM approval_shown WHERE approval_id = ? AND client = ? AND at >= ?";
const APPROVAL_COMMENTS = table<ApprovalComment>("approval_comments", {
  id: is.text,
  approvalId: is.text,
  author: is.text,
  body: is.text,
  createdAt: is.text,
});
const COMMENTS = `${APPROVAL_COMMENTS.select} WHERE approval_id = ?
  ORDER BY created_at, id LIMIT ?`;
const ABSENCES = table<AbsenceRecord>("absences", {
  personId: is.text,
  substituteId: is.text,
  fromAt: is.text,
  untilAt: is.text,
  createdAt: is.text,
});
const PUT_ABSENCE = ABSENCES.upsert("personId");
const ABSENCE = `${ABSENCES.select} WHERE person_id = ?`;
const DROP_ABSENCE = "DELETE FROM absences WHERE person_id = ?";
const SUBSTITUTED = `${ABSENCES.select} WHERE substitute_id = ? AND from_at <= ? AND until_at > ?
  ORDER BY person_id`;
const EXPIRED = `${APPROVALS.select} WHERE state = 'pending' AND expires_at IS NOT NULL AND expires_at <= ?
  ORDER BY expires_at, id LIMIT ?`;

function delegationsOf(row: Row, name: string): readonly Delegation[] {
  const stored = optJson(row, name);
  if (!Array.isArray(stored)) throw new TypeError("approvals.delegations is not a list");
  return stored.map((item): Delegation => {
    const { from, to, at } = isObject(item) ? item : {};
    if (typeof from !== "string" || typeof to !== "string" || typeof at !== "string") {
      throw new TypeError("approvals.delegations holds something else");
    }
    return { from, to, at };
  });
}

function viaOf(row: Row, column: string): DecidedVia | null {
  const { kind, id, name } = optObject(row, column) ?? {};
  const known = kind === "oauth" || kind === "token" || kind === "key" ? kind : null;
  return known === null || typeof id !== "string" || typeof name !== "string"
    ? null
    : { kind: known, id, name };
}

/** What an inbox finds an approval by. Ids of keys keep their case. */
function assigneesOf({ approvers, delegations: given }: ApprovalRecord): readonly string[] {
  if (approvers.length === 0) return ["*", ...given.map(({ to }) => `person:${to}`)];
  const named = approvers.map((entry) => (entry.includes(":") ? entry.toLowerCase() : entry));
  return [...new Set([...named, ...given.map(({ to }) => `person:${to}`)])];
}

/** Approvals over either database. */
export const approvalRecords = (sql: Sql): ApprovalStore => ({
  async insert(record) {
    await sql.run(APPROVALS.insert, APPROVALS.values(record));
    await putAssignees(sql, record);
  },
  get: (id) => APPROVALS.one(sql, GET, [id]),
  lock: (id) => APPROVALS.one(sql, GET + sql.forUpdate, [id]),
  list(page, filter = {}) {
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
    return selectPage(sql, APPROVALS.select, narrowed(where, only), NEWEST, page, APPROVALS.read);
  },
  waitingSince: async (limit) =>
    (await sql.all(WAITING_SINCE, [limit])).map((row) => text(row, "created_at")),
  decide: (record) => changesOne(sql, DECIDE.sql, [...DECIDE.values(record), record.id]),
  async assign(record) {
    const changed = await sql.run(ASSIGN.sql, [...ASSIGN.values(record), record.id]);
    if (changed !== 1) return false;
    await sql.run(DROP_ASSIGNEES, [record.id]);
    await putAssignees(sql, record);
    return true;
  },
  previous: (workflowId, stepId, before) => APPROVALS.one(sql, PREVIOUS, [workflowId, stepId, before]),
  vote: (record) => changesOne(sql, `${VOTES.insert} ON CONFLICT DO NOTHING`, VOTES.values(record)),
  votes: (approvalId) =>
    VOTES.all(sql, `${VOTES.select} WHERE approval_id = ? ORDER BY at, voter`, [approvalId]),
  async noteShown(record, before) {
    await sql.run(FORGET_SHOWN, [before]);
    await sql.run(NOTE_SHOWN, [record.approvalId, record.client, record.shownDigest, record.at]);
  },
  shownTo: (approvalId, client, since) =>
    first(sql, SHOWN_TO, [approvalId, client, since], (row) => text(row, "shown_digest")),
  comment: async (record) => exec(sql, APPROVAL_COMMENTS.insert, APPROVAL_COMMENTS.values(record)),
  comments: (approvalId, limit) => APPROVAL_COMMENTS.all(sql, COMMENTS, [approvalId, limit]),
  async putAbsence(record) {
    const { personId, substituteId, fromAt, untilAt, createdAt } = record;
    await sql.run(PUT_ABSENCE, [personId, substituteId, fromAt, untilAt, createdAt]);
  },
  absence: (personId) => ABSENCES.one(sql, ABSENCE, [personId]),
  dropAbsence: (personId) => changesOne(sql, DROP_ABSENCE, [personId]),
  substitutedBy: (personId, at) => ABSENCES.all(sql, SUBSTITUTED, [personId, at, at]),
  expired: async (now, limit) => (await sql.all(EXPIRED, [now, limit])).map(APPROVALS.read),
});
async function putAssignees(sql: Sql, record: ApprovalRecord): Promise<void> {
  await sql.insert(
    ADD_ASSIGNEE,
    assigneesOf(record).map((entry) => [record.id, entry]),
  );
}
