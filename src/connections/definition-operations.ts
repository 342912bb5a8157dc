import { Type, type Static } from "typebox";
import type { Envelope } from "../kernel/envelope.ts";
import { freeObject, inputOf, NEXT_CURSOR, PAGE_INPUT } from "../model/common.ts";
import {
  ConnectionCallView,
  DEFINITION_CHANGE,
  DefinitionDetail,
  DefinitionHeadView,
  DefinitionView,
  NetworkToolView,
  RecordedWorkflow,
} from "../model/connections.ts";
import { contextWith } from "../ports/call-context.ts";
import { allows } from "../ports/caller.ts";
import type { DefinitionRecord } from "../ports/connections.ts";
import type { CallContext, QuestionMode } from "../ports/definitions.ts";
import { PendingCalls, type PendingCallResult } from "../ports/pending-calls.ts";
import { operationsWith, pageIn, Reply, type OperationCall } from "../ports/operations.ts";
import { changeDefinition, type DefinitionChangeRequest } from "./definition-admin.ts";
import { GATEWAY } from "./definition.ts";
import type { ConnectionOperationParts } from "./operations.ts";
import { previewCall } from "./preview.ts";
import { recordWorkflow } from "./recorder.ts";
import { replyOf } from "./reply.ts";
import type { ManagedConnections } from "./service.ts";
import { callView, definitionView, headView, listedView } from "./views.ts";

const { operation, declared } = operationsWith<ConnectionOperationParts>();
const named = {
  connection: Type.String({ description: "The name of the connection." }),
  definition: Type.String({ description: "The name of the definition." }),
};
const ONE = Type.Object({ definition: DefinitionView });
const CALLS = Type.Object({ calls: Type.Array(ConnectionCallView), nextCursor: NEXT_CURSOR });

operation({
  name: "search_connected_tools",
  title: "Search the operations of connections",
  description: "Searches the operations of all connections.",
  http: "GET /api/svc/connections/tools",
  access: "key",
  input: inputOf({
    q: Type.Optional(Type.String({ description: "Words of the name, title or description." })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: "How many at most; 25 when not given." }),
    ),
  }),
  output: Type.Object({ tools: Type.Array(DefinitionHeadView) }),
  run: async ({ q = "", limit = 25 }, _call, { connections }) => ({
    tools: (await connections.search(q.slice(0, 200), limit)).map(headView),
  }),
});

operation({
  name: "list_my_calls",
  title: "List my calls",
  description: "The caller's own last calls of connections, newest first.",
  http: "GET /api/svc/connections/calls",
  access: "key",
  input: inputOf(PAGE_INPUT),
  output: CALLS,
  async run(input, { services, caller }, { connections }) {
    await connections.flush();
    const page = await services.store.read.connections.calls({ by: caller.id }, pageIn(input));
    return { calls: page.items.map(callView), nextCursor: page.nextCursor };
  },
});

operation({
  name: "record_calls",
  title: "Create a workflow from my calls",
  description:
    "Makes a draft workflow from the caller's last calls; references are guessed from equal values.",
  http: "POST /api/svc/connections/record",
  access: "write",
  effect: "none",
  input: inputOf({
    calls: Type.Optional(
      Type.Array(Type.String(), { maxItems: 20, description: "Ids of calls; the last ones when left out." }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: "How many of the last calls; 5 when not given." }),
    ),
    reject: Type.Optional(Type.Array(Type.String(), { description: "Ids of guesses that are wrong." })),
  }),
  output: RecordedWorkflow,
  async run(input, { context }, { connections }) {
    await connections.flush();
    return recordWorkflow(connections, input, context);
  },
});

operation({
  name: "get_definition",
  title: "Show a definition",
  description: "One definition with its schemas and the difference that waits to be accepted.",
  http: "GET /api/svc/connections/{connection}/definitions/{definition}",
  access: "key",
  input: inputOf(named),
  output: Type.Object({ definition: DefinitionDetail }),
  async run(input, _call, { connections }) {
    const { record, connection } = await connections.record(idOf(input));
    return { definition: definitionView(record, connection) };
  },
});

operation({
  name: "update_definition",
  title: "Change a definition",
  description: "Renames or describes a definition, fixes arguments, corrects effect and idempotency.",
  http: "PATCH /api/svc/connections/{connection}/definitions/{definition}",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({ ...named, ...DEFINITION_CHANGE }),
  output: ONE,
  run: ({ connection, definition, ...edit }, call, { connections }) =>
    changed(connections, { connection, definition }, { kind: "edit", edit }, call),
});

operation({
  name: "accept_definition",
  title: "Accept a definition",
  description:
    "Accepts a quarantined definition (optionally exactly this digest), or shows a hidden one again.",
  http: "POST /api/svc/connections/{connection}/definitions/{definition}/accept",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({
    ...named,
    digest: Type.Optional(Type.String({ description: "The digest of the definition that was looked at." })),
  }),
  output: ONE,
  run: ({ digest = null, ...input }, call, { connections }) =>
    changed(connections, input, { kind: "accept", digest }, call),
});

operation({
  name: "hide_definition",
  title: "Hide a definition",
  description: "Hides a definition: it is not listed and cannot be called.",
  http: "POST /api/svc/connections/{connection}/definitions/{definition}/hide",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf(named),
  output: ONE,
  run: (input, call, { connections }) => changed(connections, input, { kind: "hide" }, call),
});

operation({
  name: "list_definition_calls",
  title: "List the calls of a definition",
  description:
    "The last calls of a definition, newest first: the caller's own, all of them with read-private.",
  http: "GET /api/svc/connections/{connection}/definitions/{definition}/calls",
  access: "key",
  input: inputOf({ ...named, ...PAGE_INPUT }),
  output: CALLS,
  async run(input, { services, caller }, { connections }) {
    const { record } = await connections.record(idOf(input));
    await connections.flush();
    const { items, nextCursor } = await services.store.read.connections.calls(
      {
        connection: record.connection,
        definition: record.sourceName,
        // Arguments and results of others are private records.
        ...(!allows(caller, "read-private") && { by: caller.id }),
      },
      pageIn(input),
    );
    return { calls: items.map(callView), nextCursor };
  },
});

const CallInput = inputOf({
  ...named,
  arguments: Type.Optional(freeObject("The arguments of the operation.", "Its arguments.")),
  preview: Type.Optional(Type.Boolean({ description: "Show the request and send nothing." })),
  dryRun: Type.Optional(
    Type.Boolean({ description: "Check everything and send nothing that changes something." }),
  ),
  timeoutMs: Type.Optional(Type.Number({ description: "How long to wait for the answer." })),
  idempotencyKey: Type.Optional(
    Type.String({ maxLength: 255, description: "Makes a repeated call have one effect; also as a header." }),
  ),
  elicitation: Type.Optional(
    Type.Boolean({ description: "Whether the caller answers questions of the server." }),
  ),
  requestState: Type.Optional(Type.String({ description: "Of the answer that asked a question." })),
  inputResponses: Type.Optional(
    freeObject("Answers by the ids of the questions.", "{id: {action: accept | decline | cancel, content}}"),
  ),
});

const pending = new PendingCalls();

operation({
  name: "call_definition",
  title: "Call a definition",
  description: "Calls a definition with arguments; with preview: true shows the request and sends nothing.",
  http: "POST /api/svc/connections/{connection}/call/{definition}",
  access: "run",
  effect: "external",
  idempotent: false,
  input: CallInput,
  output: freeObject("The answer of the server."),
  otherStatuses: { 202: "The server asks something first: data has its questions." },
  examples: [{ connection: "petstore", definition: "getPetById", arguments: { petId: 7 } }],
  async run(input, { context, request }, { connections }) {
    const { arguments: args = {}, dryRun = false, timeoutMs } = input;
    const id = idOf(input);
    if (input.preview === true) return previewCall(connections, id, args, context);
    const key = input.idempotencyKey ?? request.headers["idempotency-key"] ?? "";
    const meta = {
      ...(timeoutMs !== undefined && { "svc/timeoutMs": timeoutMs }),
      ...(key !== "" && key.length <= 255 && { "svc/idempotencyKey": key }),
    };
    const call = contextWith(context, { meta: { ...context.meta, ...meta }, ...(dryRun && { dryRun }) });
    const work = (own: CallContext): Promise<Envelope> => context.services.catalog.call(id, args, own);
    const answer = await askable(input, call, work);
    if (answer?.kind === "asks") return questionsOf(answer);
    return replyOf(answer?.envelope ?? (await work(call)));
  },
});

operation({
  name: "list_network_tools",
  title: "List the tools of the canonical gateway",
  description: "Tools synced from the canonical gateway, with their pinned and pending definitions.",
  http: "GET /api/svc/network-tools",
  access: "key",
  input: inputOf({}),
  output: Type.Object({ tools: Type.Array(NetworkToolView) }),
  run: async (_input, { services }) => ({
    tools: (await services.store.read.connections.definitions(GATEWAY)).map(networkToolView),
  }),
});

operation({
  name: "accept_network_tool",
  title: "Accept a tool of the canonical gateway",
  description: "An operator accepts the changed definition of a quarantined tool.",
  http: "POST /api/svc/network-tools/accept",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({
    id: Type.String({ description: "The id of the tool, as list_network_tools shows it." }),
    digest: Type.String({ description: "The digest of the definition that was looked at." }),
  }),
  output: Type.Object({ tool: NetworkToolView }),
  run: async ({ id, digest }, { context }, { connections }) => ({
    tool: networkToolView(await changeDefinition(connections, id, { kind: "accept", digest }, context)),
  }),
});

/** What callers do with the operations of connections. */
export const definitionOperations = declared;

interface Named {
  readonly connection: string;
  readonly definition: string;
}

function idOf({ connection, definition }: Named): string {
  return `${connection}:${definition}`;
}

async function changed(
  connections: ManagedConnections,
  named_: Named,
  change: DefinitionChangeRequest,
  { context }: OperationCall,
): Promise<{ definition: DefinitionView }> {
  const record = await changeDefinition(connections, idOf(named_), change, context);
  const of = (await connections.connection(record.connection)) ?? { syncedAt: null };
  return { definition: listedView(record, of) };
}

const BOTH_MODES: ReadonlySet<QuestionMode> = new Set(["form", "url"]);

/** Calls for a caller that can be asked (`elicitation`), or goes on with such a call; null for every other call. */
async function askable(
  { elicitation, requestState, inputResponses, ...named_ }: Static<typeof CallInput>,
  context: CallContext,
  work: (context: CallContext) => Promise<Envelope>,
): Promise<PendingCallResult | null> {
  const key = { caller: context.caller.id, name: idOf(named_) };
  if (requestState !== undefined) return pending.resume(requestState, key, inputResponses, context.signal);
  return elicitation === true ? pending.begin(key, context, BOTH_MODES, work) : null;
}

function questionsOf({ inputRequests, requestState }: Extract<PendingCallResult, { kind: "asks" }>) {
  const error = {
    code: "input_required",
    message: "The server asks for something before it continues.",
    nextAction:
      "Send the same call again with requestState and inputResponses: {id: {action: accept | decline | cancel, content}}.",
  };
  return new Reply({ inputRequests, requestState, error }, { ok: false, status: 202 });
}

function networkToolView(record: DefinitionRecord): NetworkToolView {
  const { connection, name, digest, state, definition, pendingDefinition, review, syncedAt } = record;
  return {
    id: `${connection}:${name}`,
    server: connection,
    name,
    state,
    digest,
    definition,
    ...(pendingDefinition !== null && { pendingDefinition, pendingDigest: review?.digest ?? null }),
    syncedAt,
  };
}
