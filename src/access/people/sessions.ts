import { isoTime } from "../../kernel/time.ts";
import { timingSafeEqual } from "node:crypto";
import { AppError } from "../../kernel/errors.ts";
import type { SessionView } from "../../model/people.ts";
import type { Caller } from "../../ports/caller.ts";
import type {
  PersonRecord,
  SessionCheck,
  SessionRecord,
  SignedIn,
  SignInMethod,
} from "../../ports/people.ts";
import type { Clock, Log } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Store, StoreTx } from "../../ports/store.ts";
import { recordSessions } from "./audit.ts";
import { scopesOf } from "./roles.ts";
import { digestOfToken, newSessionToken, sessionIdIn } from "./tokens.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A session that is not used for this long ends. */
export const IDLE_MS = 24 * HOUR;
/** A session ends after this long, however much it is used. */
export const ABSOLUTE_MS = 14 * 24 * HOUR;
/** A token that is older is replaced by the next request. */
export const ROTATE_MS = HOUR;
/** Requests that were sent with the token before still count this long. */
const OVERLAP_MS = MINUTE;
/** The time of last use is written this often at most. */
const TOUCH_MS = MINUTE;
/** Of what a browser says about itself this much is kept. */
const MAX_CLIENT = 200;

/** Where a sign-in comes from. */
export interface Origin {
  readonly client: string;
  readonly address: string;
  /** The person who has signed in in this browser before. */
  readonly knownPerson?: string | null;
}

/** A new session; `token` goes into the cookie and is kept nowhere. */
export interface NewSession {
  readonly token: string;
  readonly seconds: number;
  readonly record: SessionRecord;
}

/** What sessions work with. */
export interface SessionParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly provenance: Provenance;
}

/** The sessions of signed-in people. Nothing is cached: a session that ended does not count for one more request. */
export class Sessions implements SessionCheck {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #provenance: Provenance;

  constructor({ store, clock, log, provenance }: SessionParts) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#provenance = provenance;
  }

  /** Begins a session inside the transaction that signs the person in. */
  async begin(tx: StoreTx, person: PersonRecord, method: SignInMethod, from: Origin): Promise<NewSession> {
    const now = this.#clock.now();
    const at = isoTime(now);
    const { id, token } = newSessionToken();
    const record: SessionRecord = {
      id,
      personId: person.id,
      digest: digestOfToken(token),
      nextDigest: null,
      nextAt: null,
      previousDigest: null,
      method,
      client: printable(from.client).slice(0, MAX_CLIENT),
      address: from.address.slice(0, MAX_CLIENT),
      createdAt: at,
      rotatedAt: at,
      lastUsedAt: at,
      expiresAt: isoTime(now + ABSOLUTE_MS),
    };
    await tx.people.trimSessions(at, isoTime(now - IDLE_MS));
    await tx.people.insertSession(record);
    await tx.people.signedIn(person.id, at);
    await recordSessions(tx, this.#provenance, person.id, [id], "created", method, person.id);
    return { token, seconds: ABSOLUTE_MS / 1_000, record };
  }

  async authenticate(token: string): Promise<SignedIn | null> {
    const id = sessionIdIn(token);
    if (id === null) return null;
    const found = await this.#live(id);
    if (found === null) return null;
    const { session, person } = found;
    const digest = digestOfToken(token);
    const caller = callerOf(person, session);
    if (same(digest, session.digest)) return this.#current(session, caller);
    if (same(digest, session.nextDigest)) return this.#promote(session, caller, digest);
    if (!same(digest, session.previousDigest)) return null;
    if (this.#clock.now() - Date.parse(session.rotatedAt) <= OVERLAP_MS) return { caller, renewed: null };
    // The token was replaced long ago and is shown again: it was copied, and there is no telling by which side.
    this.#log.warn("session.replayed_token", {});
    await this.#store.transact(async (tx) => {
      if (!(await tx.people.removeSession(session.id))) return;
      await recordSessions(
        tx,
        this.#provenance,
        person.id,
        [session.id],
        "revoked",
        "replayed token",
        "system",
      );
    });
    return null;
  }

  async recheck(sessionId: string): Promise<Caller | null> {
    const found = await this.#live(sessionId);
    return found === null ? null : callerOf(found.person, found.session);
  }

  /** The sessions of a person that count, newest first. */
  async list(personId: string): Promise<readonly SessionRecord[]> {
    const all = await this.#store.read.people.sessions(personId);
    return all.filter((session) => this.#counts(session));
  }

  /** Ends one session of a person. */
  async revoke(personId: string, id: string, by: string): Promise<void> {
    await this.#store.transact(async (tx) => {
      const session = await tx.people.session(id);
      if (session === null || session.personId !== personId)
        throw new AppError("not_found", "There is no session with this id among yours.");
      await tx.people.removeSession(id);
      await recordSessions(tx, this.#provenance, personId, [id], "revoked", "signed out", by);
    });
  }

  /** Ends the sessions of a person inside a transaction, but for one. */
  async endAll(
    tx: StoreTx,
    personId: string,
    exceptId: string | null,
    why: string,
    by: string,
  ): Promise<number> {
    const ended = await tx.people.removeSessions(personId, exceptId);
    await recordSessions(tx, this.#provenance, personId, ended, "revoked", why, by);
    return ended.length;
  }

  async #live(
    id: string,
  ): Promise<{ readonly session: SessionRecord; readonly person: PersonRecord } | null> {
    const session = await this.#store.read.people.session(id);
    if (session === null || !this.#counts(session)) return null;
    const person = await this.#store.read.people.get(session.personId);
    return person?.state === "active" ? { session, person } : null;
  }

  #counts(session: SessionRecord): boolean {
    const now = this.#clock.now();
    return now < Date.parse(session.expiresAt) && now < Date.parse(session.lastUsedAt) + IDLE_MS;
  }

  /** The token in use: noted, and replaced when it is old. */
  async #current(session: SessionRecord, caller: Caller): Promise<SignedIn> {
    const now = this.#clock.now();
    const offered = session.nextAt !== null && now - Date.parse(session.nextAt) < OVERLAP_MS;
    if (now - Date.parse(session.rotatedAt) >= ROTATE_MS && !offered) {
      const { token } = newSessionToken(session.id);
      const next = {
        ...session,
        nextDigest: digestOfToken(token),
        nextAt: isoTime(now),
        lastUsedAt: isoTime(now),
      };
      const stored = await this.#store.transact((tx) => tx.people.updateSession(next, session.digest));
      const seconds = (Date.parse(session.expiresAt) - now) / 1_000;
      return { caller, renewed: stored ? { token, seconds } : null };
    }
    if (now - Date.parse(session.lastUsedAt) >= TOUCH_MS)
      await this.#store.transact((tx) => tx.people.touchSession(session.id, isoTime(now)));
    return { caller, renewed: null };
  }

  /** The browser has the new token: from now on the one before counts for requests under way only. */
  async #promote(session: SessionRecord, caller: Caller, digest: string): Promise<SignedIn> {
    const at = isoTime(this.#clock.now());
    const next: SessionRecord = {
      ...session,
      digest,
      nextDigest: null,
      nextAt: null,
      previousDigest: session.digest,
      rotatedAt: at,
      lastUsedAt: at,
    };
    // When two requests bring the new token at once, the second finds it promoted.
    await this.#store.transact((tx) => tx.people.updateSession(next, session.digest));
    return { caller, renewed: null };
  }
}

/** A session as its owner may see it: never a digest. */
export function sessionView(session: SessionRecord, currentId: string | null): SessionView {
  const { id, method, client, address, createdAt, lastUsedAt, expiresAt } = session;
  return { id, current: id === currentId, method, client, address, createdAt, lastUsedAt, expiresAt };
}

function callerOf(person: PersonRecord, session: SessionRecord): Caller {
  const { email, name, role } = person;
  return {
    kind: "person",
    id: person.id,
    scopes: scopesOf(role),
    person: { email, name, role, sessionId: session.id },
  };
}

function same(digest: string, stored: string | null): boolean {
  return (
    stored !== null &&
    stored.length === digest.length &&
    timingSafeEqual(Buffer.from(stored), Buffer.from(digest))
  );
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}
