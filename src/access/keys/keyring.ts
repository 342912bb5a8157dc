import { hash, timingSafeEqual } from "node:crypto";
import { recordChange } from "../../audit/record.ts";
import { digestOf } from "../../kernel/canonical-json.ts";
import { AppError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Caller, Scope } from "../../ports/caller.ts";
import type { Keyring } from "../../ports/keyring.ts";
import type { Clock, Log } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { ApiKeyRecord } from "../../ports/records.ts";
import type { Settings } from "../../ports/settings.ts";
import type { Page, PageRequest, Store, StoreTx } from "../../ports/store.ts";
import { newToken, tokenId } from "./token.ts";

/** How long a looked-up key is trusted: a key revoked on another replica works this long at most. */
const FRESH_MS = 800;
/** Keys and refused ids that are remembered, so that guessing does not fill the memory. */
const MAX_REMEMBERED = 10_000;
/** How often the times of last use are written, all in one transaction. */
const FLUSH_MS = 15_000;
/** How long the old key still works after a rotation, unless the caller says otherwise. */
const GRACE_SECONDS = 24 * 60 * 60;

/** What the keyring needs. */
export interface KeyringParts {
  readonly store: Store;
  readonly settings: Pick<Settings, "apiKey">;
  readonly clock: Clock;
  readonly provenance: Provenance;
  readonly log?: Log;
}

/** What a new key may do and how long. */
interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** A key that was just made; `token` is shown this once. */
interface IssuedKey {
  readonly token: string;
  readonly record: ApiKeyRecord;
}

/** The keyring with everything an operator does to keys. */
export interface ManagedKeyring extends Keyring {
  /** `by` is the id of the caller; the service itself and its command line are `system`. */
  create(request: NewKey, by?: string): Promise<IssuedKey>;
  list(page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** The key of an id; null for the one that the operator gave, which is not stored. */
  get(id: string): Promise<ApiKeyRecord | null>;
  /** Makes a successor with the same rights; the old key works until the grace period ends. */
  rotate(id: string, graceSeconds?: number, by?: string): Promise<IssuedKey>;
  revoke(id: string, by?: string): Promise<ApiKeyRecord>;
  /** The key of a first start, to be printed once; null when there are keys already or the operator gave one. */
  firstKey(): Promise<string | null>;
  /** Writes the times of last use that were collected. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface CachedKey {
  readonly readAt: number;
  readonly digest: Buffer;
  readonly caller: Caller;
  readonly endsAt: number;
}

const SYSTEM = "system";
const NOBODY: Caller = { kind: "anonymous", id: "nobody", scopes: new Set() };
/** Compared against when there is nothing to compare with, so that every refusal does the same work. */
const NO_DIGEST = hash("sha256", "no key has this digest", "buffer");

/** Knows the valid keys: those of the store, and the one the operator gave. */
export function createKeyring(parts: KeyringParts): ManagedKeyring {
  return new StoredKeyring(parts);
}

class StoredKeyring implements ManagedKeyring {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log | undefined;
  readonly #provenance: Provenance;
  readonly #given: string | null;
  readonly #fixed: CachedKey[] = [];
  readonly #known = new Map<string, CachedKey>();
  readonly #used = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(parts: KeyringParts) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#provenance = parts.provenance;
    this.#given = parts.settings.apiKey;
    if (this.#given !== null) this.#fix(this.#given, "operator");
    this.#timer = setInterval(() => {
      this.flush().catch((error: unknown) => this.#log?.warn("keys.last_use_not_written", {}, error));
    }, FLUSH_MS);
    this.#timer.unref();
  }

  authenticate(token: string): Promise<Caller | null> | Caller | null {
    const digest = hash("sha256", token, "buffer");
    for (const one of this.#fixed) if (timingSafeEqual(digest, one.digest)) return one.caller;
    const id = tokenId(token);
    if (id === null) return this.#verdict(digest, null);
    const known = this.#known.get(id);
    if (known !== undefined && performance.now() - known.readAt < FRESH_MS)
      return this.#verdict(digest, known);
    return this.#lookUp(id).then((found) => this.#verdict(digest, found));
  }

  async create(request: NewKey, by = SYSTEM): Promise<IssuedKey> {
    const issued = this.#record(request, by);
    await this.#store.transact(async (tx) => {
      await tx.keys.insert(issued.record);
      await this.#audit(tx, "created", issued.record, by);
    });
    return issued;
  }

  get(id: string): Promise<ApiKeyRecord | null> {
    return this.#store.read.keys.get(id);
  }

  list(page: PageRequest): Promise<Page<ApiKeyRecord>> {
    return this.#store.read.keys.list(page);
  }

  async rotate(id: string, graceSeconds: number = GRACE_SECONDS, by = SYSTEM): Promise<IssuedKey> {
    const issued = await this.#store.transact(async (tx) => {
      const old = await tx.keys.get(id);
      if (old === null) throw missing();
      if (old.revokedAt !== null)
        throw new AppError("conflict", "The key is revoked; make a new one instead.");
      const next = this.#record({ name: old.name, scopes: old.scopes, expiresAt: old.expiresAt }, by);
      await tx.keys.insert(next.record);
      await tx.keys.expire(id, new Date(this.#clock.now() + graceSeconds * 1000).toISOString());
      await this.#audit(tx, "rotated", next.record, by, { replaces: id });
      return next;
    });
    this.#known.delete(id);
    return issued;
  }

  async revoke(id: string, by = SYSTEM): Promise<ApiKeyRecord> {
    const record = await this.#store.transact(async (tx) => {
      const isRevoked = await tx.keys.revoke(id, this.#now());
      const key = await tx.keys.get(id);
      if (isRevoked && key !== null) await this.#audit(tx, "revoked", key, by);
      return key;
    });
    this.#known.delete(id);
    if (record === null) throw missing();
    return record;
  }

  async firstKey(): Promise<string | null> {
    if (this.#given !== null) return null;
    if (this.#store.kind === "none") {
      const { token } = newToken();
      this.#fix(token, "session");
      return token;
    }
    const issued = this.#record({ name: "first key", scopes: ["admin"], expiresAt: null }, SYSTEM);
    const made = await this.#store.transact(async (tx) => {
      if ((await tx.keys.count()) > 0) return false;
      // Two replicas that start together both find no key; one of them may make it.
      const first = await tx.idempotency.insert({
        scope: "keys",
        key: "first",
        requestDigest: issued.record.id,
        answer: {},
        createdAt: issued.record.createdAt,
      });
      if (!first) return false;
      await tx.keys.insert(issued.record);
      await this.#audit(tx, "created", issued.record, SYSTEM);
      return true;
    });
    return made ? issued.token : null;
  }

  async flush(): Promise<void> {
    if (this.#used.size === 0 || this.#store.kind === "none") return;
    const used = [...this.#used];
    await this.#store.transact(async (tx) => {
      for (const [id, at] of used) await tx.keys.touch(id, new Date(at).toISOString());
    });
    for (const [id, at] of used) if (this.#used.get(id) === at) this.#used.delete(id);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    // Times of last use are worth less than a clean stop.
    await this.flush().catch((error: unknown) => this.#log?.warn("keys.last_use_not_written", {}, error));
  }

  #verdict(digest: Buffer, known: CachedKey | null): Caller | null {
    const same = timingSafeEqual(digest, known?.digest ?? NO_DIGEST);
    if (!same || known === null) return null;
    const now = this.#clock.now();
    if (now >= known.endsAt) return null;
    this.#used.set(known.caller.id, now);
    return known.caller;
  }

  async #lookUp(id: string): Promise<CachedKey> {
    const record = await this.#store.read.keys.get(id);
    const known = record === null ? missingKey() : cachedKey(record);
    if (this.#known.size >= MAX_REMEMBERED) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.delete(id);
    this.#known.set(id, known);
    return known;
  }

  #record(request: NewKey, createdBy: string): IssuedKey {
    const { id, token, digest } = newToken();
    const record: ApiKeyRecord = {
      id,
      name: request.name,
      digest,
      scopes: request.scopes,
      createdBy,
      createdAt: this.#now(),
      expiresAt: request.expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    };
    return { token, record };
  }

  async #audit(
    tx: StoreTx,
    change: "created" | "rotated" | "revoked",
    { id, name, scopes, expiresAt }: ApiKeyRecord,
    by: string,
    more: JsonObject = {},
  ): Promise<void> {
    const data: JsonObject = { id, name, scopes: [...scopes], expiresAt, by, ...more };
    await recordChange(tx, this.#provenance, {
      action: `key.${change}`,
      by,
      subject: `keys/${id}`,
      data,
      fact: {
        kind: "api_key",
        subjectId: id,
        digest: digestOf({ ...data, change }),
        privacy: "restricted",
        predicate: { ...data, change },
      },
    });
  }

  #fix(token: string, name: string): void {
    this.#fixed.push({
      readAt: Number.POSITIVE_INFINITY,
      digest: hash("sha256", token, "buffer"),
      caller: { kind: "key", id: name, scopes: new Set<Scope>(["admin"]) },
      endsAt: Number.POSITIVE_INFINITY,
    });
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function cachedKey(record: ApiKeyRecord): CachedKey {
  return {
    readAt: performance.now(),
    digest: Buffer.from(record.digest.slice("sha256:".length), "hex"),
    caller: { kind: "key", id: record.id, scopes: new Set(record.scopes) },
    endsAt:
      record.revokedAt !== null
        ? 0
        : record.expiresAt === null
          ? Number.POSITIVE_INFINITY
          : Date.parse(record.expiresAt),
  };
}

function missingKey(): CachedKey {
  return { readAt: performance.now(), digest: NO_DIGEST, caller: NOBODY, endsAt: 0 };
}

function missing(): AppError {
  return new AppError("not_found", "There is no key with this id.");
}
