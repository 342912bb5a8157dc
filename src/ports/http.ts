import type { Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import type { Caller } from "./caller.ts";
import type { CallContext } from "./definitions.ts";
import type { PageRequest } from "./store.ts";
import type { Route } from "./services.ts";

/** One request on a REST path, checked by the gateway: Host, Origin, size, JSON and key are in order. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** The values of `{name}` in the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The JSON body of a POST or PATCH; undefined without one. */
  readonly body: Json | undefined;
  /** The body of a route that takes another media type. */
  readonly bytes?: Buffer;
  /** The address that the request counts against. */
  readonly client: string;
  /** Who the caller is now, for answers that last: null when the key or the session ended. */
  recheck(): Promise<Caller | null>;
  /** `caller` is anonymous when no key was sent; a key that is not valid was refused already. */
  readonly context: CallContext;
}

/** Where a streaming answer writes. */
export interface HttpSink {
  /** Queues text. False once the client is gone or too slow (it is then disconnected). */
  write(text: string): boolean;
  /** Resolves when the client has taken enough of what was queued, or is gone. A writer that awaits it cannot flood. */
  drained(): Promise<void>;
  /** Ends the answer. */
  end(): void;
  /** Aborted when the client is gone or the service drains. */
  readonly signal: AbortSignal;
}

/** Headers of an answer; one that may come several times (Set-Cookie) has a list. */
type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The answer to a REST request: an envelope, a text or bytes, or a stream. */
export type HttpAnswer =
  | { readonly status: number; readonly headers?: AnswerHeaders; readonly body: Envelope }
  | {
      readonly status: number;
      readonly headers?: AnswerHeaders;
      readonly contentType: string;
      readonly content: string | Uint8Array;
    }
  | {
      readonly status: number;
      readonly headers?: AnswerHeaders;
      readonly contentType: string;
      stream(sink: HttpSink): Promise<void> | void;
    };

/** A route with what it does. Throw AppError for every answer that is not a success. */
export interface HttpRoute extends Route {
  /** Takes a body whose member `document` is a text or object of up to SVC_DOCUMENT_LIMIT_MB; a large one reaches the handler as text. */
  readonly largeDocument?: boolean;
  /** The largest body, where it is less than the gateway's own limit; 16 KiB for forms. */
  readonly maxBodyBytes?: number;
  /** A request without a body is answered too. */
  readonly bodyOptional?: boolean;
  handle(request: HttpRequest): Promise<HttpAnswer> | HttpAnswer;
}

/** The page of a list that a query asks for with `limit` (1 to 100) and `cursor`. */
export function pageOfQuery(query: URLSearchParams): PageRequest {
  const limit = query.get("limit") ?? "50";
  const cursor = query.get("cursor");
  if (!/^([1-9]\d?|100)$/.test(limit)) {
    throw new AppError("invalid_input", "limit must be a whole number from 1 to 100.");
  }
  return { limit: Number(limit), ...(cursor !== null && { cursor }) };
}
