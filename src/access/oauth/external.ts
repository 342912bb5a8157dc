import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { AppError } from "../../kernel/errors.ts";
import { parsedObject } from "../../kernel/json.ts";
import { withoutTrailing } from "../../kernel/text.ts";
import type { Caller } from "../../ports/caller.ts";
import type { AccessTokens, TokenRefusal } from "../../ports/oauth.ts";
import type { PersonRecord } from "../../ports/people.ts";
import type { Clock, Fetcher, FetchedResponse } from "../../ports/platform.ts";
import type { Store } from "../../ports/store.ts";
import { callerOf } from "./access-tokens.ts";
import { LIFETIMES } from "./names.ts";
import type { Resources } from "./resources.ts";

const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const MAX_TOKEN = 8_192;
const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;
/** Asymmetric ones only: nobody but the issuer can make a signature that passes. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/** What the check of another server's tokens works with. */
export interface ExternalParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly fetcher: Fetcher;
  readonly resources: Resources;
  readonly issuer: string;
}

/**
 * Tokens of another authorization server: signed JWTs (RFC 9068) whose audience is a resource of ours and whose subject
 * or verified `email` is a person's here. The person's role bounds what they allow, as it does for tokens of our own.
 */
export class ExternalAccessTokens implements AccessTokens {
  readonly #parts: ExternalParts;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(parts: ExternalParts) {
    this.#parts = parts;
  }

  async authenticate(token: string, path: string): Promise<Caller | "ended" | null> {
    if (token.length > MAX_TOKEN || !JWT.test(token)) return null;
    const { resources } = this.#parts;
    const claims = await this.#verified(token);
    if (claims === null || claims === "ended") return claims;
    const audiences = [claims.aud ?? []].flat();
    if (!audiences.some((audience) => resources.covers(audience, path))) return null;
    const { azp, client_id: clientId, scope, scp } = claims;
    const person = await this.#person(claims);
    if (person?.state !== "active") return null;
    const client = [clientId, azp].find((one) => typeof one === "string") ?? "an external client";
    return callerOf(
      person,
      `external ${client}`,
      client,
      Array.isArray(scp) ? scp.join(" ") : (scope ?? scp),
    );
  }

  /** By the account at the issuer that a person signed in with here, or by an address that the issuer has checked. */
  async #person(claims: JWTPayload): Promise<PersonRecord | null> {
    const { people } = this.#parts.store.read;
    const { sub, email, email_verified: isVerified } = claims;
    const known = sub === undefined ? null : await people.identity(this.#parts.issuer, sub);
    if (known !== null) return people.get(known);
    return typeof email === "string" && isVerified === true ? people.byEmail(email.toLowerCase()) : null;
  }

  challenge(path: string, refusal: TokenRefusal): string {
    return this.#parts.resources.challenge(path, refusal);
  }

  async #verified(token: string): Promise<JWTPayload | "ended" | null> {
    const { errors, jwtVerify } = await import("jose");
    const { issuer, clock } = this.#parts;
    try {
      const { payload } = await jwtVerify(token, await this.#keySet(), {
        issuer: [issuer, `${issuer}/`],
        algorithms: ALGORITHMS,
        clockTolerance: LIFETIMES.toleranceSeconds,
        currentDate: new Date(clock.now()),
        requiredClaims: ["exp", "aud"],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) return "ended";
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return null;
      throw unreachable(issuer, error);
    }
  }

  #keySet(): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#openKeySet().catch((error: unknown) => {
      // The next request asks again.
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #openKeySet(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const address = await this.#keyAddress();
    return createRemoteJWKSet(address, {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: 30_000,
      cacheMaxAge: 600_000,
      [customFetch]: async (url: string) => {
        const { status, text } = await this.#get(url);
        return new Response(text, { status });
      },
    });
  }

  /** Where the issuer's keys are, from its own metadata. */
  async #keyAddress(): Promise<URL> {
    const { issuer } = this.#parts;
    const { origin, pathname } = new URL(issuer);
    const path = withoutTrailing(pathname, "/");
    for (const address of [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${issuer}/.well-known/openid-configuration`,
    ]) {
      const { status, text } = await this.#get(address);
      if (status !== 200) continue;
      const metadata = parsedObject(text) ?? {};
      if (typeof metadata["issuer"] !== "string" || withoutTrailing(metadata["issuer"], "/") !== issuer)
        continue;
      const keys = typeof metadata["jwks_uri"] === "string" ? URL.parse(metadata["jwks_uri"]) : null;
      if (keys !== null) return keys;
    }
    throw new Error("the metadata of the issuer names no keys");
  }

  #get(url: string): Promise<FetchedResponse> {
    return this.#parts.fetcher.fetch({
      url,
      trust: "keyed",
      headers: { accept: "application/json" },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
    });
  }
}

function unreachable(issuer: string, cause: unknown): AppError {
  return new AppError(
    "unavailable",
    `The keys of ${issuer} cannot be read, so its tokens cannot be checked.`,
    {
      nextAction:
        "Check OAUTH_ISSUER and that it is reachable; list its host in SVC_TRUSTED_HOSTS when its address is private.",
      cause,
    },
  );
}
