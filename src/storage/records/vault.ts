import type { CredentialRecord, OAuthFlowRecord } from "../../ports/records.ts";
import type { CredentialKey, CredentialStore, Page, PageRequest } from "../../ports/store.ts";
import { selectPage, type Order } from "../paging.ts";
import { int, jsonText, object, oneOf, optText, strings, text } from "../rows.ts";
import { insertInto, type Row, type Sql, type SqlValue } from "../sql.ts";

const COLUMNS = `name, owner, kind, hosts, settings, state, master_key_id, wrapped_key, sealed, revision,
  token_issued_at, token_expires_at, lease_by, lease_until, created_by, created_at, updated_at`;
const INSERT = `${insertInto("credentials", COLUMNS)} ON CONFLICT (name, owner) DO NOTHING`;
const SELECT = `SELECT ${COLUMNS} FROM credentials`;
const GET = `${SELECT} WHERE name = ? AND owner = ?`;
/** A caller's own credential wins over the shared one of the same name. */
const FIND = `${SELECT} WHERE name = ? AND owner IN ('', ?) ORDER BY owner DESC LIMIT 1`;
const UPDATE = `UPDATE credentials SET hosts = ?, settings = ?, state = ?, master_key_id = ?, wrapped_key = ?,
  sealed = ?, revision = ?, token_issued_at = ?, token_expires_at = ?, lease_by = ?, lease_until = ?, updated_at = ?
  WHERE name = ? AND owner = ? AND revision = ?`;
const LEASE = `UPDATE credentials SET lease_by = ?, lease_until = ?
  WHERE name = ? AND owner = ? AND revision = ? AND (lease_until IS NULL OR lease_until <= ?)`;
const RELEASE = `UPDATE credentials SET lease_by = NULL, lease_until = NULL
  WHERE name = ? AND owner = ? AND lease_by = ?`;
const REMOVE = "DELETE FROM credentials WHERE name = ? AND owner = ?";
const COUNT_BY_KEY =
  "SELECT master_key_id, count(*) AS total FROM credentials GROUP BY master_key_id ORDER BY master_key_id";
const BY_NAME: Order = { columns: ["name", "owner"], kind: "text", direction: "ASC" };

const FLOW_COLUMNS = "state_digest, name, owner, master_key_id, wrapped_key, sealed, started_by, expires_at";
const INSERT_FLOW = insertInto("oauth_flows", FLOW_COLUMNS);
const GET_FLOW = `SELECT ${FLOW_COLUMNS} FROM oauth_flows WHERE state_digest = ?`;
const REMOVE_FLOW = "DELETE FROM oauth_flows WHERE state_digest = ?";
const TRIM_FLOWS = "DELETE FROM oauth_flows WHERE expires_at <= ?";

/** The constraint of the first schema knows four kinds: a variable of a program is stored as a key of that place. */
const STORED_AS: Readonly<Record<string, string>> = { environment: "apiKey" };

function kindOf(row: Row): CredentialRecord["kind"] {
  const kind = oneOf(row, "kind", ["bearer", "apiKey", "basic", "oauth2"]);
  return kind === "apiKey" && object(row, "settings")["in"] === "environment" ? "environment" : kind;
}

function credential(row: Row): CredentialRecord {
  return {
    name: text(row, "name"),
    owner: text(row, "owner"),
    kind: kindOf(row),
    hosts: strings(row, "hosts"),
    settings: object(row, "settings"),
    state: oneOf(row, "state", ["ready", "consent_required"]),
    masterKeyId: text(row, "master_key_id"),
    wrappedKey: text(row, "wrapped_key"),
    sealed: text(row, "sealed"),
    revision: int(row, "revision"),
    tokenIssuedAt: optText(row, "token_issued_at"),
    tokenExpiresAt: optText(row, "token_expires_at"),
    leaseBy: optText(row, "lease_by"),
    leaseUntil: optText(row, "lease_until"),
    createdBy: text(row, "created_by"),
    createdAt: text(row, "created_at"),
    updatedAt: text(row, "updated_at"),
  };
}

function flow(row: Row): OAuthFlowRecord {
  return {
    stateDigest: text(row, "state_digest"),
    name: text(row, "name"),
    owner: text(row, "owner"),
    masterKeyId: text(row, "master_key_id"),
    wrappedKey: text(row, "wrapped_key"),
    sealed: text(row, "sealed"),
    startedBy: text(row, "started_by"),
    expiresAt: text(row, "expires_at"),
  };
}

/** Credentials over either database. */
export class CredentialRecords implements CredentialStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: CredentialRecord): Promise<boolean> {
    const values: readonly SqlValue[] = [
      record.name,
      record.owner,
      STORED_AS[record.kind] ?? record.kind,
      jsonText(record.hosts),
      jsonText(record.settings),
      record.state,
      record.masterKeyId,
      record.wrappedKey,
      record.sealed,
      record.revision,
      record.tokenIssuedAt,
      record.tokenExpiresAt,
      record.leaseBy,
      record.leaseUntil,
      record.createdBy,
      record.createdAt,
      record.updatedAt,
    ];
    return (await this.#sql.run(INSERT, values)) === 1;
  }

  async get({ name, owner }: CredentialKey): Promise<CredentialRecord | null> {
    return found(await this.#sql.get(GET, [name, owner]));
  }

  async find(name: string, callerId: string): Promise<CredentialRecord | null> {
    return found(await this.#sql.get(FIND, [name, callerId]));
  }

  list(page: PageRequest): Promise<Page<CredentialRecord>> {
    return selectPage(this.#sql, SELECT, {}, BY_NAME, page, credential);
  }

  async update(record: CredentialRecord, expectedRevision: number): Promise<boolean> {
    const values: readonly SqlValue[] = [
      jsonText(record.hosts),
      jsonText(record.settings),
      record.state,
      record.masterKeyId,
      record.wrappedKey,
      record.sealed,
      record.revision,
      record.tokenIssuedAt,
      record.tokenExpiresAt,
      record.leaseBy,
      record.leaseUntil,
      record.updatedAt,
      record.name,
      record.owner,
      expectedRevision,
    ];
    return (await this.#sql.run(UPDATE, values)) === 1;
  }

  async lease(
    { name, owner, revision }: CredentialKey & { readonly revision: number },
    by: string,
    now: string,
    until: string,
  ): Promise<boolean> {
    return (await this.#sql.run(LEASE, [by, until, name, owner, revision, now])) === 1;
  }

  async release({ name, owner }: CredentialKey, by: string): Promise<void> {
    await this.#sql.run(RELEASE, [name, owner, by]);
  }

  async remove({ name, owner }: CredentialKey): Promise<boolean> {
    return (await this.#sql.run(REMOVE, [name, owner])) === 1;
  }

  async countByMasterKey(): Promise<readonly { readonly masterKeyId: string; readonly count: number }[]> {
    const rows = await this.#sql.all(COUNT_BY_KEY, []);
    return rows.map((row) => ({ masterKeyId: text(row, "master_key_id"), count: int(row, "total") }));
  }

  async insertFlow(record: OAuthFlowRecord): Promise<void> {
    await this.#sql.run(INSERT_FLOW, [
      record.stateDigest,
      record.name,
      record.owner,
      record.masterKeyId,
      record.wrappedKey,
      record.sealed,
      record.startedBy,
      record.expiresAt,
    ]);
  }

  async flow(stateDigest: string): Promise<OAuthFlowRecord | null> {
    const row = await this.#sql.get(GET_FLOW, [stateDigest]);
    return row === undefined ? null : flow(row);
  }

  async takeFlow(stateDigest: string): Promise<OAuthFlowRecord | null> {
    const row = await this.#sql.get(GET_FLOW, [stateDigest]);
    // Of two callbacks with the same state only one removes the row.
    if (row === undefined || (await this.#sql.run(REMOVE_FLOW, [stateDigest])) !== 1) return null;
    return flow(row);
  }

  async trimFlows(now: string): Promise<number> {
    return this.#sql.run(TRIM_FLOWS, [now]);
  }
}

function found(row: Row | undefined): CredentialRecord | null {
  return row === undefined ? null : credential(row);
}
