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
import type { Page, PageRequest } from "../../ports/store.ts";
import { NEWEST, selectPage } from "../paging.ts";
import { int, oneOf, optText, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS =
  "id, email, name, role, state, password, revision, created_by, created_at, updated_by, updated_at, last_sign_in_at";
const INSERT = `${insertInto("people", COLUMNS)} ON CONFLICT (email) DO NOTHING`;
const SELECT = `SELECT ${COLUMNS} FROM people`;
const GET = `${SELECT} WHERE id = ?`;
const BY_EMAIL = `${SELECT} WHERE email = ?`;
const UPDATE = `UPDATE people SET name = ?, role = ?, state = ?, password = ?, revision = ?, updated_by = ?, updated_at = ?
  WHERE id = ? AND revision = ?`;
const SIGNED_IN = "UPDATE people SET last_sign_in_at = ? WHERE id = ?";
const OWNERS = "SELECT id FROM people WHERE role = 'owner' AND state = 'active' ORDER BY id";
const COUNT = "SELECT count(*) AS total FROM people";

const LINK_COLUMNS = "digest, kind, person_id, created_by, created_at, expires_at";
const INSERT_LINK = insertInto("invitations", LINK_COLUMNS);
const GET_LINK = `SELECT ${LINK_COLUMNS} FROM invitations WHERE digest = ?`;
const TAKE_LINK = `DELETE FROM invitations WHERE digest = ? RETURNING ${LINK_COLUMNS}`;
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

const SESSION_COLUMNS =
  "id, person_id, digest, next_digest, next_at, previous_digest, method, client, address, created_at, " +
  "rotated_at, last_used_at, expires_at";
const INSERT_SESSION = insertInto("sessions", SESSION_COLUMNS);
const SELECT_SESSION = `SELECT ${SESSION_COLUMNS} FROM sessions`;
const GET_SESSION = `${SELECT_SESSION} WHERE id = ?`;
const SESSIONS = `${SELECT_SESSION} WHERE person_id = ? ORDER BY created_at DESC, id DESC`;
const UPDATE_SESSION = `UPDATE sessions SET digest = ?, next_digest = ?, next_at = ?, previous_digest = ?,
  rotated_at = ?, last_used_at = ? WHERE id = ? AND digest = ?`;
const TOUCH_SESSION = "UPDATE sessions SET last_used_at = ? WHERE id = ? AND last_used_at < ?";
const REMOVE_SESSION = "DELETE FROM sessions WHERE id = ?";
const REMOVE_SESSIONS = "DELETE FROM sessions WHERE person_id = ? AND id <> ? RETURNING id";
const TRIM_SESSIONS = "DELETE FROM sessions WHERE expires_at <= ? OR last_used_at <= ?";

function person(row: Row): PersonRecord {
  return {
    id: text(row, "id"),
    email: text(row, "email"),
    name: text(row, "name"),
    role: oneOf(row, "role", ROLES),
    state: oneOf(row, "state", PERSON_STATES),
    password: optText(row, "password"),
    revision: int(row, "revision"),
    createdBy: text(row, "created_by"),
    createdAt: text(row, "created_at"),
    updatedBy: text(row, "updated_by"),
    updatedAt: text(row, "updated_at"),
    lastSignInAt: optText(row, "last_sign_in_at"),
  };
}

function invitation(row: Row): InvitationRecord {
  return {
    digest: text(row, "digest"),
    kind: oneOf(row, "kind", INVITATION_KINDS),
    personId: optText(row, "person_id"),
    createdBy: text(row, "created_by"),
    createdAt: text(row, "created_at"),
    expiresAt: text(row, "expires_at"),
  };
}

function session(row: Row): SessionRecord {
  return {
    id: text(row, "id"),
    personId: text(row, "person_id"),
    digest: text(row, "digest"),
    nextDigest: optText(row, "next_digest"),
    nextAt: optText(row, "next_at"),
    previousDigest: optText(row, "previous_digest"),
    method: oneOf(row, "method", SIGN_IN_METHODS),
    client: text(row, "client"),
    address: text(row, "address"),
    createdAt: text(row, "created_at"),
    rotatedAt: text(row, "rotated_at"),
    lastUsedAt: text(row, "last_used_at"),
    expiresAt: text(row, "expires_at"),
  };
}

/** People over either database. */
export class PeopleRecords implements PeopleStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: PersonRecord): Promise<boolean> {
    const inserted = await this.#sql.run(INSERT, [
      record.id,
      record.email,
      record.name,
      record.role,
      record.state,
      record.password,
      record.revision,
      record.createdBy,
      record.createdAt,
      record.updatedBy,
      record.updatedAt,
      record.lastSignInAt,
    ]);
    return inserted === 1;
  }

  async get(id: string): Promise<PersonRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : person(row);
  }

  async byEmail(email: string): Promise<PersonRecord | null> {
    const row = await this.#sql.get(BY_EMAIL, [email]);
    return row === undefined ? null : person(row);
  }

  list(page: PageRequest): Promise<Page<PersonRecord>> {
    return selectPage(this.#sql, SELECT, {}, NEWEST, page, person);
  }

  async update(record: PersonRecord, expectedRevision: number): Promise<boolean> {
    const changed = await this.#sql.run(UPDATE, [
      record.name,
      record.role,
      record.state,
      record.password,
      record.revision,
      record.updatedBy,
      record.updatedAt,
      record.id,
      expectedRevision,
    ]);
    return changed === 1;
  }

  async signedIn(id: string, at: string): Promise<void> {
    await this.#sql.run(SIGNED_IN, [at, id]);
  }

  async owners(): Promise<readonly string[]> {
    return (await this.#sql.all(`${OWNERS}${this.#sql.forUpdate}`, [])).map((row) => text(row, "id"));
  }

  async count(): Promise<number> {
    return this.#count(COUNT, []);
  }

  async insertInvitation(record: InvitationRecord): Promise<void> {
    const { digest, kind, personId, createdBy, createdAt, expiresAt } = record;
    await this.#sql.run(INSERT_LINK, [digest, kind, personId, createdBy, createdAt, expiresAt]);
  }

  async invitation(digest: string): Promise<InvitationRecord | null> {
    const row = await this.#sql.get(GET_LINK, [digest]);
    return row === undefined ? null : invitation(row);
  }

  async takeInvitation(digest: string): Promise<InvitationRecord | null> {
    const row = await this.#sql.get(TAKE_LINK, [digest]);
    return row === undefined ? null : invitation(row);
  }

  async dropInvitations(personId: string | null): Promise<void> {
    if (personId === null) await this.#sql.run(DROP_OWNER_LINKS, []);
    else await this.#sql.run(DROP_LINKS, [personId]);
  }

  dropInvitationsBy(personId: string): Promise<number> {
    return this.#sql.run(DROP_LINKS_BY, [personId]);
  }

  trimInvitations(now: string): Promise<number> {
    return this.#sql.run(TRIM_LINKS, [now]);
  }

  async setRecoveryCodes(personId: string, digests: readonly string[]): Promise<void> {
    await this.#sql.run(DROP_CODES, [personId]);
    await this.#sql.insert(
      INSERT_CODE,
      digests.map((digest) => [personId, digest]),
    );
  }

  async takeRecoveryCode(personId: string, digest: string): Promise<boolean> {
    return (await this.#sql.run(TAKE_CODE, [personId, digest])) === 1;
  }

  countRecoveryCodes(personId: string): Promise<number> {
    return this.#count(COUNT_CODES, [personId]);
  }

  async identity(issuer: string, subject: string): Promise<string | null> {
    const row = await this.#sql.get(IDENTITY, [issuer, subject]);
    return row === undefined ? null : text(row, "person_id");
  }

  async addIdentity(issuer: string, subject: string, personId: string, at: string): Promise<boolean> {
    return (await this.#sql.run(ADD_IDENTITY, [issuer, subject, personId, at])) === 1;
  }

  async hasIdentity(personId: string): Promise<boolean> {
    return (await this.#count(COUNT_IDENTITIES, [personId])) > 0;
  }

  async countAttempt(key: string, now: number, everyMs: number, burst: number): Promise<number> {
    const most = now + burst * everyMs;
    const latest = most - everyMs;
    const counted = await this.#sql.run(COUNT_ATTEMPT, [
      key,
      now + everyMs,
      now,
      most,
      now,
      everyMs,
      latest,
      most,
    ]);
    if (counted === 1) return 0;
    const row = await this.#sql.get(GET_ATTEMPT, [key]);
    return row === undefined ? 1 : Math.max(1, int(row, "full_at") - latest);
  }

  async returnAttempt(key: string, everyMs: number): Promise<void> {
    await this.#sql.run(RETURN_ATTEMPT, [everyMs, key]);
  }

  trimAttempts(now: number): Promise<number> {
    return this.#sql.run(TRIM_ATTEMPTS, [now]);
  }

  async insertSession(record: SessionRecord): Promise<void> {
    await this.#sql.run(INSERT_SESSION, [
      record.id,
      record.personId,
      record.digest,
      record.nextDigest,
      record.nextAt,
      record.previousDigest,
      record.method,
      record.client,
      record.address,
      record.createdAt,
      record.rotatedAt,
      record.lastUsedAt,
      record.expiresAt,
    ]);
  }

  async session(id: string): Promise<SessionRecord | null> {
    const row = await this.#sql.get(GET_SESSION, [id]);
    return row === undefined ? null : session(row);
  }

  async sessions(personId: string): Promise<readonly SessionRecord[]> {
    return (await this.#sql.all(SESSIONS, [personId])).map(session);
  }

  async updateSession(record: SessionRecord, expectedDigest: string): Promise<boolean> {
    const changed = await this.#sql.run(UPDATE_SESSION, [
      record.digest,
      record.nextDigest,
      record.nextAt,
      record.previousDigest,
      record.rotatedAt,
      record.lastUsedAt,
      record.id,
      expectedDigest,
    ]);
    return changed === 1;
  }

  async touchSession(id: string, at: string): Promise<void> {
    await this.#sql.run(TOUCH_SESSION, [at, id, at]);
  }

  async removeSession(id: string): Promise<boolean> {
    return (await this.#sql.run(REMOVE_SESSION, [id])) === 1;
  }

  async removeSessions(personId: string, exceptId: string | null): Promise<readonly string[]> {
    return (await this.#sql.all(REMOVE_SESSIONS, [personId, exceptId ?? ""])).map((row) => text(row, "id"));
  }

  trimSessions(now: string, idleSince: string): Promise<number> {
    return this.#sql.run(TRIM_SESSIONS, [now, idleSince]);
  }

  async #count(sql: string, values: readonly string[]): Promise<number> {
    const row = await this.#sql.get(sql, values);
    return row === undefined ? 0 : int(row, "total");
  }
}
