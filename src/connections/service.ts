import { checkValue } from "../../packages/forms/src/index.ts";
import { unconfirmedAnswer } from "../handoffs/results.ts";
import { inexactAt } from "../kernel/exact-integers.ts";
import { beforeSending } from "../kernel/effects.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { argumentProblems } from "../kernel/schema-words.ts";
import type { ConnectedTool, ConnectionRecord, Connections, DefinitionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Clock } from "../ports/platform.ts";
import type { Services } from "../ports/services.ts";
import type { Settings } from "../ports/settings.ts";
import type { Store } from "../ports/store.ts";
import { inClientSpan } from "../tracing/call-spans.ts";
import { syncConnection } from "./admin.ts";
import { CallLog } from "./call-log.ts";
import { connectedTool, GATEWAY, partsOf, withFixed } from "./definition.ts";
import type { DriverCall, DriverResult } from "./driver.ts";
import { callGateway, gatewayOf, unconfigured } from "./gateway.ts";
import { callHttp, withContentType } from "./http-call.ts";
import { templateOf } from "./http-message.ts";
import { DefinitionIndex } from "./index-of-definitions.ts";
import { ListChanges } from "./list-changes.ts";
import { callMcp } from "./mcp-call.ts";
import { McpSessions } from "./mcp-sessions.ts";
import { listedDefinition, pinDefinitions } from "./pinning.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 120_000;
const CHECK_STEPS = 50_000;
const OBSERVE_MS = 5_000;

/** What connections are made of. */
export interface ConnectionParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Settings;
  /** Where the programs of MCP servers have their folders; null for a temporary place. */
  readonly programFolder: string | null;
  /** The wired services; they exist only after this part does. */
  readonly services: () => Services;
}

/** The connections with what their administration needs. */
export interface ManagedConnections extends Connections {
  readonly index: DefinitionIndex;
  readonly sessions: McpSessions;
  /** The canonical gateway of the settings; null when none is configured. */
  readonly gateway: ConnectionRecord | null;
  connection(name: string): Promise<ConnectionRecord | null>;
  /** A definition in whatever state; throws `not_found`. */
  record(id: string): Promise<{ record: DefinitionRecord; connection: ConnectionRecord }>;
  /** Writes what waits to be kept. */
  flush(): Promise<void>;
}

/** Opens the connections: reads what there is, so that the engine can decide without waiting. */
export async function openConnections(parts: ConnectionParts): Promise<ManagedConnections> {
  const index = new DefinitionIndex(parts.store, parts.clock);
  const { programEnvironment } = parts.settings;
  const changes = new ListChanges((name, context) => syncConnection(managed, name, context));
  const sessions = new McpSessions(
    programEnvironment === null ? null : { environment: programEnvironment, folder: parts.programFolder },
    changes.note,
  );
  const log = new CallLog(parts.services);
  const gateway = gatewayOf(parts.settings);
  const observed = new Map<string, { readonly at: number; readonly state: ConnectionRecord["state"] }>();
  await index.refresh(true);

  const connectionOf = async (name: string): Promise<ConnectionRecord | null> =>
    name === GATEWAY && gateway !== null ? gateway : index.connection(name);

  async function record(id: string): Promise<{ record: DefinitionRecord; connection: ConnectionRecord }> {
    const names = partsOf(id);
    const found = names === null ? null : await index.definition(names.connection, names.name);
    const connection = names === null ? null : await connectionOf(names.connection);
    if (found === null || (connection === null && names?.connection !== GATEWAY)) throw unknownId(id, index);
    return { record: found, connection: connection ?? unconfigured() };
  }

  /** What a call needs, once nothing speaks against it. */
  async function checked(id: string, given: JsonObject, context: CallContext) {
    const { record: definition, connection } = await record(id);
    checkCallable(definition);
    if (context.caller.kind === "system" && connection.kind === "mcp") checkDecision(definition, given);
    if (context.dryRun === true && definition.effect !== "read") {
      throw new AppError("blocked", `${id} can change something, so a dry run does not call it.`);
    }
    const tool = connectedTool(definition, connection);
    checkPin(id, tool, context);
    const args = await checkedArguments(tool, given, connection, definition, context);
    return { definition, connection, args };
  }

  /** Notes whether a server was reached: when that changes, and after a while. */
  async function observe(connection: ConnectionRecord, problem: string | null): Promise<void> {
    const state = problem === null ? "reachable" : "failing";
    const now = parts.clock.now();
    const last = observed.get(connection.name);
    if (last?.state === state && now - last.at < OBSERVE_MS) return;
    observed.set(connection.name, { at: now, state });
    index.observed(connection.name, state, problem);
    if (parts.store.kind === "none" || connection === gateway) return;
    const seen = { state, problem, checkedAt: new Date(now).toISOString() } as const;
    await parts.store.transact((tx) => tx.connections.observe(connection.name, seen));
  }

  async function drive(call: DriverCall): Promise<DriverResult> {
    const { connection } = call;
    if (connection.name === GATEWAY) return callGateway(call);
    try {
      const result = await (connection.kind === "mcp" ? callMcp(sessions, call) : callHttp(call));
      const problem = refusalIn(result, connection);
      if (problem !== undefined) void observe(connection, problem).catch(() => undefined);
      return result;
    } catch (error) {
      // A caller that left says nothing about the server.
      if (error instanceof AppError && isOutage(error) && !call.context.signal.aborted)
        void observe(connection, error.message).catch(() => undefined);
      throw error;
    }
  }

  const managed: ManagedConnections = {
    index,
    sessions,
    gateway,
    connection: connectionOf,
    record,
    head: (id) => index.head(id),
    async heads() {
      await index.refresh();
      return index.heads;
    },
    search: (text, limit) => index.search(text, limit),
    async find(id) {
      const names = partsOf(id);
      if (names === null) return null;
      const found = await index.definition(names.connection, names.name);
      const connection = await connectionOf(names.connection);
      if (found === null || (connection === null && names.connection !== GATEWAY)) return null;
      return connectedTool(found, connection ?? unconfigured());
    },
    async call(id, given, context) {
      const { definition, connection, args } = await beforeSending(() => checked(id, given, context));
      const key = context.meta["svc/idempotencyKey"];
      const begun = performance.now();
      const ended = { record: definition, args, context };
      const elapsedMs = (): number => performance.now() - begun;
      try {
        const { url } = connection;
        const attributes = { "server.address": url === null ? null : new URL(url).host };
        const result = await inClientSpan(context, { name: id, attributes }, (below) =>
          drive({
            connection,
            record: definition,
            args: withFixed(args, definition.overrides.fixedArguments),
            timeoutMs: timeoutOf(context),
            idempotencyKey: typeof key === "string" ? key : context.requestId,
            context: below,
          }),
        );
        const { outcome, httpStatus, data } = result;
        await log.add({ ...ended, ok: result.ok, outcome, httpStatus, elapsedMs: elapsedMs(), result: data });
        return { ok: result.ok, data };
      } catch (error) {
        const outcome = error instanceof AppError ? error.code : "internal";
        await log.add({
          ...ended,
          ok: false,
          outcome,
          httpStatus: null,
          elapsedMs: elapsedMs(),
          result: null,
        });
        throw error;
      }
    },
    async syncGateway(context) {
      const { siblings } = context.services;
      const listed = await siblings.listTools(context.trace, context.signal);
      if (listed.status === "degraded") return unconfirmedAnswer("mcp", listed);
      const tools = listed.tools.map(({ name, definition }) => listedDefinition(name, definition));
      const nothing = (): Promise<void> => Promise.resolve();
      const report = await pinDefinitions(
        {
          connection: GATEWAY,
          listed: tools,
          acceptNew: true,
          open: nothing,
          check: nothing,
          close: (tx, _report, at) => tx.connections.touchDefinitions(GATEWAY, at),
        },
        context,
      );
      await index.refresh(true);
      return report;
    },
    flush: () => log.flush(),
    async close() {
      changes.close();
      await sessions.close();
      await log.close();
    },
  };
  return managed;
}

function timeoutOf({ meta }: CallContext): number {
  const wanted = meta["svc/timeoutMs"];
  return typeof wanted === "number" && wanted >= 1
    ? Math.min(Math.ceil(wanted), MAX_TIMEOUT_MS)
    : DEFAULT_TIMEOUT_MS;
}

/** `conflict`: the server refuses the credential, or a person has to consent again. */
const OUTAGES: ReadonlySet<string> = new Set([
  "unavailable",
  "timed_out",
  "outcome_unknown",
  "blocked",
  "too_large",
  "conflict",
]);

/** What an answer says about the connection: nothing is wrong (null), its problem, or nothing at all (undefined). */
function refusalIn(
  { httpStatus }: DriverResult,
  { title, credential }: ConnectionRecord,
): string | null | undefined {
  if (httpStatus === 401)
    return `${title} answered 401: it ${credential === null ? "wants credentials" : `refuses the credential "${credential}"`}.`;
  // What is forbidden or fails may be this operation alone.
  return httpStatus === null || (httpStatus < 500 && httpStatus !== 403) ? null : undefined;
}

function isOutage({ code }: AppError): boolean {
  return OUTAGES.has(code);
}

function unknownId(id: string, index: DefinitionIndex): AppError {
  const near = nearestNames(
    id,
    index.heads.map(({ connection, name }) => `${connection}:${name}`),
  );
  return new AppError("not_found", `There is no operation of a connection named "${id.slice(0, 160)}".`, {
    nextAction:
      near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : "GET /api/svc/connections lists what is connected; sync_network_tools reads the canonical gateway.",
    details: { nearest: near },
  });
}

/** The names under which a service like this one, reached over its gateway, decides approvals. */
const DECISIONS: ReadonlySet<unknown> = new Set(["approve_step", "reject_step"]);

/** Refuses a run's call that decides approvals at another server, directly or through its own dispatcher. */
function checkDecision(
  { connection, name, sourceName }: DefinitionRecord,
  { name: inner }: JsonObject,
): void {
  const isDispatched =
    sourceName === "execute_mcp_tool" && typeof inner === "string" && DECISIONS.has(inner.split(":").pop());
  if (!DECISIONS.has(sourceName) && !isDispatched) return;
  throw new AppError(
    "forbidden",
    `A run cannot call ${connection}:${name}: approvals are decided outside of runs.`,
    {
      nextAction: "Have a person or an agent with a key of scope approve decide the approval.",
    },
  );
}

/** Throws for a definition that is quarantined, hidden or gone. */
function checkCallable({ connection, name, state, digest, pendingDefinition }: DefinitionRecord): void {
  const id = `${connection}:${name}`;
  if (state === "quarantined") {
    throw new AppError(
      "blocked",
      `The definition of ${id} is new or changed and waits for an admin to accept it.`,
      {
        nextAction: `An admin accepts it at POST /api/svc/connections/${connection}/definitions/${name}/accept.`,
        details: { id, pinnedDigest: digest, waiting: pendingDefinition !== null },
      },
    );
  }
  if (state === "hidden") {
    throw new AppError("blocked", `${id} is hidden by an admin and cannot be called.`, {
      nextAction: `An admin shows it again at POST /api/svc/connections/${connection}/definitions/${name}/accept.`,
    });
  }
  if (state === "removed") {
    throw new AppError("not_found", `${id} is gone from its server.`, {
      nextAction: "Sync the connection to see what it has now.",
    });
  }
}

/** A run calls what was there when it started, which is what people approved; anything else is not sent. */
function checkPin(id: string, { pin }: ConnectedTool, { pins }: CallContext): void {
  if (pins === undefined || pins[id] === pin) return;
  throw new AppError("blocked", `${id} is not what it was when the run started, so it was not called.`, {
    nextAction:
      "Start a new run: it resolves the definition as it is now, and approvals show it. To go on with this run, undo the change of the definition or its connection and retry the run.",
    details: { reason: "definition_changed", id, resolved: pins[id] ?? null, found: pin },
  });
}

/** Checks arguments in place where that is quick, and in the worker with all problems where they do not fit. */
async function checkedArguments(
  { id, inputSchema }: ConnectedTool,
  given: JsonObject,
  connection: ConnectionRecord,
  definition: DefinitionRecord,
  context: CallContext,
): Promise<JsonObject> {
  const checked = connection.kind === "mcp" ? given : withChosenType(given, inputSchema, definition);
  checkExact(checked);
  if (checkValue(inputSchema, checked, { steps: CHECK_STEPS }) === "valid") return checked;
  const verdict = await context.services.validator.validate(inputSchema, checked, context.signal);
  if (verdict.valid) return checked;
  const problems = argumentProblems(inputSchema, checked, verdict.errors);
  throw new AppError("invalid_arguments", `The arguments of ${id} have ${countOf(problems.length)}.`, {
    problems,
  });
}

/** Throws for an integer that is another one than its caller wrote, or may be: 64-bit ids above all. */
export function checkExact(args: JsonObject): void {
  const pointer = inexactAt(args);
  if (pointer === null) return;
  throw new AppError("invalid_arguments", `Not sent: the integer at ${pointer} is too large to be exact.`, {
    problems: [
      { pointer, message: "is beyond what is kept exactly", expected: "at most 9007199254740991, or a text" },
    ],
    nextAction: "Give it as a text where the operation takes one.",
  });
}

/** Where a body has one content type only, there is nothing to choose; else the first one is the usual one. */
function withChosenType(given: JsonObject, schema: JsonObject, { definition }: DefinitionRecord): JsonObject {
  if (Object.hasOwn(propertiesOf(schema), "contentType"))
    return withContentType(given, templateOf(definition).contentTypes);
  const { contentType: _type, ...plain } = given;
  return plain;
}

function countOf(problems: number): string {
  return problems === 1 ? "1 problem" : `${problems} problems`;
}

function propertiesOf(schema: JsonObject): object {
  const { properties } = schema;
  return typeof properties === "object" && properties !== null ? properties : {};
}
