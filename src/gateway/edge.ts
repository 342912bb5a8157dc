import type { IncomingHttpHeaders } from "node:http";
import { envelopeText, failed } from "../kernel/envelope.ts";
import { notSent } from "../kernel/effects.ts";
import { AppError } from "../kernel/errors.ts";
import { isObject, type Json } from "../kernel/json.ts";
import { TEXT_LIMITS } from "../kernel/text-limits.ts";
import { unauthorized, type Caller } from "../ports/caller.ts";
import type { HttpAnswer, HttpRequest, HttpSink } from "../ports/http.ts";
import type { Keyring } from "../ports/keyring.ts";
import type { AccessTokens } from "../ports/oauth.ts";
import type { SessionCheck } from "../ports/people.ts";
import { takesBody, type Services } from "../ports/services.ts";
import { checkContentType } from "./body.ts";
import { EventAnswer, wantsEvents } from "./event-answer.ts";
import { createClientFinder, type ProxyNotice } from "./client-address.ts";
import { ClientQuestions } from "./client-questions.ts";
import { Exchange, JSON_TYPE, type EdgeRequest } from "./exchange.ts";
import { createHostCheck } from "./hosts.ts";
import { parseJsonBody } from "./json-body.ts";
import { parseLargeBody } from "./large-body.ts";
import { createLimits, type LimitSettings } from "./limits.ts";
import { LISTEN } from "./listen.ts";
import type { Metrics } from "./metrics.ts";
import type { ServedRoute } from "./operations.ts";
import { SMALL_BODY, type QuickLane } from "./quick.ts";
import { errorAnswer, type RpcHandler, type RpcReply } from "./rpc.ts";
import { restStatus } from "./statuses.ts";
import { createStreamLimit } from "./streams.ts";
import type { StaticFiles } from "./static-files.ts";
import type { Watchdog } from "./watchdog.ts";

/** What goes back over the wire. */
export interface EdgeAnswer {
  readonly status: number;
  /** Names and values in turn. The listener adds the length. */
  readonly headers: string[];
  readonly body: string | Buffer | readonly Buffer[] | null;
  readonly stream?: (sink: HttpSink) => Promise<void> | void;
}

/** What answers JSON-RPC at a path. */
export interface RpcEndpoint {
  readonly rpc: RpcHandler;
  readonly quick: QuickLane;
}

/** Everything the edge works with. */
export interface EdgeParts {
  readonly services: Services;
  readonly keyring: Keyring;
  readonly sessions: SessionCheck;
  readonly accessTokens: AccessTokens | null;
  readonly routes: readonly ServedRoute[];
  /** The JSON-RPC endpoint at a path; undefined where there is none. */
  endpoint(path: string): RpcEndpoint | undefined;
  readonly metrics: Metrics;
  readonly files: StaticFiles;
  readonly watchdog: Watchdog;
  readonly proxy: ProxyNotice;
  readonly limits?: Partial<LimitSettings>;
}

/** Answers requests. */
export interface Edge {
  /** True for a request whose body is read only when its caller is known, because it may be large. */
  readsLate(method: string, url: string): boolean;
  handle(request: EdgeRequest): Promise<EdgeAnswer>;
}

const API_POLICY = "default-src 'none'; frame-ancestors 'none'";
const NO_BODY = Buffer.alloc(0);
const MAX_FORM_BYTES = 16_384;
const MAX_FORM_PARAMETERS = 50;
const AMPERSAND = 0x26;

/** The way from a request to an answer: Host and Origin, route, key, rate, handler. Nothing throws out of it. */
export function createEdge(given: EdgeParts): Edge {
  const { services, keyring, sessions, accessTokens, metrics, files, watchdog } = given;
  const hosts = createHostCheck(services.settings);
  const limits = createLimits(services.clock, given.limits);
  const { admission } = limits;
  const streamLimit = createStreamLimit(given.limits?.streams);
  const parts = {
    services,
    keyring,
    sessions,
    accessTokens,
    limits,
    metrics,
    watchdog,
    clientOf: createClientFinder(services.settings, given.proxy),
    questions: new ClientQuestions(),
  };
  const routes = new Map<string, Map<string, ServedRoute>>();
  for (const route of given.routes) {
    const byMethod = routes.get(route.path) ?? new Map<string, ServedRoute>();
    routes.set(route.path, byMethod.set(route.method, route));
  }
  // Paths with a variable: few, so they are tried in turn after the exact ones.
  const templates = [...routes]
    .filter(([path]) => path.includes("{"))
    .map(([path, byMethod]) => ({
      pattern: patternOf(path),
      byMethod,
    }));
  const large = given.routes
    .filter(({ operation }) => operation.largeDocument === true)
    .map(({ method, path }) => ({ method, pattern: patternOf(path) }));

  async function serveRpc(request: EdgeRequest, endpoint: RpcEndpoint): Promise<EdgeAnswer> {
    const exchange = new Exchange(request, parts);
    try {
      hosts.host(request.headers.host);
      hosts.origin(request.headers.origin);
      const events = wantsEvents(request) ? new EventAnswer(exchange, parts.questions) : null;
      const work = inTurn(request, exchange, endpoint);
      // Only a call that has something to tell on the way is answered with a stream.
      if (events !== null && (await Promise.race([work, events.begun])) === "begun")
        return events.answer(work);
      const reply = await work;
      const headers = exchange.apiHeaders(reply.error);
      if (reply.headers !== undefined) headers.push(...reply.headers);
      return { status: reply.status, headers, body: reply.body };
    } catch (error) {
      const known = error instanceof AppError ? error : exchange.internal(error, request.url);
      const reply = errorAnswer(null, known, "legacy");
      metrics.observe("rejected", known.code, 0);
      return { status: reply.status, headers: exchange.apiHeaders(known), body: reply.body };
    }
  }

  /** Runs a JSON-RPC body: at once when it is small and quick, otherwise when it is its turn. */
  async function inTurn(
    request: EdgeRequest,
    exchange: Exchange,
    { rpc, quick }: RpcEndpoint,
  ): Promise<RpcReply> {
    if ((request.body ?? NO_BODY).length > SMALL_BODY)
      return admitted(() => rpc(readJson(request), exchange));
    const body = readJson(request);
    // It does next to nothing and stays open: a turn would be held for as long.
    if (isObject(body) && body["method"] === LISTEN) return rpc(body, exchange);
    if (!quick.isQuick(body) || !quick.enter()) return admitted(() => rpc(body, exchange));
    try {
      return await rpc(body, exchange);
    } finally {
      quick.leave();
    }
  }

  async function serveRoute(request: EdgeRequest, path: string, query: string): Promise<EdgeAnswer> {
    const startedAt = performance.now();
    const exchange = new Exchange(request, parts);
    const exact = routes.get(path);
    const template = exact === undefined ? templates.find(({ pattern }) => pattern.test(path)) : undefined;
    const byMethod = exact ?? template?.byMethod;
    const isHead = request.method === "HEAD";
    let isHandled = false;
    const route = byMethod?.get(isHead ? "GET" : request.method);
    const label = route === undefined ? "other" : `${route.method} ${route.path}`;
    exchange.begin(label);
    try {
      hosts.host(request.headers.host);
      checkAddress(path, query);
      // Documents outside /api/ are public and hold no caller's data: any page may read them.
      if (path.startsWith("/api/") || (request.method !== "GET" && !isHead))
        hosts.origin(request.headers.origin);
      if (byMethod === undefined) return await serveFile(request, path, exchange);
      if (route === undefined) throw wrongMethod(request.method, allowed(byMethod));
      const caller =
        "provesItself" in route.operation && route.operation.provesItself
          ? exchange.stranger()
          : await exchange.identify(route.access !== "public");
      checkAccess(route, caller);
      const asked = {
        method: request.method,
        path,
        params: template === undefined ? {} : decodedParams(template.pattern, path),
        query: new URLSearchParams(query),
        headers: flatHeaders(request.headers),
        client: exchange.address,
        recheck: () => exchange.recheck(caller),
        context: exchange.contextFor(caller, undefined),
      };
      const late = takesBody(route.method) ? await lateBody(request) : undefined;
      const handled = (body: Pick<HttpRequest, "body" | "bytes">): Promise<HttpAnswer> | HttpAnswer => {
        isHandled = true;
        return route.handle({ ...asked, ...body });
      };
      const answer = await (takesBody(route.method)
        ? admitted(() => handled(late ?? contentOf(request, route)))
        : handled({ body: undefined }));
      const bounded = streamLimit(answer, ...exchange.holder(caller));
      exchange.done(label, "ok", startedAt);
      return wire(bounded, exchange);
    } catch (error) {
      const found = error instanceof AppError ? error : exchange.internal(error, label);
      const known = !isHandled && route?.operation.effect === "external" ? notSent(found) : found;
      exchange.done(label, known.code, startedAt);
      const headers = exchange.apiHeaders(known);
      if (known.code === "method_not_allowed" && byMethod)
        headers.push("allow", allowed(byMethod).join(", "));
      return { status: restStatus(known.code), headers, body: JSON.stringify(failed(known)) };
    }
  }

  async function serveFile(request: EdgeRequest, path: string, exchange: Exchange): Promise<EdgeAnswer> {
    const file = await files.serve(request, path);
    if (file === undefined) throw new AppError("not_found", "There is nothing at this path.");
    exchange.addHeaders(file.headers);
    exchange.settle();
    return file;
  }

  async function admitted<T>(work: () => T | Promise<T>): Promise<T> {
    const waiting = admission.enter();
    if (waiting !== undefined) await waiting;
    try {
      return await work();
    } finally {
      admission.leave();
    }
  }

  /** The body of a caller that is known by now; undefined when the body was read already. */
  async function lateBody(request: EdgeRequest): Promise<{ readonly body: Json } | undefined> {
    if (request.readLarge === undefined) return undefined;
    checkContentType(request.headers["content-type"], request.headers["content-encoding"]);
    const { keyed } = services.settings.documentBytes;
    return { body: await parseLargeBody(await request.readLarge(keyed), keyed) };
  }

  function contentOf(request: EdgeRequest, route: ServedRoute): Pick<HttpRequest, "body" | "bytes"> {
    checkSize(request.body ?? NO_BODY, route);
    if (bodyTypeOf(route) === undefined) return { body: bodyOf(request, route) };
    if (request.bodyError !== null) throw request.bodyError;
    return { body: undefined, bytes: request.body ?? NO_BODY };
  }

  function bodyOf(request: EdgeRequest, route: ServedRoute): Json | undefined {
    const isEmpty = request.bodyError === null && (request.body ?? NO_BODY).length === 0;
    return isEmpty && route.isBodyOptional ? undefined : readJson(request);
  }

  function readJson(request: EdgeRequest): Json {
    if (request.bodyError !== null) throw request.bodyError;
    checkContentType(request.headers["content-type"], request.headers["content-encoding"]);
    return parseJsonBody(request.body ?? NO_BODY);
  }

  return {
    readsLate: (method, url) => {
      const [path = ""] = url.split("?", 1);
      return large.some((route) => route.method === method && route.pattern.test(path));
    },
    handle(request) {
      const { url } = request;
      const cut = url.indexOf("?");
      const path = cut === -1 ? url : url.slice(0, cut);
      const endpoint = request.method === "POST" ? given.endpoint(path) : undefined;
      if (endpoint !== undefined) return serveRpc(request, endpoint);
      return serveRoute(request, path, cut === -1 ? "" : url.slice(cut + 1));
    },
  };
}

/** Counted before anything is parsed: a form of a million short parameters takes seconds to read. */
function checkSize(body: Buffer, route: ServedRoute): void {
  const bodyType = bodyTypeOf(route);
  const maxBodyBytes = "maxBodyBytes" in route.operation ? route.operation.maxBodyBytes : undefined;
  const most = maxBodyBytes ?? (bodyType === undefined ? Number.POSITIVE_INFINITY : MAX_FORM_BYTES);
  if (body.length > most) {
    throw new AppError("too_large", `The body of this path may have ${most} bytes; this has ${body.length}.`);
  }
  if (bodyType !== "application/x-www-form-urlencoded") return;
  let parameters = 1;
  for (const byte of body) if (byte === AMPERSAND) parameters += 1;
  if (parameters > MAX_FORM_PARAMETERS) {
    throw new AppError(
      "too_large",
      `A form may have ${MAX_FORM_PARAMETERS} parameters; this has ${parameters}.`,
    );
  }
}

/** The media type of a body that is not JSON. */
function bodyTypeOf({ operation }: ServedRoute): string | undefined {
  return "bodyType" in operation ? operation.bodyType : undefined;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

/** Scopes are the route's own business; whether the caller must be known is not. */
export function checkAccess({ access }: ServedRoute, caller: Caller): void {
  if (access === "public" || access === "mixed") return;
  if (caller.kind === "anonymous") throw unauthorized();
  if (access === "key" || caller.kind === "person") return;
  throw new AppError("forbidden", "This path is for signed-in people; a key or a token has no account.", {
    nextAction: "Sign in at /sign-in.",
  });
}

/** A part that is not valid percent-encoding names nothing. */
function decodedParams(pattern: RegExp, path: string): Record<string, string> {
  try {
    const found = Object.entries(pattern.exec(path)?.groups ?? {});
    return Object.fromEntries(found.map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    throw new AppError("not_found", "There is nothing at this path.");
  }
}

function checkAddress(path: string, query: string): void {
  if (path.length <= TEXT_LIMITS.name && query.length <= TEXT_LIMITS.name) return;
  throw new AppError(
    "too_large",
    `The path and the query of an address may have ${TEXT_LIMITS.name} characters each; this has ${path.length} and ${query.length}.`,
    { nextAction: "Shorten the address, or send the value in a body." },
  );
}

function allowed(byMethod: ReadonlyMap<string, ServedRoute>): readonly string[] {
  return byMethod.has("GET") ? [...byMethod.keys(), "HEAD"] : [...byMethod.keys()];
}

function wrongMethod(method: string, allow: readonly string[]): AppError {
  return new AppError("method_not_allowed", `This path does not take ${method}.`, {
    nextAction: `Use ${allow.join(" or ")}.`,
  });
}

function flatHeaders(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  const flat: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers))
    flat[name] = Array.isArray(value) ? value.join(", ") : value;
  return flat;
}

function wire(answer: HttpAnswer, exchange: Exchange): EdgeAnswer {
  const headers = ["content-type", "contentType" in answer ? answer.contentType : JSON_TYPE];
  const extra = answer.headers ?? {};
  for (const [name, value] of Object.entries(extra))
    for (const one of [value].flat()) headers.push(name.toLowerCase(), one);
  if (!headers.includes("cache-control")) headers.push("cache-control", "no-store");
  if (!headers.includes("content-security-policy")) headers.push("content-security-policy", API_POLICY);
  headers.push("referrer-policy", "no-referrer");
  exchange.addHeaders(headers);
  const { status } = answer;
  if ("stream" in answer) return { status, headers, body: null, stream: (sink) => answer.stream(sink) };
  if ("body" in answer) return { status, headers, body: envelopeText(answer.body) };
  const { content } = answer;
  const isReady = typeof content === "string" || Buffer.isBuffer(content);
  return { status, headers, body: isReady ? content : Buffer.from(content) };
}
