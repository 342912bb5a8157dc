import {
  INVITATION_KINDS,
  PERSON_STATES,
  ROLES,
  SIGN_IN_METHODS,
  type InvitationRecord,
  type PeopleStore,
  type PersonFilter,
  type PersonRecord,
  type SessionRecord,
} from "../../ports/people.ts";
import type { Page, PageRequest } from "../../ports/store.ts";
import { anyOf, NEWEST, occurs, selectPage } from "../paging.ts";
import { int, text } from "../rows.ts";
import { insertInto } from "../sql.ts";
import { OverSql } from "./over-sql.ts";
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
const SELECT = PEOPLE.select;
const GET = `${SELECT} WHERE id = ?`;
const BY_EMAIL = `${SELECT} WHERE email = ?`;
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
const INSERT_LINK = INVITATIONS.insert;
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
const INSERT_SESSION = SESSIONS.insert;
const SELECT_SESSION = SESSIONS.select;
const GET_SESSION = `${SELECT_SESSION} WHERE id = ?`;
const SESSIONS_OF = `${SELECT_SESSION} WHERE person_id = ? ORDER BY created_at DESC, id DESC`;
const UPDATE_SESSION = SESSIONS.update(
  ["digest", "nextDigest", "nextAt", "previousDigest", "rotatedAt", "lastUsedAt"],
  "WHERE id = ? AND digest = ?",
);
const TOUCH_SESSION = "UPDATE sessions SET last_used_at = ? WHERE id = ? AND last_used_at < ?";
const REMOVE_SESSION = "DELETE FROM sessions WHERE id = ?";
const REMOVE_SESSIONS = "DELETE FROM sessions WHERE person_id = ? AND id <> ? RETURNING id";
const TRIM_SESSIONS = "DELETE FROM sessions WHERE expires_at <= ? OR last_used_at <= ?";

/** People over either database. */
export class PeopleRecords extends OverSql implements PeopleStore {
  insert(record: PersonRecord): Promise<boolean> {
    return this.changesOne(INSERT, PEOPLE.values(record));
  }

  get(id: string): Promise<PersonRecord | null> {
    return PEOPLE.one(this.sql, GET, [id]);
  }

  byEmail(email: string): Promise<PersonRecord | null> {
    return PEOPLE.one(this.sql, BY_EMAIL, [email]);
  }

  list(page: PageRequest, { text: part, inAddress = false }: PersonFilter = {}): Promise<Page<PersonRecord>> {
    if (part === undefined) return selectPage(this.sql, SELECT, {}, NEWEST, page, PEOPLE.read);
    // Names are found in either case also where they begin with a letter that is not of ASCII.
    const lower = part.toLowerCase();
    const spellings = [part, lower, `${lower.slice(0, 1).toUpperCase()}${lower.slice(1)}`];
    const alternatives = spellings.map((one) => occurs(this.sql.dialect, "name", one));
    if (inAddress) alternatives.push(occurs(this.sql.dialect, "email", lower));
    return selectPage(this.sql, SELECT, { only: anyOf(alternatives) }, NEWEST, page, PEOPLE.read);
  }

  update(record: PersonRecord, expectedRevision: number): Promise<boolean> {
    return this.changesOne(UPDATE.sql, [...UPDATE.values(record), record.id, expectedRevision]);
  }

  async signedIn(id: string, at: string): Promise<void> {
    await this.sql.run(SIGNED_IN, [at, id]);
  }

  async owners(): Promise<readonly string[]> {
    return (await this.sql.all(`${OWNERS}${this.sql.forUpdate}`, [])).map((row) => text(row, "id"));
  }

  async count(): Promise<number> {
    return this.#count(COUNT, []);
  }

  async insertInvitation(record: InvitationRecord): Promise<void> {
    await this.sql.run(INSERT_LINK, INVITATIONS.values(record));
  }

  invitation(digest: string): Promise<InvitationRecord | null> {
    return INVITATIONS.one(this.sql, GET_LINK, [digest]);
  }

  takeInvitation(digest: string): Promise<InvitationRecord | null> {
    return INVITATIONS.one(this.sql, TAKE_LINK, [digest]);
  }

  async dropInvitations(personId: string | null): Promise<void> {
    if (personId === null) await this.sql.run(DROP_OWNER_LINKS, []);
    else await this.sql.run(DROP_LINKS, [personId]);
  }

  dropInvitationsBy(personId: string): Promise<number> {
    return this.sql.run(DROP_LINKS_BY, [personId]);
  }

  trimInvitations(now: string): Promise<number> {
    return this.sql.run(TRIM_LINKS, [now]);
  }

  async setRecoveryCodes(personId: string, digests: readonly string[]): Promise<void> {
    await this.sql.run(DROP_CODES, [personId]);
    await this.sql.insert(
      INSERT_CODE,
      digests.map((digest) => [personId, digest]),
    );
  }

  takeRecoveryCode(personId: string, digest: string): Promise<boolean> {
    return this.changesOne(TAKE_CODE, [personId, digest]);
  }

  countRecoveryCodes(personId: string): Promise<number> {
    return this.#count(COUNT_CODES, [personId]);
  }

  async identity(issuer: string, subject: string): Promise<string | null> {
    const row = await this.sql.get(IDENTITY, [issuer, subject]);
    return row === undefined ? null : text(row, "person_id");
  }

  addIdentity(issuer: string, subject: string, personId: string, at: string): Promise<boolean> {
    return this.changesOne(ADD_IDENTITY, [issuer, subject, personId, at]);
  }

  async hasIdentity(personId: string): Promise<boolean> {
    return (await this.#count(COUNT_IDENTITIES, [personId])) > 0;
  }

  async countAttempt(key: string, now: number, everyMs: number, burst: number): Promise<number> {
    const latest = now + (burst - 1) * everyMs;
    // Only what is later than any count of now was written before the clock was moved back. A request that read the
    // clock a moment before those that it meets here, or on another replica, must not begin from zero.
    const impossible = now + (burst + 1) * everyMs;
    const counted = await this.sql.run(COUNT_ATTEMPT, [
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
    const row = await this.sql.get(GET_ATTEMPT, [key]);
    return row === undefined ? 1 : Math.max(1, int(row, "full_at") - latest);
  }

  async returnAttempt(key: string, everyMs: number): Promise<void> {
    await this.sql.run(RETURN_ATTEMPT, [everyMs, key]);
  }

  trimAttempts(now: number): Promise<number> {
    return this.sql.run(TRIM_ATTEMPTS, [now]);
  }

  async insertSession(record: SessionRecord): Promise<void> {
    await this.sql.run(INSERT_SESSION, SESSIONS.values(record));
  }

  session(id: string): Promise<SessionRecord | null> {
    return SESSIONS.one(this.sql, GET_SESSION, [id]);
  }

  sessions(personId: string): Promise<readonly SessionRecord[]> {
    return SESSIONS.all(this.sql, SESSIONS_OF, [personId]);
  }

  updateSession(record: SessionRecord, expectedDigest: string): Promise<boolean> {
    return this.changesOne(UPDATE_SESSION.sql, [...UPDATE_SESSION.values(record), record.id, expectedDigest]);
  }

  async touchSession(id: string, at: string): Promise<void> {
    await this.sql.run(TOUCH_SESSION, [at, id, at]);
  }

  removeSession(id: string): Promise<boolean> {
    return this.changesOne(REMOVE_SESSION, [id]);
  }

  async removeSessions(personId: string, exceptId: string | null): Promise<readonly string[]> {
    return (await this.sql.all(REMOVE_SESSIONS, [personId, exceptId ?? ""])).map((row) => text(row, "id"));
  }

  trimSessions(now: string, idleSince: string): Promise<number> {
    return this.sql.run(TRIM_SESSIONS, [now, idleSince]);
  }

  async #count(sql: string, values: readonly string[]): Promise<number> {
    const row = await this.sql.get(sql, values);
    return row === undefined ? 0 : int(row, "total");
  }
}
