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

/** Who asks for an outgoing request decides which hosts may be reached. */
export type FetchTrust = "anonymous" | "keyed" | "operator";

/** One outgoing HTTP request. */
export interface OutgoingRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly trust: FetchTrust;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
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

/** The only way out of the process: checked addresses, bounded time and size (SSRF rules). Throws AppError. */
export interface Fetcher {
  fetch(request: OutgoingRequest): Promise<FetchedResponse>;
}

/** One verdict of full schema validation. */
export interface SchemaVerdict {
  readonly valid: boolean;
  readonly errors: readonly {
    readonly pointer: string;
    readonly keyword: string;
    readonly message: string;
  }[];
}

/** Full validation against a schema that may be hostile: bounded worker, dialect chosen by `$schema`. */
export interface SchemaValidator {
  validate(schema: unknown, value: unknown, signal?: AbortSignal): Promise<SchemaVerdict>;
}
