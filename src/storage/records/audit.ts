import { newId } from "../../kernel/ids.ts";
import { isoTime } from "../../kernel/time.ts";
import type { AuditEntry, AuditFilter, AuditStore } from "../../ports/audit.ts";
import type { Clock } from "../../ports/platform.ts";
import { narrowed, NEWEST, selectPage, type Condition, type Filter } from "../paging.ts";
import { jsonText } from "../rows.ts";
import type { Sql } from "../sql.ts";
import { is, table } from "../table.ts";

const AUDIT_ENTRIES = table<AuditEntry>("audit_entries", {
  id: is.text,
  action: is.text,
  actor: is.text,
  subject: is.text,
  detail: is.object,
  provenanceId: is.optText,
  createdAt: is.text,
});
const TRIM_TO = `DELETE FROM audit_entries WHERE action = ? AND (created_at, id) <= (SELECT created_at, id
  FROM audit_entries WHERE action = ? ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?)`;
const TRIM = "DELETE FROM audit_entries WHERE action = ? AND created_at < ?";

/** The audit list over either database. */
export const auditRecords = (sql: Sql, clock: Clock): AuditStore => ({
  async append(entries) {
    const createdAt = isoTime(clock.now());
    for (const { action, actor, subject, detail, provenanceId } of entries) {
      await sql.run(AUDIT_ENTRIES.insert, [
        newId("audit"),
        action,
        actor,
        subject,
        jsonText(detail),
        provenanceId,
        createdAt,
      ]);
    }
  },
  list: (page, filter = {}) =>
    selectPage(sql, AUDIT_ENTRIES.select, conditions(filter), NEWEST, page, AUDIT_ENTRIES.read),
  async trim(action, before, keep) {
    await sql.run(TRIM, [action, before]);
    await sql.run(TRIM_TO, [action, action, keep]);
  },
});

function conditions(filter: AuditFilter): Filter {
  const { action, from, to } = filter;
  const within: Condition[] = [];
  if (from !== undefined) within.push({ sql: "created_at >= ?", values: [from] });
  if (to !== undefined) within.push({ sql: "created_at < ?", values: [to] });
  const only: Condition[] = [];
  if (action?.endsWith(".*") === true) {
    const kind = action.slice(0, -1);
    // Everything that begins with `kind.`: the character after the dot is the slash.
    only.push({ sql: "action > ? AND action < ?", values: [kind, `${kind.slice(0, -1)}/`] });
  }
  return { ...narrowed(equalities(filter), only), within };
}

/** What has an index, the narrowest first. */
function equalities({ subject, actor, action }: AuditFilter): readonly Condition[] {
  const where: Condition[] = [];
  if (subject !== undefined) where.push({ sql: "subject = ?", values: [subject] });
  if (actor !== undefined) where.push({ sql: "actor = ?", values: [actor] });
  if (action !== undefined && !action.endsWith(".*")) where.push({ sql: "action = ?", values: [action] });
  return where;
}
