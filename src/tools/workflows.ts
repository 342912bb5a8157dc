import { Type } from "typebox";
import { AppError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { listedFor } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import type { WorkflowRecord } from "../ports/records.ts";
import {
  composeDocument,
  createWorkflow as create,
  documentMeta,
  publishWorkflow as publish,
  updateWorkflow as update,
} from "../workflows/library.ts";
import { findWorkflow } from "../workflows/seen.ts";
import { checkFor } from "../workflows/checking.ts";
import { publicDryRun } from "../workflows/public-view.ts";
import { storedDryRun } from "../workflows/stored-dry-run.ts";
import { fullView, summaryOf } from "../workflows/views.ts";
import { workflowAccess } from "../workflows/visibility.ts";
import { whole } from "./rules.ts";
import { inputOf, NEXT_CURSOR } from "../model/common.ts";
import { DryRunView, PlanView, verdictMembers } from "../model/plans.ts";
import { WorkflowProblemView, WorkflowSummary, WorkflowView } from "../model/workflows.ts";
import { jsonArray, jsonObject, pageOf } from "./shapes.ts";

const { defineTool, declared } = toolList();

const idParam = () => Type.String({ description: "The workflow's id, as list_workflows shows it." });
const nodesParam = () =>
  jsonArray(
    "The steps: {id, type, …} with type tool, approval, switch, map, transform, wait, handoff or subworkflow. A `start` node may carry the inputs' schema, an `end` node the outputs. Canvas nodes {id, type, data, position} are understood.",
  );
const edgesParam = () =>
  jsonArray(
    "The edges: {from, to, port?}; `source`/`target` are understood. Ports: success, error, approved, rejected, expired, case:<name>, default.",
  );

const workflowOutput = Type.Object({ workflow: WorkflowView });
const draftOutput = Type.Object({ ...workflowOutput.properties, ...verdictMembers });

/** A stored draft with everything that is wrong with its graph: what is accepted is not accepted in silence. */
async function draftAnswer(record: WorkflowRecord, context: CallContext) {
  const { plan: _plan, ...verdict } = await checkFor(record.document, record.id, context);
  return { workflow: fullView(record), ...verdict };
}

defineTool({
  name: "list_workflows",
  title: "List workflows",
  description:
    'Lists stored workflows, newest first, without their documents. Without a key only public, published ones appear; with a key also drafts and private ones. Further pages: pass `nextCursor` as `_meta["svc/cursor"]`. Starts nothing.',
  input: inputOf({
    limit: Type.Optional(
      Type.Number({ minimum: 1, maximum: 100, description: "How many to give at most (default 50)." }),
    ),
  }),
  output: Type.Object({
    workflows: Type.Array(WorkflowSummary),
    nextCursor: NEXT_CURSOR,
    storage: Type.Object(
      { kind: Type.String(), persistent: Type.Boolean() },
      { description: "Whether workflows can be kept at all." },
    ),
  }),
  access: "public",
  effect: "none",
  quick: true,
  rules: ({ limit }) => whole("limit", limit, 1, 100),
  run: async ({ limit }, { context }) => {
    const { store } = context.services;
    const { caller } = context;
    const page = pageOf(context.meta, limit);
    const { items, nextCursor } = await store.read.workflows.list(page, listedFor(caller));
    return {
      workflows: items.map((record) => summaryOf(record, workflowAccess(caller, record) ?? "public")),
      nextCursor,
      storage: { kind: store.kind, persistent: store.kind !== "none" },
    };
  },
});

defineTool({
  name: "get_workflow",
  title: "Get a workflow",
  description:
    "Reads one workflow with its document. Without a key it gives the published version of a public workflow and nothing else; with a key the draft as it is edited now, with its revision for optimistic updates.",
  input: inputOf({ id: idParam() }),
  output: workflowOutput,
  access: "public",
  effect: "none",
  quick: true,
  run: async ({ id }, { context }) => {
    const seen = await findWorkflow(id, context);
    return { workflow: fullView(seen.record, seen) };
  },
});

defineTool({
  name: "create_workflow",
  title: "Create a workflow",
  description:
    'Stores a new private draft and returns every problem of its graph. The graph may be empty or incomplete; publish_workflow wants it valid. Inputs, outputs, policy and canvas positions go into `_meta["svc/document"]`, or onto `start` and `end` nodes. Runs nothing.',
  input: inputOf({
    name: Type.String({ description: "What people call it, 1 to 200 characters." }),
    description: Type.Optional(Type.String({ description: "What it is for." })),
    nodes: Type.Optional(nodesParam()),
    edges: Type.Optional(edgesParam()),
    tags: Type.Optional(Type.Array(Type.String(), { description: "Words to find it by." })),
  }),
  output: draftOutput,
  access: "write",
  effect: "write",
  idempotent: false,
  keyed: true,
  run: async (args, { context }) => {
    const record = await create({ ...args, document: documentMeta(context.meta) }, context);
    return draftAnswer(record, context);
  },
});

defineTool({
  name: "update_workflow",
  title: "Update a workflow",
  description:
    'Changes a stored workflow; what is left out stays. Send the revision you started from as `_meta["svc/expectedRevision"]`: if the workflow has changed since, nothing is written and the answer is a conflict. Published versions never change; an edit, also of name, description and tags, is a draft until it is published. Set status `archived` to retire it.',
  input: inputOf({
    id: idParam(),
    name: Type.Optional(Type.String({ description: "A new name." })),
    description: Type.Optional(Type.String({ description: "A new description." })),
    nodes: Type.Optional(nodesParam()),
    edges: Type.Optional(edgesParam()),
    tags: Type.Optional(Type.Array(Type.String(), { description: "All its tags, replacing the old ones." })),
    status: Type.Optional(
      Type.String({ description: "`archived` to retire it; `draft` or `published` to bring it back." }),
    ),
    visibility: Type.Optional(
      Type.String({
        description: "`private` or `public`. Only published workflows are ever shown publicly.",
      }),
    ),
  }),
  output: draftOutput,
  access: "write",
  effect: "write",
  idempotent: false,
  run: async ({ id, ...draft }, { context }) => {
    const record = await update(id, { ...draft, document: documentMeta(context.meta) }, context);
    return draftAnswer(record, context);
  },
});

interface Graph {
  readonly id?: string;
  readonly nodes?: readonly Json[];
  readonly edges?: readonly Json[];
}

interface Subject {
  readonly document: JsonObject;
  readonly workflow: { readonly id: string; readonly version: number | null } | null;
  /** What a caller sees who may not see the document; null for everybody else. */
  readonly shown: JsonObject | null;
}

/** The document a caller means: a stored one, a supplied graph, or the supplied graph in place of the stored one. */
async function subjectOf({ id, nodes, edges }: Graph, context: CallContext): Promise<Subject> {
  const document = documentMeta(context.meta);
  const supplied = { ...(nodes && { nodes }), ...(edges && { edges }), document };
  if (id === undefined) {
    if (nodes === undefined && edges === undefined && document["nodes"] === undefined) {
      throw new AppError("invalid_input", "Give the id of a workflow, or nodes and edges.", {
        problems: [
          { pointer: "", message: "Neither `id` nor `nodes` is given.", expected: "id, or nodes and edges" },
        ],
      });
    }
    return { document: composeDocument({}, supplied), workflow: null, shown: null };
  }
  const seen = await findWorkflow(id, context);
  const workflow = { id, version: seen.record.publishedVersion };
  if (nodes === undefined && edges === undefined && Object.keys(document).length === 0) {
    return { document: seen.actual, workflow, shown: seen.accessLevel === "public" ? seen.document : null };
  }
  return { document: composeDocument(seen.document, supplied), workflow, shown: null };
}

defineTool({
  name: "validate_workflow",
  title: "Validate a workflow",
  description:
    "Finds everything that is wrong with a stored workflow or a supplied graph, all at once: each problem with its code, where it is (JSON Pointer), what is wrong and how to fix it. Checks ids, edges, ports, cycles, reachability, references, expressions, arguments against the tools' schemas, retries, approvals and secrets. Executes nothing.",
  examples: [{ nodes: [{ id: "health", type: "tool", tool: "get_health" }], edges: [] }],
  input: inputOf({
    id: Type.Optional(idParam()),
    nodes: Type.Optional(nodesParam()),
    edges: Type.Optional(edgesParam()),
  }),
  output: Type.Object(verdictMembers),
  access: "public",
  effect: "none",
  run: async (args, { context }) => {
    const { document, workflow, shown } = await subjectOf(args, context);
    const { plan: _plan, problems, ...verdict } = await checkFor(document, workflow?.id ?? null, context);
    if (shown === null) return { ...verdict, problems };
    return { ...verdict, problems: [], omitted: verdict.omitted + problems.length };
  },
});

defineTool({
  name: "plan_workflow",
  title: "Plan a workflow",
  description:
    "Shows what a run would do before it does anything: levels of steps, effects (none, write, destructive, external), approvals, which steps need a key, which steps no service can confirm because it is not configured, worst-case time and its path, values that are known only at run time, and a digest of the plan. Executes no tool, protected or not.",
  examples: [{ nodes: [{ id: "health", type: "tool", tool: "get_health" }], edges: [] }],
  input: inputOf({
    id: Type.Optional(idParam()),
    nodes: Type.Optional(nodesParam()),
    edges: Type.Optional(edgesParam()),
  }),
  output: Type.Object({ plan: PlanView, problems: Type.Array(WorkflowProblemView) }),
  access: "public",
  effect: "none",
  run: async (args, { context }) => {
    const { document, workflow, shown } = await subjectOf(args, context);
    const { plan, problems, valid, errors } = await checkFor(document, workflow?.id ?? null, context);
    if (shown === null) return { plan, problems };
    // The plan of what the caller sees, with the verdict on what runs.
    const seen = await checkFor(shown, workflow?.id ?? null, context);
    return { plan: { ...seen.plan, executable: valid, errors }, problems: [] };
  },
});

defineTool({
  name: "dry_run_workflow",
  title: "Dry-run a workflow",
  description:
    'Runs a valid workflow through the real interpreter without changing anything: conditions decide, values flow, waits take no time. Tools that only read are called; all others are blocked by the dispatcher and their outputs are recorded ones, samples of their schema, or assumed, and the trace says which. Nothing is confirmed: references are null, and `unconfirmedSteps` says which service would have to confirm each step and whether it can. Approvals are assumed approved unless `_meta["svc/decisions"]` says {"step": "rejected"}. `_meta["svc/samples"]` gives steps an output to use, and `_meta["svc/until"]` stops after a step, so that a workflow whose end is not finished can be tried. With a key the dry run is stored with its trace.',
  examples: [{ nodes: [{ id: "health", type: "tool", tool: "get_health" }], edges: [] }],
  input: inputOf({
    id: Type.Optional(idParam()),
    nodes: Type.Optional(nodesParam()),
    edges: Type.Optional(edgesParam()),
    inputs: Type.Optional(
      jsonObject(
        "The inputs; required ones that are missing are made up from the schema and named in `assumedInputs`.",
      ),
    ),
  }),
  output: DryRunView,
  access: "public",
  effect: "write",
  idempotent: false,
  run: async ({ inputs, ...graph }, { context }) => {
    const { document, workflow, shown } = await subjectOf(graph, context);
    if (shown === null) return await storedDryRun(document, workflow, inputs ?? {}, context);
    const { valid, errors } = await checkFor(document, workflow?.id ?? null, context);
    // The problems themselves may quote what the caller does not see.
    if (!valid)
      throw new AppError("invalid_input", `The workflow has ${errors} problems and cannot be dry-run.`);
    return publicDryRun(await storedDryRun(document, workflow, inputs ?? {}, context), shown, inputs ?? {});
  },
});

defineTool({
  name: "publish_workflow",
  title: "Publish a workflow",
  description:
    "Makes what the draft holds now an immutable, public version that runs are pinned to. Only a valid document is published; otherwise every problem is returned and nothing changes. Publishing the same document again gives the version that exists already.",
  input: inputOf({ id: idParam() }),
  output: Type.Object({
    ...workflowOutput.properties,
    version: Type.Object({
      version: Type.Integer({ minimum: 1 }),
      digest: Type.String(),
      publishedAt: Type.String(),
      publishedBy: Type.String(),
    }),
  }),
  access: "write",
  effect: "write",
  idempotent: true,
  run: async ({ id }, { context }) => {
    const { record, version } = await publish(id, context, true);
    const { version: number, digest, publishedAt, publishedBy } = version;
    return {
      workflow: fullView(record),
      version: { version: number, digest, publishedAt, publishedBy },
    };
  },
});

/** The tools of this domain. */
export const workflowsTools: readonly Tool[] = declared;
