import { AsyncLocalStorage } from "node:async_hooks";
import type { Client, Transport } from "@modelcontextprotocol/client";
import { AppError } from "../kernel/errors.ts";
import { SERVICE } from "../kernel/service.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { HttpMethod, OpenedResponse } from "../ports/platform.ts";
import { longestMs, type CallQuestions } from "./questions.ts";
import { refusedByServer } from "./refusal.ts";
import { RequestCredential } from "./request-credential.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** The most that is read of one answer. */
const MAX_ANSWER_BYTES = 12 * 1024 * 1024;
const REQUEST_MS = 120_000;
const CONNECT_MS = 15_000;
const IDLE_MS = 120_000;
const MOST_SESSIONS = 64;
const MOST_PROGRAMS = 16;
/** A program that ended this often in a minute is not started again at once. */
const MOST_STARTS = 5;
const START_WINDOW_MS = 60_000;

/** How programs are started. */
export interface ProgramSettings {
  readonly environment: Readonly<Record<string, string>>;
}

/** An open conversation with an MCP server. */
export interface Session {
  readonly client: Client;
  /** What requests of this conversation carried as a credential. */
  readonly secrets: Set<string>;
}

interface Held extends Session {
  readonly transport: Transport;
  readonly isProgram: boolean;
  usedAt: number;
  /** The calls at work. */
  readonly active: Set<CurrentCall>;
}

/** The call that a request of a conversation belongs to. */
interface CurrentCall {
  readonly context: CallContext;
  /** Takes an error of our own rules that the transport met; the SDK may hide it, or wait for an answer all the same. */
  readonly onFault: (fault: AppError) => void;
  /** Answers what the server asks in the middle of the call. */
  readonly questions: CallQuestions | null;
  /** Called before a byte of one of its requests leaves. */
  readonly onSent: () => void;
}

const currentCall = new AsyncLocalStorage<CurrentCall>();

/** Runs work whose requests belong to this call; the first error of our own rules ends it. */
function asCall<T>(
  context: CallContext,
  questions: CallQuestions | null,
  work: (call: CurrentCall) => Promise<T>,
  onSent: () => void = () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const call = { context, questions, onFault: reject, onSent };
    currentCall.run(call, () => work(call)).then(resolve, reject);
  });
}

/** Conversations with MCP servers, opened when needed and closed when idle. */
export class McpSessions {
  readonly #programs: ProgramSettings | null;
  readonly #held = new Map<string, Promise<Held>>();
  readonly #starts = new Map<string, number[]>();
  readonly #sweeper: NodeJS.Timeout;

  /** Without settings no program is started. */
  constructor(programs: ProgramSettings | null) {
    this.#programs = programs;
    this.#sweeper = setInterval(() => this.#sweep(), IDLE_MS / 4);
    this.#sweeper.unref();
  }

  /** Runs `talk` in a conversation of this connection; one that broke is not used again. */
  async use<T>(
    connection: ConnectionRecord,
    context: CallContext,
    talk: (session: Session) => Promise<T>,
    questions: CallQuestions | null = null,
    onSent?: () => void,
  ): Promise<T> {
    const key = keyOf(connection, context);
    const held = await this.#open(key, connection, context);
    held.usedAt = Date.now();
    try {
      const work = async (call: CurrentCall): Promise<T> => {
        held.active.add(call);
        try {
          return await talk(held);
        } finally {
          held.active.delete(call);
        }
      };
      return await asCall(context, questions, work, onSent);
    } catch (error) {
      if (isBroken(error)) this.#drop(key);
      throw error;
    } finally {
      held.usedAt = Date.now();
    }
  }

  /** Ends every conversation of a connection. */
  forget(name: string): void {
    for (const key of this.#held.keys()) if (key.startsWith(`${name} `)) this.#drop(key);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map((held) => held.then(end, () => undefined)));
  }

  #open(key: string, connection: ConnectionRecord, context: CallContext): Promise<Held> {
    const known = this.#held.get(key);
    if (known !== undefined) return known;
    if (this.#held.size >= MOST_SESSIONS) this.#sweep(0);
    const opening = this.#connect(key, connection, context);
    this.#held.set(key, opening);
    opening.catch(() => {
      if (this.#held.get(key) === opening) this.#held.delete(key);
    });
    return opening;
  }

  async #connect(key: string, connection: ConnectionRecord, context: CallContext): Promise<Held> {
    const sdk = await import("@modelcontextprotocol/client");
    const client = new sdk.Client(
      { name: SERVICE.name, version: SERVICE.build },
      {
        versionNegotiation: { mode: "auto" },
        // There is no model behind a call, but there may be a person.
        capabilities: { elicitation: { form: {}, url: {} } },
        // Answers are checked by our own validator, in a thread that can be ended.
        jsonSchemaValidator: {
          getValidator: () => (input) => ({ valid: true, data: believed(input), errorMessage: undefined }),
        },
      },
    );
    const secrets = new Set<string>();
    const transport =
      connection.command === null
        ? new sdk.StreamableHTTPClientTransport(new URL(connection.url ?? ""), {
            fetch: guardedFetch(connection, secrets),
            reconnectionOptions: {
              maxRetries: 0,
              initialReconnectionDelay: 1_000,
              maxReconnectionDelay: 1_000,
              reconnectionDelayGrowFactor: 1,
            },
          })
        : this.#program(connection, sdk.deserializeMessage);
    const held: Held = {
      client,
      transport,
      isProgram: connection.command !== null,
      secrets,
      usedAt: Date.now(),
      active: new Set(),
    };
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const call = askedBy(held);
      try {
        if (call?.questions) return { ...(await call.questions.answer(params)) };
      } catch (error) {
        if (error instanceof AppError) call?.onFault(error);
        throw error;
      }
      for (const { questions } of held.active) questions?.refuse(params.message);
      return { action: "cancel" };
    });
    try {
      await asCall(context, null, () => client.connect(transport, { timeout: CONNECT_MS }));
    } catch (error) {
      await client.close().catch(() => undefined);
      await transport.close().catch(() => undefined);
      throw error instanceof AppError ? error : unreachable(connection, error);
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has this one handler only
    client.onclose = () => this.#drop(key);
    return held;
  }

  #program(
    connection: ConnectionRecord,
    parse: ConstructorParameters<typeof StdioTransport>[2],
  ): StdioTransport {
    if (this.#programs === null || connection.command === null) throw programsForbidden();
    const now = Date.now();
    const starts = (this.#starts.get(connection.name) ?? []).filter((at) => now - at < START_WINDOW_MS);
    if (starts.length >= MOST_STARTS) {
      throw new AppError(
        "unavailable",
        `The program of ${connection.name} ended ${MOST_STARTS} times within a minute.`,
        { nextAction: "Check its command and arguments, and call again in a minute.", retryAfterSeconds: 60 },
      );
    }
    if (this.#held.size > MOST_PROGRAMS) this.#sweep(0);
    this.#starts.set(connection.name, [...starts, now]);
    const transport = new StdioTransport(connection.command, this.#programs.environment, parse);
    transport.onsend = () => currentCall.getStore()?.onSent();
    return transport;
  }

  #drop(key: string): void {
    const held = this.#held.get(key);
    this.#held.delete(key);
    held?.then(end, () => undefined);
  }

  #sweep(idleMs = IDLE_MS): void {
    for (const [key, opening] of this.#held) void this.#sweepOne(key, opening, idleMs);
  }

  async #sweepOne(key: string, opening: Promise<Held>, idleMs: number): Promise<void> {
    const held = await opening.catch(() => null);
    if (held === null) return;
    // A program may hold state in memory, so it is kept longer.
    const allowed = held.isProgram && idleMs > 0 ? idleMs * 5 : idleMs;
    const isIdle = held.active.size === 0 && Date.now() - held.usedAt >= allowed;
    if (isIdle && this.#held.get(key) === opening) this.#drop(key);
  }
}

/** What programs need that the operator has not allowed. */
export function programsForbidden(): AppError {
  return new AppError("blocked", "Programs are not started here: the operator has not allowed it.", {
    nextAction: "An operator can allow MCP servers over stdio with SVC_ALLOW_STDIO=true.",
  });
}

/** Our validator comes later; until then the value is as it is. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SDK decides what it expects
function believed<T>(input: unknown): T {
  // @ts-expect-error -- the SDK wants the type that its caller expects
  return input;
}

async function end(held: Held): Promise<void> {
  await held.client.close().catch(() => undefined);
  await held.transport.close().catch(() => undefined);
}

/**
 * The call that a question belongs to; null when that cannot be known. Over HTTP it comes with the answer of its call,
 * and in the newer revision as the answer itself; a program of an earlier revision only writes it.
 */
function askedBy({ active, client, isProgram }: Held): CurrentCall | null {
  const current = currentCall.getStore() ?? null;
  if (!isProgram || client.getProtocolEra() === "modern") return current;
  const [only] = active;
  return active.size === 1 ? (only ?? null) : null;
}

/** Calls as different people have conversations of their own: a credential may belong to one of them. */
function keyOf(connection: ConnectionRecord, { caller }: CallContext): string {
  const who = connection.credential === null ? "everybody" : caller.id;
  return `${connection.name} ${connection.updatedAt} ${who}`;
}

/** Whether a conversation can go on after this error: what the server itself answered breaks nothing. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  return error.name !== "ProtocolError" && !("code" in error && typeof error.code === "number");
}

function unreachable(connection: ConnectionRecord, cause: unknown): AppError {
  return new AppError(
    "unavailable",
    `${connection.title} could not be reached or does not speak MCP at this address.`,
    { nextAction: "Check the address and that the server runs; probe the address to see what it is.", cause },
  );
}

/** `fetch` as the SDK wants it, over the guarded fetcher. */
function guardedFetch(
  connection: ConnectionRecord,
  secrets: Set<string>,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const send = (
    context: CallContext,
    url: URL,
    method: HttpMethod,
    init: RequestInit | undefined,
    { authorize }: RequestCredential,
    onSent: () => void,
  ): Promise<OpenedResponse> => {
    const { services, trace } = context;
    return services.fetcher.open({
      url: url.href,
      method,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), traceparent: traceparentOf(trace) },
      authorize,
      onSent,
      trust: "keyed",
      timeoutMs: longestMs(REQUEST_MS, context),
      maxBytes: MAX_ANSWER_BYTES,
      ...(typeof init?.body === "string" && { body: init.body }),
      ...(init?.signal && { signal: init.signal }),
      ...(connection.privateOrigin !== null && { privateOrigin: connection.privateOrigin }),
    });
  };
  return async (given, init) => {
    const url = new URL(given);
    const method: HttpMethod =
      init?.method === "POST" ? "POST" : init?.method === "DELETE" ? "DELETE" : "GET";
    // The stream for unasked messages is not wanted; every answer comes with its request.
    if (method === "GET") return new Response(null, { status: 405 });
    const call = currentCall.getStore();
    // The end of an idle conversation belongs to no call, and the server forgets it by itself.
    if (call === undefined) return new Response(null, { status: 405 });
    const { context, onFault, onSent } = call;
    try {
      const credential = new RequestCredential(connection.credential, context, {
        signal: init?.signal ?? AbortSignal.timeout(CONNECT_MS),
        secrets,
      });
      let answer = await send(context, url, method, init, credential, onSent);
      if (credential.renewsFor(answer)) answer = await send(context, url, method, init, credential, onSent);
      const refusal = refusedByServer(connection, answer);
      if (refusal !== null) onFault(refusal);
      const { "content-encoding": _encoding, "content-length": _length, ...headers } = answer.headers;
      const empty = answer.status === 204 || answer.status === 202 || answer.status === 304;
      const body = empty ? null : ReadableStream.from(watched(answer.body, onFault));
      return new Response(body, { status: answer.status, headers });
    } catch (error) {
      if (error instanceof AppError) onFault(error);
      throw error;
    }
  };
}

async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  onFault: (fault: AppError) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof AppError) onFault(error);
    throw error;
  }
}
