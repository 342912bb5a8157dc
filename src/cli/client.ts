import http, { type IncomingMessage } from "node:http";
import type { InputOf, OperationName, OutputOf } from "../../packages/client/client.ts";
import type { Envelope } from "../kernel/envelope.ts";
import { isJsonObject, isObject, type JsonObject } from "../kernel/json.ts";
import { Failure, failureOf, failureOfEnvelope } from "./failure.ts";
import { withoutTrailing } from "../kernel/text.ts";

const TIMEOUT_MS = 120_000;
/** Smaller texts are read to their end, and their answer arrives. */
const LARGE_BYTES = 8 * 1_048_576;

/** What to send. */
export interface Outgoing {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** A whole answer. */
export interface Incoming {
  readonly status: number;
  readonly text: string;
}

/** How a client behaves. */
export interface ClientOptions {
  readonly keepAlive?: boolean;
  readonly progress?: <T>(work: Promise<T>) => Promise<T>;
  /** Gives a key that is not over yet, instead of the one that was given. */
  readonly renew?: (() => Promise<string | null>) | undefined;
}

/** The service as this program uses it: a client of the gateway like any other. */
export class Client {
  readonly url: string;
  readonly hasKey: boolean;
  readonly #key: string | null;
  readonly #renew: (() => Promise<string | null>) | undefined;
  readonly #base: URL;
  readonly #agent: http.Agent | undefined;
  readonly #progress: <T>(work: Promise<T>) => Promise<T>;
  #nextId = 1;

  /** With `keepAlive` connections are used again; `progress` shows that an answer takes its time. */
  constructor(url: string, key: string | null, options: ClientOptions = {}) {
    this.url = url;
    this.hasKey = key !== null;
    this.#key = key;
    this.#renew = options.renew;
    this.#base = new URL(url);
    this.#progress = options.progress ?? ((work) => work);
    this.#agent =
      options.keepAlive === true && this.#base.protocol === "http:"
        ? new http.Agent({ keepAlive: true, maxSockets: 32 })
        : undefined;
  }

  /** Calls a tool by its name, with what a person gave; throws when the answer is not ok. */
  async call(tool: string, args: JsonObject = {}, meta?: JsonObject): Promise<Envelope> {
    const { structuredContent } = await this.rpc("tools/call", {
      name: tool,
      arguments: args,
      ...(meta && Object.keys(meta).length > 0 && { _meta: meta }),
    });
    return done(structuredContent, this.url);
  }

  /** Calls a JSON-RPC method and gives its result. */
  async rpc(method: string, params: JsonObject = {}): Promise<ToolResult> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.#nextId++, method, params });
    const { text } = await this.exchange({ method: "POST", path: "/api/mcp", body });
    const { result, error, data } = parsed<JsonObject>(text, this.url);
    if (isObject(result)) return result;
    if (error !== undefined) throw rpcFailure(error);
    // An answer of the edge, before JSON-RPC: a refused key, a limit, an unknown host.
    if (isObject(data) && isJsonObject(data["error"])) throw failureOf(data["error"]);
    throw notOurs(this.url);
  }

  /** Calls an operation; throws when the answer is not ok. */
  async run<N extends OperationName>(
    name: N,
    input: InputOf<N>,
    meta?: JsonObject,
  ): Promise<Envelope<OutputOf<N>>> {
    const envelope = await this.answer(name, input, meta);
    if (!envelope.ok) throw failureOfEnvelope(envelope);
    return envelope;
  }

  /** Calls an operation and gives the envelope, whether or not it is ok. */
  async answer<N extends OperationName>(
    name: N,
    input: InputOf<N>,
    meta?: JsonObject,
  ): Promise<Envelope<OutputOf<N>>> {
    const { requestOf } = await import("../../packages/client/client.ts");
    const { method, address, body } = requestOf(name, input, meta);
    const { text } = await this.exchange({ method, path: address, ...(body !== undefined && { body }) });
    const answer = parsed<OutputOf<N>>(text, this.url);
    if (answer.error !== undefined) throw rpcFailure(answer.error);
    const envelope = answer.result?.structuredContent ?? answer;
    if (!isEnvelope(envelope)) throw notOurs(this.url);
    return envelope;
  }

  /** The data of what a REST path answers; throws when that is not ok. */
  async rest(method: Outgoing["method"], path: string, body?: JsonObject): Promise<JsonObject> {
    const outgoing = { method, path, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const { text } = await this.exchange(outgoing);
    return done(parsed<JsonObject>(text, this.url), this.url).data;
  }

  /** Sends one request and reads the whole answer, whatever its status. */
  exchange(outgoing: Outgoing): Promise<Incoming> {
    return this.#progress(this.#exchange(outgoing));
  }

  async #exchange(outgoing: Outgoing): Promise<Incoming> {
    const response = await this.open(outgoing);
    response.setEncoding("utf8");
    let text = "";
    try {
      for await (const chunk of response) text += String(chunk);
    } catch (error) {
      throw unreachable(this.url, error);
    }
    return { status: response.statusCode ?? 0, text };
  }

  /** Sends one request and gives the answer as it begins. */
  async open(outgoing: Outgoing): Promise<IncomingMessage> {
    const { request } = this.#base.protocol === "https:" ? await import("node:https") : http;
    const key = this.#renew === undefined ? this.#key : await this.#renew();
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          protocol: this.#base.protocol,
          hostname: this.#base.hostname.replace(/^\[|\]$/g, ""),
          port: this.#base.port,
          path: `${withoutTrailing(this.#base.pathname, "/")}${outgoing.path}`,
          method: outgoing.method,
          agent: this.#agent ?? false,
          timeout: TIMEOUT_MS,
          headers: headersOf(outgoing, key),
          ...(outgoing.signal && { signal: outgoing.signal }),
        },
        resolve,
      );
      sent.on("timeout", () => sent.destroy(new Error("ETIMEDOUT")));
      sent.on("error", (error) => {
        const bytes = Buffer.byteLength(outgoing.body ?? "");
        reject(bytes > LARGE_BYTES && isCut(error) ? cutOff(bytes) : unreachable(this.url, error));
      });
      sent.end(outgoing.body);
    });
  }

  /** Lets go of connections that are kept. */
  close(): void {
    this.#agent?.destroy();
  }
}

/** The result of a tool's call. */
interface ToolResult<T = JsonObject> {
  readonly structuredContent?: Envelope<T>;
}

/** An answer as it came: of a tool, JSON-RPC wraps its envelope. */
interface Answer<T> extends Envelope<T> {
  readonly result?: ToolResult<T>;
  readonly error?: JsonObject;
}

/** The envelope of an answer; throws when it is not ok. */
function done<T>(answer: Envelope<T> | undefined, url: string): Envelope<T> {
  if (!isEnvelope(answer)) throw notOurs(url);
  if (!answer.ok) throw failureOfEnvelope(answer);
  return answer;
}

function headersOf(outgoing: Outgoing, key: string | null): Record<string, string> {
  return {
    accept: "application/json, text/event-stream",
    ...(outgoing.body !== undefined && {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(outgoing.body)),
    }),
    ...(key !== null && { authorization: `Bearer ${key}` }),
    ...outgoing.headers,
  };
}

/** Tests of the service compare every answer with its declaration, so only its outermost shape is checked here. */
function parsed<T>(text: string, url: string): Answer<T> {
  try {
    const value: Answer<T> = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Whatever it is, it is not an answer of the service.
  }
  throw notOurs(url);
}

function isEnvelope<T>(value: Envelope<T> | undefined): value is Envelope<T> {
  return isObject(value) && typeof value["ok"] === "boolean" && isObject(value["data"]);
}

function rpcFailure(error: JsonObject): Failure {
  const data = isJsonObject(error["data"]) ? error["data"] : {};
  const body = { ...data, message: error["message"] ?? data["message"] ?? "" };
  return failureOf(body, { ok: false, data: { error: body } });
}

function notOurs(url: string): Failure {
  return new Failure("unavailable", `What answers at ${url} is not this service.`, {
    next: "Name the right address with --url or SUITE_URL.",
  });
}

/** True when the other side closed the connection while it was written to. */
function isCut(error: Error): boolean {
  return "code" in error && (error.code === "EPIPE" || error.code === "ECONNRESET");
}

/** The answer to a text that is too large can be lost, because the service closes the connection before it has read all. */
function cutOff(bytes: number): Failure {
  const size = `${(bytes / 1_048_576).toFixed(1)} MiB`;
  return new Failure("usage", `The service closed the connection while ${size} were sent.`, {
    next: "It takes documents up to SVC_DOCUMENT_LIMIT_MB (24 MiB by default): raise that, or give a smaller document.",
  });
}

function unreachable(url: string, error: unknown): Failure {
  if (error instanceof Error && error.name === "AbortError")
    return new Failure("interrupted", "Interrupted.");
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why =
    code === "ECONNREFUSED"
      ? "nothing listens there"
      : code === "ENOTFOUND" || code === "EAI_AGAIN"
        ? "the name is not known"
        : code === "ECONNRESET"
          ? "the connection broke"
          : error instanceof Error && error.message === "ETIMEDOUT"
            ? "it did not answer in time"
            : "the connection failed";
  return new Failure("unavailable", `The service at ${url} cannot be reached: ${why}.`, {
    next: "Start it with npx workflow-ui (npm start in a clone), or name its address with --url or SUITE_URL; suitectl doctor looks for the cause.",
  });
}
