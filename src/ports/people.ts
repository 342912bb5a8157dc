import type { InvitationKind, PersonState, Role, SignInMethod } from "../model/person-states.ts";
import type { Caller } from "./caller.ts";
import type { Page, PageRequest } from "./store.ts";

export {
  INVITATION_KINDS,
  PERSON_STATES,
  ROLES,
  SIGN_IN_METHODS,
  type InvitationKind,
  type PersonState,
  type Role,
  type SignInMethod,
} from "../model/person-states.ts";

/** A person. */
export interface PersonRecord {
  readonly id: string;
  /** In lower case; no two people share one. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly state: PersonState;
  /** Argon2id as a PHC string; null without a password. */
  readonly password: string | null;
  readonly revision: number;
  readonly createdBy: string;
  readonly createdAt: string;
  /** Who changed name, role, state or password last. */
  readonly updatedBy: string;
  readonly updatedAt: string;
  readonly lastSignInAt: string | null;
}

/** A signed-in browser. Only digests of its tokens are kept. */
export interface SessionRecord {
  readonly id: string;
  readonly personId: string;
  /** The token in use. */
  readonly digest: string;
  /** A new token that was sent and has not been used yet. */
  readonly nextDigest: string | null;
  readonly nextAt: string | null;
  /** The token before: it counts for requests that were under way, and later shows a theft. */
  readonly previousDigest: string | null;
  readonly method: SignInMethod;
  /** The browser as it names itself. */
  readonly client: string;
  readonly address: string;
  readonly createdAt: string;
  readonly rotatedAt: string;
  readonly lastUsedAt: string;
  /** The end of the session, however much it is used. */
  readonly expiresAt: string;
}

/** A one-time link. */
export interface InvitationRecord {
  readonly digest: string;
  readonly kind: InvitationKind;
  /** Null for the link of the first owner. */
  readonly personId: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** Which people a list holds. */
export interface PersonFilter {
  /** Occurs in the name. */
  readonly text?: string | undefined;
  /** The text may also occur in the address. */
  readonly inAddress?: boolean;
}

/** People, their sessions, links and recovery codes. */
export interface PeopleStore {
  /** False when the e-mail address is taken. */
  insert(record: PersonRecord): Promise<boolean>;
  get(id: string): Promise<PersonRecord | null>;
  byEmail(email: string): Promise<PersonRecord | null>;
  list(page: PageRequest, filter?: PersonFilter): Promise<Page<PersonRecord>>;
  /** Compare-and-set on `revision`: false when the stored one is not `expectedRevision`. */
  update(record: PersonRecord, expectedRevision: number): Promise<boolean>;
  /** Notes a sign-in; no change of the revision. */
  signedIn(id: string, at: string): Promise<void>;
  /** The ids of the active owners; in a transaction no other changes them before it ends. */
  owners(): Promise<readonly string[]>;
  count(): Promise<number>;

  insertInvitation(record: InvitationRecord): Promise<void>;
  invitation(digest: string): Promise<InvitationRecord | null>;
  /** Gives a link and removes it: a second call with the same digest gets null. */
  takeInvitation(digest: string): Promise<InvitationRecord | null>;
  /** Removes the links of a person; those of the first owner with null. */
  dropInvitations(personId: string | null): Promise<void>;
  /** Removes the links that a person made for others; says for how many. */
  dropInvitationsBy(personId: string): Promise<number>;
  trimInvitations(now: string): Promise<number>;

  /** Replaces the recovery codes of a person. */
  setRecoveryCodes(personId: string, digests: readonly string[]): Promise<void>;
  /** True once for each code. */
  takeRecoveryCode(personId: string, digest: string): Promise<boolean>;
  countRecoveryCodes(personId: string): Promise<number>;

  /** The person of an account at a company's sign-in (OpenID Connect), or null. */
  identity(issuer: string, subject: string): Promise<string | null>;
  /** False when that account belongs to a person already. */
  addIdentity(issuer: string, subject: string, personId: string, at: string): Promise<boolean>;
  hasIdentity(personId: string): Promise<boolean>;

  /**
   * Counts an attempt under a key: `burst` at once, then one in `everyMs`. Gives 0, or for how many milliseconds no
   * further one is taken.
   */
  countAttempt(key: string, now: number, everyMs: number, burst: number): Promise<number>;
  /** Takes an attempt back. */
  returnAttempt(key: string, everyMs: number): Promise<void>;
  /** Forgets keys that have all their attempts again. */
  trimAttempts(now: number): Promise<number>;

  insertSession(record: SessionRecord): Promise<void>;
  session(id: string): Promise<SessionRecord | null>;
  /** The sessions of a person, newest first. */
  sessions(personId: string): Promise<readonly SessionRecord[]>;
  /** Compare-and-set on `digest`: false when the stored one is not `expectedDigest`. */
  updateSession(record: SessionRecord, expectedDigest: string): Promise<boolean>;
  touchSession(id: string, at: string): Promise<void>;
  removeSession(id: string): Promise<boolean>;
  /** Ends the sessions of a person, but for one; says which. */
  removeSessions(personId: string, exceptId: string | null): Promise<readonly string[]>;
  /** Forgets sessions that ended before `now` or were last used before `idleSince`. */
  trimSessions(now: string, idleSince: string): Promise<number>;
}

/** A session that was shown and counts. */
export interface SignedIn {
  readonly caller: Caller;
  /** A new token that replaces the one that was shown, and for how long it counts. */
  readonly renewed: { readonly token: string; readonly seconds: number } | null;
}

/** Knows which sessions count. */
export interface SessionCheck {
  /** The person behind a session token, or null for every reason it may not count. */
  authenticate(token: string): Promise<SignedIn | null>;
  /** The caller of a session that was checked before, or null when it ended since. */
  recheck(sessionId: string): Promise<Caller | null>;
}
