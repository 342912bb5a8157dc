import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../kernel/errors.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { HttpMethod, OpenedResponse } from "../ports/platform.ts";
import type { MessageGuard } from "./mcp-guard.ts";
import { longestMs, type CallQuestions } from "./questions.ts";
import { failedWith, refusedByServer, type Answered } from "./refusal.ts";
import { RequestCredential } from "./request-credential.ts";
import { withoutSecrets } from "./secrets.ts";

/** The most that is read of one answer. */
const MAX_ANSWER_BYTES = 12 * 1024 * 1024;
const REQUEST_MS = 120_000;
/** How long a conversation may take to begin. */
export const CONNECT_MS = 15_000;
/** How long the stream is open on which a server over HTTP says that its list changed. */
const LISTEN_MS = 600_000;
const MAX_LISTEN_BYTES = 1_048_576;
const MAX_WORDS = 64 * 1024;

/** The call that a request of a conversation belongs to. */
export interface CurrentCall {
  readonly context: CallContext;
  /** Takes an error of our own rules that the transport met; the SDK may hide it, or wait for an answer all the same. */
  readonly onFault: (fault: AppError) => void;
  /** Answers what the server asks in the middle of the call. */
  readonly questions: CallQuestions | null;
  /** Called before a byte of one of its requests leaves, throws when the call is over; null for what opens or looks after a conversation. */
  readonly onSent: (() => void) | null;
}

/** The call that the work at hand belongs to. */
export const currentCall = new AsyncLocalStorage<CurrentCall>();

/** Runs work whose requests belong to this call; the first error of our own rules ends it. */
export function asCall<T>(
  context: CallContext,
  questions: CallQuestions | null,
  work: (call: CurrentCall) => Promise<T>,
  onSent: (() => void) | null = null,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (error: unknown): void => {
      isOver = true;
      reject(error);
    };
    // What is claimed of a call that has ended stays true: a request of it that still waits does not leave.
    const leaves = (): void => {
      if (isOver) throw new AppError("unavailable", "The call ended before this was sent.");
      onSent?.();
    };
    const call = { context, questions, onFault: end, onSent: onSent && leaves };
    currentCall.run(call, () => work(call)).then(resolve, end);
  });
}

/** What tells a server that a call was given up leaves also when the call is over. */
const GIVES_UP = /^\{(?:"jsonrpc":"2\.0",)?"method":"(?:notifications\/cancelled|tasks\/cancel)"/;
/** The end of a request, which a notification and an answer do not have. */
const REQUEST = /"jsonrpc":"2\.0","id":\d+\}$/;

/** `fetch` as the SDK wants it, over the guarded fetcher. */
export function guardedFetch(
  connection: ConnectionRecord,
  secrets: Set<string>,
  guard: MessageGuard,
  listening: { readonly begin: () => boolean; readonly end: () => void },
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const send = (
    context: CallContext,
    url: URL,
    method: HttpMethod,
    init: RequestInit | undefined,
    { authorize }: RequestCredential,
    onSent: (() => void) | null,
  ): Promise<OpenedResponse> => {
    const { services, trace } = context;
    return services.fetcher.open({
      url: url.href,
      method,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), traceparent: traceparentOf(trace) },
      authorize,
      ...(onSent && { onSent }),
      trust: "keyed",
      timeoutMs: method === "GET" ? LISTEN_MS : longestMs(REQUEST_MS, context),
      maxBytes: method === "GET" ? MAX_LISTEN_BYTES : MAX_ANSWER_BYTES,
      ...(typeof init?.body === "string" && { body: init.body }),
      ...(init?.signal && { signal: init.signal }),
      ...(connection.privateOrigin !== null && { privateOrigin: connection.privateOrigin }),
    });
  };
  return async (given, init) => {
    const url = new URL(given);
    const method: HttpMethod =
      init?.method === "POST" ? "POST" : init?.method === "DELETE" ? "DELETE" : "GET";
    const call = currentCall.getStore();
    // The end of an idle conversation belongs to no call, and the server forgets it by itself.
    if (call === undefined) return new Response(null, { status: 405 });
    // Every answer comes with its request; the stream for other messages is opened where it says that a list changed.
    if (method === "GET" && !listening.begin()) return new Response(null, { status: 405 });
    const { context } = call;
    const message = typeof init?.body === "string" ? init.body : "";
    const onSent = GIVES_UP.test(message) ? null : call.onSent;
    const onFault = method === "GET" ? () => undefined : call.onFault;
    try {
      const credential = new RequestCredential(connection.credential, context, {
        signal: init?.signal ?? AbortSignal.timeout(CONNECT_MS),
        secrets,
      });
      let answer = await send(context, url, method, init, credential, onSent);
      if (credential.renewsFor(answer)) answer = await send(context, url, method, init, credential, onSent);
      const { status } = answer;
      const words = status >= 400 ? await firstWords(answer.body, secrets) : "";
      const refusal = refusalOf(connection, { ...answer, words }, call.onSent !== null);
      // A refusal of what follows a call, the answer to a question or a look at its task, does not refuse the call.
      const isWhole = REQUEST.test(message.slice(-60)) && !message.startsWith('{"method":"tasks/');
      if (refusal !== null && (isWhole || call.onSent === null)) onFault(refusal);
      const { "content-encoding": _encoding, "content-length": _length, ...headers } = answer.headers;
      if (status >= 400) {
        if (method === "GET") listening.end();
        return new Response(refusal === null ? words : null, { status, headers });
      }
      const empty = status === 204 || status === 202 || status === 304;
      const isStream = /^text\/event-stream/i.test(headers["content-type"] ?? "");
      const chunks = isStream ? guard.events(answer.body) : guard.whole(answer.body);
      const onEnd = method === "GET" ? listening.end : () => undefined;
      const body = empty ? null : ReadableStream.from(watched(chunks, onFault, onEnd));
      return new Response(body, { status, headers });
    } catch (error) {
      if (method === "GET") listening.end();
      if (error instanceof AppError) onFault(error);
      throw error;
    }
  };
}

/** What a status says by itself. An opening conversation tries several ways, and the library reads a 400 and a 404. */
function refusalOf(connection: ConnectionRecord, answer: Answered, isOpen: boolean): AppError | null {
  const { status } = answer;
  const isFailure = isOpen && status > 400 && status !== 404;
  return refusedByServer(connection, answer) ?? (isFailure ? failedWith(connection, answer) : null);
}

/** The beginning of what a server says about a refusal. */
async function firstWords(chunks: AsyncIterable<Uint8Array>, secrets: ReadonlySet<string>): Promise<string> {
  let text = "";
  try {
    for await (const chunk of chunks) {
      text += Buffer.from(chunk).toString("utf8");
      if (text.length > MAX_WORDS) break;
    }
  } catch {
    // The refusal counts, however its text ends.
  }
  return withoutSecrets(text.slice(0, MAX_WORDS), secrets);
}

async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  onFault: (fault: AppError) => void,
  onEnd: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof AppError) onFault(error);
    throw error;
  } finally {
    onEnd();
  }
}
