import { isoTime } from "../../kernel/time.ts";
import { networkOf } from "../../kernel/network.ts";
import type Provider from "oidc-provider";
import { isObject } from "../../kernel/json.ts";
import type { ServerMetadataView } from "../../model/oauth.ts";
import type { HttpAnswer, HttpRequest } from "../../ports/http.ts";
import type { Clock, Fetcher, Log } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Store } from "../../ports/store.ts";
import { clientMetadata, ClientProblem, GRANT_TYPES } from "./client-metadata.ts";
import { Consent } from "./consent.ts";
import { errorPage } from "./error-page.ts";
import { callKoa } from "./koa-call.ts";
import { COOKIES, PATHS } from "./names.ts";
import type { Resources } from "./resources.ts";
import { OAUTH_SCOPES, OFFERED_SCOPES, requestedScopes } from "./scopes.ts";
import { createWindowCounter, type WindowCounter } from "./window-counter.ts";

/** What strangers can make grow: how many are kept at the same time, and how many of them one address may make. */
const PENDING = {
  Client: { kept: 10_000, most: 60, windowMs: 60 * 60_000, what: "registrations" },
  Interaction: { kept: 10_000, most: 120, windowMs: 15 * 60_000, what: "sign-ins that were begun" },
  DeviceCode: { kept: 5_000, most: 60, windowMs: 10 * 60_000, what: "codes" },
} as const;
/** What ended is kept a day longer, so that a token that is shown again is known as one that ended. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
const PASSED_ON = ["accept", "content-type", "cookie", "authorization"] as const;
const PASSED_BACK = ["location", "set-cookie", "www-authenticate", "pragma"] as const;

/** What the authorization server works with. */
export interface ServerParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetcher: Fetcher;
  readonly provenance: Provenance;
  readonly resources: Resources;
  readonly knowsBrowser: (cookies: string | undefined) => Promise<boolean>;
}

interface Loaded {
  readonly consent: Consent;
  handle: ReturnType<Provider["callback"]>;
}

/** The authorization server. oidc-provider is loaded with the first request that it has to answer. */
export class AuthorizationServer {
  readonly #parts: ServerParts;
  readonly #made: Readonly<Record<keyof typeof PENDING, WindowCounter>>;
  #loaded: Promise<Loaded> | undefined;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { clock } = parts;
    this.#made = {
      Client: createWindowCounter(clock, PENDING.Client),
      Interaction: createWindowCounter(clock, PENDING.Interaction),
      DeviceCode: createWindowCounter(clock, PENDING.DeviceCode),
    };
  }

  /** The metadata of the authorization server (RFC 8414). */
  metadata(): ServerMetadataView {
    const { base } = this.#parts.resources;
    return {
      issuer: base,
      authorization_endpoint: `${base}${PATHS.authorize}`,
      token_endpoint: `${base}${PATHS.token}`,
      registration_endpoint: `${base}${PATHS.register}`,
      revocation_endpoint: `${base}${PATHS.revoke}`,
      device_authorization_endpoint: `${base}${PATHS.deviceAuthorization}`,
      scopes_supported: [...OAUTH_SCOPES],
      response_types_supported: ["code"],
      response_modes_supported: ["query", "fragment"],
      grant_types_supported: [...GRANT_TYPES],
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      token_endpoint_auth_signing_alg_values_supported: ["ES256", "RS256", "PS256", "EdDSA"],
      revocation_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${base}/developers`,
    };
  }

  /** Begins the sign-in of a client; a browser comes here. */
  async authorize(request: HttpRequest): Promise<HttpAnswer> {
    const query = new URLSearchParams(request.query);
    if (!query.has("client_id")) return refusal("invalid_request", "client_id is missing.");
    // The page that would post to the client needs a script, which our pages do not allow.
    if (query.get("response_mode") === "form_post")
      return refusal("invalid_request", "response_mode must be query or fragment.");
    // A metadata document is fetched for people who sign in here, not for strangers.
    const clientId = query.get("client_id") ?? "";
    if (!(await this.#isKnown(clientId)) && !(await this.#parts.knowsBrowser(request.headers["cookie"])))
      return toSignIn(`${request.path}?${request.query.toString()}`);
    const full = await this.#makeRoom("Interaction", request.client);
    if (full !== null) return full;
    // Scopes of other kinds of servers (openid, profile) mean nothing here.
    query.set("scope", requestedScopes(query.get("scope")).join(" "));
    const answer = await this.#forward(request, `${PATHS.authorize}?${query.toString()}`);
    const location = URL.parse(textIn(answer.headers?.["location"]) ?? "");
    // Before a person has decided, only errors lead out of here. Anybody can register a client: a page of ours does not
    // send people on to an address that only a stranger has named.
    if (location === null || (await this.#parts.store.read.oauth.isConnected(query.get("client_id") ?? "")))
      return answer;
    const error = new URLSearchParams(location.hash === "" ? location.search : location.hash.slice(1));
    return {
      status: 400,
      contentType: "text/html; charset=utf-8",
      content: errorPage(error.get("error") ?? "invalid_request", error.get("error_description") ?? ""),
    };
  }

  /** Goes on after the person's decision. */
  resume(request: HttpRequest): Promise<HttpAnswer> {
    return (request.headers["cookie"] ?? "").includes(`${COOKIES.resume}=`)
      ? this.#forward(request, request.path)
      : Promise.resolve(
          refusal("invalid_request", "This sign-in did not begin in this browser, or it is over."),
        );
  }

  /** A form that a client posts: a token request, a revocation or the start of a device's sign-in. */
  async form(request: HttpRequest, needed: string): Promise<HttpAnswer> {
    const form = new URLSearchParams((request.bytes ?? Buffer.alloc(0)).toString());
    if (!form.has(needed)) return refusal("invalid_request", `${needed} is missing from the form.`);
    const clientId = form.get("client_id") ?? subjectOf(form.get("client_assertion"));
    if (form.has("client_assertion") || isAddress(clientId ?? "")) {
      // Its document or its keys would be fetched: not before a person has connected it.
      if (clientId === null || !(await this.#parts.store.read.oauth.isConnected(clientId)))
        return refusal("invalid_client", "No person has connected this client.", 401);
    }
    if (request.path === PATHS.deviceAuthorization) {
      const full = await this.#makeRoom("DeviceCode", request.client);
      if (full !== null) return full;
      form.set("scope", requestedScopes(form.get("scope") ?? OFFERED_SCOPES.join(" ")).join(" "));
    }
    const answer = await this.#forward(request, request.path, Buffer.from(form.toString()));
    return request.path === PATHS.deviceAuthorization ? withInterval(answer) : answer;
  }

  /** Registers a client that nobody has vouched for (RFC 7591). */
  async register(request: HttpRequest): Promise<HttpAnswer> {
    const given = request.body;
    try {
      const known = clientMetadata(isObject(given) ? given : {});
      const full = await this.#makeRoom("Client", request.client);
      if (full !== null) return full;
      return await this.#forward(request, PATHS.register, Buffer.from(JSON.stringify(known)));
    } catch (error) {
      if (error instanceof ClientProblem) return refusal(error.code, error.message);
      throw error;
    }
  }

  /** What the consent page asks. */
  async consent(): Promise<Consent> {
    return (await this.#load()).consent;
  }

  /** Forgets what ended. */
  async trim(): Promise<void> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    await store.transact((tx) => tx.oauth.trim(isoTime(now - KEPT_MS), isoTime(now)));
  }

  /** Counts what an address makes, and refuses more than is kept: what waits already is not dropped for it. */
  async #makeRoom(kind: keyof typeof PENDING, address: string): Promise<HttpAnswer | null> {
    const { store } = this.#parts;
    const { kept, what } = PENDING[kind];
    const network = networkOf(address);
    const excess = this.#made[kind].excess(network);
    if (excess !== null)
      return {
        ...refusal("temporarily_unavailable", excess.message, 429),
        headers: { "retry-after": String(excess.info.retryAfterSeconds) },
      };
    this.#made[kind].count(network);
    if ((await store.read.oauth.count(kind)) < kept) return null;
    await this.trim();
    if ((await store.read.oauth.count(kind)) < kept) return null;
    return refusal("temporarily_unavailable", `There are too many ${what}; try again later.`, 503);
  }

  /** A client that is no address of a document, or that a person has connected. */
  async #isKnown(clientId: string): Promise<boolean> {
    return !isAddress(clientId) || (await this.#parts.store.read.oauth.isConnected(clientId));
  }

  #load(): Promise<Loaded> {
    this.#loaded ??= this.#open();
    return this.#loaded;
  }

  async #open(): Promise<Loaded> {
    const { createProvider } = await import("./provider.ts");
    const provider = createProvider(this.#parts);
    return { consent: new Consent({ ...this.#parts, provider }), handle: provider.callback() };
  }

  async #forward(request: HttpRequest, url: string, body: Buffer = Buffer.alloc(0)): Promise<HttpAnswer> {
    const { handle } = await this.#load();
    const { host, protocol } = new URL(this.#parts.resources.base);
    const headers: Record<string, string> = {
      host,
      "x-forwarded-proto": protocol.slice(0, -1),
      "x-forwarded-host": host,
    };
    for (const name of PASSED_ON) {
      const value = request.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    const answer = await callKoa(handle, { method: request.method, url, headers, body });
    return {
      status: answer.status,
      headers: passedBack(answer.headers),
      contentType: textIn(answer.headers["content-type"]) ?? "application/json; charset=utf-8",
      content: answer.body,
    };
  }
}

/** How often the program may ask whether the person has decided; five seconds without it. */
function withInterval(answer: HttpAnswer): HttpAnswer {
  if (answer.status !== 200 || !("content" in answer)) return answer;
  const begun: unknown = JSON.parse(Buffer.from(answer.content).toString());
  return { ...answer, content: JSON.stringify({ ...(isObject(begun) && begun), interval: 2 }) };
}

function isAddress(clientId: string): boolean {
  return /^https?:/i.test(clientId);
}

/** Whom a signed assertion speaks of; its signature is checked later. */
function subjectOf(assertion: string | null): string | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(assertion?.split(".")[1] ?? "", "base64url").toString());
    return isObject(claims) && typeof claims["sub"] === "string" ? claims["sub"] : null;
  } catch {
    return null;
  }
}

/** The sign-in page, which goes on to this path afterwards. */
function toSignIn(path: string): HttpAnswer {
  return {
    status: 303,
    headers: { location: `/sign-in?to=${encodeURIComponent(path)}` },
    contentType: "text/plain; charset=utf-8",
    content: "Sign in first.",
  };
}

/** An answer as RFC 6749 and RFC 7591 write errors. */
function refusal(error: string, description: string, status = 400): HttpAnswer {
  return {
    status,
    contentType: "application/json; charset=utf-8",
    content: JSON.stringify({ error, error_description: description }),
  };
}

function passedBack(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Readonly<Record<string, string | readonly string[]>> {
  const kept: Record<string, string | readonly string[]> = {};
  for (const name of PASSED_BACK) {
    const value = headers[name];
    if (value === undefined) continue;
    if (name !== "set-cookie") kept[name] = value;
    else {
      const cookies = [value].flat().filter((cookie) => !cookie.startsWith(`${COOKIES.session}=`));
      if (cookies.length > 0) kept[name] = cookies;
    }
  }
  return kept;
}

function textIn(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
