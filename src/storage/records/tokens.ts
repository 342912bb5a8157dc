import type { Sql } from "../sql.ts";
import { TOKEN_KINDS, type TokenRecord, type TokenStore } from "../../ports/tokens.ts";
import { text } from "../rows.ts";
import { changesOne, exec } from "./statements.ts";
import { is, table } from "../table.ts";

const PERSON_TOKENS = table<TokenRecord>("person_tokens", {
  id: is.text,
  kind: is.oneOf(TOKEN_KINDS),
  personId: is.text,
  name: is.text,
  digest: is.text,
  scopes: is.scopes,
  createdAt: is.text,
  expiresAt: is.text,
  revokedAt: is.optText,
  revokedBy: is.optText,
  lastUsedAt: is.optText,
});
const GET = `${PERSON_TOKENS.select} WHERE id = ?`;
const OF_PERSON = `${PERSON_TOKENS.select} WHERE person_id = ? ORDER BY created_at DESC, id DESC`;
const REVOKE = "UPDATE person_tokens SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL";
const REVOKE_ALL =
  "UPDATE person_tokens SET revoked_at = ?, revoked_by = ? WHERE person_id = ? AND revoked_at IS NULL RETURNING id";
const TOUCH =
  "UPDATE person_tokens SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)";
const TRIM = "DELETE FROM person_tokens WHERE person_id = ? AND (expires_at < ? OR revoked_at < ?)";

/** Tokens of people over either database. */
export const tokenRecords = (sql: Sql): TokenStore => ({
  insert: async (record) => exec(sql, PERSON_TOKENS.insert, PERSON_TOKENS.values(record)),
  get: (id) => PERSON_TOKENS.one(sql, GET, [id]),
  ofPerson: (personId) => PERSON_TOKENS.all(sql, OF_PERSON, [personId]),
  revoke: (id, at, by) => changesOne(sql, REVOKE, [at, by, id]),
  revokeAll: async (personId, at, by) =>
    (await sql.all(REVOKE_ALL, [at, by, personId])).map((row) => text(row, "id")),
  touch: async (id, at) => exec(sql, TOUCH, [at, id, at]),
  trim: (personId, before) => sql.run(TRIM, [personId, before, before]),
});
