import { TOKEN_KINDS, type TokenRecord, type TokenStore } from "../../ports/tokens.ts";
import { text } from "../rows.ts";
import { OverSql } from "./over-sql.ts";
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
const INSERT = PERSON_TOKENS.insert;
const SELECT = PERSON_TOKENS.select;
const GET = `${SELECT} WHERE id = ?`;
const OF_PERSON = `${SELECT} WHERE person_id = ? ORDER BY created_at DESC, id DESC`;
const REVOKE = "UPDATE person_tokens SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL";
const REVOKE_ALL =
  "UPDATE person_tokens SET revoked_at = ?, revoked_by = ? WHERE person_id = ? AND revoked_at IS NULL RETURNING id";
const TOUCH =
  "UPDATE person_tokens SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)";
const TRIM = "DELETE FROM person_tokens WHERE person_id = ? AND (expires_at < ? OR revoked_at < ?)";

/** Tokens of people over either database. */
export class TokenRecords extends OverSql implements TokenStore {
  async insert(record: TokenRecord): Promise<void> {
    await this.sql.run(INSERT, PERSON_TOKENS.values(record));
  }

  get(id: string): Promise<TokenRecord | null> {
    return PERSON_TOKENS.one(this.sql, GET, [id]);
  }

  ofPerson(personId: string): Promise<readonly TokenRecord[]> {
    return PERSON_TOKENS.all(this.sql, OF_PERSON, [personId]);
  }

  revoke(id: string, at: string, by: string): Promise<boolean> {
    return this.changesOne(REVOKE, [at, by, id]);
  }

  async revokeAll(personId: string, at: string, by: string): Promise<readonly string[]> {
    return (await this.sql.all(REVOKE_ALL, [at, by, personId])).map((row) => text(row, "id"));
  }

  async touch(id: string, at: string): Promise<void> {
    await this.sql.run(TOUCH, [at, id, at]);
  }

  trim(personId: string, before: string): Promise<number> {
    return this.sql.run(TRIM, [personId, before, before]);
  }
}
