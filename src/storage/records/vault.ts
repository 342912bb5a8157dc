import type { CredentialRecord, OAuthFlowRecord } from "../../ports/records.ts";
import type { CredentialKey, CredentialStore, Page, PageRequest } from "../../ports/store.ts";
import { selectPage, type Order } from "../paging.ts";
import { int, object, oneOf, text } from "../rows.ts";
import { OverSql } from "./over-sql.ts";
import { column, is, table } from "../table.ts";

/** The constraint of the first schema knows four kinds: a variable of a program is stored as a key of that place. */
const KIND = column<CredentialRecord["kind"]>(
  (row, name) => {
    const kind = oneOf(row, name, ["bearer", "apiKey", "basic", "oauth2"]);
    return kind === "apiKey" && object(row, "settings")["in"] === "environment" ? "environment" : kind;
  },
  (kind) => (kind === "environment" ? "apiKey" : kind),
);
const CREDENTIALS = table<CredentialRecord>("credentials", {
  name: is.text,
  owner: is.text,
  kind: KIND,
  hosts: is.strings,
  settings: is.object,
  state: is.oneOf(["ready", "consent_required"]),
  masterKeyId: is.text,
  wrappedKey: is.text,
  sealed: is.text,
  revision: is.int,
  tokenIssuedAt: is.optText,
  tokenExpiresAt: is.optText,
  leaseBy: is.optText,
  leaseUntil: is.optText,
  createdBy: is.text,
  createdAt: is.text,
  updatedAt: is.text,
});
const INSERT = `${CREDENTIALS.insert} ON CONFLICT (name, owner) DO NOTHING`;
const SELECT = CREDENTIALS.select;
const GET = `${SELECT} WHERE name = ? AND owner = ?`;
/** A caller's own credential wins over the shared one of the same name. */
const FIND = `${SELECT} WHERE name = ? AND owner IN ('', ?) ORDER BY owner DESC LIMIT 1`;
const UPDATE = CREDENTIALS.update(
  [
    "hosts",
    "settings",
    "state",
    "masterKeyId",
    "wrappedKey",
    "sealed",
    "revision",
    "tokenIssuedAt",
    "tokenExpiresAt",
    "leaseBy",
    "leaseUntil",
    "updatedAt",
  ],
  "WHERE name = ? AND owner = ? AND revision = ?",
);
const LEASE = `UPDATE credentials SET lease_by = ?, lease_until = ?
  WHERE name = ? AND owner = ? AND revision = ? AND (lease_until IS NULL OR lease_until <= ?)`;
const RELEASE = `UPDATE credentials SET lease_by = NULL, lease_until = NULL
  WHERE name = ? AND owner = ? AND lease_by = ?`;
const REMOVE = "DELETE FROM credentials WHERE name = ? AND owner = ?";
const COUNT_BY_KEY =
  "SELECT master_key_id, count(*) AS total FROM credentials GROUP BY master_key_id ORDER BY master_key_id";
const BY_NAME: Order = { columns: ["name", "owner"], kind: "text", direction: "ASC" };

const OAUTH_FLOWS = table<OAuthFlowRecord>("oauth_flows", {
  stateDigest: is.text,
  name: is.text,
  owner: is.text,
  masterKeyId: is.text,
  wrappedKey: is.text,
  sealed: is.text,
  startedBy: is.text,
  expiresAt: is.text,
});
const INSERT_FLOW = OAUTH_FLOWS.insert;
const GET_FLOW = `${OAUTH_FLOWS.select} WHERE state_digest = ?`;
const REMOVE_FLOW = "DELETE FROM oauth_flows WHERE state_digest = ?";
const TRIM_FLOWS = "DELETE FROM oauth_flows WHERE expires_at <= ?";

/** Credentials over either database. */
export class CredentialRecords extends OverSql implements CredentialStore {
  insert(record: CredentialRecord): Promise<boolean> {
    return this.changesOne(INSERT, CREDENTIALS.values(record));
  }

  get({ name, owner }: CredentialKey): Promise<CredentialRecord | null> {
    return CREDENTIALS.one(this.sql, GET, [name, owner]);
  }

  find(name: string, callerId: string): Promise<CredentialRecord | null> {
    return CREDENTIALS.one(this.sql, FIND, [name, callerId]);
  }

  list(page: PageRequest): Promise<Page<CredentialRecord>> {
    return selectPage(this.sql, SELECT, {}, BY_NAME, page, CREDENTIALS.read);
  }

  async update(record: CredentialRecord, expectedRevision: number): Promise<boolean> {
    const { name, owner } = record;
    const values = [...UPDATE.values(record), name, owner, expectedRevision];
    return this.changesOne(UPDATE.sql, values);
  }

  async lease(
    { name, owner, revision }: CredentialKey & { readonly revision: number },
    by: string,
    now: string,
    until: string,
  ): Promise<boolean> {
    return this.changesOne(LEASE, [by, until, name, owner, revision, now]);
  }

  async release({ name, owner }: CredentialKey, by: string): Promise<void> {
    await this.sql.run(RELEASE, [name, owner, by]);
  }

  async remove({ name, owner }: CredentialKey): Promise<boolean> {
    return this.changesOne(REMOVE, [name, owner]);
  }

  async countByMasterKey(): Promise<readonly { readonly masterKeyId: string; readonly count: number }[]> {
    const rows = await this.sql.all(COUNT_BY_KEY, []);
    return rows.map((row) => ({ masterKeyId: text(row, "master_key_id"), count: int(row, "total") }));
  }

  async insertFlow(record: OAuthFlowRecord): Promise<void> {
    await this.sql.run(INSERT_FLOW, OAUTH_FLOWS.values(record));
  }

  flow(stateDigest: string): Promise<OAuthFlowRecord | null> {
    return OAUTH_FLOWS.one(this.sql, GET_FLOW, [stateDigest]);
  }

  async takeFlow(stateDigest: string): Promise<OAuthFlowRecord | null> {
    const row = await this.sql.get(GET_FLOW, [stateDigest]);
    // Of two callbacks with the same state only one removes the row.
    if (row === undefined || (await this.sql.run(REMOVE_FLOW, [stateDigest])) !== 1) return null;
    return OAUTH_FLOWS.read(row);
  }

  async trimFlows(now: string): Promise<number> {
    return this.sql.run(TRIM_FLOWS, [now]);
  }
}
