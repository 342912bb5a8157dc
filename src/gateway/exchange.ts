import type { IncomingHttpHeaders } from "node:http";
import { AppError, ERRORS, type ErrorCode } from "../kernel/errors.ts";
import { networkOf } from "../kernel/network.ts";
import type { JsonObject } from "../kernel/json.ts";
import { traceFrom, traceparentOf, type Trace } from "../kernel/trace.ts";
import { LazyContext, type LazyParts } from "../ports/call-context.ts";
import { clearedCookie, PAGE_HEADER, sessionCookie, tokenInCookie } from "../access/people/cookie.ts";
import { ANONYMOUS, unauthorized, type Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Keyring } from "../ports/keyring.ts";
import type { AccessTokens } from "../ports/oauth.ts";
import type { SessionCheck } from "../ports/people.ts";
import { metaFromOutside } from "../ports/meta-keys.ts";
import type { Services } from "../ports/services.ts";
import { sendSpan } from "../tracing/call-spans.ts";
import { presentedKey } from "./auth.ts";
import { internal } from "./catalog.ts";
import type { Client } from "./client-address.ts";
import type { ClientQuestions } from "./client-questions.ts";
import { mcpHeaders, type McpHeaders } from "./protocol-generation.ts";
import type { Limits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { requestIdFrom } from "./request-ids.ts";
import { LISTEN } from "./listen.ts";
import type { RpcExchange } from "./rpc.ts";
import type { WatchedCall, Watchdog } from "./watchdog.ts";

/** A request as it came over the wire, its body read. */
export interface EdgeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The address of the other end of the connection. */
  readonly remote: string;
  readonly body: Buffer | null;
  /** Why the body could not be read. */
  readonly bodyError: AppError | null;
  /** Reads a body that was left unread because it may be large; absent when the body was read. */
  readLarge?(documentBytes: number): Promise<Buffer>;
  signal(): AbortSignal;
}

/** What every exchange works with. */
export interface ExchangeParts {
  readonly services: Services;
  readonly keyring: Keyring;
  readonly sessions: SessionCheck;
  /** Access tokens of MCP clients; null where there are none. */
  readonly accessTokens: AccessTokens | null;
  readonly limits: Limits;
  /** Whom a request counts against. */
  clientOf(remote: string, headers: IncomingHttpHeaders): Client;
  readonly metrics: Metrics;
  readonly watchdog: Watchdog;
  readonly questions: ClientQuestions;
}

const NO_META: JsonObject = {};
/** The content type of every JSON answer. */
export const JSON_TYPE = "application/json; charset=utf-8";
/** A request that takes this long is worth a line. */
const SLOW_MS = 5_000;

/** Reads over REST, and tools that list or search: what they cost depends on how much is stored. */
const READS = /^(?:GET |resources\/read|tools\/call (?:list|search)_)/;

/** One HTTP request on its way: who sends it, what it counts against, its id and its trace, which all items of a batch share. */
export class Exchange implements RpcExchange {
  readonly request: EdgeRequest;
  readonly requestId: string;
  readonly mcp: McpHeaders;
  /** Set while the answer can still become a stream of events. */
  notify: RpcExchange["notify"] = null;
  /** Set while the client can be asked. */
  questionsTo: LazyParts["questionsTo"] = null;
  readonly #parts: ExchangeParts;
  readonly #traceparent: string | undefined;
  #trace: Trace | undefined;
  #isSpanSent = false;
  #watched: WatchedCall | undefined;
  #isAnonymous = false;
  #refused: "invalid_token" | null = null;
  /** The scopes of a client that acts for a person. */
  #clientScopes: ReadonlySet<string> | undefined;
  /** Replaces or clears the session cookie of the caller. */
  #cookie: string | undefined;

  constructor(request: EdgeRequest, parts: ExchangeParts) {
    const { headers } = request;
    this.request = request;
    this.requestId = requestIdFrom(headers["x-request-id"]);
    this.mcp = mcpHeaders(headers);
    this.#parts = parts;
    this.#traceparent = text(headers["traceparent"]);
  }

  context(meta: JsonObject | undefined): CallContext | Promise<CallContext> {
    const caller = this.identify();
    return caller instanceof Promise
      ? caller.then((known) => this.contextFor(known, meta))
      : this.contextFor(caller, meta);
  }

  contextFor(caller: Caller, meta: JsonObject | undefined): CallContext {
    const given = meta === undefined ? NO_META : metaFromOutside(meta);
    return new LazyContext(this.#parts.services, caller, given, this);
  }

  /**
   * Counts the request against its sender and says who that is; throws when the key or the session is not valid or a
   * limit is reached. A key that is shown wins over a session; `withSession: false` is for answers that are the same for all.
   */
  identify(withSession = true): Caller | Promise<Caller> {
    const { headers } = this.request;
    const key = presentedKey(headers);
    if (key !== null) return this.#authenticate(key);
    const token = withSession ? tokenInCookie(headers.cookie) : null;
    if (token !== null) return this.#signedIn(token);
    return this.stranger();
  }

  /** A sender whose key or session is not looked at. */
  stranger(): Caller {
    this.countAnonymous();
    this.#isAnonymous = true;
    return ANONYMOUS;
  }

  async #authenticate(key: string): Promise<Caller> {
    const { limits } = this.#parts;
    const client = this.#client();
    limits.checkRefusals(client);
    const caller = await this.#callerWith(key);
    if (caller === null || caller === "ended") {
      this.#refused = "invalid_token";
      // A client learns from the refusal that its token ended: that is no guess.
      if (caller === null) limits.countRefusal(client);
      throw unauthorized();
    }
    if (caller.kind === "oauth") this.#clientScopes = caller.scopes;
    limits.countKey(caller.id, client);
    return caller;
  }

  /** The caller behind a key or a token; null when it is neither. */
  async #callerWith(key: string): Promise<Caller | "ended" | null> {
    const { keyring, accessTokens } = this.#parts;
    if (key === "") return null;
    return (await keyring.authenticate(key)) ?? (await accessTokens?.authenticate(key, this.#path)) ?? null;
  }

  get #path(): string {
    const [path = ""] = this.request.url.split("?", 1);
    return path;
  }

  async #signedIn(token: string): Promise<Caller> {
    const { limits, sessions, services } = this.#parts;
    const client = this.#client();
    limits.checkRefusals(client);
    checkOwnPage(this.request, services.settings.baseUrl);
    const found = await sessions.authenticate(token);
    if (found === null) {
      limits.countRefusal(client);
      this.#cookie = clearedCookie();
      throw new AppError("unauthorized", "The session has ended.", {
        nextAction: "Sign in again at /sign-in.",
      });
    }
    if (found.renewed !== null) this.#cookie = sessionCookie(found.renewed.token, found.renewed.seconds);
    limits.countKey(found.caller.id, client);
    return found.caller;
  }

  /** Whether a caller that was identified still counts. */
  async recheck(caller: Caller): Promise<Caller | null> {
    const sessionId = caller.person?.sessionId ?? null;
    if (sessionId !== null) return this.#parts.sessions.recheck(sessionId);
    const key = presentedKey(this.request.headers);
    if (key === null) return caller;
    const current = await this.#callerWith(key);
    return current === "ended" ? null : current;
  }

  get address(): string {
    return this.#client().address;
  }

  countAnonymous(): void {
    this.#parts.limits.countAnonymous(this.#client());
  }

  /** Whom what stays open counts against: the key, or the address without one. */
  holder(caller: Caller): [id: string, isLocal: boolean] {
    const { address, local } = this.#client();
    return [caller.kind === "anonymous" ? `address ${networkOf(address)}` : `key ${caller.id}`, local];
  }

  #client(): Client {
    return this.#parts.clientOf(this.request.remote, this.request.headers);
  }

  async answered(id: string, message: JsonObject): Promise<boolean> {
    const caller = await this.identify();
    return this.#parts.questions.settle(id, caller.id, message);
  }

  internal(error: unknown, where: string): AppError {
    return internal(error, where, { services: this.#parts.services, requestId: this.requestId });
  }

  begin(label: string): void {
    this.#watched = this.#parts.watchdog.begin(label, this.requestId);
  }

  /** Ends what `begin` began, for answers that are not counted. */
  settle(): void {
    if (this.#watched !== undefined) this.#parts.watchdog.end(this.#watched);
    this.#watched = undefined;
  }

  done(label: string, code: ErrorCode | "ok", startedAt: number): void {
    const ms = performance.now() - startedAt;
    this.settle();
    if (this.#isAnonymous && READS.test(label)) this.#parts.limits.chargeAnonymous(this.#client(), ms);
    this.#parts.metrics.observe(label, code, ms);
    this.#sendSpan(label, code, ms);
    if (code === "ok" && (ms < SLOW_MS || label === LISTEN)) return;
    const { log } = this.#parts.services;
    const fields = { method: label, code, durationMs: Math.round(ms), requestId: this.requestId };
    if (code === "internal" || ms >= SLOW_MS) log.warn("request", fields);
    else log.debug("request", fields);
  }

  /** Of requests that begin or continue a trace; the items of a batch share one. */
  #sendSpan(label: string, code: ErrorCode | "ok", ms: number): void {
    const { services } = this.#parts;
    const isTraced = this.#trace !== undefined || this.#traceparent !== undefined;
    if (services.spans === undefined || !isTraced || this.#isSpanSent) return;
    this.#isSpanSent = true;
    const attributes = { "http.request.method": this.request.method, "request.id": this.requestId };
    const status = code === "ok" ? "ok" : ERRORS[code].http >= 500 ? "error" : "unset";
    sendSpan(services, this.trace, "server", { name: label, attributes }, { status, code }, ms);
  }

  get trace(): Trace {
    if (this.#trace === undefined) {
      const trace = traceFrom(this.#traceparent);
      this.#trace = this.#parts.services.spans === undefined ? trace : { ...trace, isSent: true };
    }
    return this.#trace;
  }

  get signal(): AbortSignal {
    return this.request.signal();
  }

  /** Adds what every answer carries; `traceparent` only when a trace was begun or continued. */
  addHeaders(headers: string[]): void {
    headers.push("x-content-type-options", "nosniff", "x-request-id", this.requestId);
    if (this.#cookie !== undefined && !headers.includes("set-cookie"))
      headers.push("set-cookie", this.#cookie);
    if (this.#trace === undefined && this.#traceparent === undefined) return;
    headers.push("traceparent", traceparentOf(this.trace));
  }

  /** The headers of a JSON answer of the API, with what an error asks for. */
  apiHeaders(error?: AppError): string[] {
    const headers = ["content-type", JSON_TYPE, "cache-control", "no-store"];
    this.addHeaders(headers);
    if (error === undefined) return headers;
    const challenge = this.#challenge(error);
    if (challenge !== null) headers.push("www-authenticate", challenge);
    const retryAfter = error.info.retryAfterSeconds ?? (ERRORS[error.code].http === 503 ? 1 : undefined);
    if (retryAfter !== undefined) headers.push("retry-after", String(retryAfter));
    return headers;
  }

  /** What a client must show; one that acts for a person also learns which scope it lacks. */
  #challenge({ code, info }: AppError): string | null {
    const { accessTokens } = this.#parts;
    if (code === "unauthorized")
      return accessTokens?.challenge(this.#path, { error: this.#refused }) ?? 'Bearer realm="workflow-ui"';
    const missing = info.details?.["scope"];
    if (code !== "forbidden" || this.#clientScopes === undefined || typeof missing !== "string") return null;
    const scopes = [...new Set([...this.#clientScopes, missing])];
    return accessTokens?.challenge(this.#path, { error: "insufficient_scope", scopes }) ?? null;
  }
}

/**
 * Browsers send the cookie with requests that other pages cause, too. What could change something therefore needs the
 * header that only a page of ours can send, and nothing may come from another origin.
 */
function checkOwnPage({ method, headers }: EdgeRequest, baseUrl: string): void {
  const site = text(headers["sec-fetch-site"]);
  const { origin, host } = headers;
  const from = origin === undefined ? null : URL.parse(origin)?.host;
  const isForeign =
    (site !== undefined && site !== "same-origin" && site !== "none") ||
    (from !== null && from !== host && from !== new URL(baseUrl).host);
  const isRead = method === "GET" || method === "HEAD";
  if (!isForeign && (isRead || headers[PAGE_HEADER] === "1")) return;
  throw new AppError("forbidden", "A request with a session must come from this service's own page.", {
    nextAction: "Send the header X-Suite-Page: 1 from the page, or use an API key instead of the session.",
  });
}

function text(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
