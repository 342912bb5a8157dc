import { OAUTH_KINDS, type ConnectedClient, type OAuthRecord, type OAuthStore } from "../../ports/oauth.ts";
import { object, optText, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";
import { changesOne, exec, numberOf, first } from "./statements.ts";
import { is, table } from "../table.ts";

const RECORDS = table<OAuthRecord>("oauth_records", {
  kind: is.oneOf(OAUTH_KINDS),
  digest: is.text,
  grantId: is.optText,
  personId: is.optText,
  clientId: is.optText,
  userCode: is.optText,
  payload: is.object,
  consumedAt: is.optText,
  createdAt: is.text,
  expiresAt: is.text,
});
const GET = `${RECORDS.select} WHERE kind = ? AND digest = ?`;
const BY_USER_CODE = `${RECORDS.select} WHERE user_code = ?`;
const PUT = `${insertInto("oauth_records", `${RECORDS.columns}, name, host`)}
  ON CONFLICT (kind, digest) DO UPDATE SET grant_id = excluded.grant_id, person_id = excluded.person_id,
  client_id = excluded.client_id, user_code = excluded.user_code, payload = excluded.payload,
  expires_at = excluded.expires_at`;
const CONSUME =
  "UPDATE oauth_records SET consumed_at = ? WHERE kind = ? AND digest = ? AND consumed_at IS NULL";
const REMOVE = "DELETE FROM oauth_records WHERE kind = ? AND digest = ?";
const NAME_GRANT = "UPDATE oauth_records SET name = ?, host = ? WHERE kind = 'Grant' AND grant_id = ?";
const REMOVE_TOKENS = "DELETE FROM oauth_records WHERE kind = ? AND grant_id = ?";
const REMOVE_GRANT = "DELETE FROM oauth_records WHERE grant_id = ?";
const GRANT_COLUMNS =
  "g.grant_id AS g_id, g.person_id AS g_person_id, g.client_id AS g_client_id, g.name AS g_name, g.host AS g_host, " +
  "g.payload AS g_payload, g.created_at AS g_created_at, g.last_used_at AS g_last_used_at, g.expires_at AS g_expires_at";
const ACCESS_TOKEN = `SELECT ${RECORDS.columnsOf("t")}, ${GRANT_COLUMNS}
  FROM oauth_records t JOIN oauth_records g ON g.kind = 'Grant' AND g.grant_id = t.grant_id
  WHERE t.kind = 'AccessToken' AND t.digest = ?`;
const CLIENTS = `SELECT ${GRANT_COLUMNS} FROM oauth_records g WHERE g.kind = 'Grant'`;
const NEWEST = " ORDER BY g.created_at DESC, g.grant_id DESC";
const CLIENTS_OF_ALL = `${CLIENTS}${NEWEST}`;
const CLIENTS_OF = `${CLIENTS} AND g.person_id = ?${NEWEST}`;
const CLIENT = `${CLIENTS} AND g.grant_id = ?`;
const TOUCH = "UPDATE oauth_records SET last_used_at = ? WHERE kind = 'Grant' AND grant_id = ?";
const IS_CONNECTED = "SELECT 1 AS one FROM oauth_records WHERE client_id = ? AND kind = 'Grant' LIMIT 1";
const COUNT = "SELECT count(*) AS total FROM oauth_records WHERE kind = ?";
const KEEP_CLIENT =
  "UPDATE oauth_records SET expires_at = ? WHERE kind = 'Client' AND client_id = ? AND expires_at < ?";
const TRIM = `DELETE FROM oauth_records WHERE expires_at <= ?
  OR (expires_at <= ? AND (kind = 'Client' OR kind = 'Interaction' OR kind = 'DeviceCode'))`;

function connected(row: Row): ConnectedClient {
  return {
    grantId: text(row, "g_id"),
    personId: text(row, "g_person_id"),
    clientId: text(row, "g_client_id"),
    name: text(row, "g_name"),
    host: text(row, "g_host"),
    payload: object(row, "g_payload"),
    createdAt: text(row, "g_created_at"),
    lastUsedAt: optText(row, "g_last_used_at"),
    expiresAt: text(row, "g_expires_at"),
  };
}

/** The authorization server's records over either database. */
export const oauthRecords = (sql: Sql): OAuthStore => ({
  get: (kind, digest) => RECORDS.one(sql, GET, [kind, digest]),
  byUserCode: (userCode) => RECORDS.one(sql, BY_USER_CODE, [userCode]),
  put: async (one) => exec(sql, PUT, [...RECORDS.values(one), "", ""]),
  consume: (kind, digest, at) => changesOne(sql, CONSUME, [at, kind, digest]),
  remove: (kind, digest) => changesOne(sql, REMOVE, [kind, digest]),
  nameGrant: async (grantId, name, host) => exec(sql, NAME_GRANT, [name, host, grantId]),
  removeTokens: (kind, grantId) => sql.run(REMOVE_TOKENS, [kind, grantId]),
  removeGrant: async (grantId) => (await sql.run(REMOVE_GRANT, [grantId])) > 0,
  accessToken: (digest) =>
    first(sql, ACCESS_TOKEN, [digest], (row) => ({ record: RECORDS.read(row), client: connected(row) })),
  async clients(personId) {
    const rows =
      personId === null ? await sql.all(CLIENTS_OF_ALL, []) : await sql.all(CLIENTS_OF, [personId]);
    return rows.map(connected);
  },
  client: (grantId) => first(sql, CLIENT, [grantId], connected),
  touchGrant: async (grantId, at) => exec(sql, TOUCH, [at, grantId]),
  isConnected: async (clientId) => (await sql.get(IS_CONNECTED, [clientId])) !== undefined,
  count: (kind) => numberOf(sql, COUNT, [kind], "total"),
  keepClient: async (clientId, until) => exec(sql, KEEP_CLIENT, [until, clientId, until]),
  trim: (before, pendingBefore) => sql.run(TRIM, [before, pendingBefore]),
});
