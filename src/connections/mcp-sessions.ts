import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client, Transport } from "@modelcontextprotocol/client";
import { formsOf } from "../kernel/echoes.ts";
import { AppError } from "../kernel/errors.ts";
import { SERVICE } from "../kernel/service.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Caller } from "../ports/caller.ts";
import type { Services } from "../ports/services.ts";
import { endedBy, isBroken, isGivenUp, programsForbidden, unreachable } from "./mcp-errors.ts";
import { asCall, CONNECT_MS, currentCall, guardedFetch, type CurrentCall } from "./mcp-fetch.ts";
import { MessageGuard } from "./mcp-guard.ts";
import type { CallQuestions } from "./questions.ts";
import { openCommand } from "./program-secrets.ts";
import { StdioTransport } from "./stdio-transport.ts";

const IDLE_MS = 120_000;
const MOST_SESSIONS = 64;
const MOST_PROGRAMS = 16;
/** A program that does not answer a ping in this time after a call timed out is stuck. */
const PING_MS = 5_000;
/** Pages of a list of tools. */
const MAX_PAGES = 50;
/** A program that ended this often in a minute is not started again at once. */
const MOST_STARTS = 5;
const START_WINDOW_MS = 60_000;

/** How programs are started. */
export interface ProgramSettings {
  readonly environment: Readonly<Record<string, string>>;
  /** Holds a folder for each connection's program; null for one that ends with this process. */
  readonly folder: string | null;
}

/** Called when a server says that its tools changed, with the caller in whose session it did. */
export type ListChanged = (connection: string, services: Services, caller: Caller) => void;

/** An open conversation with an MCP server. */
export interface Session {
  readonly client: Client;
  /** What requests of this conversation carried as a credential. */
  readonly secrets: Set<string>;
  readonly guard: MessageGuard;
}

interface OpenSession extends Session {
  readonly transport: Transport;
  readonly isProgram: boolean;
  usedAt: number;
  /** Not used for further calls: it ends when those at work have ended. */
  isRetired: boolean;
  /** The calls at work. */
  readonly active: Set<CurrentCall>;
}

/** Conversations with MCP servers, opened when needed and closed when idle. */
export class McpSessions {
  readonly #programs: ProgramSettings | null;
  #folder: string | null = null;
  readonly #sessions = new Map<string, Promise<OpenSession>>();
  readonly #starts = new Map<string, number[]>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #onListChanged: ListChanged;
  /** Connections over HTTP that one conversation listens to. */
  readonly #listening = new Set<string>();

  /** Without settings no program is started. */
  constructor(programs: ProgramSettings | null, onListChanged: ListChanged = () => undefined) {
    this.#programs = programs;
    this.#onListChanged = onListChanged;
    this.#sweeper = setInterval(() => this.#sweep(), IDLE_MS / 4);
    this.#sweeper.unref();
  }

  /** Runs `talk` in a conversation of this connection; one that broke is not used again. */
  async use<T>(
    connection: ConnectionRecord,
    context: CallContext,
    talk: (session: Session) => Promise<T>,
    questions: CallQuestions | null = null,
    onSent: () => void = () => undefined,
  ): Promise<T> {
    const key = keyOf(connection, context);
    const session = await this.#open(key, connection, context);
    session.usedAt = Date.now();
    try {
      const work = async (call: CurrentCall): Promise<T> => {
        session.active.add(call);
        try {
          return await talk(session);
        } finally {
          session.active.delete(call);
        }
      };
      return await asCall(context, questions, work, onSent);
    } catch (error) {
      if (isGivenUp(error, context)) void this.#checkStuck(key, session, context);
      else if (isBroken(error)) this.#retire(key, session);
      throw endedBy(error, connection, session.transport);
    } finally {
      session.usedAt = Date.now();
      if (session.isRetired && session.active.size === 0) void end(session);
    }
  }

  /** Takes a conversation out of use; the calls of others in it go on. */
  #retire(key: string, session: OpenSession): void {
    session.isRetired = true;
    void this.#sessions.get(key)?.then(
      (current) => current === session && this.#sessions.delete(key),
      () => undefined,
    );
  }

  /** A call that was given up says nothing about the others: only a program that answers nothing is replaced. */
  async #checkStuck(key: string, session: OpenSession, context: CallContext): Promise<void> {
    if (!session.isProgram || session.isRetired) return;
    try {
      await asCall(context, null, () => session.client.ping({ timeout: PING_MS }));
    } catch (error) {
      if (!isBroken(error)) return;
      this.#retire(key, session);
      if (session.active.size === 0) await end(session);
    }
  }

  /** Ends every conversation of a connection. */
  forget(name: string): void {
    for (const key of this.#sessions.keys()) if (key.startsWith(`${name} `)) this.#drop(key);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map((session) => session.then(end, () => undefined)));
  }

  #open(key: string, connection: ConnectionRecord, context: CallContext): Promise<OpenSession> {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    if (this.#sessions.size >= MOST_SESSIONS) this.#sweep(0);
    const opening = this.#connect(connection, context);
    this.#sessions.set(key, opening);
    void this.#watch(key, opening);
    return opening;
  }

  /** Forgets a conversation that ends, unless another one has taken its place. */
  async #watch(key: string, opening: Promise<OpenSession>): Promise<void> {
    const isCurrent = (): boolean => this.#sessions.get(key) === opening;
    try {
      const { client } = await opening;
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has this one handler only
      client.onclose = () => {
        if (isCurrent()) this.#drop(key);
      };
    } catch {
      if (isCurrent()) this.#sessions.delete(key);
    }
  }

  async #connect(connection: ConnectionRecord, context: CallContext): Promise<OpenSession> {
    const sdk = await import("@modelcontextprotocol/client");
    const client = new sdk.Client(
      { name: SERVICE.name, version: SERVICE.build },
      {
        listMaxPages: MAX_PAGES,
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
    const guard = new MessageGuard(connection.title, () => context.services);
    const listening = {
      begin: (): boolean => {
        const declared = client.getServerCapabilities()?.tools?.listChanged === true;
        if (!declared || this.#listening.has(connection.name)) return false;
        this.#listening.add(connection.name);
        return true;
      },
      end: () => void this.#listening.delete(connection.name),
    };
    const transport =
      connection.command === null
        ? new sdk.StreamableHTTPClientTransport(new URL(connection.url ?? ""), {
            fetch: guardedFetch(connection, secrets, guard, listening),
            reconnectionOptions: {
              maxRetries: 0,
              initialReconnectionDelay: 1_000,
              maxReconnectionDelay: 1_000,
              reconnectionDelayGrowFactor: 1,
            },
          })
        : await this.#program(connection, sdk.deserializeMessage, guard, secrets, context);
    const session: OpenSession = {
      client,
      transport,
      isProgram: connection.command !== null,
      secrets,
      guard,
      isRetired: false,
      usedAt: Date.now(),
      active: new Set(),
    };
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const call = askedBy(session);
      try {
        if (call?.questions) return { ...(await call.questions.answer(params)) };
      } catch (error) {
        if (error instanceof AppError) call?.onFault(error);
        throw error;
      }
      for (const { questions } of session.active) questions?.refuse(params.message);
      return { action: "cancel" };
    });
    const { services, caller } = context;
    client.setNotificationHandler("notifications/tools/list_changed", () =>
      this.#onListChanged(connection.name, services, caller),
    );
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has this one handler only
    client.onerror = (error) => {
      // Over HTTP each call learns of its own faults where it is sent.
      if (session.isProgram && error instanceof AppError)
        for (const { onFault } of session.active) onFault(error);
    };
    try {
      await asCall(context, null, () => client.connect(transport, { timeout: CONNECT_MS }));
    } catch (error) {
      await client.close().catch(() => undefined);
      await transport.close().catch(() => undefined);
      throw error instanceof AppError ? error : unreachable(connection, error, transport);
    }
    if (client.getProtocolEra() === "modern" && listening.begin()) {
      // Servers of the newer revision say that their list changed to those who ask for it.
      void asCall(context, null, () => client.listen({ toolsListChanged: true }))
        .then((subscription) => subscription.closed)
        .catch(() => undefined)
        .finally(listening.end);
    }
    return session;
  }

  async #program(
    connection: ConnectionRecord,
    parse: ConstructorParameters<typeof StdioTransport>[1],
    guard: MessageGuard,
    secrets: Set<string>,
    context: CallContext,
  ): Promise<StdioTransport> {
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
    if (this.#sessions.size > MOST_PROGRAMS) this.#sweep(0);
    this.#starts.set(connection.name, [...starts, now]);
    const opened = await openCommand(connection.name, connection.command, context);
    for (const secret of formsOf(...opened.secrets)) secrets.add(secret);
    const folder = await this.#folderOf(connection.name);
    const start = { command: opened.command, environment: this.#programs.environment, secrets, folder };
    const transport = new StdioTransport(start, parse, guard);
    transport.onsend = () => currentCall.getStore()?.onSent?.();
    return transport;
  }

  /** The folder that is home and working folder of a connection's program. */
  async #folderOf(name: string): Promise<string> {
    this.#folder ??= this.#programs?.folder ?? (await mkdtemp(path.join(tmpdir(), "workflow-ui-programs-")));
    const folder = path.join(this.#folder, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    return folder;
  }

  /** Removes what the program of a connection has kept. */
  async removeFolder(name: string): Promise<void> {
    const root = this.#folder ?? this.#programs?.folder ?? null;
    if (root !== null) await rm(path.join(root, name), { recursive: true, force: true, maxRetries: 3 });
  }

  #drop(key: string): void {
    const session = this.#sessions.get(key);
    this.#sessions.delete(key);
    session?.then(end, () => undefined);
  }

  #sweep(idleMs = IDLE_MS): void {
    for (const [key, opening] of this.#sessions) void this.#sweepOne(key, opening, idleMs);
  }

  async #sweepOne(key: string, opening: Promise<OpenSession>, idleMs: number): Promise<void> {
    const session = await opening.catch(() => null);
    if (session === null) return;
    // A program may hold state in memory, so it is kept longer.
    const allowed = session.isProgram && idleMs > 0 ? idleMs * 5 : idleMs;
    const isIdle = session.active.size === 0 && Date.now() - session.usedAt >= allowed;
    if (isIdle && this.#sessions.get(key) === opening) this.#drop(key);
  }
}

/** Our validator comes later; until then the value is as it is. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the SDK decides what it expects
function believed<T>(input: unknown): T {
  // @ts-expect-error -- the SDK wants the type that its caller expects
  return input;
}

async function end(session: OpenSession): Promise<void> {
  await session.client.close().catch(() => undefined);
  await session.transport.close().catch(() => undefined);
}

/**
 * The call that a question belongs to; null when that cannot be known. Over HTTP it comes with the answer of its call,
 * and in the newer revision as the answer itself; a program of an earlier revision only writes it.
 */
function askedBy({ active, client, isProgram }: OpenSession): CurrentCall | null {
  const current = currentCall.getStore() ?? null;
  if (!isProgram || client.getProtocolEra() === "modern") return current;
  const [only] = active;
  return active.size === 1 ? (only ?? null) : null;
}

/** Each caller has conversations of its own: a server may remember in them what one person asked for. */
function keyOf(connection: ConnectionRecord, { caller }: CallContext): string {
  return `${connection.name} ${connection.updatedAt} ${caller.id}`;
}
