import type { Envelope } from "../kernel/envelope.ts";
import type { Json } from "../kernel/json.ts";
import type { Caller } from "./caller.ts";
import type { CallContext } from "./definitions.ts";

/** What a handler sees of a request besides its input: the gateway checked Host, Origin, size, JSON and key. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The address that the request counts against. */
  readonly client: string;
  /** Who the caller is now, for answers that last: null when the key or the session ended. */
  recheck(): Promise<Caller | null>;
  /** `caller` is anonymous when no key was sent; a key that is not valid was refused already. */
  readonly context: CallContext;
}

/** A request with what the input of an operation is made of. Only the gateway and the library of a protocol read it. */
export interface HttpRequest extends RequestFacts {
  /** The values of `{name}` in the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON body of a POST or PATCH; undefined without one. */
  readonly body: Json | undefined;
  /** The body of a route that takes another media type. */
  readonly bytes?: Buffer;
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
