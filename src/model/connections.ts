import { Type, type Static, type TNull, type TOptional, type TSchema, type TUnion } from "typebox";
import {
  documentObject,
  type Given,
  freeObject,
  freeValue,
  TextOrNull,
  Time,
  TimeOrNull,
  viewOf,
} from "./common.ts";
import {
  CONNECTED_EFFECTS,
  CONNECTION_KINDS,
  CONNECTION_STATES,
  DEFINITION_STATES,
} from "./connection-states.ts";

/** What a connection speaks. */
export const ConnectionKindName = Type.Enum([...CONNECTION_KINDS], {
  description:
    "mcp: an MCP server; openapi: an API with a description; http: requests that were written down.",
});

const connection = {
  name: Type.String(),
  kind: ConnectionKindName,
  title: Type.String(),
  url: TextOrNull,
  command: Type.Optional(Type.String()),
  args: Type.Optional(Type.Array(Type.String())),
  env: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({
        set: Type.Optional(Type.Literal(true)),
        credential: Type.Optional(Type.String()),
      }),
      { description: "The variables of the program: set, or from a credential. Values are write-only." },
    ),
  ),
  baseUrl: TextOrNull,
  credential: TextOrNull,
  credentialState: Type.Optional(Type.Enum(["ready", "consent_required", "unusable", "missing"])),
  state: Type.Enum([...CONNECTION_STATES], { description: "What was last observed." }),
  problem: TextOrNull,
  checkedAt: TimeOrNull,
  syncedAt: TimeOrNull,
  owner: Type.String(),
  createdAt: Time,
  updatedAt: Time,
  transport: Type.Enum(["stdio", "streamable-http", "http"]),
  allowPrivateOrigin: Type.Union([Type.String(), Type.Null()], {
    description: "The one private host and port that it may reach.",
  }),
};

/** A program that serves MCP over its standard input and output, as it is stored. */
export const ConnectionCommand = Type.Object({
  command: Type.String(),
  args: Type.Array(Type.String()),
  env: Type.Record(Type.String(), Type.String(), {
    description:
      "Variables of its environment that are no secrets. In args, `{credential:NAME}` stands for a value of the vault.",
  }),
  credentials: Type.Record(Type.String(), Type.String(), {
    description: "Names of credentials of kind `environment`, by the variable that gets their value.",
  }),
});
export type ConnectionCommand = Given<Static<typeof ConnectionCommand>>;

/** A server or API that an admin has added under a short name. */
export const ConnectionView = viewOf("Connection", "A server or API under a short name.", connection);
export type ConnectionView = Static<typeof ConnectionView>;

/** A connection in a list. */
export const ListedConnection = viewOf(
  "ListedConnection",
  "A connection with the number of its definitions.",
  {
    ...connection,
    definitions: Type.Record(Type.String(), Type.Integer(), {
      description: "How many definitions are in each state.",
    }),
  },
);

/** A connection with the requests that were written down for it. */
export const ConnectionDetail = viewOf("ConnectionDetail", "A connection with its document.", {
  ...connection,
  document: Type.Optional(freeObject("The requests as a person wrote them.")),
});

/** What an admin has changed about a definition. */
export const DefinitionOverrides = viewOf(
  "DefinitionOverrides",
  "What an admin has changed about a definition.",
  {
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    effect: Type.Optional(Type.Enum([...CONNECTED_EFFECTS])),
    idempotent: Type.Optional(Type.Boolean()),
    idempotencyHeader: Type.Optional(Type.String()),
    fixedArguments: Type.Optional(freeObject("The arguments of the tool.")),
  },
);
export type DefinitionOverrides = Given<Static<typeof DefinitionOverrides>>;

const SchemaPart = freeValue("The definition as the server gave it.");
const Change = Type.Object({
  pointer: Type.String(),
  change: Type.Enum(["added", "removed", "changed"]),
  before: SchemaPart,
  after: SchemaPart,
});
/** One difference between two definitions. */
export type DefinitionChange = Given<Static<typeof Change>>;

/** What an admin is asked about a definition that waits, computed when it was found. */
export const DefinitionReview = Type.Object(
  {
    digest: Type.String(),
    reason: Type.Enum(["new", "renamed", "changed"]),
    renamedFrom: Type.Optional(Type.String()),
    changes: Type.Array(Change),
    moreChanges: Type.Integer({ description: "Changes that a list leaves out." }),
  },
  { description: "What waits to be accepted." },
);
export type DefinitionReview = Given<Static<typeof DefinitionReview>>;

const head = {
  id: Type.String({ description: "connection:name" }),
  name: Type.String(),
  sourceName: Type.Optional(
    Type.String({ description: "Its name at the server, where that is another one." }),
  ),
  title: Type.String(),
  description: Type.String(),
  effect: Type.Enum([...CONNECTED_EFFECTS]),
  idempotent: Type.Boolean(),
  state: Type.Enum([...DEFINITION_STATES]),
  digest: Type.String({ description: "Of the accepted definition." }),
};

/** What is needed to find a definition. */
export const DefinitionHeadView = viewOf("DefinitionHead", "An operation of a connection.", head);
export type DefinitionHeadView = Static<typeof DefinitionHeadView>;

const listed = {
  ...head,
  overrides: Type.Optional(DefinitionOverrides),
  pending: Type.Optional(DefinitionReview),
  syncedAt: Time,
};

/** A definition with what waits to be accepted. */
export const DefinitionView = viewOf("Definition", "An operation with what waits to be accepted.", listed);
export type DefinitionView = Static<typeof DefinitionView>;

/** A definition with its schemas. */
export const DefinitionDetail = viewOf("DefinitionDetail", "An operation with its schemas.", {
  ...listed,
  inputSchema: freeObject("The definition as the server gave it."),
  outputSchema: Type.Union([freeObject("The definition as the server gave it."), Type.Null()]),
  request: Type.Optional(
    freeValue(
      "The definition as the server gave it.",
      "How the request is built, for an operation of an API.",
    ),
  ),
  definition: freeObject("The definition as the server gave it."),
});
export type DefinitionDetail = Static<typeof DefinitionDetail>;

/** One call of a definition. */
export const ConnectionCallView = viewOf("ConnectionCall", "One call of a definition, kept for a while.", {
  id: Type.String(),
  connection: Type.String(),
  definition: Type.String({ description: "The definition's name at the server." }),
  at: Time,
  by: Type.String(),
  ok: Type.Boolean(),
  outcome: Type.String({ description: "ok, or the code of what went wrong." }),
  httpStatus: Type.Union([Type.Integer(), Type.Null()]),
  elapsedMs: Type.Number(),
  digest: Type.String(),
  runId: TextOrNull,
  arguments: Type.Union([freeObject("The arguments of the tool."), Type.Null()]),
  result: Type.Union([freeObject("The answer of the server."), Type.Null()]),
});
export type ConnectionCallView = Given<Static<typeof ConnectionCallView>>;

/** What a sync found. */
export const SYNC_REPORT = {
  server: Type.String(),
  added: Type.Array(Type.String()),
  changed: Type.Array(Type.String()),
  removed: Type.Array(Type.String()),
  restored: Type.Array(Type.String()),
  unchanged: Type.Integer(),
  quarantined: Type.Integer(),
  refused: Type.Array(Type.String()),
};
/** What a sync found. */
export const SyncReportView = Type.Object(SYNC_REPORT);
export type SyncReportView = Given<Static<typeof SyncReportView>>;

/** What is at an address or in a document. */
export const ProbeView = viewOf("Probe", "What is at an address or in a document.", {
  kind: ConnectionKindName,
  url: TextOrNull,
  title: Type.String(),
  existing: Type.Array(
    Type.Object({ name: Type.String(), title: Type.String(), kind: ConnectionKindName, url: TextOrNull }),
    { description: "Connections that lead there already." },
  ),
  tried: Type.Array(Type.Object({ kind: Type.String(), result: Type.String() })),
  version: Type.Optional(TextOrNull),
  specification: Type.Optional(TextOrNull),
  definitions: Type.Optional(Type.Integer()),
  servers: Type.Optional(Type.Array(Type.String())),
  security: Type.Optional(Type.Array(Type.String())),
  credential: Type.Optional(
    Type.Object(
      {
        kind: Type.String(),
        in: Type.Optional(Type.String()),
        parameter: Type.Optional(Type.String()),
      },
      { description: "The credential that the description asks for." },
    ),
  ),
  status: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  contentType: Type.Optional(TextOrNull),
  needsCredential: Type.Optional(Type.Boolean()),
  wants: Type.Optional(Type.String({ description: "The kind of credential that the server asks for." })),
  problem: Type.Optional(Type.String()),
  nextAction: Type.Optional(TextOrNull),
});
export type ProbeView = Static<typeof ProbeView>;

/** What a test of a connection found. */
export const ConnectionTestView = viewOf("ConnectionTest", "What a test of a connection found.", {
  name: Type.String(),
  state: Type.Enum(["reachable", "failing"]),
  problem: TextOrNull,
  checkedAt: Time,
  elapsedMs: Type.Integer(),
  checked: Type.Optional(Type.String({ description: "What was asked of the server." })),
  error: Type.Optional(
    Type.Object({
      code: Type.String(),
      nextAction: TextOrNull,
      details: Type.Union([freeObject("Each action has details of its own."), Type.Null()]),
    }),
  ),
  definitions: Type.Optional(Type.Integer()),
  drift: Type.Optional(
    Type.Object(
      {
        added: Type.Array(Type.String()),
        changed: Type.Array(Type.String()),
        removed: Type.Array(Type.String()),
      },
      { description: "What a sync would find." },
    ),
  ),
});
export type ConnectionTestView = Static<typeof ConnectionTestView>;

/** A draft workflow of recorded calls. */
export const RecordedWorkflow = viewOf("RecordedWorkflow", "A draft workflow of recorded calls.", {
  workflow: documentObject,
  guesses: Type.Array(
    Type.Object({
      id: Type.String({ description: "What reject names." }),
      step: Type.String(),
      pointer: Type.String(),
      value: freeValue("The arguments of the tool."),
      reference: Type.String(),
      alternatives: Type.Array(Type.String()),
      accepted: Type.Boolean(),
    }),
    { description: "Equal values that became references." },
  ),
  missing: Type.Array(
    Type.Object({
      step: Type.String(),
      pointer: Type.String(),
      input: Type.Optional(Type.String()),
      reason: Type.String(),
    }),
  ),
  calls: Type.Array(Type.String()),
  nextAction: Type.String(),
});
export type RecordedWorkflow = Static<typeof RecordedWorkflow>;

/** A tool of the canonical gateway. */
export const NetworkToolView = viewOf("NetworkTool", "A tool of the canonical gateway.", {
  id: Type.String(),
  server: Type.String(),
  name: Type.String(),
  state: Type.Enum([...DEFINITION_STATES]),
  digest: Type.String(),
  definition: freeObject("The definition as the server gave it."),
  pendingDefinition: Type.Optional(freeObject("The definition as the server gave it.")),
  pendingDigest: Type.Optional(TextOrNull),
  syncedAt: Time,
});
export type NetworkToolView = Static<typeof NetworkToolView>;

/** What can be given for a connection, also later. */
export const CONNECTION_CHANGE = {
  title: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, pattern: "\\S", description: "1 to 200 characters." }),
  ),
  url: orNull(Type.String(), "The MCP endpoint, or the address of the API description."),
  document: orNull(
    Type.Union([freeObject("An API description, or requests of one's own."), Type.String()]),
    "An API description or {requests: […]}, as an object or as its JSON or YAML text.",
    // The gateway bounds the body by SVC_DOCUMENT_LIMIT_MB.
    { maxLength: 2 ** 30 },
  ),
  command: orNull(Type.String({ minLength: 1 }), "mcp: the name or path of one program that speaks MCP."),
  args: Type.Optional(
    Type.Array(Type.String(), { maxItems: 100, description: "mcp: the arguments of the program." }),
  ),
  env: Type.Optional(
    Type.Record(
      Type.String({ pattern: "^[A-Za-z_]\\w*$" }),
      Type.Union([
        Type.String(),
        Type.Object({ credential: Type.String() }),
        Type.Object({ set: Type.Literal(true) }),
      ]),
      {
        additionalProperties: false,
        writeOnly: true,
        description:
          'mcp: the variables of the program, each a text, {"credential": "name"}, or {"set": true} to keep what is there.',
      },
    ),
  ),
  baseUrl: orNull(Type.String(), "Replaces the address that the API description names."),
  credential: orNull(Type.String(), "The name of the credential that calls use."),
  allowPrivateOrigin: Type.Optional(
    Type.Union([Type.Boolean(), Type.String()], {
      description:
        'true for the private origin of the connection\'s own address, or an origin such as "http://10.0.0.5:8080".',
    }),
  ),
};

/** What an admin can change about a definition; null takes the change back. */
export const DEFINITION_CHANGE = {
  name: orNull(
    Type.String({ pattern: "^[A-Za-z0-9_.-]{1,128}$" }),
    "The name that callers use: letters, digits, _ . - (at most 128).",
  ),
  title: orNull(Type.String({ maxLength: 300 }), "A title of one's own."),
  description: orNull(Type.String({ maxLength: 4_000 }), "A description of one's own."),
  effect: orNull(Type.Enum([...CONNECTED_EFFECTS]), "What a call changes."),
  idempotent: orNull(Type.Boolean(), "Whether a repeated call changes nothing more."),
  idempotencyHeader: orNull(
    Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$" }),
    "The name of the header with the idempotency key.",
  ),
  fixedArguments: orNull(
    freeObject("The arguments of the tool."),
    "Arguments that every call has and no caller can change.",
  ),
};

function orNull<T extends TSchema>(
  schema: T,
  description: string,
  more: { readonly maxLength?: number } = {},
): TOptional<TUnion<[T, TNull]>> {
  return Type.Optional(Type.Union([schema, Type.Null()], { description, ...more }));
}
