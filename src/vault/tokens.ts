import { setTimeout as sleep } from "node:timers/promises";
import { randomHex } from "../kernel/ids.ts";
import { AppError } from "../kernel/errors.ts";
import type { Clock, Log } from "../ports/platform.ts";
import type { CredentialRecord } from "../ports/records.ts";
import type { Store, StoreTx } from "../ports/store.ts";
import type { MasterKeys } from "./master-keys.ts";
import type { OAuth } from "./oauth-client.ts";
import { ConsentNeeded } from "./oauth-errors.ts";
import { readSecret, secretJson, type OAuthSecret } from "./oauth-records.ts";
import { readOAuthSettings } from "./oauth-settings.ts";
import { consentAction, openSecret, withSecret } from "./records.ts";

/** A token is renewed this long before it ends, so that it does not end on its way. */
const EARLY_MS = 30_000;
/** Where a token that was renewed because of a 401 is refused too, the next attempt waits this long: renewing did not help. */
const PAUSE_MS = 5_000;
/** Longer than a token request may take, so that a lease ends only when its holder is gone. */
const LEASE_MS = 20_000;
const POLL_MS = 100;
/** A lease can be taken over once; after that something is wrong that waiting does not fix. */
const PATIENCE_MS = 2 * LEASE_MS + 5_000;

/** What the keeper of tokens works with. */
export interface TokenParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly keys: MasterKeys;
  readonly oauth: OAuth;
  /** Called inside the transaction that finds out that a person has to consent again. */
  readonly consentLost: (tx: StoreTx, record: CredentialRecord) => Promise<void>;
}

/** Gives access tokens and renews them, one request at a time whatever the number of calls and replicas. */
export class Tokens {
  readonly #parts: TokenParts;
  /** Names this process in leases. */
  readonly #holder = randomHex(12);
  readonly #underWay = new Map<string, Promise<string>>();
  /** When a token was last renewed because of a 401. */
  readonly #forcedAt = new Map<string, number>();

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** A token that is good now; `refused` is one that was answered with 401. */
  async token(record: CredentialRecord, refused: string | null, signal: AbortSignal): Promise<string> {
    const good = this.#goodToken(record, refused);
    if (good !== null) return good;
    const place = placeOf(record);
    const running = this.#underWay.get(place);
    if (running !== undefined) return abortable(running, signal);
    // Its own clock and not the first caller's signal: those who join must not lose it when the first one goes.
    const renewed = this.#renew(record, refused).finally(() => this.#underWay.delete(place));
    this.#underWay.set(place, renewed);
    return abortable(renewed, signal);
  }

  /** The stored token while it can still be used. */
  #goodToken(record: CredentialRecord, refused: string | null): string | null {
    const { keys, clock } = this.#parts;
    const now = clock.now();
    if (record.state !== "ready" || !isGood(record, now)) return null;
    const token = readSecret(openSecret(record, keys)).tokens?.accessToken ?? null;
    // Another token than the refused one: another call or replica has renewed it already.
    if (refused === null || token !== refused) return token;
    return now - (this.#forcedAt.get(placeOf(record)) ?? -PAUSE_MS) < PAUSE_MS ? token : null;
  }

  async #renew(first: CredentialRecord, refused: string | null): Promise<string> {
    const { keys, log, clock } = this.#parts;
    const began = clock.now();
    let record = first;
    for (;;) {
      const secret = readSecret(openSecret(record, keys));
      checkRenewable(record, secret);
      const before = record.leaseBy;
      if (await this.#lease(record)) {
        if (before !== null) {
          log.warn("token refresh taken over: the process that began it is gone", {
            credential: record.name,
          });
        }
        const token = await this.#fetch(record, secret, before !== null);
        if (refused !== null) this.#forcedAt.set(placeOf(record), clock.now());
        return token;
      }
      if (clock.now() - began > PATIENCE_MS) {
        throw new AppError("timed_out", `Another process renews the token of "${record.name}" for too long.`);
      }
      await sleep(POLL_MS);
      record = await this.#again(record);
      const good = this.#goodToken(record, refused);
      if (good !== null) return good;
    }
  }

  /** Takes the lease by the database's clock, which all replicas share. */
  #lease(record: CredentialRecord): Promise<boolean> {
    return this.#parts.store.transact(async (tx) => {
      const now = await tx.now();
      const until = new Date(Date.parse(now) + LEASE_MS).toISOString();
      return tx.credentials.lease(record, this.#holder, now, until);
    });
  }

  /** Asks the authorization server while holding the lease, and stores what it gave. */
  async #fetch(record: CredentialRecord, secret: OAuthSecret, takenOver: boolean): Promise<string> {
    const { oauth, store } = this.#parts;
    const settings = readOAuthSettings(record.settings);
    const signal = AbortSignal.timeout(LEASE_MS - 5_000);
    try {
      if (settings.grant === "client_credentials") {
        const given = await oauth.clientCredentials(settings, secret, signal);
        await this.#store(record, given);
        return given.tokens.accessToken;
      }
      const tokens = await oauth.refresh(settings, secret, signal);
      await this.#store(record, { tokens });
      return tokens.accessToken;
    } catch (error) {
      if (!(error instanceof ConsentNeeded)) {
        await store.transact((tx) => tx.credentials.release(record, this.#holder));
        throw error;
      }
      const lost = await this.#lose(record);
      throw consentRequired(lost, takenOver ? "a refresh was cut off before its answer was stored" : null);
    }
  }

  /**
   * The record may have been rewrapped since: then it is read again. A lease that another process took over means
   * that this one came too late, and the other's token counts.
   */
  async #store(record: CredentialRecord, given: Partial<OAuthSecret>): Promise<void> {
    const { keys } = this.#parts;
    await this.#change(record, async (tx, now, latest) => {
      const secret = { ...readSecret(openSecret(latest, keys)), ...given };
      const expiresIn = secret.tokens?.expiresIn ?? null;
      const changed: CredentialRecord = {
        ...withSecret(latest, secretJson(secret), keys),
        state: "ready",
        revision: latest.revision + 1,
        tokenIssuedAt: now,
        tokenExpiresAt:
          expiresIn === null ? null : new Date(Date.parse(now) + expiresIn * 1_000).toISOString(),
        leaseBy: null,
        leaseUntil: null,
        updatedAt: now,
      };
      await tx.credentials.update(changed, latest.revision);
    });
  }

  async #lose(record: CredentialRecord): Promise<CredentialRecord> {
    const { keys, consentLost } = this.#parts;
    return this.#change(record, async (tx, now, latest) => {
      const secret = readSecret(openSecret(latest, keys));
      const changed: CredentialRecord = {
        ...withSecret(latest, secretJson({ ...secret, tokens: null }), keys),
        state: "consent_required",
        revision: latest.revision + 1,
        tokenIssuedAt: null,
        tokenExpiresAt: null,
        leaseBy: null,
        leaseUntil: null,
        updatedAt: now,
      };
      if (await tx.credentials.update(changed, latest.revision)) await consentLost(tx, changed);
    });
  }

  /** Changes the record if this process still holds the lease. */
  #change(
    record: CredentialRecord,
    change: (tx: StoreTx, now: string, latest: CredentialRecord) => Promise<void>,
  ): Promise<CredentialRecord> {
    return this.#parts.store.transact(async (tx) => {
      const latest = await tx.credentials.get(record);
      if (latest === null) throw gone(record);
      if (latest.leaseBy === this.#holder) await change(tx, await tx.now(), latest);
      return latest;
    });
  }

  async #again(record: CredentialRecord): Promise<CredentialRecord> {
    return (await this.#parts.store.read.credentials.get(record)) ?? Promise.reject(gone(record));
  }
}

/** The error that says that a person has to sign in. */
export function consentRequired(record: CredentialRecord, why: string | null): AppError {
  return new AppError(
    "conflict",
    `The credential "${record.name}" needs a person's consent${why === null ? "" : `: ${why}`}.`,
    { nextAction: consentAction(record), details: { credential: record.name, state: "consent_required" } },
  );
}

function placeOf({ owner, name }: CredentialRecord): string {
  return `${owner}\u0000${name}`;
}

function isGood(record: CredentialRecord, now: number): boolean {
  const { tokenIssuedAt, tokenExpiresAt } = record;
  if (tokenIssuedAt === null) return false;
  return tokenExpiresAt === null || Date.parse(tokenExpiresAt) - EARLY_MS > now || isShort(record, now);
}

/** A token that lives no longer than the margin is used until it ends. */
function isShort({ tokenIssuedAt, tokenExpiresAt }: CredentialRecord, now: number): boolean {
  if (tokenIssuedAt === null || tokenExpiresAt === null) return false;
  const end = Date.parse(tokenExpiresAt);
  return end - Date.parse(tokenIssuedAt) <= 2 * EARLY_MS && now < end - 1_000;
}

function checkRenewable(record: CredentialRecord, secret: OAuthSecret): void {
  const { grant } = readOAuthSettings(record.settings);
  if (grant === "client_credentials") return;
  if (record.state !== "ready" || secret.tokens?.refreshToken == null) {
    throw consentRequired(
      record,
      secret.tokens === null ? null : "its token has ended and cannot be refreshed",
    );
  }
}

function gone({ name }: CredentialRecord): AppError {
  return new AppError("not_found", `There is no credential named "${name}".`);
}

/** Waits for work of others no longer than the signal allows; the work goes on. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(givenUp());
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(givenUp());
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function givenUp(): AppError {
  return new AppError("unavailable", "The request was given up.");
}
