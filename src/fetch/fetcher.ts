import type { Socket } from "node:net";
import { callbackify, promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import type { Agent, buildConnector, Dispatcher } from "undici";
import { AppError } from "../kernel/errors.ts";
import type { Fetcher, FetchedResponse, OpenedResponse, OutgoingRequest } from "../ports/platform.ts";
import type { Settings } from "../ports/settings.ts";
import { isAddress, isPublicUnicast, unbracketed } from "./addresses.ts";
import { codeOf, explained, tooLarge } from "./failures.ts";
import { resolvePublic, resolveSystem, type Resolve } from "./names.ts";
import { Slots } from "./slots.ts";
import { checkNotRepeated, harmlessHeaders, withAuthorization } from "./carried.ts";
import { lengthProblem, TEXT_LIMITS } from "../kernel/text-limits.ts";
import { withoutTrailing } from "../kernel/text.ts";

/* Long on purpose: one way out, whose checks share the agents, the places and the limits of a request. */

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;
const DEFAULT_REDIRECTS = 3;
const DECODERS = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

interface Agents {
  readonly guarded: Agent;
  readonly open: Agent;
}

/** The guarded fetcher and the way to let go of its sockets. */
export interface GuardedFetcher extends Fetcher {
  close(): Promise<void>;
}

/**
 * The only way out of the process. The address that was checked is the address that is connected to: the check
 * sits in the connector, which undici calls for names and for IP literals alike (its `lookup` option is not
 * called for literals). Hosts the operator listed go through a second agent that may reach private addresses.
 */
export function createFetcher(
  settings: Pick<Settings, "trustedHosts" | "siblings"> & Partial<Pick<Settings, "otlpEndpoint">>,
  resolve?: Resolve,
): GuardedFetcher {
  // What callers without a key cause cannot crowd out the rest.
  const strangers = new Slots(8, 32);
  const listed = new Set(settings.trustedHosts.map((host) => normalised(host)));
  const siblings = new Set(Object.values(settings.siblings).map(({ url }) => authorityOf(new URL(url))));
  if (settings.otlpEndpoint) siblings.add(authorityOf(new URL(settings.otlpEndpoint)));
  const options = { connections: 64, pipelining: 1, maxHeaderSize: 16_384, keepAliveTimeout: 4_000 };
  // Loaded with the first request: a service that asks nobody starts faster and smaller without it.
  const load = async (): Promise<Agents> => {
    const undici = await import("undici");
    // undici says only to its handlers that a request is about to be written to its socket.
    class WatchedAgent extends undici.Agent {
      override dispatch(given: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
        const onSent = "opaque" in given ? given.opaque : null;
        const start = handler.onRequestStart?.bind(handler);
        if (isCallback(onSent)) {
          handler.onRequestStart = (controller, context) => {
            start?.(controller, context);
            if (controller.aborted) return;
            try {
              onSent();
            } catch (error) {
              controller.abort(error instanceof Error ? error : new Error("not sent"));
            }
          };
        }
        return super.dispatch(given, handler);
      }
    }
    const agent = (names: Resolve, permits: (address: string) => boolean): Agent =>
      new WatchedAgent({ ...options, connect: connector(undici.buildConnector, names, permits) });
    return {
      guarded: agent(resolve ?? ((host) => resolvePublic(host)), isPublicUnicast),
      open: agent(resolve ?? resolveSystem, () => true),
    };
  };
  let loaded: Promise<Agents> | undefined;

  const agentFor = ({ guarded, open }: Agents, url: URL, request: OutgoingRequest): Agent => {
    const { trust, privateOrigin } = request;
    if (privateOrigin !== undefined && privateOrigin === authorityOf(url)) return open;
    const isListed = listed.has(unbracketed(url.hostname)) || listed.has(authorityOf(url));
    if (isListed || (trust === "operator" && siblings.has(authorityOf(url)))) return open;
    if (trust === "anonymous") {
      throw new AppError("blocked", `The host ${url.hostname} is not in the list of trusted hosts.`, {
        nextAction: "Call with an API key, or ask the operator to add the host to SVC_TRUSTED_HOSTS.",
      });
    }
    return guarded;
  };

  return {
    async fetch(request) {
      const agents = await (loaded ??= load());
      const work = (): Promise<FetchedResponse> => follow(request, (url) => agentFor(agents, url, request));
      return request.trust === "anonymous" ? strangers.run(work) : work();
    },
    async open(request) {
      const agents = await (loaded ??= load());
      return openOnce(request, (url) => agentFor(agents, url, request));
    },
    async close() {
      const agents = await loaded;
      await Promise.all([agents?.guarded.destroy(), agents?.open.destroy()]);
    },
  };
}

/** A URL that may be asked for, its trailing dots gone. Throws for everything else. */
export function checkedUrl(text: string): URL {
  const long = lengthProblem(text, "name", "");
  if (long !== null)
    throw new AppError("invalid_input", `The address to fetch has more than ${TEXT_LIMITS.name} characters.`);
  const url = URL.parse(text);
  if (url === null) throw new AppError("invalid_input", "The address to fetch is not a URL.");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AppError("blocked", "Only http and https addresses can be fetched.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new AppError("blocked", "An address with a user name or password in it is not fetched.");
  }
  const host = withoutTrailing(url.hostname, ".");
  if (host === "") throw new AppError("invalid_input", "The address to fetch has no host.");
  url.hostname = host;
  url.hash = "";
  return url;
}

/** The head of an answer, and its body as it comes. */
async function openOnce(request: OutgoingRequest, agentFor: (url: URL) => Agent): Promise<OpenedResponse> {
  const deadline = AbortSignal.timeout(request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;
  const maxBytes = request.maxBytes ?? DEFAULT_MAX_BYTES;
  const url = checkedUrl(request.url);
  const explain = (error: unknown): AppError => explained(error, deadline, request.signal);
  try {
    const given = await request.authorize?.(url);
    const plain = { url, headers: lowerCased(request.headers ?? {}) };
    const { url: target, headers } = given === undefined ? plain : withAuthorization(plain, given);
    const answer = await agentFor(url).request({
      origin: target.origin,
      path: `${target.pathname}${target.search}`,
      method: request.method ?? "GET",
      headers: without(headers, (name) => name === "host"),
      body: request.body ?? null,
      signal,
      opaque: request.onSent ?? null,
    });
    const chunks = boundedChunks(answer.body, maxBytes, explain);
    return { status: answer.statusCode, headers: singleValued(answer.headers), body: chunks };
  } catch (error) {
    throw explain(error);
  }
}

async function* boundedChunks(
  stream: Dispatcher.ResponseData["body"],
  maxBytes: number,
  explain: (error: unknown) => AppError,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of stream) {
      if (!(chunk instanceof Uint8Array)) continue;
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw explain(error);
  }
}

async function follow(request: OutgoingRequest, agentFor: (url: URL) => Agent): Promise<FetchedResponse> {
  // Unlike the timer of AbortSignal.timeout, this one ends with the request.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signal = request.signal ? AbortSignal.any([deadline.signal, request.signal]) : deadline.signal;
  const maxRedirects = request.maxRedirects ?? DEFAULT_REDIRECTS;
  const maxBytes = request.maxBytes ?? DEFAULT_MAX_BYTES;
  let url = checkedUrl(request.url);
  let method: NonNullable<OutgoingRequest["method"]> = request.method ?? "GET";
  let body = request.body;
  let headers = lowerCased(request.headers ?? {});
  let { authorize } = request;
  try {
    for (let redirects = 0; ; redirects++) {
      const given = (await authorize?.(url)) ?? null;
      const plain = { url, headers };
      const answer = await once(agentFor(url), {
        ...(given === null ? plain : withAuthorization(plain, given)),
        address: url.href,
        method,
        body,
        signal,
        maxBytes,
        onSent: request.onSent,
      });
      const location = answer.headers["location"];
      if (!isRedirect(answer.status) || location === undefined || maxRedirects === 0) return answer;
      if (redirects >= maxRedirects) {
        throw new AppError("blocked", `The address redirects more than ${maxRedirects} times.`);
      }
      const target = URL.parse(location, url.href);
      if (target === null)
        throw new AppError("blocked", "The address redirects to something that is no URL.");
      const next = checkedUrl(target.href);
      if (next.origin !== url.origin) {
        checkCrossing(request, url, next);
        checkNotRepeated(next, given);
        // Not even a way back: the other origin would choose what the credential is used for.
        authorize = undefined;
        headers = harmlessHeaders(headers);
      }
      if (answer.status === 303 || (answer.status < 303 && method === "POST")) {
        method = method === "HEAD" ? "HEAD" : "GET";
        body = undefined;
        headers = without(headers, (name) => name.startsWith("content-"));
      }
      if (body !== undefined && next.origin !== url.origin) throw bodyCrossing(next);
      url = next;
    }
  } catch (error) {
    throw explained(error, deadline.signal, request.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** A private origin that was allowed for one connection is neither left nor entered by a redirect. */
function checkCrossing({ privateOrigin, sameOrigin }: OutgoingRequest, from: URL, to: URL): void {
  if (sameOrigin === true) {
    throw new AppError("blocked", `The address redirects to another origin, ${to.origin}.`, {
      nextAction: "Use the address that answers without a redirect to another host, port or scheme.",
    });
  }
  if (privateOrigin === undefined) return;
  if (privateOrigin !== authorityOf(from) && privateOrigin !== authorityOf(to)) return;
  throw new AppError("blocked", `The address redirects to ${to.host}, out of or into the private origin.`, {
    nextAction: `Only ${privateOrigin} may be reached, without redirects to other hosts or ports.`,
  });
}

/** A body is as confidential as the credential it was sent with, and may hold one. */
function bodyCrossing(to: URL): AppError {
  return new AppError("blocked", `The address redirects a request with a body to ${to.origin}.`, {
    nextAction: "Use the address that answers without a redirect to another host, port or scheme.",
  });
}

interface Hop {
  readonly url: URL;
  /** The URL without what a credential adds. */
  readonly address: string;
  readonly method: NonNullable<OutgoingRequest["method"]>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly onSent: (() => void) | undefined;
}

function isCallback(value: unknown): value is () => void {
  return typeof value === "function";
}

async function once(agent: Agent, hop: Hop): Promise<FetchedResponse> {
  hop.signal.throwIfAborted();
  const answer = await agent.request({
    origin: hop.url.origin,
    path: `${hop.url.pathname}${hop.url.search}`,
    method: hop.method,
    headers: { "accept-encoding": "gzip, br", ...without(hop.headers, (name) => name === "host") },
    body: hop.body ?? null,
    signal: hop.signal,
    opaque: hop.onSent ?? null,
  });
  const headers = singleValued(answer.headers);
  const declared = Number(headers["content-length"] ?? 0);
  if (declared > hop.maxBytes) {
    answer.body.destroy();
    throw tooLarge(hop.maxBytes);
  }
  const raw = await readWhole(answer.body, hop.maxBytes);
  const body = await decoded(raw, headers["content-encoding"], hop.maxBytes);
  let text: string | undefined;
  return {
    status: answer.statusCode,
    headers,
    body,
    // Decoded when asked for: large documents are read as bytes.
    get text() {
      return (text ??= new TextDecoder().decode(body));
    },
    url: hop.address,
  };
}

async function readWhole(stream: Dispatcher.ResponseData["body"], maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    // Leaving the loop destroys the stream, so no more of it is read.
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

async function decoded(raw: Uint8Array, encoding: string | undefined, maxBytes: number): Promise<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? "identity";
  if (name === "identity" || name === "" || raw.byteLength === 0) return raw;
  const decode = DECODERS.get(name);
  if (!decode) throw new AppError("unavailable", "The answer is encoded in a way that is not understood.");
  try {
    return await decode(raw, { maxOutputLength: maxBytes });
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes);
    throw new AppError("unavailable", "The answer's encoding is damaged.", { cause: error });
  }
}

/** A connector that resolves, checks every address, and connects to one that was checked. */
function connector(
  build: typeof buildConnector,
  resolve: Resolve,
  permits: (address: string) => boolean,
): buildConnector.connector {
  const connect = build({ timeout: DEFAULT_TIMEOUT_MS, allowH2: false });
  const connectTo = (options: buildConnector.Options): Promise<Socket> =>
    new Promise((done, fail) => {
      connect(options, (error, socket) => {
        if (error === null) done(socket);
        else fail(error);
      });
    });
  const establish = callbackify(async (options: buildConnector.Options): Promise<Socket> => {
    const host = unbracketed(options.hostname);
    const literal = isAddress(host);
    const addresses = literal ? [host] : await resolve(host);
    if (!addresses.every(permits)) {
      throw new AppError("blocked", `The host ${host} is not on the public internet.`, {
        nextAction: "An operator can allow a private host with SVC_TRUSTED_HOSTS.",
      });
    }
    let failure: unknown = new AppError("unavailable", `The host ${host} has no address.`);
    for (const address of addresses) {
      try {
        const named = literal ? {} : { servername: options.servername ?? host };
        return await connectTo({ ...options, hostname: address, ...named });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  });
  return (options, callback) => {
    establish(options, (error, socket) => {
      if (error) callback(error, null);
      else callback(null, socket);
    });
  };
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** `host:port`, with the port written out also where the scheme implies it. */
export function authorityOf(url: URL): string {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return `${withoutTrailing(unbracketed(url.hostname), ".")}:${port}`;
}

function normalised(host: string): string {
  return withoutTrailing(unbracketed(host.trim().toLowerCase()), ".");
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  return lower;
}

function without(
  headers: Readonly<Record<string, string>>,
  drop: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !drop(name)));
}

function singleValued(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return single;
}
