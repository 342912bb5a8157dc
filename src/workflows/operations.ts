import { statusOf } from "../model/status.ts";
import { Type } from "typebox";
import { invalidValue } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { freeObject, inputOf, NEXT_CURSOR, PAGE_INPUT, VisibilityName } from "../model/common.ts";
import { RunStateName } from "../model/runs.ts";
import { VersionDetail, VersionView, WorkflowDiff, WorkflowView } from "../model/workflows.ts";
import type { CallContext } from "../ports/definitions.ts";
import { heldAs } from "../ports/guard.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import type { WorkflowVersionRecord } from "../ports/records.ts";
import { diffDocuments } from "./diff.ts";
import { deleteWorkflow, previewPublic, publishWorkflow, updateWorkflow } from "./library.ts";
import { findWorkflow, missing, seenDocument, type SeenWorkflow } from "./seen.ts";
import { WorkflowDocumentSchema, type WorkflowDocument } from "./schema.ts";
import { fullView } from "./views.ts";

const { operation, declared } = operationsWith<unknown>();

const id = Type.String({ description: "The id of the workflow." });
const versionNumber = Type.String({ description: "The number of a published version." });
/** Which state of a workflow a caller means. */
export const chosenVersion = Type.Optional(
  Type.String({
    pattern: "^(draft|[1-9][0-9]{0,8})$",
    description: "The number of a published version, or draft; what the caller sees when left out.",
  }),
);

operation({
  name: "get_workflow_schema",
  title: "Get the schema of workflows",
  description: "The JSON Schema of suite.workflow.v1.",
  http: "GET /api/svc/workflow-schema",
  access: "public",
  input: inputOf({}),
  output: Type.Object({ schema: freeObject("A JSON Schema.") }),
  run: () => {
    const schema: JsonObject = JSON.parse(JSON.stringify(WorkflowDocumentSchema));
    return { schema };
  },
});

operation({
  name: "delete_workflow_draft",
  title: "Delete a draft",
  description: "Deletes a draft that was never published and never ran; anything else can be archived.",
  http: "DELETE /api/svc/workflows/{id}",
  access: "write",
  effect: "destructive",
  idempotent: false,
  input: inputOf({ id }),
  output: Type.Object({ id: Type.String(), deleted: Type.Boolean() }),
  async run(input, { context }) {
    await deleteWorkflow(input.id, context);
    return { id: input.id, deleted: true };
  },
});

operation({
  name: "publish_version",
  title: "Publish a version",
  description:
    "Makes what the draft holds an immutable version. Who sees the workflow stays as it is: private unless it was made public.",
  http: "POST /api/svc/workflows/{id}/publish",
  access: "write",
  effect: "write",
  idempotent: true,
  input: inputOf({
    id,
    revision: Type.Optional(
      Type.Integer({ minimum: 1, description: "Refused when the draft has another revision." }),
    ),
  }),
  output: Type.Object({ workflow: WorkflowView, version: VersionView }),
  async run(input, { context }) {
    const { record, version } = await publishWorkflow(input.id, context, false, input.revision);
    return { workflow: fullView(record), version: versionView(version, "full") };
  },
});

operation({
  name: "get_workflow_visibility",
  title: "Show who sees a workflow",
  description:
    "Who sees a workflow, what strangers see of it once it is public, now and when the draft is published as well, and where texts that look like credentials keep it from being public.",
  http: "GET /api/svc/workflows/{id}/visibility",
  access: "write",
  input: inputOf({ id }),
  output: Type.Object({
    visibility: VisibilityName,
    publishedVersion: Type.Union([Type.Integer(), Type.Null()]),
    revision: Type.Integer({ description: "The revision of the draft." }),
    strangersSee: WorkflowView,
    afterPublishing: WorkflowView,
    secrets: Type.Array(Type.String({ description: "A JSON Pointer." })),
  }),
  async run(input, { context }) {
    const { record } = await findWorkflow(input.id, context);
    const { workflow, next, secrets } = await previewPublic(record.id, context);
    const { visibility, publishedVersion, revision } = record;
    return {
      visibility,
      publishedVersion,
      revision,
      strangersSee: workflow,
      afterPublishing: next,
      secrets,
    };
  },
});

operation({
  name: "set_workflow_visibility",
  title: "Set who sees a workflow",
  description: "Makes a workflow public or private again.",
  http: "PATCH /api/svc/workflows/{id}/visibility",
  access: "write",
  effect: "write",
  idempotent: true,
  input: inputOf({ id, visibility: VisibilityName }),
  output: Type.Object({ workflow: WorkflowView }),
  run: async ({ id: workflowId, visibility }, { context }) => ({
    workflow: fullView(await updateWorkflow(workflowId, { visibility }, context)),
  }),
});

operation({
  name: "list_workflow_versions",
  title: "List the versions of a workflow",
  description: "The published versions of a workflow, newest first.",
  http: "GET /api/svc/workflows/{id}/versions",
  access: "mixed",
  input: inputOf({ id, ...PAGE_INPUT }),
  output: Type.Object({ versions: Type.Array(VersionView), nextCursor: NEXT_CURSOR }),
  async run({ id: workflowId, ...page }, { context, services }) {
    const { record, accessLevel } = await findWorkflow(workflowId, context);
    const { items, nextCursor } = await services.store.read.workflows.versions(record.id, pageIn(page));
    return { versions: items.map((version) => versionView(version, accessLevel)), nextCursor };
  },
});

operation({
  name: "get_workflow_version",
  title: "Show a version of a workflow",
  description: "One published version with its document; it never changes.",
  http: "GET /api/svc/workflows/{id}/versions/{version}",
  access: "mixed",
  input: inputOf({ id, version: versionNumber }),
  output: Type.Object({ version: VersionDetail }),
  async run(input, { context }) {
    const { record, accessLevel } = await findWorkflow(input.id, context);
    const version = await versionOf(record.id, input.version, context);
    const { document } = seenDocument(accessLevel, version);
    return { version: { ...versionView(version, accessLevel), document } };
  },
});

operation({
  name: "start_run",
  title: "Start a run",
  description: "Starts a run of the stored draft or of a published version.",
  http: "POST /api/svc/workflows/{id}/runs",
  access: "run",
  effect: "destructive",
  idempotent: false,
  status: 202,
  input: inputOf({
    id,
    version: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Literal("draft")], {
        description: "draft, or a number from 1; the newest published version when left out.",
      }),
    ),
    inputs: Type.Optional(freeObject("The workflow's own inputs.", "The inputs of the run.")),
    idempotencyKey: Type.Optional(
      Type.String({ description: "The same key with the same inputs gives the run that was started." }),
    ),
  }),
  output: Type.Object({
    run: Type.Object({
      id: Type.String(),
      status: RunStateName,
      workflowVersion: Type.Union([Type.Integer(), Type.Null()]),
      documentDigest: Type.String(),
    }),
  }),
  examples: [{ id: "wf_01", version: "draft", inputs: { amount: 3 } }],
  async run({ id: workflowId, inputs = {}, ...more }, { services, context }) {
    const held = await heldAs("run_workflow", { id: workflowId, inputs }, context);
    if (held !== null) return held;
    const { caller, trace } = context;
    const run = await services.engine.start({ ...more, workflowId, inputs, caller, trace });
    const { id: runId, workflowVersion, documentDigest } = run;
    return { run: { id: runId, ...statusOf(run), workflowVersion, documentDigest } };
  },
});

operation({
  name: "compare_versions",
  title: "Compare two versions",
  description: "How two versions of a workflow differ; a draft only with a key.",
  http: "GET /api/svc/workflows/{id}/diff",
  access: "mixed",
  input: inputOf({ id, from: chosenVersion, to: chosenVersion }),
  output: Type.Object({ from: Type.String(), to: Type.String(), diff: WorkflowDiff }),
  async run(input, { context }) {
    const from = await chosen(input.id, input.from, context);
    const to = await chosen(input.id, input.to, context);
    return { from: from.digest, to: to.digest, diff: diffDocuments(from.document, to.document) };
  },
});

/** What there is about workflows beside the tools: versions, differences and visibility. */
export const workflowOperations = declared;

interface Chosen extends Pick<SeenWorkflow, "record" | "digest"> {
  readonly document: WorkflowDocument;
}

/** The document a request means: a published version, or what this caller sees when none is named. */
export async function chosen(id: string, version: string | undefined, context: CallContext): Promise<Chosen> {
  const seen = await findWorkflow(id, context);
  if (version === undefined || version === "draft")
    return { record: seen.record, digest: seen.digest, document: seen.parsed.document };
  const stored = await versionOf(seen.record.id, version, context);
  const { digest, parsed } = seenDocument(seen.accessLevel, stored);
  return { record: seen.record, digest, document: parsed.document };
}

async function versionOf(id: string, version: string, context: CallContext): Promise<WorkflowVersionRecord> {
  const number = Number(version);
  if (!Number.isSafeInteger(number) || number < 1) throw invalidValue("version", "a number from 1");
  const found = await context.services.store.read.workflows.version(id, number);
  if (found === null) throw missing(`${id} in version ${version}`);
  return found;
}

function versionView(stored: WorkflowVersionRecord, accessLevel: SeenWorkflow["accessLevel"]): VersionView {
  const { version, digest, publishedAt, publishedBy } = stored;
  return accessLevel === "full"
    ? { version, digest, publishedAt, publishedBy }
    : { version, digest: seenDocument(accessLevel, stored).digest, publishedAt };
}
