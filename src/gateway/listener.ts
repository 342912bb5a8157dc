import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { failed } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import type { HttpSink } from "../ports/http.ts";
import type { Settings } from "../ports/settings.ts";
import { readBody } from "./body.ts";
import { MAX_BODY_BYTES } from "./json-body.ts";
import { readLargeBody } from "./large-body.ts";
import type { Edge, EdgeAnswer } from "./edge.ts";
import type { EdgeRequest } from "./exchange.ts";
import type { Metrics } from "./metrics.ts";
import { watchSockets } from "./sockets.ts";

/** How long a client may take, and how much it may hold. */
export interface SocketSettings {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly checkEveryMs: number;
  readonly maxConnections: number;
  /** Connections whose first request has not arrived yet. */
  readonly maxSilent: number;
}

const DEFAULTS: SocketSettings = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 15_000,
  keepAliveMs: 65_000,
  checkEveryMs: 1_000,
  maxConnections: 4_096,
  maxSilent: 512,
};
const MAX_HEADER_BYTES = 16_384;
/** A streaming client that falls this far behind is dropped. */
const MAX_STREAM_BUFFER = 262_144;

/** A balancer that asked whether we are ready this recently gets "not ready" before the socket closes. */
const ASKED_MS = 10_000;
/** Balancers act on the second such answer. */
const NOT_READY_ANSWERS = 2;
/** How long to wait for the balancer to ask. */
const NOT_READY_WAIT_MS = 5_000;

/** The listening socket. It accepts from the start and answers as soon as `serve` is called. */
export interface Listener {
  readonly port: number;
  /** Open connections. */
  readonly connections: number;
  serve(edge: Edge, metrics: Metrics): void;
  /** True from the moment `drain` is called. */
  readonly draining: boolean;
  /**
   * Says at `/readyz` that it stops, to those who ask there; then stops accepting, lets requests finish, and closes. What is
   * left after the grace is cut.
   */
  drain(graceMs: number): Promise<void>;
}

/** Opens the socket. */
export async function openListener(
  settings: Pick<Settings, "host" | "port">,
  given: Partial<SocketSettings> = {},
): Promise<Listener> {
  const limits = { ...DEFAULTS, ...given };
  const streams = new Set<AbortController>();
  let served: { readonly edge: Edge; readonly metrics: Metrics } | undefined;
  let draining = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let notReadyAnswers = 0;
  const reported = Promise.withResolvers<void>();
  const waiting: (() => void)[] = [];
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      noDelay: true,
    },
    onRequest,
  );
  const sockets = watchSockets(server, limits);
  server.on("clientError", (cause: ClientError, socket: Socket) => {
    if (cause.code === LATE && socket.bytesRead === 0) closeLater(socket, limits.keepAliveMs);
    else refuseSocket(cause, socket);
  });

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    sockets.inUse(request.socket, response);
    if (request.url === "/readyz") {
      askedAt = performance.now();
      if (draining && ++notReadyAnswers === NOT_READY_ANSWERS) response.once("close", reported.resolve);
    }
    if (served === undefined) waiting.push(() => onRequest(request, response));
    else if (request.method === "GET" || request.method === "HEAD")
      answer(served, request, response, null, null);
    else if (!isSmall(request) && served.edge.readsLate(request.method ?? "", request.url ?? ""))
      answer(served, request, response, null, null, true);
    else {
      const { edge, metrics } = served;
      readBody(request, (error, body) => {
        answer({ edge, metrics }, request, response, body, error);
      });
    }
  }

  function answer(
    to: { readonly edge: Edge; readonly metrics: Metrics },
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | null,
    bodyError: AppError | null,
    isLate = false,
  ): void {
    to.metrics.inFlight += 1;
    const send = (reply: EdgeAnswer): void => {
      to.metrics.inFlight -= 1;
      if (bodyError !== null || draining || (isLate && !request.complete)) response.shouldKeepAlive = false;
      write(reply, request, response, streams);
    };
    const wire = new WireRequest(request, response, body, bodyError);
    if (isLate) wire.readLarge = (documentBytes) => readLargeBody(request, documentBytes);
    to.edge.handle(wire).then(send, () => response.destroy());
  }

  const port = await listen(server, settings);
  return {
    port,
    get connections() {
      return sockets.count;
    },
    get draining() {
      return draining;
    },
    serve(edge, metrics) {
      served = { edge, metrics };
      for (const resume of waiting.splice(0)) resume();
    },
    async drain(graceMs) {
      draining = true;
      const end = performance.now() + graceMs;
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      if (performance.now() - askedAt < ASKED_MS) {
        const late = setTimeout(reported.resolve, Math.min(NOT_READY_WAIT_MS, graceMs));
        await reported.promise;
        clearTimeout(late);
      }
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const stream of streams) stream.abort();
      server.closeIdleConnections();
      if (performance.now() >= end) server.closeAllConnections();
      await closed;
      clearTimeout(cut);
    },
  };
}

/** False also when a body does not say its size. */
function isSmall({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"]) <= MAX_BODY_BYTES;
}

function listen(server: Server, settings: Pick<Settings, "host" | "port">): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: settings.host, port: settings.port, backlog: 1_024 }, () => {
      server.removeListener("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : settings.port);
    });
  });
}

/** What the edge sees of a request; the signal is made when something asks for it. */
class WireRequest implements EdgeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly remote: string;
  readonly body: Buffer | null;
  readonly bodyError: AppError | null;
  readLarge?: (documentBytes: number) => Promise<Buffer>;
  readonly #response: ServerResponse;
  #controller: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | null,
    bodyError: AppError | null,
  ) {
    this.method = request.method ?? "";
    this.url = request.url ?? "";
    this.headers = request.headers;
    this.remote = request.socket.remoteAddress ?? "";
    this.body = body;
    this.bodyError = bodyError;
    this.#response = response;
  }

  signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.#response.once("close", () => {
        if (!this.#response.writableFinished) controller.abort();
      });
    }
    return this.#controller.signal;
  }
}

function write(
  reply: EdgeAnswer,
  request: IncomingMessage,
  response: ServerResponse,
  streams: Set<AbortController>,
): void {
  const { body, status, headers } = reply;
  if (response.destroyed) return;
  if (reply.stream !== undefined && request.method !== "HEAD") {
    response.writeHead(status, headers);
    response.flushHeaders();
    startStream(reply.stream, response, streams);
    return;
  }
  if (body === null) {
    response.writeHead(status, status === 202 ? withoutType(headers) : headers).end();
    return;
  }
  const length = lengthOf(body);
  headers.push("content-length", String(length));
  response.writeHead(status, headers);
  if (request.method === "HEAD") response.end();
  // As many bytes as characters means ASCII, which is written faster as what it is.
  else if (typeof body === "string") response.end(body, length === body.length ? "latin1" : "utf8");
  else if (Buffer.isBuffer(body)) response.end(body);
  else {
    // A serialised list is large: its parts go out together as they are, without being copied into one.
    response.cork();
    for (const part of body) response.write(part);
    response.end();
  }
}

function lengthOf(body: string | Buffer | readonly Buffer[]): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  if (Buffer.isBuffer(body)) return body.length;
  return body.reduce((sum, part) => sum + part.length, 0);
}

function withoutType(headers: readonly string[]): string[] {
  const at = headers.indexOf("content-type");
  return headers.filter((_, i) => i !== at && i !== at + 1).concat("content-length", "0");
}

function startStream(
  stream: (sink: HttpSink) => Promise<void> | void,
  response: ServerResponse,
  streams: Set<AbortController>,
): void {
  const controller = new AbortController();
  streams.add(controller);
  const end = (): void => {
    streams.delete(controller);
    // A client that does not take what it was sent would never take the end either.
    if (response.writableNeedDrain) response.destroy();
    controller.abort();
    response.end();
  };
  response.once("close", () => {
    streams.delete(controller);
    controller.abort();
  });
  controller.signal.addEventListener("abort", () => response.end(), { once: true });
  const sink: HttpSink = {
    signal: controller.signal,
    write(text) {
      if (controller.signal.aborted) return false;
      response.write(text);
      if (response.writableLength <= MAX_STREAM_BUFFER) return true;
      response.destroy();
      return false;
    },
    drained() {
      if (!response.writableNeedDrain || controller.signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = (): void => {
          response.off("drain", done);
          response.off("close", done);
          resolve();
        };
        response.once("drain", done);
        response.once("close", done);
      });
    },
    end,
  };
  Promise.resolve(stream(sink)).catch(end);
}

/** Of headers or a body that did not arrive in time, and of a connection on which nothing arrived. */
const LATE = "ERR_HTTP_REQUEST_TIMEOUT";

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Clients open connections before they need them. A refusal would be read as the answer to a request that is just being
 * sent, so such a connection is kept as long as one that is idle.
 */
function closeLater(socket: Socket, ms: number): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, ms);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

const CLIENT_ERRORS: Readonly<Record<string, { readonly status: string; readonly error: AppError }>> = {
  [LATE]: {
    status: "408 Request Timeout",
    error: new AppError("timed_out", "The request took too long to arrive."),
  },
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    error: new AppError("too_large", `The headers are larger than ${MAX_HEADER_BYTES} bytes.`),
  },
};
const MALFORMED = {
  status: "400 Bad Request",
  error: new AppError("invalid_request", "The request is not well-formed HTTP/1.1."),
};

/** Bytes that are not an HTTP request get a clear answer, and the connection ends: what follows cannot be trusted. */
function refuseSocket(cause: ClientError, socket: Socket): void {
  if (cause.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, error } = CLIENT_ERRORS[cause.code ?? ""] ?? MALFORMED;
  const body = JSON.stringify(failed(error));
  // The answer to a HEAD has no content, also when the rest of the request could not be read.
  const content = cause.rawPacket?.subarray(0, 5).toString("latin1") === "HEAD " ? "" : body;
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${content}`,
  );
}
