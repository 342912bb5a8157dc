import type { Configuration, CustomFetchOptions } from "openid-client";
import { AppError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { isObject } from "../../kernel/json.ts";
import { ROLES, type PersonRecord, type Role } from "../../ports/people.ts";
import type { Clock, Fetcher, Log } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { OidcSettings } from "../../ports/settings.ts";
import type { Store, StoreTx } from "../../ports/store.ts";
import { recordPerson, recordRefusal } from "./audit.ts";
import { isEmail } from "./names.ts";
import type { Origin, Sessions } from "./sessions.ts";
import type { SignInResult } from "./sign-in.ts";

/** The path that the provider sends people back to. */
export const OIDC_CALLBACK = "/api/svc/sign-in/oidc/callback";
const SCOPE = "openid email profile";
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;

/** Why a person who comes from the provider is not signed in. The sign-in page has a sentence for each. */
type OidcProblem =
  | "unavailable"
  | "refused"
  | "expired"
  | "no-email"
  | "not-verified"
  | "address-taken"
  | "no-role"
  | "disabled";

/** What a sign-in at the provider keeps in the browser until it comes back. */
export interface OidcFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page to open afterwards. */
  readonly to: string;
}

/** What the provider says about a person. */
interface Claims {
  readonly subject: string;
  readonly email: string | null;
  readonly verified: boolean;
  readonly name: string | null;
  readonly role: Role | null;
}

/** What company sign-in works with. */
export interface OidcParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly provenance: Provenance;
  readonly sessions: Sessions;
  readonly fetcher: Fetcher;
  readonly baseUrl: string;
  readonly settings: OidcSettings;
}

/** A refusal that the sign-in page explains. */
export class OidcRefusal extends Error {
  readonly problem: OidcProblem;

  constructor(problem: OidcProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/** Sign-in at a company's OpenID Connect provider. The library is loaded, and the provider asked, with the first use. */
export class Oidc {
  readonly #parts: OidcParts;
  #configuration: Promise<Configuration> | null = null;

  constructor(parts: OidcParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.settings.name;
  }

  /** Where the browser goes, and what it keeps until it comes back. */
  async begin(to: string): Promise<{ readonly url: string; readonly flow: OidcFlow }> {
    const library = await load();
    const configuration = await this.#discover();
    const flow: OidcFlow = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      verifier: library.randomPKCECodeVerifier(),
      to,
    };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: `${this.#parts.baseUrl}${OIDC_CALLBACK}`,
      scope: SCOPE,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
    });
    return { url: url.href, flow };
  }

  /** Checks what the provider answered and signs the person in; makes the account when there is none. */
  async finish(query: URLSearchParams, flow: OidcFlow, from: Origin): Promise<SignInResult> {
    const claims = await this.#claims(query, flow);
    const { store, sessions, settings } = this.#parts;
    try {
      return await store.transact(async (tx) => {
        const person = await this.#person(tx, claims);
        return { person, session: await sessions.begin(tx, person, "oidc", from) };
      });
    } catch (error) {
      if (error instanceof OidcRefusal) {
        await store.transact(async (tx) => {
          const personId = await tx.people.identity(settings.issuer, claims.subject);
          await recordRefusal(tx, personId, "oidc", from.address);
        });
      }
      throw error;
    }
  }

  async #claims(query: URLSearchParams, flow: OidcFlow): Promise<Claims> {
    const library = await load();
    const configuration = await this.#discover();
    const current = new URL(`${this.#parts.baseUrl}${OIDC_CALLBACK}`);
    current.search = query.toString();
    try {
      const tokens = await library.authorizationCodeGrant(configuration, current, {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      });
      const claims: unknown = tokens.claims();
      if (!isObject(claims) || typeof claims["sub"] !== "string") throw new OidcRefusal("refused");
      const { sub } = claims;
      // Some providers keep what is not about the sign-in itself out of the ID token.
      const isThin = claims["email"] === undefined || claims[this.#parts.settings.groupsClaim] === undefined;
      const asksMore = isThin && configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more: unknown = asksMore
        ? await library.fetchUserInfo(configuration, tokens.access_token, sub)
        : {};
      return this.#read(sub, { ...(isObject(more) && more), ...claims });
    } catch (error) {
      if (error instanceof OidcRefusal) throw error;
      this.#parts.log.warn("oidc.refused", {}, error);
      throw new OidcRefusal(isFault(error) ? "unavailable" : "refused", { cause: error });
    }
  }

  #read(subject: string, claims: Readonly<Record<string, unknown>>): Claims {
    const { groupsClaim, roles } = this.#parts.settings;
    const email = typeof claims["email"] === "string" ? claims["email"].trim().toLowerCase() : "";
    const name = typeof claims["name"] === "string" ? claims["name"].trim().slice(0, 100) : "";
    const claimed: unknown = claims[groupsClaim];
    const groups = Array.isArray(claimed) ? claimed : [claimed];
    // The role with the most rights that one of the groups has; `*` is for everybody.
    const role = ROLES.find((one) =>
      roles.some(([group, given]) => given === one && (group === "*" || groups.includes(group))),
    );
    return {
      subject,
      email: isEmail(email) ? email : null,
      verified: claims["email_verified"] === true,
      name: name === "" || !name.isWellFormed() || name.includes("\u0000") ? null : name,
      role: role ?? null,
    };
  }

  async #person(tx: StoreTx, claims: Claims): Promise<PersonRecord> {
    const { issuer } = this.#parts.settings;
    const knownId = await tx.people.identity(issuer, claims.subject);
    if (knownId !== null) {
      const known = await tx.people.get(knownId);
      if (known === null || known.state === "disabled") throw new OidcRefusal("disabled");
      return this.#update(tx, known, claims);
    }
    if (claims.email === null) throw new OidcRefusal("no-email");
    const holder = await tx.people.byEmail(claims.email);
    // An address that nobody has checked must not open another person's account, nor take an address before they come.
    if (!claims.verified) throw new OidcRefusal(holder === null ? "not-verified" : "address-taken");
    if (holder?.state === "disabled") throw new OidcRefusal("disabled");
    const person =
      holder === null ? await this.#make(tx, claims.email, claims) : await this.#update(tx, holder, claims);
    await tx.people.addIdentity(issuer, claims.subject, person.id, this.#now());
    return person;
  }

  async #make(tx: StoreTx, email: string, { role, name }: Claims): Promise<PersonRecord> {
    if (role === null) throw new OidcRefusal("no-role");
    const at = this.#now();
    const person: PersonRecord = {
      id: newId("person"),
      email,
      name: name ?? email,
      role,
      state: "active",
      password: null,
      revision: 1,
      createdBy: "oidc",
      createdAt: at,
      updatedBy: "oidc",
      updatedAt: at,
      lastSignInAt: at,
    };
    if (!(await tx.people.insert(person))) throw new OidcRefusal("address-taken");
    await recordPerson(tx, this.#parts.provenance, person, "joined", "oidc");
    return person;
  }

  /** The provider's groups decide the role at each sign-in, but never make or unmake an owner. */
  async #update(tx: StoreTx, person: PersonRecord, claims: Claims): Promise<PersonRecord> {
    const { roles } = this.#parts.settings;
    if (person.role !== "owner" && roles.length > 0 && claims.role === null) throw new OidcRefusal("no-role");
    const role = person.role === "owner" ? "owner" : (claims.role ?? person.role);
    if (role === person.role && person.state === "active") return person;
    const next: PersonRecord = {
      ...person,
      role,
      state: "active",
      revision: person.revision + 1,
      updatedBy: "oidc",
      updatedAt: this.#now(),
    };
    if (!(await tx.people.update(next, person.revision)))
      throw new AppError("conflict", "The person was changed at the same moment; sign in again.");
    await tx.people.dropInvitations(person.id);
    const change = person.state === "invited" ? "joined" : "updated";
    await recordPerson(tx, this.#parts.provenance, next, change, "oidc");
    return next;
  }

  /** The provider's own description; asked again after a failure. */
  async #discover(): Promise<Configuration> {
    this.#configuration ??= this.#ask();
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = null;
      this.#parts.log.warn("oidc.unavailable", {}, error);
      throw new OidcRefusal("unavailable", { cause: error });
    }
  }

  async #ask(): Promise<Configuration> {
    const library = await load();
    const { issuer, clientId, clientSecret } = this.#parts.settings;
    const server = new URL(issuer);
    return library.discovery(server, clientId, clientSecret, undefined, {
      [library.customFetch]: (url: string, options: CustomFetchOptions) => this.#fetch(server, url, options),
      timeout: TIMEOUT_MS / 1_000,
      // Plain http is for a provider on this machine, as in tests.
      execute: server.protocol === "http:" ? [library.allowInsecureRequests] : [],
    });
  }

  /** Out through the guarded fetcher: the issuer may be private, what it names elsewhere may not. */
  async #fetch(server: URL, url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> {
    const port = server.port === "" ? (server.protocol === "https:" ? "443" : "80") : server.port;
    const answer = await this.#parts.fetcher.fetch({
      url,
      method: method === "POST" ? "POST" : "GET",
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && body !== null && { body: await new Response(body).text() }),
      trust: "operator",
      privateOrigin: `${server.hostname.replaceAll(/^\[|\]$/g, "")}:${port}`,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
    });
    return new Response(answer.text, { status: answer.status, headers: answer.headers });
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

const load = () => import("openid-client");

/** True when the provider did not answer, or answered what is not OpenID Connect: not the person's fault. */
function isFault(error: unknown): boolean {
  if (error instanceof AppError) return true;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /TIMEOUT|PARSE_ERROR|RESPONSE_IS_NOT/.test(code);
}
