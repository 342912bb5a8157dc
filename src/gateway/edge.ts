import type { IncomingHttpHeaders } from "node:http";
import { failed } from "../kernel/envelope.ts";
import { AppError, ERRORS, type ErrorCode } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { traceFrom, traceparentOf, type Trace } from "../kernel/trace.ts";
import { ANONYMOUS, type Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { HttpAnswer, HttpRoute, HttpSink } from "../ports/http.ts";
import type { Keyring } from "../ports/keyring.ts";
import type { Services } from "../ports/services.ts";
import { callerOf, presentedKey } from "./auth.ts";
import { checkContentType } from "./body.ts";
import { internal } from "./catalog.ts";
import { createContext, requestIdFrom } from "./context.ts";
import { mcpHeaders } from "./era.ts";
import { createHostCheck } from "./hosts.ts";
import { parseJsonBody } from "./json-body.ts";
import { createLimits, type LimitSettings } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { errorAnswer, type RpcExchange, type RpcHandler } from "./rpc.ts";
import type { StaticFiles } from "./static-files.ts";

/** A request as it came over the wire, its body read. */
export interface EdgeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly remote: string;
  readonly body: Buffer | null;
  /** Why the body could not be read. */
  readonly bodyError: AppError | null;
  signal(): AbortSignal;
}

/** What goes back over the wire. */
export interface EdgeAnswer {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string | Buffer | readonly Buffer[] | null;
  readonly stream?: (sink: HttpSink) => Promise<void> | void;
}

/** Everything the edge works with. */
export interface EdgeParts {
  readonly services: Services;
  readonly keyring: Keyring;
  readonly routes: readonly HttpRoute[];
  readonly rpc: RpcHandler;
  readonly metrics: Metrics;
  readonly files: StaticFiles;
  readonly limits?: Partial<LimitSettings>;
}

/** Answers requests. */
export interface Edge {
  handle(request: EdgeRequest): Promise<EdgeAnswer>;
}

const RPC_PATH = "/api/mcp";
const JSON_TYPE = "application/json; charset=utf-8";
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** The way from a request to an answer: Host and Origin, route, key, rate, handler. Nothing throws out of it. */
export function createEdge(parts: EdgeParts): Edge {
  const { services, keyring, metrics, files, rpc } = parts;
  const hosts = createHostCheck(services.settings);
  const limits = createLimits(services.clock, parts.limits);
  const routes = new Map<string, Map<string, HttpRoute>>();
  for (const route of parts.routes) {
    const byMethod = routes.get(route.path) ?? new Map<string, HttpRoute>();
    routes.set(route.path, byMethod.set(route.method, route));
  }
  // Paths with a variable: few, so they are tried in turn after the exact ones.
  const templates = [...routes]
    .filter(([path]) => path.includes("{"))
    .map(([path, byMethod]) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      byMethod,
    }));

  async function identify(request: EdgeRequest): Promise<Caller> {
    const key = presentedKey(request.headers);
    if (key === null) {
      limits.countAnonymous(request.remote);
      return ANONYMOUS;
    }
    limits.countKeyAttempt(request.remote);
    try {
      const caller = await callerOf(key, keyring);
      limits.countKey(caller.id, request.remote);
      return caller;
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthorized") limits.countRefusal(request.remote);
      throw error;
    }
  }

  function contextOf(exchange: Exchange, caller: Caller, meta: JsonObject | undefined): CallContext {
    const { request, requestId, trace } = exchange;
    return createContext({ services, caller, requestId, trace, meta, signal: () => request.signal() });
  }

  async function serveRpc(exchange: Exchange): Promise<EdgeAnswer> {
    const { request, requestId } = exchange;
    try {
      hosts.host(request.headers.host);
      hosts.origin(request.headers.origin);
      if (request.bodyError !== null) throw request.bodyError;
      limits.checkLoad(metrics.inFlight);
      checkContentType(request.headers["content-type"], request.headers["content-encoding"]);
      const body = parseJsonBody(request.body ?? Buffer.alloc(0));
      const rpcExchange: RpcExchange = {
        mcp: mcpHeaders(request.headers),
        context: async (meta) => contextOf(exchange, await identify(request), meta),
        countAnonymous: () => limits.countAnonymous(request.remote),
        internal: (error, where) => internal(error, where, { services, requestId }),
        done: (label, code, startedAt) => observe(label, code, startedAt, requestId),
      };
      const reply = await rpc(body, rpcExchange);
      const headers = apiHeaders(exchange, reply.error);
      return { status: reply.status, headers, body: reply.body };
    } catch (error) {
      const known = error instanceof AppError ? error : internal(error, RPC_PATH, { services, requestId });
      const reply = errorAnswer(null, known, "legacy");
      metrics.observe("rejected", known.code, 0);
      return { status: reply.status, headers: apiHeaders(exchange, known), body: reply.body };
    }
  }

  async function serveRoute(exchange: Exchange, path: string, query: string): Promise<EdgeAnswer> {
    const { request, requestId } = exchange;
    const startedAt = performance.now();
    const byMethod = routes.get(path) ?? templates.find(({ pattern }) => pattern.test(path))?.byMethod;
    const isHead = request.method === "HEAD";
    const route = byMethod?.get(isHead ? "GET" : request.method);
    const label = route === undefined ? "other" : `${route.method} ${route.path}`;
    try {
      hosts.host(request.headers.host);
      // Documents outside /api/ are public and hold no caller's data: any page may read them.
      if (path.startsWith("/api/") || (request.method !== "GET" && !isHead))
        hosts.origin(request.headers.origin);
      if (byMethod === undefined) {
        const file = await files.serve(request, path);
        if (file !== undefined) return file;
        throw new AppError("not_found", "There is nothing at this path.");
      }
      if (route === undefined) throw wrongMethod(request.method, allowed(byMethod));
      if (request.bodyError !== null) throw request.bodyError;
      limits.checkLoad(metrics.inFlight);
      const caller = await identify(request);
      const answer = await route.handle({
        method: request.method,
        path,
        query: new URLSearchParams(query),
        headers: flatHeaders(request.headers),
        body: route.method === "POST" ? readJson(request) : undefined,
        context: contextOf(exchange, caller, undefined),
      });
      observe(label, "ok", startedAt, requestId);
      return wire(answer, exchange);
    } catch (error) {
      const known = error instanceof AppError ? error : internal(error, label, { services, requestId });
      observe(label, known.code, startedAt, requestId);
      const status = restStatus(known.code);
      const headers = apiHeaders(exchange, known);
      if (known.code === "method_not_allowed" && byMethod)
        headers.push("allow", allowed(byMethod).join(", "));
      return { status, headers, body: JSON.stringify(failed(known)) };
    }
  }

  function observe(label: string, code: ErrorCode | "ok", startedAt: number, requestId: string): void {
    const ms = performance.now() - startedAt;
    metrics.observe(label, code, ms);
    if (code === "ok" && ms < SLOW_MS) return;
    const fields = { method: label, code, durationMs: Math.round(ms), requestId };
    if (code === "internal" || ms >= SLOW_MS) services.log.warn("request", fields);
    else services.log.debug("request", fields);
  }

  return {
    async handle(request) {
      const exchange = createExchange(request);
      if (request.url === RPC_PATH && request.method === "POST") return serveRpc(exchange);
      const cut = request.url.indexOf("?");
      const path = cut === -1 ? request.url : request.url.slice(0, cut);
      if (path === RPC_PATH && request.method === "POST") return serveRpc(exchange);
      return serveRoute(exchange, path, cut === -1 ? "" : request.url.slice(cut + 1));
    },
  };
}

/** A request with its id and its trace, which all items of a batch share. */
interface Exchange {
  readonly request: EdgeRequest;
  readonly requestId: string;
  readonly trace: () => Trace;
  /** What goes back in `traceparent`: only when a trace was begun or continued. */
  readonly traceparent: () => string | undefined;
}

function createExchange(request: EdgeRequest): Exchange {
  const received = header(request, "traceparent");
  let trace: Trace | undefined;
  const begin = (): Trace => (trace ??= traceFrom(received));
  return {
    request,
    requestId: requestIdFrom(header(request, "x-request-id")),
    trace: begin,
    traceparent() {
      if (trace === undefined && received === undefined) return undefined;
      return traceparentOf(begin());
    },
  };
}

/** A request that takes this long is worth a line. */
const SLOW_MS = 5_000;

function readJson(request: EdgeRequest): Json {
  checkContentType(request.headers["content-type"], request.headers["content-encoding"]);
  return parseJsonBody(request.body ?? Buffer.alloc(0));
}

function allowed(byMethod: ReadonlyMap<string, HttpRoute>): readonly string[] {
  return byMethod.has("GET") ? [...byMethod.keys(), "HEAD"] : [...byMethod.keys()];
}

function wrongMethod(method: string, allow: readonly string[]): AppError {
  return new AppError("method_not_allowed", `This path does not take ${method}.`, {
    nextAction: `Use ${allow.join(" or ")}.`,
  });
}

/** On a REST path the status alone must tell, so what JSON-RPC answers with 200 is an error here. */
function restStatus(code: ErrorCode): number {
  const { http } = ERRORS[code];
  return http === 200 ? 400 : http;
}

function header(request: EdgeRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
}

function flatHeaders(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  const flat: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers))
    flat[name] = Array.isArray(value) ? value.join(", ") : value;
  return flat;
}

function apiHeaders(exchange: Exchange, error?: AppError): string[] {
  const headers = [
    "content-type",
    JSON_TYPE,
    "cache-control",
    "no-store",
    "x-content-type-options",
    "nosniff",
    "x-request-id",
    exchange.requestId,
  ];
  const traceparent = exchange.traceparent();
  if (traceparent !== undefined) headers.push("traceparent", traceparent);
  if (error === undefined) return headers;
  if (error.code === "unauthorized") headers.push("www-authenticate", 'Bearer realm="workflow-ui"');
  const retryAfter = error.info.retryAfterSeconds ?? (ERRORS[error.code].http === 503 ? 1 : undefined);
  if (retryAfter !== undefined) headers.push("retry-after", String(retryAfter));
  return headers;
}

function wire(answer: HttpAnswer, exchange: Exchange): EdgeAnswer {
  const headers = ["content-type", "contentType" in answer ? answer.contentType : JSON_TYPE];
  const extra = answer.headers ?? {};
  for (const [name, value] of Object.entries(extra)) headers.push(name.toLowerCase(), value);
  const has = (name: string): boolean => Object.keys(extra).some((key) => key.toLowerCase() === name);
  if (!has("cache-control")) headers.push("cache-control", "no-store");
  if (!has("content-security-policy")) headers.push("content-security-policy", API_POLICY);
  headers.push(
    "x-content-type-options",
    "nosniff",
    "referrer-policy",
    "no-referrer",
    "x-request-id",
    exchange.requestId,
  );
  const traceparent = exchange.traceparent();
  if (traceparent !== undefined) headers.push("traceparent", traceparent);
  const { status } = answer;
  if ("stream" in answer) return { status, headers, body: null, stream: (sink) => answer.stream(sink) };
  if ("body" in answer) return { status, headers, body: JSON.stringify(answer.body) };
  const { content } = answer;
  return { status, headers, body: typeof content === "string" ? content : Buffer.from(content) };
}
