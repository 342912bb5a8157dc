import { NotDone, ok, type Envelope } from "../kernel/envelope.ts";
import { AppError, ERRORS, type ErrorCode } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { contextWith } from "../ports/call-context.ts";
import { allows, requireScope } from "../ports/caller.ts";
import type { CallContext, QuestionMode } from "../ports/definitions.ts";
import { HeldCalls, type HeldAnswer } from "../ports/held-calls.ts";
import { pageOfQuery, type HttpAnswer, type HttpRequest, type HttpRoute } from "../ports/http.ts";
import { addConnection, changeConnection, existing, removeConnection, syncConnection } from "./admin.ts";
import { acceptAll, changeDefinition, type DefinitionChangeRequest } from "./definition-admin.ts";
import { GATEWAY } from "./definition.ts";
import { readResource } from "./mcp-resources.ts";
import { previewCall } from "./preview.ts";
import { probe } from "./probe.ts";
import { ownRequests } from "./reading.ts";
import { recordWorkflow } from "./recorder.ts";
import type { ManagedConnections } from "./service.ts";
import { testConnection } from "./testing.ts";
import { callView, definitionView, fullView, headView, listedView } from "./views.ts";

const ROOT = "/api/svc/connections";
const ONE = `${ROOT}/{name}`;
const DEFINITION = `${ONE}/definitions/{definition}`;
const LIST_LIMIT = 500;

/** The routes of connections. Reading needs a key, calling the scope `run`, changing the scope `admin`. */
export function connectionRoutes(connections: ManagedConnections): readonly HttpRoute[] {
  const held = new HeldCalls();
  const done = (data: JsonObject, status = 200): HttpAnswer => ({ status, body: ok(data) });
  const named = ({ params }: HttpRequest): string => params["name"] ?? "";
  const idIn = ({ params }: HttpRequest): string => `${params["name"] ?? ""}:${params["definition"] ?? ""}`;
  const found = async (name: string) => {
    const gateway = name === GATEWAY ? connections.gateway : null;
    return gateway ?? (await existing(connections, name));
  };
  const definitionsOf = async (request: HttpRequest): Promise<readonly JsonObject[]> => {
    const connection = await found(named(request));
    const records = await request.context.services.store.read.connections.listing(connection.name);
    return records.map((record) => listedView(record, connection));
  };
  const changed = async (request: HttpRequest, change: DefinitionChangeRequest): Promise<JsonObject> => {
    const record = await changeDefinition(connections, idIn(request), change, request.context);
    return listedView(record, (await connections.connection(record.connection)) ?? { syncedAt: null });
  };
  return [
    {
      method: "GET",
      path: ROOT,
      summary: "Every connection with its health and how many definitions it has in each state.",
      access: "key",
      async handle({ context }) {
        const { items } = await context.services.store.read.connections.list({ limit: LIST_LIMIT });
        await connections.index.refresh();
        const all = connections.gateway === null ? items : [connections.gateway, ...items];
        const counts = countsOf(connections);
        const views = await Promise.all(
          all.map(async (record) => ({
            ...(await fullView(record, context)),
            definitions: counts.get(record.name) ?? {},
          })),
        );
        return done({ connections: views });
      },
    },
    {
      method: "POST",
      path: ROOT,
      summary: "Adds an MCP server, an API description or own HTTP requests under a short name.",
      access: "key",
      largeDocument: true,
      async handle({ body, context }) {
        requireScope(context.caller, "admin");
        const { connection, report } = await addConnection(connections, body, context);
        const records = connections.index.heads.filter((head) => head.connection === connection.name);
        return done(
          {
            connection: await fullView(connection, context),
            definitions: records.map(headView),
            refused: report.refused,
          },
          201,
        );
      },
    },
    {
      method: "POST",
      path: `${ROOT}/probe`,
      summary:
        "Looks at an address or a document and says what it is: API description, MCP server or plain HTTP.",
      access: "key",
      largeDocument: true,
      async handle({ body, context }) {
        requireScope(context.caller, "admin");
        return done(await probe(body, context));
      },
    },
    {
      method: "GET",
      path: `${ROOT}/tools`,
      summary: "Searches the connected tools and operations (q, limit).",
      access: "key",
      async handle({ query }) {
        const limit = Math.min(100, Math.max(1, Number(query.get("limit") ?? 25) || 25));
        const heads = await connections.search((query.get("q") ?? "").slice(0, 200), limit);
        return done({ tools: heads.map(headView) });
      },
    },
    {
      method: "GET",
      path: `${ROOT}/calls`,
      summary: "The caller's own last calls of connected tools, newest first (limit, cursor).",
      access: "key",
      async handle({ query, context }) {
        await connections.flush();
        const { items, nextCursor } = await context.services.store.read.connections.calls(
          { by: context.caller.id },
          pageOfQuery(query),
        );
        return done({ calls: items.map(callView), nextCursor });
      },
    },
    {
      method: "POST",
      path: `${ROOT}/record`,
      summary:
        "Makes a draft workflow from the caller's last calls; references are guessed from equal values.",
      access: "key",
      bodyOptional: true,
      async handle({ body, context }) {
        requireScope(context.caller, "write");
        await connections.flush();
        return done(await recordWorkflow(connections, body, context));
      },
    },
    {
      method: "GET",
      path: ONE,
      summary: "One connection with its document, health and credential.",
      access: "key",
      async handle(request) {
        const record = await found(named(request));
        const text =
          record.kind === "http"
            ? await request.context.services.store.read.connections.document(record.name)
            : null;
        const document = text === null ? null : await ownRequests(text, request.context);
        return done({
          connection: {
            ...(await fullView(record, request.context)),
            ...(document !== null && { document }),
          },
          definitions: await definitionsOf(request),
        });
      },
    },
    {
      method: "PATCH",
      path: ONE,
      summary: "Changes a connection; a changed source is read again and what differs is quarantined.",
      access: "key",
      largeDocument: true,
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const { connection, report } = await changeConnection(
          connections,
          named(request),
          request.body,
          request.context,
        );
        return done({
          connection: await fullView(connection, request.context),
          ...(report !== null && { sync: { ...report } }),
        });
      },
    },
    {
      method: "DELETE",
      path: ONE,
      summary: "Removes a connection with its definitions and history.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const { name } = await removeConnection(connections, named(request), request.context);
        return done({ deleted: name });
      },
    },
    {
      method: "POST",
      path: `${ONE}/test`,
      summary:
        "Tests a connection: whether it answers, takes its credential, and still offers what was accepted. Changes nothing.",
      access: "key",
      bodyOptional: true,
      async handle(request) {
        requireScope(request.context.caller, "run");
        return done({ test: await testConnection(connections, named(request), request.context) });
      },
    },
    {
      method: "POST",
      path: `${ONE}/sync`,
      summary: "Reads a connection again; new and changed definitions wait to be accepted.",
      access: "key",
      bodyOptional: true,
      async handle(request) {
        requireScope(request.context.caller, "admin");
        if (named(request) === GATEWAY) {
          const synced = await connections.syncGateway(request.context);
          return envelope(synced instanceof NotDone ? synced : ok({ ...synced }));
        }
        const { connection, report } = await syncConnection(connections, named(request), request.context);
        return done({
          connection: await fullView(connection, request.context),
          ...report,
          definitions: await definitionsOf(request),
        });
      },
    },
    {
      method: "POST",
      path: `${ONE}/accept`,
      summary: "Accepts every definition of a connection that waits.",
      access: "key",
      bodyOptional: true,
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const accepted = await acceptAll(connections, named(request), request.context);
        return done({ accepted: accepted.map(headView) });
      },
    },
    {
      method: "GET",
      path: `${ONE}/definitions`,
      summary: "The definitions of a connection with their states and what waits to be accepted.",
      access: "key",
      async handle(request) {
        return done({ definitions: await definitionsOf(request) });
      },
    },
    {
      method: "GET",
      path: DEFINITION,
      summary: "One definition with its schemas and the difference that waits to be accepted.",
      access: "key",
      async handle(request) {
        const { record, connection } = await connections.record(idIn(request));
        return done({ definition: definitionView(record, connection) });
      },
    },
    {
      method: "PATCH",
      path: DEFINITION,
      summary: "Renames or describes a definition, fixes arguments, corrects effect and idempotency.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const change = { kind: "edit", body: request.body } as const;
        return done({ definition: await changed(request, change) });
      },
    },
    {
      method: "POST",
      path: `${DEFINITION}/accept`,
      summary:
        "Accepts a quarantined definition (optionally exactly this digest), or shows a hidden one again.",
      access: "key",
      bodyOptional: true,
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const digest = isJsonObject(request.body) ? request.body["digest"] : undefined;
        const change = { kind: "accept", digest: typeof digest === "string" ? digest : null } as const;
        return done({ definition: await changed(request, change) });
      },
    },
    {
      method: "POST",
      path: `${DEFINITION}/hide`,
      summary: "Hides a definition: it is not listed and cannot be called.",
      access: "key",
      bodyOptional: true,
      async handle(request) {
        requireScope(request.context.caller, "admin");
        return done({ definition: await changed(request, { kind: "hide" }) });
      },
    },
    {
      method: "GET",
      path: `${DEFINITION}/calls`,
      summary:
        "The last calls of a definition, newest first (limit, cursor): the caller's own, all of them with read-private.",
      access: "key",
      async handle(request) {
        const { record } = await connections.record(idIn(request));
        await connections.flush();
        const { items, nextCursor } = await request.context.services.store.read.connections.calls(
          {
            connection: record.connection,
            definition: record.sourceName,
            // Arguments and results of others are private records.
            ...(!allows(request.context.caller, "read-private") && { by: request.context.caller.id }),
          },
          pageOfQuery(request.query),
        );
        return done({ calls: items.map(callView), nextCursor });
      },
    },
    {
      method: "POST",
      path: `${ONE}/call/{definition}`,
      summary: "Calls a definition with arguments; with preview: true shows the request and sends nothing.",
      access: "key",
      async handle(request) {
        const { context } = request;
        requireScope(context.caller, "run");
        const { args, preview, meta, dryRun } = readCall(request);
        if (preview) return done(await previewCall(connections, idIn(request), args, context));
        const call = contextWith(context, { meta: { ...context.meta, ...meta }, ...(dryRun && { dryRun }) });
        const work = (own: CallContext): Promise<Envelope> =>
          context.services.catalog.call(idIn(request), args, own);
        const asked = askable(held, request, call, work);
        const answer = asked === null ? null : await asked;
        if (answer?.kind === "asks") return { status: 202, body: { ok: false, data: questionsOf(answer) } };
        return envelope(answer?.envelope ?? (await work(call)));
      },
    },
    {
      method: "POST",
      path: `${ONE}/resource`,
      summary:
        "Reads a resource that an answer of an MCP server links to (uri); large ones become artifacts.",
      access: "key",
      async handle(request) {
        const { context, body } = request;
        requireScope(context.caller, "run");
        const connection = await existing(connections, named(request));
        return done(await readResource(connection, body, connections.sessions, context));
      },
    },
  ];
}

function countsOf(connections: ManagedConnections): ReadonlyMap<string, Record<string, number>> {
  const counts = new Map<string, Record<string, number>>();
  for (const { connection, state } of connections.index.heads) {
    const own = counts.get(connection) ?? {};
    own[state] = (own[state] ?? 0) + 1;
    counts.set(connection, own);
  }
  return counts;
}

interface CallRequest {
  readonly args: JsonObject;
  readonly preview: boolean;
  readonly dryRun: boolean;
  readonly meta: JsonObject;
}

function readCall({ body, headers }: HttpRequest): CallRequest {
  const given = isJsonObject(body) ? body : {};
  const { arguments: args = {}, preview = false, dryRun = false, timeoutMs, idempotencyKey } = given;
  if (!isJsonObject(args)) {
    throw new AppError("invalid_input", "arguments is an object.", {
      problems: [{ pointer: "/arguments", message: "must be an object" }],
    });
  }
  const key = idempotencyKey ?? headers["idempotency-key"];
  return {
    args,
    preview: preview === true,
    dryRun: dryRun === true,
    meta: {
      ...(typeof timeoutMs === "number" && { "svc/timeoutMs": timeoutMs }),
      ...(typeof key === "string" && key !== "" && key.length <= 255 && { "svc/idempotencyKey": key }),
    },
  };
}

const BOTH_MODES: ReadonlySet<QuestionMode> = new Set(["form", "url"]);

/** Calls for a caller that can be asked (`elicitation`), or goes on with such a call; null for every other call. */
function askable(
  held: HeldCalls,
  { body, params }: HttpRequest,
  context: CallContext,
  work: (context: CallContext) => Promise<Envelope>,
): Promise<HeldAnswer> | null {
  const { elicitation, requestState, inputResponses } = isJsonObject(body) ? body : {};
  const key = { caller: context.caller.id, name: `${params["name"] ?? ""}:${params["definition"] ?? ""}` };
  if (typeof requestState === "string") return held.resume(requestState, key, inputResponses, context.signal);
  return elicitation === true ? held.begin(key, context, BOTH_MODES, work) : null;
}

function questionsOf({ inputRequests, requestState }: Extract<HeldAnswer, { kind: "asks" }>): JsonObject {
  const error = {
    code: "input_required",
    message: "The server asks something before it goes on.",
    nextAction:
      "Send the same call again with requestState and inputResponses: {id: {action: accept | decline | cancel, content}}.",
  };
  return { inputRequests, requestState, error };
}

/** What we refused has its status; what the other side answered is in the envelope. */
function envelope(result: Envelope): HttpAnswer {
  const { error } = result.data;
  const code = isJsonObject(error) && error["upstream"] === undefined ? error["code"] : undefined;
  const known = typeof code === "string" && isCode(code) ? ERRORS[code].http : 200;
  const status = result.ok || result.data["status"] !== undefined ? 200 : known;
  return {
    status: status === 200 && code !== undefined && result.data["status"] === undefined ? 400 : status,
    body: result,
  };
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
