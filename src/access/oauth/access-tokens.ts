import type { Caller } from "../../ports/caller.ts";
import type { AccessTokens, ConnectedClient, TokenRefusal } from "../../ports/oauth.ts";
import type { PersonRecord } from "../../ports/people.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Store } from "../../ports/store.ts";
import { roleAllows } from "../people/roles.ts";
import { digestOfSecret } from "./digests.ts";
import { LIFETIMES } from "./names.ts";
import type { Resources } from "./resources.ts";
import { scopesIn } from "./scopes.ts";

/** 256 random bits as oidc-provider writes them. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** The time of last use is written this often at most. */
const TOUCH_MS = 60_000;

/** Checks the access tokens that this service gave out. Nothing is cached: what was revoked does not count for one more request. */
export class OAuthAccessTokens implements AccessTokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #resources: Resources;

  constructor(parts: { readonly store: Store; readonly clock: Clock; readonly resources: Resources }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#resources = parts.resources;
  }

  async authenticate(token: string, path: string): Promise<Caller | "ended" | null> {
    if (!TOKEN.test(token)) return null;
    const found = await this.#store.read.oauth.accessToken(digestOfSecret(token));
    if (found === null) return null;
    const { record, client } = found;
    const now = this.#clock.now();
    if (now >= Date.parse(record.expiresAt) + LIFETIMES.toleranceSeconds * 1_000) return "ended";
    const { aud, scope } = record.payload;
    if (typeof aud !== "string" || !this.#resources.covers(aud, path)) return null;
    const person = await this.#store.read.people.get(client.personId);
    if (person?.state !== "active") return "ended";
    await this.#touch(client, now);
    return callerOf(person, client.grantId, client.name, scope);
  }

  challenge(path: string, refusal: TokenRefusal): string {
    return this.#resources.challenge(path, refusal);
  }

  async #touch({ grantId, lastUsedAt }: ConnectedClient, now: number): Promise<void> {
    if (lastUsedAt !== null && now - Date.parse(lastUsedAt) < TOUCH_MS) return;
    await this.#store.transact((tx) => tx.oauth.touchGrant(grantId, new Date(now).toISOString()));
  }
}

/** A client that acts for a person: with what the person allowed it, as far as the person's role still reaches. */
export function callerOf(person: PersonRecord, id: string, name: string, scope: unknown): Caller {
  const { email, role } = person;
  return {
    kind: "oauth",
    id: person.id,
    scopes: new Set(scopesIn(scope).filter((one) => roleAllows(role, one))),
    person: { email, name: person.name, role, sessionId: null },
    token: { id, name },
  };
}
