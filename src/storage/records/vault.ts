import type { Sql } from "../sql.ts";
import type { CredentialRecord, OAuthFlowRecord } from "../../ports/records.ts";
import type { CredentialStore } from "../../ports/store.ts";
import { selectPage, type Order } from "../paging.ts";
import { int, object, oneOf, text } from "../rows.ts";
import { changesOne, exec } from "./statements.ts";
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
const GET = `${CREDENTIALS.select} WHERE name = ? AND owner = ?`;
/** A caller's own credential wins over the shared one of the same name. */
const FIND = `${CREDENTIALS.select} WHERE name = ? AND owner IN ('', ?) ORDER BY owner DESC LIMIT 1`;
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
const GET_FLOW = `${OAUTH_FLOWS.select} WHERE state_digest = ?`;
const REMOVE_FLOW = "DELETE FROM oauth_flows WHERE state_digest = ?";
const TRIM_FLOWS = "DELETE FROM oauth_flows WHERE expires_at <= ?";

/** Credentials over either database. */
export const credentialRecords = (sql: Sql): CredentialStore => ({
  insert: (record) => changesOne(sql, INSERT, CREDENTIALS.values(record)),
  get: ({ name, owner }) => CREDENTIALS.one(sql, GET, [name, owner]),
  find: (name, callerId) => CREDENTIALS.one(sql, FIND, [name, callerId]),
  list: (page) => selectPage(sql, CREDENTIALS.select, {}, BY_NAME, page, CREDENTIALS.read),
  async update(record, expectedRevision) {
    const { name, owner } = record;
    const values = [...UPDATE.values(record), name, owner, expectedRevision];
    return changesOne(sql, UPDATE.sql, values);
  },
  lease: async ({ name, owner, revision }, by, now, until) =>
    changesOne(sql, LEASE, [by, until, name, owner, revision, now]),
  release: async ({ name, owner }, by) => exec(sql, RELEASE, [name, owner, by]),
  remove: async ({ name, owner }) => changesOne(sql, REMOVE, [name, owner]),
  async countByMasterKey() {
    const rows = await sql.all(COUNT_BY_KEY, []);
    return rows.map((row) => ({ masterKeyId: text(row, "master_key_id"), count: int(row, "total") }));
  },
  insertFlow: async (record) => exec(sql, OAUTH_FLOWS.insert, OAUTH_FLOWS.values(record)),
  flow: (stateDigest) => OAUTH_FLOWS.one(sql, GET_FLOW, [stateDigest]),
  async takeFlow(stateDigest) {
    const row = await sql.get(GET_FLOW, [stateDigest]);
    // Of two callbacks with the same state only one removes the row.
    if (row === undefined || (await sql.run(REMOVE_FLOW, [stateDigest])) !== 1) return null;
    return OAUTH_FLOWS.read(row);
  },
  trimFlows: async (now) => sql.run(TRIM_FLOWS, [now]),
});
