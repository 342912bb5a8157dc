import type { ApiKeyRecord, PolicyRevisionRecord } from "../../ports/records.ts";
import type { GuardStore, KeyStore, PolicyStore } from "../../ports/store.ts";
import { NEWEST, selectPage, type Order } from "../paging.ts";
import { int } from "../rows.ts";
import type { Sql } from "../sql.ts";
import { changesOne, exec, numberOf } from "./statements.ts";
import { is, table, type Table } from "../table.ts";

const API_KEYS = table<ApiKeyRecord>("api_keys", {
  id: is.text,
  name: is.text,
  digest: is.text,
  scopes: is.scopes,
  createdBy: is.optText,
  createdAt: is.text,
  expiresAt: is.optText,
  revokedAt: is.optText,
  lastUsedAt: is.optText,
});
const GET_KEY = `${API_KEYS.select} WHERE id = ?`;
const REVOKE_KEY = "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
const EXPIRE_KEY =
  "UPDATE api_keys SET expires_at = ? WHERE id = ? AND (expires_at IS NULL OR expires_at > ?)";
const TOUCH_KEY =
  "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)";
const COUNT_KEYS = "SELECT count(*) AS total FROM api_keys";

const BY_REVISION: Order = { columns: ["revision"], kind: "integer", direction: "DESC" };

function policyTable(name: string): Table<PolicyRevisionRecord> {
  return table(name, {
    revision: is.int,
    policy: is.object,
    digest: is.text,
    changedBy: is.text,
    createdAt: is.text,
  });
}

/** API keys over either database. */
export const keyRecords = (sql: Sql): KeyStore => ({
  insert: async (record) => exec(sql, API_KEYS.insert, API_KEYS.values(record)),
  get: (id) => API_KEYS.one(sql, GET_KEY, [id]),
  list: (page) => selectPage(sql, API_KEYS.select, {}, NEWEST, page, API_KEYS.read),
  revoke: (id, at) => changesOne(sql, REVOKE_KEY, [at, id]),
  expire: (id, at) => changesOne(sql, EXPIRE_KEY, [at, id, at]),
  touch: async (id, at) => exec(sql, TOUCH_KEY, [at, id, at]),
  count: () => numberOf(sql, COUNT_KEYS, [], "total"),
});

/** Agent policy revisions over either database. */
export function policyRecords(
  sql: Sql,
  name: "policy_revisions" | "guard_revisions" | "toolset_revisions" = "policy_revisions",
): PolicyStore {
  const revisions = policyTable(name);
  return {
    latest: () => revisions.one(sql, `${revisions.select} ORDER BY revision DESC LIMIT 1`, []),
    insert: async (record) =>
      changesOne(sql, `${revisions.insert} ON CONFLICT (revision) DO NOTHING`, revisions.values(record)),
    list: (page) => selectPage(sql, revisions.select, {}, BY_REVISION, page, revisions.read),
  };
}

const COUNT_CALL = `INSERT INTO guard_counts (caller, tool, unit, since, calls) VALUES (?, ?, ?, ?, 1)
  ON CONFLICT (caller, tool, unit) DO UPDATE SET
  calls = CASE WHEN guard_counts.since = excluded.since THEN guard_counts.calls + 1 ELSE 1 END, since = excluded.since`;
const COUNTED = "SELECT calls FROM guard_counts WHERE caller = ? AND tool = ? AND unit = ?";

/** The guard's settings and counts over either database. */
export const guardRecords = (sql: Sql): GuardStore => ({
  ...policyRecords(sql, "guard_revisions"),
  async count(caller, tool, unit, window) {
    await sql.run(COUNT_CALL, [caller, tool, unit, window]);
    const row = await sql.get(COUNTED, [caller, tool, unit]);
    return row === undefined ? 0 : int(row, "calls");
  },
});
