import { Type } from "typebox";
import { NotDone } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import { freeObject, inputOf } from "../model/common.ts";
import { CONNECTION_KINDS } from "../model/connection-states.ts";
import {
  CONNECTION_CHANGE,
  ConnectionDetail,
  ConnectionKindName,
  ConnectionTestView,
  ConnectionView,
  DefinitionHeadView,
  DefinitionView,
  ListedConnection,
  ProbeView,
  SYNC_REPORT,
  SyncReportView,
} from "../model/connections.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Services } from "../ports/services.ts";
import { operationsWith } from "../ports/operations.ts";
import { addConnection, changeConnection, existing, removeConnection, syncConnection } from "./admin.ts";
import { acceptAll } from "./definition-admin.ts";
import { GATEWAY } from "./definition.ts";
import { changeProblems, connectionInput, newProblems } from "./input.ts";
import { readResource } from "./mcp-resources.ts";
import { probe } from "./probe.ts";
import { ownRequests } from "./reading.ts";
import type { ManagedConnections } from "./service.ts";
import { testConnection } from "./testing.ts";
import { fullView, headView, listedView } from "./views.ts";

const LIST_LIMIT = 500;

/** What the operations of connections work with. */
export interface ConnectionOperationParts {
  readonly connections: ManagedConnections;
}

const { operation, declared } = operationsWith<ConnectionOperationParts>();
const name = Type.String({ description: "The name of the connection." });
const Definitions = Type.Array(DefinitionView);

operation({
  name: "list_connections",
  title: "List connections",
  description: "Every connection with its health and how many definitions it has in each state.",
  http: "GET /api/svc/connections",
  access: "key",
  input: inputOf({}),
  output: Type.Object({ connections: Type.Array(ListedConnection) }),
  async run(_input, { services, context }, { connections }) {
    const { items } = await services.store.read.connections.list({ limit: LIST_LIMIT });
    await connections.index.refresh();
    const all = connections.gateway === null ? items : [connections.gateway, ...items];
    const counts = countsOf(connections);
    const views = all.map(async (record) => ({
      ...(await fullView(record, context)),
      definitions: counts.get(record.name) ?? {},
    }));
    return { connections: await Promise.all(views) };
  },
});

operation({
  name: "create_connection",
  title: "Add a connection",
  description: "Adds an MCP server, an API description or own HTTP requests under a short name.",
  http: "POST /api/svc/connections",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  largeDocument: true,
  input: inputOf({
    name: Type.String({
      pattern: "^[a-z][a-z0-9-]{0,30}$",
      description:
        'A lower-case letter, then up to 30 lower-case letters, digits or hyphens, such as "petstore".',
    }),
    kind: ConnectionKindName,
    ...CONNECTION_CHANGE,
  }),
  output: Type.Object({
    connection: ConnectionView,
    definitions: Type.Array(DefinitionHeadView),
    refused: Type.Array(Type.String()),
  }),
  examples: [{ name: "petstore", kind: "openapi", url: "https://petstore.example.com/openapi.json" }],
  rules: newProblems,
  async run(input, { context }, { connections }) {
    const given = { ...connectionInput(input), name: input.name, kind: input.kind };
    const { connection, report } = await addConnection(connections, given, context);
    const heads = connections.index.heads.filter((head) => head.connection === connection.name);
    return {
      connection: await fullView(connection, context),
      definitions: heads.map(headView),
      refused: report.refused,
    };
  },
});

operation({
  name: "probe_address",
  title: "Check an address",
  description:
    "Looks at an address or a document and says what it is: API description, MCP server or plain HTTP.",
  http: "POST /api/svc/connections/probe",
  access: "admin",
  effect: "external",
  idempotent: true,
  largeDocument: true,
  input: inputOf({
    url: Type.Optional(Type.String({ description: "The http or https address." })),
    document: CONNECTION_CHANGE.document,
    kind: Type.Optional(
      Type.Enum([...CONNECTION_KINDS], {
        description: "mcp: also send a POST, as MCP servers want it.",
      }),
    ),
    credential: CONNECTION_CHANGE.credential,
    allowPrivateOrigin: CONNECTION_CHANGE.allowPrivateOrigin,
  }),
  output: ProbeView,
  examples: [{ url: "https://petstore.example.com" }],
  run: (input, { context }) => probe(input, context),
});

operation({
  name: "get_connection",
  title: "Show a connection",
  description: "One connection with its document, health, credential and definitions.",
  http: "GET /api/svc/connections/{name}",
  access: "key",
  input: inputOf({ name }),
  output: Type.Object({ connection: ConnectionDetail, definitions: Definitions }),
  async run(input, { services, context }, { connections }) {
    const record = await found(connections, input.name);
    const text = record.kind === "http" ? await services.store.read.connections.document(record.name) : null;
    return {
      connection: {
        ...(await fullView(record, context)),
        ...(text !== null && { document: await ownRequests(text, context) }),
      },
      definitions: await definitionsOf(services, record),
    };
  },
});

operation({
  name: "update_connection",
  title: "Change a connection",
  description: "Changes a connection; a changed source is read again and what differs is quarantined.",
  http: "PATCH /api/svc/connections/{name}",
  access: "admin",
  effect: "write",
  idempotent: true,
  largeDocument: true,
  input: inputOf({ name, ...CONNECTION_CHANGE }),
  output: Type.Object({ connection: ConnectionView, sync: Type.Optional(SyncReportView) }),
  rules: changeProblems,
  async run(input, { context }, { connections }) {
    const changed = await changeConnection(connections, input.name, connectionInput(input), context);
    const { connection, report } = changed;
    return {
      connection: await fullView(connection, context),
      ...(report !== null && { sync: report }),
    };
  },
});

operation({
  name: "remove_connection",
  title: "Remove a connection",
  description: "Removes a connection with its definitions and history.",
  http: "DELETE /api/svc/connections/{name}",
  access: "admin",
  effect: "destructive",
  idempotent: true,
  input: inputOf({ name }),
  output: Type.Object({ deleted: Type.String() }),
  run: async (input, { context }, { connections }) => ({
    deleted: (await removeConnection(connections, input.name, context)).name,
  }),
});

/** What leaves this service like the call of a tool: rules and stops hold for it. */
async function heldRead(
  tool: string,
  server: string,
  args: JsonObject,
  context: CallContext,
): Promise<NotDone | null> {
  const call = { tool, server, effect: "read", leaves: true, neverWaits: true } as const;
  const held = await context.services.guard.check({ ...call, args, context });
  return held === null ? null : new NotDone(held.data);
}

operation({
  name: "test_connection",
  title: "Test a connection",
  description:
    "Tests a connection: whether it answers, takes its credential, and still offers what was accepted. Changes nothing.",
  http: "POST /api/svc/connections/{name}/test",
  access: "run",
  effect: "external",
  idempotent: true,
  input: inputOf({ name }),
  output: Type.Object({ test: ConnectionTestView }),
  async run(input, { context }, { connections }) {
    const held = await heldRead("test_connection", input.name, {}, context);
    return held ?? { test: await testConnection(connections, input.name, context) };
  },
});

operation({
  name: "sync_connection",
  title: "Read a connection again",
  description: "Reads a connection again; new and changed definitions wait to be accepted.",
  http: "POST /api/svc/connections/{name}/sync",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({ name }),
  output: Type.Object({
    ...SYNC_REPORT,
    connection: Type.Optional(ConnectionView),
    definitions: Type.Optional(Definitions),
  }),
  async run(input, { services, context }, { connections }) {
    if (input.name === GATEWAY) return connections.syncGateway(context);
    const { connection, report } = await syncConnection(connections, input.name, context);
    return {
      connection: await fullView(connection, context),
      ...report,
      definitions: await definitionsOf(services, connection),
    };
  },
});

operation({
  name: "accept_definitions",
  title: "Accept what waits",
  description: "Accepts every definition of a connection that waits.",
  http: "POST /api/svc/connections/{name}/accept",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({ name }),
  output: Type.Object({ accepted: Type.Array(DefinitionHeadView) }),
  run: async (input, { context }, { connections }) => ({
    accepted: (await acceptAll(connections, input.name, context)).map(headView),
  }),
});

operation({
  name: "list_definitions",
  title: "List the definitions of a connection",
  description: "The definitions of a connection with their states and what waits to be accepted.",
  http: "GET /api/svc/connections/{name}/definitions",
  access: "key",
  input: inputOf({ name }),
  output: Type.Object({ definitions: Definitions }),
  run: async (input, { services }, { connections }) => ({
    definitions: await definitionsOf(services, await found(connections, input.name)),
  }),
});

operation({
  name: "read_connection_resource",
  title: "Read a linked resource",
  description: "Reads a resource that an answer of an MCP server links to; large ones become artifacts.",
  http: "POST /api/svc/connections/{name}/resource",
  access: "run",
  effect: "external",
  idempotent: true,
  input: inputOf({
    name,
    uri: Type.String({ maxLength: 2_048, description: "The URI, as a resource_link of an answer has it." }),
  }),
  output: Type.Object({
    uri: Type.String(),
    contents: Type.Array(freeObject("The answer of the server.")),
    elapsedMs: Type.Number(),
  }),
  async run({ name: server, uri }, { context }, { connections }) {
    const connection = await existing(connections, server);
    const held = await heldRead("read_connection_resource", server, { uri }, context);
    return held ?? readResource(connection, uri, connections.sessions, context);
  },
});

/** What callers do with connections as a whole. */
export const connectionOperations = declared;

async function found(connections: ManagedConnections, given: string): Promise<ConnectionRecord> {
  const gateway = given === GATEWAY ? connections.gateway : null;
  return gateway ?? existing(connections, given);
}

async function definitionsOf({ store }: Services, connection: ConnectionRecord): Promise<DefinitionView[]> {
  const records = await store.read.connections.listing(connection.name);
  return records.map((record) => listedView(record, connection));
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
