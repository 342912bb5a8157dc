import { NEEDS, ROUTES, type JsonObject, type Operations, type Tools } from "./operations.ts";

export type * from "./operations.ts";

/** The name of an operation. */
export type OperationName = keyof Operations;

/** The name of a tool. */
export type ToolName = keyof Tools;

/** What an operation takes. */
export type InputOf<N extends OperationName> = Operations[N]["input"];

/** What an operation answers. */
export type OutputOf<N extends OperationName> = Operations[N]["output"];

/** One thing that is wrong with what was sent. */
export interface Problem {
  /** A JSON Pointer into the input. */
  readonly pointer: string;
  readonly message: string;
  readonly expected?: string;
  readonly given?: string;
  readonly fix?: string;
  /** The smallest correct value here; where nothing may be, of what is around it. */
  readonly example?: unknown;
  /** The tools that take a field that this one does not. */
  readonly takenBy?: readonly string[];
}

/** The service refused, or could not be reached (`code` is then `unreachable`). */
export class OperationError extends Error {
  readonly code: string;
  readonly status: number;
  readonly problems: readonly Problem[];
  readonly nextAction: string | null;
  readonly retryAfterSeconds: number | null;
  /** Of a call of another service: the HTTP status that it answered with. */
  readonly upstreamStatus: number | null;
  /** Of a call of another service: `unknown` when it may have happened, `not_sent` when nothing of it was sent. */
  readonly effect: "unknown" | "not_sent" | null;
  readonly details: JsonObject;

  constructor(status: number, error: Partial<OperationError>) {
    super(error.message ?? `The service answered with status ${status}.`);
    this.name = "OperationError";
    this.status = status;
    this.code = error.code ?? "internal";
    this.problems = error.problems ?? [];
    this.nextAction = error.nextAction ?? null;
    this.retryAfterSeconds = error.retryAfterSeconds ?? null;
    this.upstreamStatus = error.status ?? null;
    this.effect = error.effect ?? null;
    this.details = error.details ?? {};
  }
}

/** How requests reach the service. */
export interface ClientOptions {
  /** The address of the service; the page's own origin when empty. */
  readonly baseUrl?: string;
  /** Headers of every request: the key, or what the page sends with its session. */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** The answer of an operation as it came. */
export interface Answer<T> {
  /** False when what was asked did not happen. */
  readonly ok: boolean;
  readonly data: T;
  readonly status: number;
}

/** What a call may carry besides its input. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Of a tool: extras that its parameters cannot carry, such as `svc/cursor`. */
  readonly meta?: JsonObject;
}

/** Calls operations. */
export interface Client {
  /** The answer's data; throws OperationError when what was asked did not happen. */
  call<N extends OperationName>(name: N, input: InputOf<N>, options?: CallOptions): Promise<OutputOf<N>>;
  /** The answer, also one that says `ok: false` with data of its own; throws OperationError for errors. */
  send<N extends OperationName>(
    name: N,
    input: InputOf<N>,
    options?: CallOptions,
  ): Promise<Answer<OutputOf<N>>>;
}

/** A client of the service. */
export function createClient(options: ClientOptions = {}): Client {
  const reach = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  const ask = async <N extends OperationName>(
    name: N,
    input: InputOf<N>,
    { signal, meta }: CallOptions = {},
  ): Promise<ReadAnswer<OutputOf<N>>> => {
    const { method, address, body } = requestOf(name, input, meta);
    const response = await reach(`${options.baseUrl ?? ""}${address}`, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...options.headers?.(),
      },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    }).catch((cause: unknown) => {
      if (signal?.aborted === true) throw cause;
      throw unreachable();
    });
    return readAnswer(await response.text(), response.status);
  };
  return {
    async send(name, input, more) {
      const { refusal, ...answer } = await ask(name, input, more);
      if (refusal !== null && refusal.code !== NOT_DONE) throw refusal;
      return answer;
    },
    async call(name, input, more) {
      const { refusal, data } = await ask(name, input, more);
      if (refusal !== null) throw refusal;
      return data;
    },
  };
}

/** No answer came. */
export function unreachable(): OperationError {
  return new OperationError(0, {
    code: "unreachable",
    message: "The service cannot be reached. Whether it did what was asked is not known.",
  });
}

const METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;
type HttpMethod = (typeof METHODS)[number];

/** The request that an operation's input makes. */
export function requestOf<N extends OperationName>(
  name: N,
  input: InputOf<N>,
  meta?: JsonObject,
): { readonly method: HttpMethod; readonly address: string; readonly body: string | undefined } {
  if (!isRouted(name)) return toolRequest(name, input, meta);
  const [verb, route = ""] = ROUTES[name].split(" ");
  const method = METHODS.find((one) => one === verb) ?? "GET";
  const [path = "", inQuery = ""] = route.split("?");
  const rest: Record<string, unknown> = { ...input };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, member: string) => {
    const value = rest[member];
    delete rest[member];
    return encodeURIComponent(String(value));
  });
  const isRead = method === "GET" || method === "DELETE";
  const names = isRead ? Object.keys(rest) : inQuery.split("&");
  const query = new URLSearchParams();
  for (const member of names) {
    const value = rest[member];
    delete rest[member];
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(member, String(one));
  }
  const text = query.toString();
  return {
    method,
    address: text === "" ? filled : `${filled}?${text}`,
    body: isRead ? undefined : JSON.stringify(rest),
  };
}

/** Who calls, as far as it decides what may be called. */
export interface Rights {
  readonly kind: "anonymous" | "key" | "person";
  readonly scopes: readonly string[];
}

/** The scope that a caller lacks for an operation, or the kind of caller that it wants; null when it may be called. */
export function lackedFor(name: string, { kind, scopes }: Rights): string | null {
  const needs: Readonly<Record<string, string | undefined>> = NEEDS;
  const need = needs[name];
  if (need === undefined || need === kind) return null;
  if (kind === "anonymous" || need === "person") return need;
  if (need === "key" || scopes.includes("admin")) return null;
  const lacked = need.split(/[&|]/).filter((scope) => !scopes.includes(scope));
  return lacked.length === 0 || (need.includes("|") && lacked.length < need.split("|").length)
    ? null
    : (lacked[0] ?? null);
}

function isRouted(name: OperationName): name is keyof typeof ROUTES {
  return Object.hasOwn(ROUTES, name);
}

function toolRequest(name: OperationName, input: object, meta?: JsonObject) {
  // The answer is read from structuredContent: it need not come twice.
  const params = { name, arguments: input, _meta: { "svc/content": "structured", ...meta } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return { method: "POST", address: "/api/mcp", body } as const;
}

const NOT_DONE = "not_done";

/** An answer, and why what was asked did not happen; null when it did. */
export interface ReadAnswer<T> extends Answer<T> {
  readonly refusal: OperationError | null;
}

/** What the text of an answer says; throws OperationError when it has no data. */
export function readAnswer<T>(text: string, status: number): ReadAnswer<T> {
  const { result, error: refused, ...plain } = answerIn<T>(text);
  const { ok, data } = result?.structuredContent ?? plain;
  if (refused !== undefined) throw new OperationError(status, { message: refused.message, ...refused.data });
  if (ok === undefined || data === undefined) throw new OperationError(status, {});
  return { ok, data, status, refusal: ok ? null : new OperationError(status, refusalIn(data)) };
}

/** Beside an error there are answers that say in data of their own why nothing happened. */
interface NotDone {
  readonly error?: Partial<OperationError>;
  readonly reason?: string;
  readonly nextAction?: string;
  readonly effect?: "unknown" | "not_sent";
}

function refusalIn({ error, reason, nextAction, effect }: NotDone): Partial<OperationError> {
  return (
    error ?? {
      code: NOT_DONE,
      message: reason ?? "The service did not do what was asked.",
      nextAction: nextAction ?? null,
      effect: effect ?? null,
    }
  );
}

interface Envelope<T> {
  readonly ok?: boolean;
  readonly data?: T & NotDone;
}

/** JSON-RPC wraps the envelope of a tool. */
interface AnswerText<T> extends Envelope<T> {
  readonly result?: { readonly structuredContent?: Envelope<T> };
  readonly error?: { readonly message: string; readonly data?: Partial<OperationError> };
}

/** The server's tests compare every answer with its declaration, so its shape is not checked again here. */
function answerIn<T>(text: string): AnswerText<T> {
  try {
    const answer: AnswerText<T> = JSON.parse(text);
    return answer;
  } catch {
    return {};
  }
}
