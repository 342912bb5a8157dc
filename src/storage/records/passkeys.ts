import type { Sql } from "../sql.ts";
import {
  CHALLENGE_PURPOSES,
  type ChallengeRecord,
  type PasskeyRecord,
  type PasskeyStore,
} from "../../ports/passkeys.ts";
import { changesOne, exec } from "./statements.ts";
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
const GET = `${PASSKEYS.select} WHERE id = ?`;
const OF_PERSON = `${PASSKEYS.select} WHERE person_id = ? ORDER BY created_at, id`;
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
export const passkeyRecords = (sql: Sql): PasskeyStore => ({
  insert: (record) => changesOne(sql, INSERT, PASSKEYS.values(record)),
  get: (id) => PASSKEYS.one(sql, GET, [id]),
  ofPerson: (personId) => PASSKEYS.all(sql, OF_PERSON, [personId]),
  rename: (id, name) => changesOne(sql, RENAME, [name, id]),
  remove: (id) => changesOne(sql, REMOVE, [id]),
  used: (id, counter, at) => changesOne(sql, USED, [counter, at, id, counter, counter]),
  insertChallenge: async (record) => exec(sql, CHALLENGES.insert, CHALLENGES.values(record)),
  takeChallenge: (digest) => CHALLENGES.one(sql, TAKE_CHALLENGE, [digest]),
  trimChallenges: (now) => sql.run(TRIM_CHALLENGES, [now]),
});
