import type { ApiKeyRecord, PolicyRevisionRecord } from "../../ports/records.ts";
import type { GuardStore, KeyStore, Page, PageRequest, PolicyStore } from "../../ports/store.ts";
import { NEWEST, selectPage, type Order } from "../paging.ts";
import { int } from "../rows.ts";
import { type Sql } from "../sql.ts";
import { OverSql } from "./over-sql.ts";
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
const INSERT_KEY = API_KEYS.insert;
const SELECT_KEY = API_KEYS.select;
const GET_KEY = `${SELECT_KEY} WHERE id = ?`;
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
export class KeyRecords extends OverSql implements KeyStore {
  async insert(record: ApiKeyRecord): Promise<void> {
    await this.sql.run(INSERT_KEY, API_KEYS.values(record));
  }

  get(id: string): Promise<ApiKeyRecord | null> {
    return API_KEYS.one(this.sql, GET_KEY, [id]);
  }

  list(page: PageRequest): Promise<Page<ApiKeyRecord>> {
    return selectPage(this.sql, SELECT_KEY, {}, NEWEST, page, API_KEYS.read);
  }

  revoke(id: string, at: string): Promise<boolean> {
    return this.changesOne(REVOKE_KEY, [at, id]);
  }

  expire(id: string, at: string): Promise<boolean> {
    return this.changesOne(EXPIRE_KEY, [at, id, at]);
  }

  async touch(id: string, at: string): Promise<void> {
    await this.sql.run(TOUCH_KEY, [at, id, at]);
  }

  async count(): Promise<number> {
    const row = await this.sql.get(COUNT_KEYS, []);
    return row === undefined ? 0 : int(row, "total");
  }
}

/** Agent policy revisions over either database. */
export class PolicyRecords extends OverSql implements PolicyStore {
  readonly #table: Table<PolicyRevisionRecord>;

  constructor(
    sql: Sql,
    name: "policy_revisions" | "guard_revisions" | "toolset_revisions" = "policy_revisions",
  ) {
    super(sql);
    this.#table = policyTable(name);
  }

  latest(): Promise<PolicyRevisionRecord | null> {
    return this.#table.one(this.sql, `${this.#table.select} ORDER BY revision DESC LIMIT 1`, []);
  }

  async insert(record: PolicyRevisionRecord): Promise<boolean> {
    const statement = `${this.#table.insert} ON CONFLICT (revision) DO NOTHING`;
    return this.changesOne(statement, this.#table.values(record));
  }

  list(page: PageRequest): Promise<Page<PolicyRevisionRecord>> {
    return selectPage(this.sql, this.#table.select, {}, BY_REVISION, page, this.#table.read);
  }
}

const COUNT_CALL = `INSERT INTO guard_counts (caller, tool, unit, since, calls) VALUES (?, ?, ?, ?, 1)
  ON CONFLICT (caller, tool, unit) DO UPDATE SET
  calls = CASE WHEN guard_counts.since = excluded.since THEN guard_counts.calls + 1 ELSE 1 END, since = excluded.since`;
const COUNTED = "SELECT calls FROM guard_counts WHERE caller = ? AND tool = ? AND unit = ?";

/** The guard's settings and counts over either database. */
export class GuardRecords extends PolicyRecords implements GuardStore {
  constructor(sql: Sql) {
    super(sql, "guard_revisions");
  }

  async count(caller: string, tool: string, unit: "minute" | "day", window: number): Promise<number> {
    await this.sql.run(COUNT_CALL, [caller, tool, unit, window]);
    const row = await this.sql.get(COUNTED, [caller, tool, unit]);
    return row === undefined ? 0 : int(row, "calls");
  }
}
