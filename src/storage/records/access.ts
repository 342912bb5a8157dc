import type { ApiKeyRecord, PolicyRevisionRecord } from "../../ports/records.ts";
import type { KeyStore, Page, PageRequest, PolicyStore } from "../../ports/store.ts";
import { NEWEST, selectPage, type Order } from "../paging.ts";
import { int, jsonText, object, optText, scopes, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const KEY_COLUMNS = "id, name, digest, scopes, created_by, created_at, expires_at, revoked_at, last_used_at";
const INSERT_KEY = insertInto("api_keys", KEY_COLUMNS);
const SELECT_KEY = `SELECT ${KEY_COLUMNS} FROM api_keys`;
const GET_KEY = `${SELECT_KEY} WHERE id = ?`;
const REVOKE_KEY = "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
const EXPIRE_KEY =
  "UPDATE api_keys SET expires_at = ? WHERE id = ? AND (expires_at IS NULL OR expires_at > ?)";
const TOUCH_KEY =
  "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)";
const COUNT_KEYS = "SELECT count(*) AS total FROM api_keys";

const POLICY_COLUMNS = "revision, policy, digest, changed_by, created_at";
const BY_REVISION: Order = { columns: ["revision"], kind: "integer", direction: "DESC" };

function apiKey(row: Row): ApiKeyRecord {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    digest: text(row, "digest"),
    scopes: scopes(row, "scopes"),
    createdBy: optText(row, "created_by"),
    createdAt: text(row, "created_at"),
    expiresAt: optText(row, "expires_at"),
    revokedAt: optText(row, "revoked_at"),
    lastUsedAt: optText(row, "last_used_at"),
  };
}

function policy(row: Row): PolicyRevisionRecord {
  return {
    revision: int(row, "revision"),
    policy: object(row, "policy"),
    digest: text(row, "digest"),
    changedBy: text(row, "changed_by"),
    createdAt: text(row, "created_at"),
  };
}

/** API keys over either database. */
export class KeyRecords implements KeyStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: ApiKeyRecord): Promise<void> {
    await this.#sql.run(INSERT_KEY, [
      record.id,
      record.name,
      record.digest,
      jsonText(record.scopes),
      record.createdBy,
      record.createdAt,
      record.expiresAt,
      record.revokedAt,
      record.lastUsedAt,
    ]);
  }

  async get(id: string): Promise<ApiKeyRecord | null> {
    const row = await this.#sql.get(GET_KEY, [id]);
    return row === undefined ? null : apiKey(row);
  }

  list(page: PageRequest): Promise<Page<ApiKeyRecord>> {
    return selectPage(this.#sql, SELECT_KEY, {}, NEWEST, page, apiKey);
  }

  async revoke(id: string, at: string): Promise<boolean> {
    return (await this.#sql.run(REVOKE_KEY, [at, id])) === 1;
  }

  async expire(id: string, at: string): Promise<boolean> {
    return (await this.#sql.run(EXPIRE_KEY, [at, id, at])) === 1;
  }

  async touch(id: string, at: string): Promise<void> {
    await this.#sql.run(TOUCH_KEY, [at, id, at]);
  }

  async count(): Promise<number> {
    const row = await this.#sql.get(COUNT_KEYS, []);
    return row === undefined ? 0 : int(row, "total");
  }
}

/** Agent policy revisions over either database. */
export class PolicyRecords implements PolicyStore {
  readonly #sql: Sql;

  readonly #insert: string;
  readonly #select: string;

  constructor(sql: Sql, table: "policy_revisions" | "guard_revisions" = "policy_revisions") {
    this.#sql = sql;
    this.#insert = `${insertInto(table, POLICY_COLUMNS)} ON CONFLICT (revision) DO NOTHING`;
    this.#select = `SELECT ${POLICY_COLUMNS} FROM ${table}`;
  }

  async latest(): Promise<PolicyRevisionRecord | null> {
    const row = await this.#sql.get(`${this.#select} ORDER BY revision DESC LIMIT 1`, []);
    return row === undefined ? null : policy(row);
  }

  async insert(record: PolicyRevisionRecord): Promise<boolean> {
    const inserted = await this.#sql.run(this.#insert, [
      record.revision,
      jsonText(record.policy),
      record.digest,
      record.changedBy,
      record.createdAt,
    ]);
    return inserted === 1;
  }

  list(page: PageRequest): Promise<Page<PolicyRevisionRecord>> {
    return selectPage(this.#sql, this.#select, {}, BY_REVISION, page, policy);
  }
}
