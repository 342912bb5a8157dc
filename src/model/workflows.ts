import { Type, type Static } from "typebox";
import { documentObject, freeObject, freeValue, TextOrNull, Time, viewOf, VisibilityName } from "./common.ts";
import { ProposedTrigger } from "./triggers.ts";

const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()]);
const text = Type.String();
const part = freeValue("A part of the workflow document of its author.");

const summary = {
  id: text,
  name: text,
  description: text,
  tags: Type.Array(text),
  status: Type.Enum(["draft", "published", "archived"], {
    title: "WorkflowStatus",
    description: "Where a workflow stands.",
  }),
  visibility: VisibilityName,
  publishedVersion: IntegerOrNull,
  createdAt: Time,
  updatedAt: Time,
  owner: Type.Optional(
    Type.Union([text, Type.Null()], { description: "What the author declared; not shown to strangers." }),
  ),
  hasNewTexts: Type.Optional(
    Type.Boolean({ description: "Name, description or tags differ from the published version." }),
  ),
  createdBy: Type.Optional(text),
  updatedBy: Type.Optional(text),
  revision: Type.Optional(
    Type.Integer({ description: "Grows with every change; an update names the revision it was made from." }),
  ),
  digest: Type.Optional(text),
  steps: Type.Optional(Type.Integer({ description: "How many steps it has, those inside maps too." })),
};

/** A workflow in a list: what it is, not what it holds. */
export const WorkflowSummary = viewOf("WorkflowSummary", "A workflow as a list shows it.", summary);
export type WorkflowSummary = Static<typeof WorkflowSummary>;

/** A whole workflow with the document that the caller may see. */
export const WorkflowView = viewOf("Workflow", "A workflow with the document that the caller may see.", {
  ...summary,
  digest: text,
  nodes: Type.Array(part),
  edges: Type.Array(part),
  document: documentObject,
});
export type WorkflowView = Static<typeof WorkflowView>;

const version = {
  version: Type.Integer({ minimum: 1 }),
  digest: text,
  publishedAt: Time,
  publishedBy: Type.Optional(text),
};

/** A published version: it never changes. */
export const VersionView = viewOf("WorkflowVersion", "A published version. It never changes.", version);
export type VersionView = Static<typeof VersionView>;

/** A published version with its document. */
export const VersionDetail = viewOf("WorkflowVersionDetail", "A published version with its document.", {
  ...version,
  document: documentObject,
});

/** What a format cannot say. */
export const LossView = viewOf("Loss", "Something that one format can say and the other cannot.", {
  pointer: Type.String({ description: "Where it stands in what was given." }),
  what: text,
  why: text,
});

/** One thing that is wrong with a workflow. */
export const WorkflowProblemView = viewOf("WorkflowProblem", "One thing that is wrong with a workflow.", {
  code: Type.String({ description: "One of the codes in docs/workflow-problems.md." }),
  severity: Type.Enum(["error", "warning"]),
  pointer: Type.String({ description: "A JSON Pointer into the document as it was given." }),
  message: text,
  fix: text,
});

const ProposedConnection = viewOf(
  "ProposedConnection",
  "A connection that an imported workflow calls, and whether one that does the same exists.",
  {
    name: text,
    kind: Type.Literal("http"),
    title: text,
    url: TextOrNull,
    document: Type.Object({ requests: Type.Array(freeObject("Requests of the file that was imported.")) }),
    credential: Type.Union([
      viewOf("CredentialNeed", "The credential that calls need. Its secret is never part of an import.", {
        kind: text,
        in: Type.Optional(text),
        parameter: Type.Optional(text),
        username: Type.Optional(text),
        called: Type.Optional(Type.String({ description: "What it was called in the file." })),
        hosts: Type.Array(text),
        places: Type.Array(Type.String({ description: "Where the secret stood in the file." })),
      }),
      Type.Null(),
    ]),
    state: Type.Enum(["new", "extend", "ready"], {
      description:
        "ready: it exists with all the requests. extend: it lacks those that adds names. new: it has to be added.",
    }),
    adds: Type.Optional(Type.Array(text)),
  },
);
/** A connection that an imported workflow calls, and whether one exists. */
export type ProposedConnection = Static<typeof ProposedConnection>;

/** What was read from a file, what got lost, and what is wrong with it. */
export const ImportReport = viewOf("ImportReport", "What was read from a file, and what got lost.", {
  format: Type.Enum(["json", "yaml", "arazzo", "serverless", "n8n", "postman", "har", "curl"]),
  name: text,
  description: text,
  tags: Type.Array(text),
  document: documentObject,
  losses: Type.Array(LossView),
  connections: Type.Array(ProposedConnection),
  triggers: Type.Array(ProposedTrigger, { description: "What starts it by itself; nothing is created." }),
  validation: Type.Object({
    valid: Type.Boolean(),
    errors: Type.Integer(),
    warnings: Type.Integer(),
    problems: Type.Array(WorkflowProblemView),
  }),
  saved: Type.Boolean(),
  workflow: Type.Optional(WorkflowView),
});

const edge = Type.Object({ from: text, port: text, to: text });

/** How two documents differ in what they run. */
export const WorkflowDiff = viewOf(
  "WorkflowDiff",
  "How two versions differ in what they run. Where boxes stand on a canvas is not a difference.",
  {
    same: Type.Boolean(),
    nodes: Type.Object({
      added: Type.Array(text),
      removed: Type.Array(text),
      changed: Type.Array(Type.Object({ id: text, fields: Type.Array(text) })),
    }),
    edges: Type.Object({ added: Type.Array(edge), removed: Type.Array(edge) }),
    parts: Type.Array(text, { description: "Which of inputs, outputs and policy differ." }),
  },
);
export type WorkflowDiff = Static<typeof WorkflowDiff>;
