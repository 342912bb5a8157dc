import { isoTime } from "../../kernel/time.ts";
import type { Adapter, AdapterPayload } from "oidc-provider";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { OAUTH_KINDS, type OAuthKind, type OAuthRecord } from "../../ports/oauth.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Store, StoreTx } from "../../ports/store.ts";
import { recordDisconnected } from "../people/audit.ts";
import { recordRegistration, recordUse } from "./audit.ts";
import { digestOfSecret, digestOfUserCode } from "./digests.ts";

/** A client that registered itself and that nobody connected is forgotten after this long. */
const UNUSED_CLIENT_SECONDS = 24 * 60 * 60;

/** What the adapter works with. */
export interface AdapterParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly provenance: Provenance;
  /** The error of a code or a refresh token that two requests brought at once: the second one ends the grant. */
  readonly reused: () => Error;
}

/** Keeps what oidc-provider keeps in our store; ids that are secrets become digests on the way. */
export function createAdapter(parts: AdapterParts): (model: string) => Adapter {
  return (model) => {
    const kind = OAUTH_KINDS.find((one) => one === model);
    // The provider's own sessions are not kept: who signs in is decided by ours at every consent.
    return kind === undefined ? NOTHING_KEPT : new StoredModel(kind, parts);
  };
}

const NOTHING_KEPT: Adapter = {
  upsert: () => Promise.resolve(),
  find: () => Promise.resolve(undefined),
  findByUid: () => Promise.resolve(undefined),
  findByUserCode: () => Promise.resolve(undefined),
  consume: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  revokeByGrantId: () => Promise.resolve(),
};

class StoredModel implements Adapter {
  readonly #kind: OAuthKind;
  readonly #parts: AdapterParts;

  constructor(kind: OAuthKind, parts: AdapterParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const record: OAuthRecord = {
      kind: this.#kind,
      digest: digestOfSecret(id),
      grantId: this.#kind === "Grant" ? id : (payload.grantId ?? null),
      personId: payload.accountId ?? null,
      clientId: this.#kind === "Client" ? id : (payload.clientId ?? null),
      userCode: payload.userCode === undefined ? null : digestOfUserCode(payload.userCode),
      payload: withoutSecrets(payload),
      consumedAt: null,
      createdAt: isoTime(now),
      expiresAt: isoTime(now + 1_000 * (expiresIn ?? UNUSED_CLIENT_SECONDS)),
    };
    await store.transact(async (tx) => {
      await tx.oauth.put(record);
      if (this.#kind === "Client") await recordRegistration(tx, id, payload, "registration");
      // The tokens of a refresh belong to a sign-in that is in the list already.
      if (this.#kind === "AccessToken" && payload.gty?.endsWith("refresh_token") !== true)
        await recordUse(tx, "signed_in", record);
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const record = await this.#parts.store.read.oauth.get(this.#kind, digestOfSecret(id));
    if (record === null) return undefined;
    const { payload, consumedAt } = record;
    if (consumedAt !== null) await this.#parts.store.transact((tx) => recordUse(tx, "reuse_refused", record));
    return {
      ...payload,
      ...(this.#kind !== "Client" && { jti: id }),
      ...(consumedAt !== null && { consumed: Math.floor(Date.parse(consumedAt) / 1_000) }),
    };
  }

  /** Only sessions are found by uid, and they are not kept. */
  findByUid(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Codes that people type are looked up by the consent page, not by the provider's own pages. */
  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async consume(id: string): Promise<void> {
    const { store, clock, reused } = this.#parts;
    const digest = digestOfSecret(id);
    const first = await store.transact(async (tx) => {
      if (await tx.oauth.consume(this.#kind, digest, isoTime(clock.now()))) return true;
      const record = await tx.oauth.get(this.#kind, digest);
      if (record !== null) await recordUse(tx, "reuse_refused", record);
      if (record?.grantId != null) {
        await this.#recordEnd(tx, record.grantId);
        await tx.oauth.removeGrant(record.grantId);
      }
      return false;
    });
    if (!first) throw reused();
  }

  async destroy(id: string): Promise<void> {
    await this.#parts.store.transact(async (tx) => {
      if (this.#kind === "Grant") await this.#recordEnd(tx, id);
      await tx.oauth.remove(this.#kind, digestOfSecret(id));
    });
  }

  /** The provider ends a grant when the client gives its token back, and when a used one is shown. */
  async #recordEnd(tx: StoreTx, grantId: string): Promise<void> {
    const client = await tx.oauth.client(grantId);
    if (client !== null) await recordDisconnected(tx, this.#parts.provenance, client, "system");
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#parts.store.transact((tx) => tx.oauth.removeTokens(this.#kind, grantId));
  }
}

/** The payload as JSON without what proves it. */
function withoutSecrets(payload: AdapterPayload): JsonObject {
  const { jti: _id, userCode: _code, consumed: _consumed, ...kept } = payload;
  const plain: unknown = JSON.parse(JSON.stringify(kept));
  return isJsonObject(plain) ? plain : {};
}
