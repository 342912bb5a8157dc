import { TOKEN_KINDS, type TokenRecord, type TokenStore } from "../../ports/tokens.ts";
import { jsonText, oneOf, optText, scopes, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS =
  "id, kind, person_id, name, digest, scopes, created_at, expires_at, revoked_at, revoked_by, last_used_at";
const INSERT = insertInto("person_tokens", COLUMNS);
const SELECT = `SELECT ${COLUMNS} FROM person_tokens`;
const GET = `${SELECT} WHERE id = ?`;
const OF_PERSON = `${SELECT} WHERE person_id = ? ORDER BY created_at DESC, id DESC`;
const REVOKE = "UPDATE person_tokens SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL";
const REVOKE_ALL =
  "UPDATE person_tokens SET revoked_at = ?, revoked_by = ? WHERE person_id = ? AND revoked_at IS NULL RETURNING id";
const TOUCH =
  "UPDATE person_tokens SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)";
const TRIM = "DELETE FROM person_tokens WHERE person_id = ? AND (expires_at < ? OR revoked_at < ?)";

function token(row: Row): TokenRecord {
  return {
    id: text(row, "id"),
    kind: oneOf(row, "kind", TOKEN_KINDS),
    personId: text(row, "person_id"),
    name: text(row, "name"),
    digest: text(row, "digest"),
    scopes: scopes(row, "scopes"),
    createdAt: text(row, "created_at"),
    expiresAt: text(row, "expires_at"),
    revokedAt: optText(row, "revoked_at"),
    revokedBy: optText(row, "revoked_by"),
    lastUsedAt: optText(row, "last_used_at"),
  };
}

/** Tokens of people over either database. */
export class TokenRecords implements TokenStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: TokenRecord): Promise<void> {
    await this.#sql.run(INSERT, [
      record.id,
      record.kind,
      record.personId,
      record.name,
      record.digest,
      jsonText(record.scopes),
      record.createdAt,
      record.expiresAt,
      record.revokedAt,
      record.revokedBy,
      record.lastUsedAt,
    ]);
  }

  async get(id: string): Promise<TokenRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : token(row);
  }

  async ofPerson(personId: string): Promise<readonly TokenRecord[]> {
    return (await this.#sql.all(OF_PERSON, [personId])).map(token);
  }

  async revoke(id: string, at: string, by: string): Promise<boolean> {
    return (await this.#sql.run(REVOKE, [at, by, id])) === 1;
  }

  async revokeAll(personId: string, at: string, by: string): Promise<readonly string[]> {
    return (await this.#sql.all(REVOKE_ALL, [at, by, personId])).map((row) => text(row, "id"));
  }

  async touch(id: string, at: string): Promise<void> {
    await this.#sql.run(TOUCH, [at, id, at]);
  }

  trim(personId: string, before: string): Promise<number> {
    return this.#sql.run(TRIM, [personId, before, before]);
  }
}
