import {
  CHALLENGE_PURPOSES,
  type ChallengeRecord,
  type PasskeyRecord,
  type PasskeyStore,
} from "../../ports/passkeys.ts";
import { int, jsonText, oneOf, optText, strings, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS = "id, person_id, name, public_key, counter, transports, synced, created_at, last_used_at";
const INSERT = `${insertInto("passkeys", COLUMNS)} ON CONFLICT (id) DO NOTHING`;
const SELECT = `SELECT ${COLUMNS} FROM passkeys`;
const GET = `${SELECT} WHERE id = ?`;
const OF_PERSON = `${SELECT} WHERE person_id = ? ORDER BY created_at, id`;
const RENAME = "UPDATE passkeys SET name = ? WHERE id = ?";
const REMOVE = "DELETE FROM passkeys WHERE id = ?";
const USED = `UPDATE passkeys SET counter = ?, last_used_at = ?
  WHERE id = ? AND (counter < ? OR (counter = 0 AND ? = 0))`;
const CHALLENGE = "digest, purpose, subject, expires_at";
const INSERT_CHALLENGE = insertInto("passkey_challenges", CHALLENGE);
const TAKE_CHALLENGE = `DELETE FROM passkey_challenges WHERE digest = ? RETURNING ${CHALLENGE}`;
const TRIM_CHALLENGES = "DELETE FROM passkey_challenges WHERE expires_at <= ?";

function passkey(row: Row): PasskeyRecord {
  return {
    id: text(row, "id"),
    personId: text(row, "person_id"),
    name: text(row, "name"),
    publicKey: text(row, "public_key"),
    counter: int(row, "counter"),
    transports: strings(row, "transports"),
    synced: int(row, "synced") === 1,
    createdAt: text(row, "created_at"),
    lastUsedAt: optText(row, "last_used_at"),
  };
}

/** Passkeys over either database. */
export class PasskeyRecords implements PasskeyStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: PasskeyRecord): Promise<boolean> {
    const inserted = await this.#sql.run(INSERT, [
      record.id,
      record.personId,
      record.name,
      record.publicKey,
      record.counter,
      jsonText(record.transports),
      record.synced ? 1 : 0,
      record.createdAt,
      record.lastUsedAt,
    ]);
    return inserted === 1;
  }

  async get(id: string): Promise<PasskeyRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : passkey(row);
  }

  async ofPerson(personId: string): Promise<readonly PasskeyRecord[]> {
    return (await this.#sql.all(OF_PERSON, [personId])).map(passkey);
  }

  async rename(id: string, name: string): Promise<boolean> {
    return (await this.#sql.run(RENAME, [name, id])) === 1;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#sql.run(REMOVE, [id])) === 1;
  }

  async used(id: string, counter: number, at: string): Promise<boolean> {
    return (await this.#sql.run(USED, [counter, at, id, counter, counter])) === 1;
  }

  async insertChallenge({ digest, purpose, subject, expiresAt }: ChallengeRecord): Promise<void> {
    await this.#sql.run(INSERT_CHALLENGE, [digest, purpose, subject, expiresAt]);
  }

  async takeChallenge(digest: string): Promise<ChallengeRecord | null> {
    const row = await this.#sql.get(TAKE_CHALLENGE, [digest]);
    if (row === undefined) return null;
    return {
      digest: text(row, "digest"),
      purpose: oneOf(row, "purpose", CHALLENGE_PURPOSES),
      subject: text(row, "subject"),
      expiresAt: text(row, "expires_at"),
    };
  }

  trimChallenges(now: string): Promise<number> {
    return this.#sql.run(TRIM_CHALLENGES, [now]);
  }
}
