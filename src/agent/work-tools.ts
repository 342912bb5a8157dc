import { Type } from "typebox";
import { NotDone } from "../kernel/envelope.ts";
import { isJsonObject, type Json, type JsonObject, textOr } from "../kernel/json.ts";
import { freeObject, freeValue, inputOf } from "../model/common.ts";
import { defineTool, type Tool } from "../ports/operations.ts";
import { objectsIn, partOf, pick, problemLine } from "./answers.ts";
import {
  approvalLink,
  linkTo,
  MAX_WAIT_SECONDS,
  onSuccess,
  OPEN,
  orAPerson,
  problemsAt,
  WANTED,
  withMeta,
} from "./parts.ts";
import { read, recordTools } from "./records.ts";

const waitSeconds = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    description: "Wait this long for an end or an approval; default 2",
  }),
);

const NODE_TYPES = ["tool", "approval", "switch", "map", "transform", "wait", "handoff", "subworkflow"];
const node = {
  type: "object",
  required: ["id", "type"],
  properties: {
    id: { type: "string" },
    type: { enum: NODE_TYPES },
    tool: { type: "string", description: "tool: name or server:tool" },
    with: {
      type: "object",
      description:
        'Arguments; references: {"$ref":"inputs.x"}, {"$ref":"steps.a.outputs.data.y"}, {"$expr":"CEL"}',
    },
    approval: { type: "object", description: "{title, show, approvers?, form?}" },
    cases: { type: "array", description: "switch: [{name, when: CEL}]" },
    map: { type: "object", description: "{items, maxItems, body: {tool, with}}" },
    value: { description: "transform: the value" },
    wait: {
      type: "object",
      description: "{ms} | {until} | {signal, schema?, timeoutMs?} | {event, filter?, timeoutMs?}",
    },
    handoff: { type: "object", description: "{target, capability, payload}" },
    subworkflow: { type: "object", description: "{workflowId}; its inputs in with" },
    join: { enum: ["all", "any"] },
    timeoutMs: { type: "integer" },
    if: { type: "string", description: "CEL; false skips the step" },
    idempotencyKey: {},
    retry: { type: "object" },
  },
} as const;
const graph = {
  nodes: Type.Optional(Type.Unsafe<readonly Json[]>({ type: "array", items: node })),
  edges: Type.Optional(
    Type.Unsafe<readonly Json[]>({
      type: "array",
      description:
        "{from, to, port?}; ports: success, error, approved, rejected, expired, case:<name>, default",
      items: {
        type: "object",
        required: ["from", "to"],
        properties: { from: { type: "string" }, to: { type: "string" }, port: { type: "string" } },
      },
    }),
  ),
  inputs: Type.Optional(freeObject("A JSON Schema of its author.", "JSON Schema of the run's inputs")),
  outputs: Type.Optional(
    freeObject("Its author's own.", 'e.g. {"id":{"$ref":"steps.save.outputs.data.id"}}'),
  ),
  policy: Type.Optional(freeObject("See the guide.", "timeoutMs, retry, requireApproval, …")),
};

/** The parts of a document that the fixed tools take in `_meta`. */
function documentOf(parts: Readonly<Record<string, JsonObject | undefined>>): JsonObject | undefined {
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** What a run would do. */
function planIn(plan: Json | undefined): JsonObject {
  const { approvals = null, ...rest } = pick(plan, [
    "executable",
    "levels",
    "effects",
    "approvals",
    "guardedSteps",
    "protectedSteps",
    "requiredInputs",
    "unconfirmable",
  ]);
  const asked = objectsIn(approvals).map((item) => pick(item, ["stepId", "title", "approvers", "required"]));
  return { ...rest, ...(asked.length > 0 && { approvals: asked }) };
}

const writeWorkflow = defineTool({
  ...OPEN,
  name: "write_workflow",
  ui: "ui://svc/plan",
  title: "Write a workflow",
  description:
    "Create a workflow, or change one by id: one document over found tools, checked and planned. Answers every problem with its fix, the plan and its effects. Read svc://agent/workflows for the language and examples.",
  effect: "write",
  idempotent: false,
  examples: [
    { name: "Check health", nodes: [{ id: "health", type: "tool", tool: "get_health" }], edges: [] },
  ],
  input: inputOf({
    id: Type.Optional(Type.String({ description: "To change one; what is left out stays" })),
    name: Type.Optional(Type.String({ description: "Required for a new one", maxLength: 200 })),
    description: Type.Optional(Type.String()),
    ...graph,
    revision: Type.Optional(
      Type.Integer({ description: "The revision you changed; a conflict if it moved on" }),
    ),
    publish: Type.Optional(Type.Boolean({ description: "Publish when valid; stays private" })),
  }),
  rules: ({ id, name }) =>
    id === undefined && name === undefined
      ? [
          {
            pointer: "/name",
            message: '"name" is required for a new workflow.',
            expected: "a name, or the id of one to change",
            fix: 'Add "name", or "id" to change one.',
          },
        ]
      : [],
  async run({ id, inputs, outputs, policy, revision, publish = false, ...draft }, { context }) {
    const { services } = context;
    const inner = withMeta(context, {
      "svc/document": documentOf({ inputs, outputs, policy }),
      "svc/expectedRevision": revision,
    });
    const written = await orAPerson(linkTo(services, `/workflows/${id ?? "new"}`), () =>
      services.catalog.call(
        id === undefined ? "create_workflow" : "update_workflow",
        { ...(id !== undefined && { id }), ...draft },
        inner,
      ),
    );
    if (!written.ok) return new NotDone(written.data);
    const { workflow, valid, problems = [] } = written.data;
    const madeId = textOr(isJsonObject(workflow) ? workflow["id"] : undefined, "");
    const planned = await services.catalog.call("plan_workflow", { id: madeId }, context);
    const published =
      publish && valid === true
        ? await services.site.perform("publish_version", { id: madeId }, context)
        : null;
    const version = published === null ? undefined : published.data["version"];
    const count = objectsIn(problems).length;
    const list = objectsIn(problems).map(problemLine);
    return {
      text: [
        `${madeId} ${valid === true ? "is valid" : "is stored but not valid"}${version === undefined ? "" : ", published"}${count === 0 ? "." : `; ${count} problems:`}`,
        ...list,
      ].join("\n"),
      ...pick(published?.data["workflow"] ?? workflow, ["id", "name", "revision", "status"]),
      valid: valid ?? false,
      problems,
      plan: planIn(planned.data["plan"]),
      ...(version !== undefined && { version: pick(version, ["version", "digest"]) }),
      link: linkTo(services, `/workflows/${madeId}`),
    };
  },
});

const tryWorkflow = defineTool({
  ...OPEN,
  name: "try_workflow",
  title: "Dry-run a workflow",
  description:
    "Dry run of a stored workflow or of nodes and edges: values flow, reads are called, nothing is changed.",
  effect: "none",
  idempotent: true,
  examples: [{ nodes: [{ id: "health", type: "tool", tool: "get_health" }], edges: [] }],
  input: inputOf({
    id: Type.Optional(Type.String()),
    nodes: Type.Optional(Type.Unsafe<readonly Json[]>({ type: "array" })),
    edges: Type.Optional(Type.Unsafe<readonly Json[]>({ type: "array" })),
    inputs: Type.Optional(freeObject("The workflow's own.", "Inputs of the run")),
    samples: Type.Optional(freeObject("By step.", "{stepId: output} to assume")),
    decisions: Type.Optional(freeObject("By step.", '{stepId: "rejected"}; else approved')),
    ...WANTED,
  }),
  async run({ samples, decisions, detail, select, ...args }, { context }) {
    const inner = withMeta(context, { "svc/samples": samples, "svc/decisions": decisions });
    const envelope = await context.services.catalog.call("dry_run_workflow", args, inner);
    return onSuccess(envelope, (data) => {
      const trace = isJsonObject(data["trace"]) ? data["trace"] : {};
      const steps = objectsIn(trace["steps"]).map((step) =>
        pick(step, ["stepId", "state", "source", "port", "error", "note"]),
      );
      const whole = detail === "full" || select !== undefined;
      const { value, omitted } = partOf(
        whole
          ? data
          : {
              ...pick(data, [
                "state",
                "outputs",
                "error",
                "assumedInputs",
                "blocked",
                "unconfirmedSteps",
                "runId",
                "nextAction",
              ]),
              steps,
            },
        { ...(detail !== undefined && { detail }), ...(select !== undefined && { select }) },
      );
      return {
        text: `Dry run ${textOr(data["state"], "")}: ${steps.length} steps, ${objectsIn(data["blocked"]).length} calls not made. Nothing was changed.`,
        dryRun: value,
        ...(omitted !== undefined && { omitted }),
      };
    });
  },
});

const run = defineTool({
  ...OPEN,
  name: "run",
  ui: "ui://svc/run",
  task: "own",
  title: "Run a workflow",
  description:
    "Start a durable run, or go on with a failed one (repair), and wait a while. Waiting approvals come with a link for the person; follow it with get.",
  effect: "destructive",
  idempotent: false,
  openWorld: true,
  examples: [{ workflow: "workflow_1", inputs: {} }],
  input: inputOf({
    workflow: Type.Optional(Type.String({ description: "Its id" })),
    inputs: Type.Optional(freeObject("The workflow's own.", "As describe shows them")),
    repair: Type.Optional(
      Type.Object(
        {
          runId: Type.String(),
          action: Type.Enum(["retry", "rerun", "change_input", "supply_output", "skip"]),
          stepId: Type.Optional(Type.String()),
          input: Type.Optional(freeObject("The step's own.", "change_input: all of what the step gets")),
          output: Type.Optional(freeValue("The step's own.", "supply_output: what the step gives")),
          reason: Type.Optional(Type.String({ description: "Required unless retry or rerun" })),
        },
        { description: "A failed run to go on with; what is done stays done", additionalProperties: false },
      ),
    ),
    waitSeconds,
    idempotencyKey: Type.Optional(
      Type.String({ maxLength: 200, description: "The same key gives the same run" }),
    ),
  }),
  rules: ({ workflow, repair }) =>
    (workflow === undefined) === (repair === undefined)
      ? [
          {
            pointer: "",
            message: "Give either workflow or repair.",
            expected: "workflow or repair",
            fix: 'Add "workflow" to start a run, or "repair" to go on with one that failed; not both.',
          },
        ]
      : [],
  async run({ workflow, inputs, repair, waitSeconds: wait = 2, idempotencyKey }, { context }) {
    const { catalog, guard, site } = context.services;
    const inner = withMeta(context, { "svc/idempotencyKey": idempotencyKey });
    if (repair !== undefined) {
      const { runId, ...change } = repair;
      // What its steps call is decided when they call it.
      const call = {
        tool: "repair_run",
        server: "",
        effect: "write",
        leaves: false,
        neverWaits: true,
      } as const;
      const held = await guard.check({ ...call, args: { ...repair }, context: inner });
      if (held !== null) return new NotDone(held.data);
      const link = linkTo(context.services, `/runs/${runId}`);
      const repaired = await orAPerson(link, () =>
        problemsAt({ "/id": "/repair/runId", "": "/repair" }, () =>
          site.perform("repair_run", { id: runId, ...change }, context),
        ),
      );
      return repaired.ok ? read("run", runId, { waitSeconds: wait }, context) : new NotDone(repaired.data);
    }
    const args = { id: workflow ?? "", ...(inputs !== undefined && { inputs }) };
    const started = await orAPerson(linkTo(context.services, `/workflows/${args.id}`), () =>
      problemsAt({ "/id": "/workflow" }, () => catalog.call("run_workflow", args, inner)),
    );
    const id = isJsonObject(started.data["run"]) ? textOr(started.data["run"]["id"], "") : "";
    return started.ok ? read("run", id, { waitSeconds: wait }, context) : new NotDone(started.data);
  },
});

const decide = defineTool({
  ...OPEN,
  name: "decide",
  ui: "ui://svc/approval",
  title: "Decide an approval",
  description:
    "Approve or reject for the person you act for, after showing them what get {kind: approval} gave. Some approvals only a person decides: then the answer has the link.",
  effect: "write",
  idempotent: false,
  input: inputOf({
    approval: Type.String({ description: "Its id" }),
    verdict: Type.Enum(["approved", "rejected", "changes_requested"]),
    shownDigest: Type.String({ description: "shownDigest of what was shown" }),
    reason: Type.Optional(Type.String({ maxLength: 4_000, description: "Required unless approved" })),
    values: Type.Optional(freeObject("The approval's own form.", "Values of its form")),
  }),
  async run({ approval, ...said }, { context }) {
    const { services } = context;
    const link = approvalLink(approval, services);
    const envelope = await orAPerson(link, () =>
      problemsAt({ "/id": "/approval" }, () =>
        services.site.perform("decide_approval", { id: approval, ...said }, context),
      ),
    );
    return onSuccess(envelope, ({ approval: decided, run: waiting }) => ({
      text: `Approval ${approval} is ${textOr(isJsonObject(decided) ? decided["status"] : undefined, said.verdict)}.`,
      approval: pick(decided, ["id", "title", "status", "decidedBy", "decidedAt", "reason"]),
      run: pick(waiting, ["id", "status"]),
      link,
    }));
  },
});

/** Workflows, runs, records and decisions. */
export const workTools: readonly Tool[] = [writeWorkflow, tryWorkflow, run, ...recordTools, decide];
