import type { JsonShape } from "../kernel/json-shape.ts";
import type { SpanView } from "../model/runs.ts";
import type { Authorization } from "./credentials.ts";
import type { LogFields } from "./log-fields.ts";

/** The time. Tests give their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Structured log with the fields of `LOG_FIELDS`. `cause` is logged with its name, code and stack, and with its message
 * only when we wrote it: messages of libraries can quote what a caller sent.
 */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields, cause?: unknown): void;
  error(event: string, fields?: LogFields, cause?: unknown): void;
}

/** A part of a trace as it is sent to a collector. Without a kind it is internal: a run or an attempt. */
export interface Span extends SpanView {
  readonly kind?: "server" | "client";
}

/** Sends spans to a collector. */
export interface SpanExporter {
  export(spans: readonly Span[]): void;
  /** Sends what is left and stops. */
  close(): Promise<void>;
}

/** Who asks for an outgoing request decides which hosts may be reached. */
export type FetchTrust = "anonymous" | "keyed" | "operator";

/** The methods of outgoing requests. */
export const HTTP_METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "QUERY",
] as const;
/** The method of an outgoing request. */
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** One outgoing HTTP request. */
export interface OutgoingRequest {
  readonly url: string;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Gives the credential for one hop. Asked again for each redirect within the origin, so that the hosts are checked
   * again, and never for another origin.
   */
  readonly authorize?: (url: URL) => Promise<Authorization>;
  readonly body?: string | Uint8Array;
  readonly trust: FetchTrust;
  /** The one private `host:port` that this request may reach. Redirects neither leave it nor lead to it. */
  readonly privateOrigin?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly maxRedirects?: number;
  /** A redirect to another origin is refused: the request carries what is meant for this one only. */
  readonly sameOrigin?: boolean;
  readonly signal?: AbortSignal;
  /** Called before the first byte of the request leaves; never when no connection came about. */
  readonly onSent?: () => void;
}

/** An answer that was read whole, within its bounds. */
export interface FetchedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly text: string;
  /** The address that answered in the end, after redirects. */
  readonly url: string;
}

/** An answer whose body comes as it arrives, within its bounds. */
export interface OpenedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends with an error when the body is larger than `maxBytes` or the time is over. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The only way out of the process: checked addresses, bounded time and size (SSRF rules). Throws AppError. */
export interface Fetcher {
  fetch(request: OutgoingRequest): Promise<FetchedResponse>;
  /** Gives the answer as soon as its head is there. A redirect is given as it is. */
  open(request: OutgoingRequest): Promise<OpenedResponse>;
}

/** One verdict of full schema validation. */
interface SchemaVerdict {
  readonly valid: boolean;
  readonly errors: readonly {
    readonly pointer: string;
    readonly keyword: string;
    readonly message: string;
  }[];
}

/**
 * Work whose cost depends on input that may be hostile: what each task takes and gives, as JSON. The module that a task
 * belongs to adds it here.
 */
export interface WorkerTasks {
  json_shape: { readonly input: null; readonly output: JsonShape };
  read_yaml: { readonly input: { readonly text: string }; readonly output: { readonly value: unknown } };
}

/** The name of such work. */
export type WorkerTask = keyof WorkerTasks;

/** An answer whose long texts cross the threads as they are. */
export interface Texts<T> {
  readonly output: T;
  readonly texts: readonly string[];
}

/** Threads that do such work with a deadline and a memory limit. Throws AppError when the input costs too much. */
export interface Workers {
  /** A document goes along as its bytes; in shared memory it is not copied. */
  run<T extends WorkerTask>(
    task: T,
    input: WorkerTasks[T]["input"],
    signal?: AbortSignal,
    document?: Uint8Array,
  ): Promise<WorkerTasks[T]["output"]>;
}

/**
 * Full validation against a schema that may be hostile: bounded worker, dialect chosen by `$schema`. Throws
 * `invalid_input` when nothing can be decided, with the reason.
 */
export interface SchemaValidator {
  validate(schema: unknown, value: unknown, signal?: AbortSignal): Promise<SchemaVerdict>;
}
