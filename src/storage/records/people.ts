import {
  INVITATION_KINDS,
  PERSON_STATES,
  ROLES,
  SIGN_IN_METHODS,
  type InvitationRecord,
  type PeopleStore,
  type PersonRecord,
  type SessionRecord,
} from "../../ports/people.ts";
import { anyOf, NEWEST, occurs, selectPage } from "../paging.ts";
import { int, text } from "../rows.ts";
import { insertInto, type Sql } from "../sql.ts";
import { changesOne, exec, numberOf, first } from "./statements.ts";
import { is, table } from "../table.ts";

const PEOPLE = table<PersonRecord>("people", {
  id: is.text,
  email: is.text,
  name: is.text,
  role: is.oneOf(ROLES),
  state: is.oneOf(PERSON_STATES),
  password: is.optText,
  revision: is.int,
  createdBy: is.text,
  createdAt: is.text,
  updatedBy: is.text,
  updatedAt: is.text,
  lastSignInAt: is.optText,
});
const INSERT = `${PEOPLE.insert} ON CONFLICT (email) DO NOTHING`;
const GET = `${PEOPLE.select} WHERE id = ?`;
const BY_EMAIL = `${PEOPLE.select} WHERE email = ?`;
const UPDATE = PEOPLE.update(
  ["name", "role", "state", "password", "revision", "updatedBy", "updatedAt"],
  "WHERE id = ? AND revision = ?",
);
const SIGNED_IN = "UPDATE people SET last_sign_in_at = ? WHERE id = ?";
const OWNERS = "SELECT id FROM people WHERE role = 'owner' AND state = 'active' ORDER BY id";
const COUNT = "SELECT count(*) AS total FROM people";

const INVITATIONS = table<InvitationRecord>("invitations", {
  digest: is.text,
  kind: is.oneOf(INVITATION_KINDS),
  personId: is.optText,
  createdBy: is.text,
  createdAt: is.text,
  expiresAt: is.text,
});
const GET_LINK = `${INVITATIONS.select} WHERE digest = ?`;
const TAKE_LINK = `DELETE FROM invitations WHERE digest = ? RETURNING ${INVITATIONS.columns}`;
const DROP_LINKS = "DELETE FROM invitations WHERE person_id = ?";
const DROP_LINKS_BY = "DELETE FROM invitations WHERE created_by = ?";
const DROP_OWNER_LINKS = "DELETE FROM invitations WHERE kind = 'owner'";
const TRIM_LINKS = "DELETE FROM invitations WHERE expires_at <= ?";

const DROP_CODES = "DELETE FROM recovery_codes WHERE person_id = ?";
const INSERT_CODE = insertInto("recovery_codes", "person_id, digest");
const TAKE_CODE = "DELETE FROM recovery_codes WHERE person_id = ? AND digest = ?";
const COUNT_CODES = "SELECT count(*) AS total FROM recovery_codes WHERE person_id = ?";

const IDENTITY = "SELECT person_id FROM person_identities WHERE issuer = ? AND subject = ?";
const ADD_IDENTITY = `${insertInto("person_identities", "issuer, subject, person_id, created_at")}
  ON CONFLICT (issuer, subject) DO NOTHING`;
const COUNT_IDENTITIES = "SELECT count(*) AS total FROM person_identities WHERE person_id = ?";

/*
 * `full_at` is when the key has all its attempts again; each attempt moves it. A time that no attempts could have led to
 * comes from a clock that was moved back, and counts as now.
 */
const COUNT_ATTEMPT = `INSERT INTO sign_in_attempts (key, full_at) VALUES (?, ?)
  ON CONFLICT (key) DO UPDATE SET full_at = CASE
    WHEN sign_in_attempts.full_at > ? AND sign_in_attempts.full_at <= ? THEN sign_in_attempts.full_at
    ELSE ? END + ?
  WHERE sign_in_attempts.full_at <= ? OR sign_in_attempts.full_at > ?`;
const GET_ATTEMPT = "SELECT full_at FROM sign_in_attempts WHERE key = ?";
const RETURN_ATTEMPT = "UPDATE sign_in_attempts SET full_at = full_at - ? WHERE key = ?";
const TRIM_ATTEMPTS = "DELETE FROM sign_in_attempts WHERE full_at <= ?";

const SESSIONS = table<SessionRecord>("sessions", {
  id: is.text,
  personId: is.text,
  digest: is.text,
  nextDigest: is.optText,
  nextAt: is.optText,
  previousDigest: is.optText,
  method: is.oneOf(SIGN_IN_METHODS),
  client: is.text,
  address: is.text,
  createdAt: is.text,
  rotatedAt: is.text,
  lastUsedAt: is.text,
  expiresAt: is.text,
});
const GET_SESSION = `${SESSIONS.select} WHERE id = ?`;
const SESSIONS_OF = `${SESSIONS.select} WHERE person_id = ? ORDER BY created_at DESC, id DESC`;
const UPDATE_SESSION = SESSIONS.update(
  ["digest", "nextDigest", "nextAt", "previousDigest", "rotatedAt", "lastUsedAt"],
  "WHERE id = ? AND digest = ?",
);
const TOUCH_SESSION = "UPDATE sessions SET last_used_at = ? WHERE id = ? AND last_used_at < ?";
const REMOVE_SESSION = "DELETE FROM sessions WHERE id = ?";
const REMOVE_SESSIONS = "DELETE FROM sessions WHERE person_id = ? AND id <> ? RETURNING id";
const TRIM_SESSIONS = "DELETE FROM sessions WHERE expires_at <= ? OR last_used_at <= ?";

/** People over either database. */
export const peopleRecords = (sql: Sql): PeopleStore => ({
  insert: (record) => changesOne(sql, INSERT, PEOPLE.values(record)),
  get: (id) => PEOPLE.one(sql, GET, [id]),
  byEmail: (email) => PEOPLE.one(sql, BY_EMAIL, [email]),
  list(page, { text: part, inAddress = false } = {}) {
    if (part === undefined) return selectPage(sql, PEOPLE.select, {}, NEWEST, page, PEOPLE.read);
    // Names are found in either case also where they begin with a letter that is not of ASCII.
    const lower = part.toLowerCase();
    const spellings = [part, lower, `${lower.slice(0, 1).toUpperCase()}${lower.slice(1)}`];
    const alternatives = spellings.map((one) => occurs(sql.dialect, "name", one));
    if (inAddress) alternatives.push(occurs(sql.dialect, "email", lower));
    return selectPage(sql, PEOPLE.select, { only: anyOf(alternatives) }, NEWEST, page, PEOPLE.read);
  },
  update: (record, expectedRevision) =>
    changesOne(sql, UPDATE.sql, [...UPDATE.values(record), record.id, expectedRevision]),
  signedIn: async (id, at) => exec(sql, SIGNED_IN, [at, id]),
  owners: async () => (await sql.all(`${OWNERS}${sql.forUpdate}`, [])).map((row) => text(row, "id")),
  count: () => numberOf(sql, COUNT, [], "total"),
  insertInvitation: async (record) => exec(sql, INVITATIONS.insert, INVITATIONS.values(record)),
  invitation: (digest) => INVITATIONS.one(sql, GET_LINK, [digest]),
  takeInvitation: (digest) => INVITATIONS.one(sql, TAKE_LINK, [digest]),
  async dropInvitations(personId) {
    if (personId === null) await sql.run(DROP_OWNER_LINKS, []);
    else await sql.run(DROP_LINKS, [personId]);
  },
  dropInvitationsBy: (personId) => sql.run(DROP_LINKS_BY, [personId]),
  trimInvitations: (now) => sql.run(TRIM_LINKS, [now]),
  async setRecoveryCodes(personId, digests) {
    await sql.run(DROP_CODES, [personId]);
    await sql.insert(
      INSERT_CODE,
      digests.map((digest) => [personId, digest]),
    );
  },
  takeRecoveryCode: (personId, digest) => changesOne(sql, TAKE_CODE, [personId, digest]),
  countRecoveryCodes: (personId) => numberOf(sql, COUNT_CODES, [personId], "total"),
  identity: (issuer, subject) => first(sql, IDENTITY, [issuer, subject], (row) => text(row, "person_id")),
  addIdentity: (issuer, subject, personId, at) =>
    changesOne(sql, ADD_IDENTITY, [issuer, subject, personId, at]),
  hasIdentity: async (personId) => (await numberOf(sql, COUNT_IDENTITIES, [personId], "total")) > 0,
  async countAttempt(key, now, everyMs, burst) {
    const latest = now + (burst - 1) * everyMs;
    // Only what is later than any count of now was written before the clock was moved back. A request that read the
    // clock a moment before those that it meets here, or on another replica, must not begin from zero.
    const impossible = now + (burst + 1) * everyMs;
    const counted = await sql.run(COUNT_ATTEMPT, [
      key,
      now + everyMs,
      now,
      impossible,
      now,
      everyMs,
      latest,
      impossible,
    ]);
    if (counted === 1) return 0;
    const row = await sql.get(GET_ATTEMPT, [key]);
    return row === undefined ? 1 : Math.max(1, int(row, "full_at") - latest);
  },
  returnAttempt: async (key, everyMs) => exec(sql, RETURN_ATTEMPT, [everyMs, key]),
  trimAttempts: (now) => sql.run(TRIM_ATTEMPTS, [now]),
  insertSession: async (record) => exec(sql, SESSIONS.insert, SESSIONS.values(record)),
  session: (id) => SESSIONS.one(sql, GET_SESSION, [id]),
  sessions: (personId) => SESSIONS.all(sql, SESSIONS_OF, [personId]),
  updateSession: (record, expectedDigest) =>
    changesOne(sql, UPDATE_SESSION.sql, [...UPDATE_SESSION.values(record), record.id, expectedDigest]),
  touchSession: async (id, at) => exec(sql, TOUCH_SESSION, [at, id, at]),
  removeSession: (id) => changesOne(sql, REMOVE_SESSION, [id]),
  removeSessions: async (personId, exceptId) =>
    (await sql.all(REMOVE_SESSIONS, [personId, exceptId ?? ""])).map((row) => text(row, "id")),
  trimSessions: (now, idleSince) => sql.run(TRIM_SESSIONS, [now, idleSince]),
});
