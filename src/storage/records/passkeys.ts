import {
  CHALLENGE_PURPOSES,
  type ChallengeRecord,
  type PasskeyRecord,
  type PasskeyStore,
} from "../../ports/passkeys.ts";
import { OverSql } from "./over-sql.ts";
import { is, table } from "../table.ts";

const PASSKEYS = table<PasskeyRecord>("passkeys", {
  id: is.text,
  personId: is.text,
  name: is.text,
  publicKey: is.text,
  counter: is.int,
  transports: is.strings,
  synced: is.flag,
  createdAt: is.text,
  lastUsedAt: is.optText,
});
const INSERT = `${PASSKEYS.insert} ON CONFLICT (id) DO NOTHING`;
const SELECT = PASSKEYS.select;
const GET = `${SELECT} WHERE id = ?`;
const OF_PERSON = `${SELECT} WHERE person_id = ? ORDER BY created_at, id`;
const RENAME = "UPDATE passkeys SET name = ? WHERE id = ?";
const REMOVE = "DELETE FROM passkeys WHERE id = ?";
const USED = `UPDATE passkeys SET counter = ?, last_used_at = ?
  WHERE id = ? AND (counter < ? OR (counter = 0 AND ? = 0))`;
const CHALLENGES = table<ChallengeRecord>("passkey_challenges", {
  digest: is.text,
  purpose: is.oneOf(CHALLENGE_PURPOSES),
  subject: is.text,
  expiresAt: is.text,
});
const TAKE_CHALLENGE = `DELETE FROM passkey_challenges WHERE digest = ? RETURNING ${CHALLENGES.columns}`;
const TRIM_CHALLENGES = "DELETE FROM passkey_challenges WHERE expires_at <= ?";

/** Passkeys over either database. */
export class PasskeyRecords extends OverSql implements PasskeyStore {
  insert(record: PasskeyRecord): Promise<boolean> {
    return this.changesOne(INSERT, PASSKEYS.values(record));
  }

  get(id: string): Promise<PasskeyRecord | null> {
    return PASSKEYS.one(this.sql, GET, [id]);
  }

  ofPerson(personId: string): Promise<readonly PasskeyRecord[]> {
    return PASSKEYS.all(this.sql, OF_PERSON, [personId]);
  }

  rename(id: string, name: string): Promise<boolean> {
    return this.changesOne(RENAME, [name, id]);
  }

  remove(id: string): Promise<boolean> {
    return this.changesOne(REMOVE, [id]);
  }

  used(id: string, counter: number, at: string): Promise<boolean> {
    return this.changesOne(USED, [counter, at, id, counter, counter]);
  }

  async insertChallenge(record: ChallengeRecord): Promise<void> {
    await this.sql.run(CHALLENGES.insert, CHALLENGES.values(record));
  }

  takeChallenge(digest: string): Promise<ChallengeRecord | null> {
    return CHALLENGES.one(this.sql, TAKE_CHALLENGE, [digest]);
  }

  trimChallenges(now: string): Promise<number> {
    return this.sql.run(TRIM_CHALLENGES, [now]);
  }
}
