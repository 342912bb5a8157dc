import { isoTime } from "../../kernel/time.ts";
import { timingSafeEqual } from "node:crypto";
import { digestOf } from "../../kernel/canonical-json.ts";
import { AppError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { newToken, tokenDigest, tokenId, TOKEN_PREFIX } from "../keys/token.ts";
import type { PersonTokenView } from "../../model/people.ts";
import type { Caller, Scope } from "../../ports/caller.ts";
import type { PrefixedKeyring } from "../../ports/keyring.ts";
import type { PersonRecord, Role } from "../../ports/people.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Store, StoreTx } from "../../ports/store.ts";
import type { TokenKind, TokenRecord } from "../../ports/tokens.ts";
import { mayManage, roleAllows, scopesWithin } from "./roles.ts";
import { recordChange } from "../../audit/record.ts";

const DAY = 24 * 60 * 60 * 1_000;
/** A token that was not used for a minute notes its next use. */
const TOUCH_MS = 60_000;
/** Tokens of a person that count at the same time. */
const MAX_TOKENS = 50;
/** How long a token that ended is still listed. */
const KEEP_MS = 30 * DAY;

/** The shortest and longest life of a token, in days. */
export const TOKEN_DAYS = { least: 1, most: 366, usual: 90 } as const;

/** What a person asks for. */
export interface NewPersonToken {
  readonly name: string;
  readonly kind: TokenKind;
  readonly scopes: readonly Scope[];
  readonly days: number;
}

/** What tokens work with. */
export interface TokenParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly provenance: Provenance;
}

/**
 * Personal tokens and service keys. Nothing is cached: each call reads the token and the person, so that what was
 * revoked, disabled or taken away does not count for one more call, on any replica.
 */
export class PersonTokens implements PrefixedKeyring {
  readonly prefix = TOKEN_PREFIX.tok;
  readonly #parts: TokenParts;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  async authenticate(shown: string): Promise<Caller | null> {
    const id = tokenId(shown, "tok");
    if (id === null) return null;
    const { store, clock } = this.#parts;
    const token = await store.read.tokens.get(id);
    const digest = Buffer.from(tokenDigest(shown));
    const expected = Buffer.from(token?.digest ?? tokenDigest("no token has this digest"));
    if (!timingSafeEqual(digest, expected) || token === null) return null;
    const now = clock.now();
    if (token.revokedAt !== null || Date.parse(token.expiresAt) <= now) return null;
    const person = await store.read.people.get(token.personId);
    if (person?.state !== "active") return null;
    if (token.lastUsedAt === null || now - Date.parse(token.lastUsedAt) >= TOUCH_MS)
      await store.transact((tx) => tx.tokens.touch(id, isoTime(now)));
    return callerOf(token, person);
  }

  list(personId: string): Promise<readonly TokenRecord[]> {
    return this.#parts.store.read.tokens.ofPerson(personId);
  }

  /** Makes a token for the person who asks; it never holds more than the person's role. */
  async create(
    person: PersonRecord,
    wanted: NewPersonToken,
  ): Promise<{ readonly token: string; readonly record: TokenRecord }> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const { id, token, digest } = newToken("tok");
    const record: TokenRecord = {
      id,
      kind: wanted.kind,
      personId: person.id,
      name: wanted.name,
      digest,
      scopes: wanted.scopes,
      createdAt: isoTime(now),
      expiresAt: isoTime(now + wanted.days * DAY),
      revokedAt: null,
      revokedBy: null,
      lastUsedAt: null,
    };
    return store.transact(async (tx) => {
      const current = await tx.people.get(person.id);
      if (current?.state !== "active")
        throw new AppError("forbidden", "The person may not sign in any more.");
      checkWithin(wanted.scopes, current.role);
      await tx.tokens.trim(person.id, isoTime(now - KEEP_MS));
      const held = await tx.tokens.ofPerson(person.id);
      if (held.filter((one) => counts(one, now)).length >= MAX_TOKENS) {
        throw new AppError("conflict", `A person has at most ${MAX_TOKENS} tokens at the same time.`, {
          nextAction: "Revoke one that is not used any more.",
        });
      }
      await tx.tokens.insert(record);
      await this.#record(tx, record, "created", person.id);
      return { token, record };
    });
  }

  /** Revokes a token of the person; `by` is the person or who manages them. */
  async revoke(personId: string, id: string, by: Caller): Promise<TokenRecord> {
    const { store, clock } = this.#parts;
    return store.transact(async (tx) => {
      const token = await tx.tokens.get(id);
      const person = await tx.people.get(personId);
      if (token === null || person === null || token.personId !== personId) throw noToken();
      if (by.id !== personId && !mayManage(by, person.role)) throw mayNot(person);
      if (token.revokedAt !== null) return token;
      const at = isoTime(clock.now());
      await tx.tokens.revoke(id, at, by.id);
      await this.#record(tx, token, "revoked", by.id);
      return { ...token, revokedAt: at, revokedBy: by.id };
    });
  }

  /** Revokes every token of a person. */
  async revokeEvery(personId: string, by: Caller): Promise<readonly TokenRecord[]> {
    return this.#parts.store.transact(async (tx) => {
      const person = await tx.people.get(personId);
      if (person === null || !mayManage(by, person.role)) throw mayNot(person);
      return this.revokeAll(tx, personId, by.id);
    });
  }

  /** Ends every token of a person inside a transaction; says which. */
  async revokeAll(tx: StoreTx, personId: string, by: string): Promise<readonly TokenRecord[]> {
    const ended: TokenRecord[] = [];
    for (const id of await tx.tokens.revokeAll(personId, isoTime(this.#parts.clock.now()), by)) {
      const token = await tx.tokens.get(id);
      if (token === null) continue;
      await this.#record(tx, token, "revoked", by);
      ended.push(token);
    }
    return ended;
  }

  async #record(tx: StoreTx, token: TokenRecord, change: "created" | "revoked", by: string): Promise<void> {
    const { id, kind, personId, name, scopes, expiresAt } = token;
    const data: JsonObject = { id, kind, personId, name, scopes: [...scopes], expiresAt, by };
    await recordChange(tx, this.#parts.provenance, {
      action: `token.${change}`,
      by,
      subject: `people/${personId}`,
      data,
      fact: {
        kind: "token",
        subjectId: id,
        digest: digestOf({ ...data, change }),
        privacy: "restricted",
        predicate: { ...data, change },
      },
    });
  }
}

/** A token as it may be shown: never its digest. */
export function tokenView(token: TokenRecord, role: Role): PersonTokenView {
  const { digest: _kept, scopes, ...shown } = token;
  return { ...shown, scopes: [...scopes], effectiveScopes: [...scopesWithin(scopes, role)] };
}

function counts(token: TokenRecord, now: number): boolean {
  return token.revokedAt === null && Date.parse(token.expiresAt) > now;
}

/** A personal token is the person with fewer rights; a service key is itself and has no account. */
function callerOf(token: TokenRecord, person: PersonRecord): Caller {
  const scopes = scopesWithin(token.scopes, person.role);
  const shown = { id: token.id, name: token.name, expiresAt: token.expiresAt };
  if (token.kind === "service") return { kind: "key", id: token.id, scopes, token: shown };
  const { email, name, role } = person;
  return {
    kind: "token",
    id: person.id,
    scopes,
    token: shown,
    person: { email, name, role, sessionId: null },
  };
}

function checkWithin(wanted: readonly Scope[], role: Role): void {
  const over = wanted.filter((scope) => !roleAllows(role, scope));
  if (over.length === 0) return;
  throw new AppError("forbidden", `The role ${role} does not hold ${over.join(", ")}.`, {
    nextAction: "Choose scopes that your role holds; GET /api/svc/roles lists them.",
    problems: [{ pointer: "/scopes", message: `holds ${over.join(", ")}, which the role ${role} does not` }],
  });
}

function mayNot(person: PersonRecord | null): AppError {
  if (person === null) return noToken();
  return new AppError("forbidden", `You may not change people with the role ${person.role}.`);
}

function noToken(): AppError {
  return new AppError("not_found", "There is no token with this id.");
}
