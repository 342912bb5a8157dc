import type { InputOf, OutputOf, ToolName } from "@workflow-ui/client";
import { at, bagAt, bagsAt, flagAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";
import { askForKey, authHeaders, markRefused, session } from "./session.ts";

/** One thing wrong with what was sent. */
export interface WireProblem {
  readonly pointer: string;
  readonly message: string;
  readonly fix?: string;
}

/** The service refused or could not be reached. */
export class RpcError extends Error {
  readonly code: string;
  readonly status: number;
  readonly problems: readonly WireProblem[];
  readonly nextAction: string;

  constructor(
    code: string,
    status: number,
    message: string,
    problems: readonly WireProblem[] = [],
    nextAction = "",
  ) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.status = status;
    this.problems = problems;
    this.nextAction = nextAction;
  }
}

/** What a call may be told. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly meta?: Bag;
  /** Lead to the key field on a 401 and try again (the default), or fail at once. */
  readonly interactive?: boolean;
}

/** One answered JSON-RPC request. */
interface Answer {
  readonly result: unknown;
  /** The response body, byte for byte. */
  readonly text: string;
  readonly ms: number;
  readonly status: number;
  readonly traceId: string;
  readonly requestId: string;
}

/** A tool's answer: the envelope and how it came. */
export interface ToolAnswer extends Answer {
  readonly ok: boolean;
  readonly data: Bag;
}

let lastId = 0;

/** The body of a `tools/call` request. */
export function toolCallBody(name: string, argumentsText: string, meta?: Bag): string {
  const extra = meta === undefined ? "" : `,"_meta":${JSON.stringify(meta)}`;
  const params = `{"name":${JSON.stringify(name)},"arguments":${argumentsText}${extra}}`;
  return `{"jsonrpc":"2.0","id":${++lastId},"method":"tools/call","params":${params}}`;
}

/** Sends a JSON-RPC request whose body is ready as text, so that big numbers stay exact. */
async function send(body: string, what: string, options: CallOptions = {}): Promise<Answer> {
  for (;;) {
    const began = performance.now();
    const { generation } = session.get();
    const traceId = hex(16);
    const response = await reach(body, traceId, options.signal);
    const text = await response.text();
    const parsed = parse(text);
    const error = at(parsed, "error");
    if (response.status === 401) markRefused(generation);
    if (response.status === 401 && options.interactive !== false) {
      const reason = session.get().keyed ? "The key was refused." : `${what} needs an API key.`;
      if (await askForKey(reason, session.get().keyed)) continue;
    }
    if (error !== undefined || !isBag(parsed)) throw asError(error, response.status, what);
    return {
      result: at(parsed, "result"),
      text,
      ms: performance.now() - began,
      status: response.status,
      traceId,
      requestId: response.headers.get("x-request-id") ?? "",
    };
  }
}

/** Calls a method with plain parameters. */
export async function rpc(method: string, params: Bag = {}, options: CallOptions = {}): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
  return (await send(body, method, options)).result;
}

/** Calls a tool with arguments given as JSON text. */
export async function callToolText(
  name: string,
  argumentsText: string,
  options: CallOptions = {},
): Promise<ToolAnswer> {
  const answer = await send(toolCallBody(name, argumentsText, options.meta), name, options);
  const envelope = at(answer.result, "structuredContent");
  return { ...answer, ok: flagAt(envelope, "ok"), data: bagAt(envelope, "data") };
}

/** Calls a tool with plain arguments. */
export function callTool(name: string, args: Bag = {}, options: CallOptions = {}): Promise<ToolAnswer> {
  return callToolText(name, JSON.stringify(args), options);
}

/** Calls a tool and gives its data; an answer that is not ok is thrown with the reason it names. */
export async function toolData<N extends ToolName>(
  name: N,
  args: InputOf<N>,
  options: CallOptions = {},
): Promise<OutputOf<N>> {
  const answer = await callToolText(name, JSON.stringify(args), options);
  if (!answer.ok) throw envelopeError(answer.data, answer.status);
  const { result }: { readonly result: { readonly structuredContent: { readonly data: OutputOf<N> } } } =
    JSON.parse(answer.text);
  return result.structuredContent.data;
}

/** The error in the data of an envelope that is not ok. */
export function envelopeError(data: Bag, status: number): RpcError {
  const error = bagAt(data, "error");
  const code = textAt(error, "code", textAt(data, "status", "failed"));
  const message = textAt(error, "message", textAt(data, "reason", "The service did not do it."));
  return new RpcError(
    code,
    status,
    message,
    problemsOf(error),
    textAt(error, "nextAction", textAt(data, "nextAction")),
  );
}

/** Reads a resource as JSON. */
export async function readResource(uri: string, options: CallOptions = {}): Promise<unknown> {
  const result = await rpc("resources/read", { uri }, options);
  const [content] = bagsAt(result, "contents");
  return parse(textAt(content, "text"));
}

/** What a REST request may carry. */
export interface RestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sent as JSON, with POST unless a method is named. */
  readonly body?: unknown;
  /** The body as JSON text, so that big numbers stay exact. */
  readonly bodyText?: string;
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Lead to the key field on a 401 and send again; a GET does not, unless it is asked to. */
  readonly interactive?: boolean;
}

/** Asks a REST path of the service; an answer that is not ok is thrown with the reason it names. */
export async function rest(path: string, options: RestOptions = {}): Promise<unknown> {
  const answer = await restAnswer(path, options);
  if (answer.ok) return answer.result;
  throw envelopeError(answer.data, answer.status);
}

/** Asks a REST path of the service and gives the envelope, whether or not it is ok. */
export async function restAnswer(path: string, options: RestOptions = {}): Promise<ToolAnswer> {
  const text = options.bodyText ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const method = options.method ?? (text === undefined ? "GET" : "POST");
  for (;;) {
    const began = performance.now();
    const { generation } = session.get();
    const traceId = hex(16);
    const response = await fetch(path, {
      method,
      headers: {
        Accept: "application/json",
        traceparent: `00-${traceId}-${hex(8)}-01`,
        ...(text !== undefined && { "Content-Type": "application/json" }),
        ...authHeaders(),
      },
      ...(text !== undefined && { body: text }),
      ...(options.signal && { signal: options.signal }),
      cache: "no-store",
    }).catch(unreachable);
    const answered = await response.text();
    const body = parse(answered);
    if (response.status === 401) markRefused(generation);
    if (response.status === 401 && (options.interactive ?? method !== "GET")) {
      const { keyed } = session.get();
      if (await askForKey(keyed ? "The key was refused." : "This needs an API key.", keyed)) continue;
    }
    return {
      result: body,
      text: answered,
      ms: performance.now() - began,
      status: response.status,
      traceId,
      requestId: response.headers.get("x-request-id") ?? "",
      ok: response.ok && at(body, "ok") !== false,
      data: bagAt(body, "data"),
    };
  }
}

/** Fetches a document of the service's own site. */
export function getJson(path: string, signal?: AbortSignal): Promise<unknown> {
  return rest(path, { signal });
}

/** Random lower-case hexadecimal. */
function hex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** The call begins a trace that the service continues, so that what it did can be found again. */
async function reach(body: string, traceId: string, signal: AbortSignal | undefined): Promise<Response> {
  return fetch("/api/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      traceparent: `00-${traceId}-${hex(8)}-01`,
      ...authHeaders(),
    },
    body,
    cache: "no-store",
    ...(signal && { signal }),
  }).catch(unreachable);
}

function unreachable(cause: unknown): never {
  if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
  throw new RpcError(
    "unreachable",
    0,
    "The service cannot be reached. Nothing was changed by this attempt as far as we know.",
  );
}

function asError(error: unknown, status: number, what: string): RpcError {
  const data = at(error, "data");
  const code = textAt(data, "code", String(numberAt(error, "code") ?? status));
  const message = textAt(error, "message", `${what} was answered with status ${status}.`);
  return new RpcError(code, status, message, problemsOf(data), textAt(data, "nextAction"));
}

function problemsOf(value: unknown): readonly WireProblem[] {
  return bagsAt(value, "problems").map((problem) => ({
    pointer: textAt(problem, "pointer"),
    message: textAt(problem, "message"),
    ...(textAt(problem, "fix") !== "" && { fix: textAt(problem, "fix") }),
  }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
