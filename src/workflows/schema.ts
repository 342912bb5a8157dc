import { Type, type Static } from "typebox";
import type { JsonObject } from "../kernel/json.ts";
import { SIBLING_NAMES } from "../ports/settings.ts";
import {
  base,
  closed,
  expression,
  jsonSchema,
  LIMITS,
  milliseconds,
  NODE_ID,
  RetrySchema,
  value,
  values,
} from "./schema-parts.ts";

/* Long on purpose: the whole format of a workflow in one place. */

export { LIMITS, NODE_ID };

/** The version every workflow document carries. */
export const WORKFLOW_SCHEMA_VERSION = "suite.workflow.v1";

/** The default time a step may take when neither it nor the policy says. */
export const DEFAULT_STEP_TIMEOUT_MS = 60_000;

/** How the name of a switch case is written. */
const CASE_NAME = "^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$";
/** How the name of a signal is written. */
export const SIGNAL_NAME = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$";
const TOOL_NAME = "^[A-Za-z0-9_.-]{1,64}(:[A-Za-z0-9_./-]{1,128})?$";

/** A call of one tool of this service (`name`) or of a synced server (`server:name`). Outputs: the envelope `{ok, data}`. */
const ToolNodeSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("tool"),
    tool: Type.String({ pattern: TOOL_NAME, description: "The tool's name, or `server:name`." }),
    with: Type.Optional(values("The arguments; tagged values inside are resolved before the call.")),
    idempotencyKey: Type.Optional(
      value("Key the tool gets, so that a repeated call has one effect. Default: run and step."),
    ),
    toolDigest: Type.Optional(
      Type.String({
        pattern: "^sha256:[0-9a-f]{64}$",
        description: "Digest of the tool's definition when it was chosen.",
      }),
    ),
  },
  closed,
);

/** An id of a key, a person, a group, or a role that holds `approve`. */
export const APPROVER = /^(?:person:[^\s:]+|group:[^:\r\n]{1,60}|role:(?:owner|admin|approver)|[^\s:]+)$/;

function approvers(description: string) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 300, pattern: APPROVER.source }), {
    maxItems: 100,
    description,
  });
}

/** A person's decision. Outputs: `{verdict, reason, values, decidedBy, decidedAt}`. */
const ApprovalNodeSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("approval"),
    approval: Type.Object(
      {
        title: value("The question, as the person reads it: text or a tagged value that gives text."),
        show: Type.Optional(value("Exactly what the decision is about; its digest binds the decision.")),
        form: Type.Optional(jsonSchema("JSON Schema of values that the decision carries.")),
        approvers: Type.Optional(
          approvers(
            "Who may decide: ids of keys, person: with an id or an e-mail address, group: with its name, role: with owner, admin or approver. Empty means every key and person with the scope approve.",
          ),
        ),
        required: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 20,
            description: "How many of them must approve (default 1). One rejection rejects.",
          }),
        ),
        fourEyes: Type.Optional(
          Type.Boolean({
            description:
              "Who started the run or published the workflow may not decide. Without it that holds where people are named and a step is destructive.",
          }),
        ),
        stepUp: Type.Optional(
          Type.Boolean({
            description:
              "A signed-in person decides with a passkey that signs what was shown and the decision. The record of the decision keeps the signature, and it can be checked offline.",
          }),
        ),
        expiresInMs: Type.Optional(milliseconds("After this time the approval expires. It never approves.")),
        dueInMs: Type.Optional(
          milliseconds(
            "The decision is due after this time: it is then shown as overdue, and a notice is sent.",
          ),
        ),
        reminderMs: Type.Optional(milliseconds("After this time those who may decide are reminded.")),
        escalateMs: Type.Optional(
          milliseconds("After this time the approval is escalated: those in escalateTo may decide as well."),
        ),
        escalateTo: Type.Optional(approvers("Who may decide as well after escalateMs.")),
      },
      closed,
    ),
  },
  closed,
);

/** Chooses one port by the first case that is true. Outputs: `{case}`. */
const SwitchNodeSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("switch"),
    cases: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: CASE_NAME, description: "The port is `case:<name>`." }),
          when: expression("CEL that gives a boolean."),
        },
        closed,
      ),
      { minItems: 1, maxItems: 100, description: "Tried in order; none true takes the port `default`." },
    ),
  },
  closed,
);

/** Makes a value. Outputs: the value. */
const TransformNodeSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("transform"),
    value: value("What the step gives; tagged values inside are resolved."),
  },
  closed,
);

/** Waits without cost. Outputs: `{until}`, `{signal, payload, sentBy, sentAt}` or `{event}`. */
const WaitNodeSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("wait"),
    wait: Type.Object(
      {
        ms: Type.Optional(value("How long: milliseconds, or a tagged value that gives them.")),
        until: Type.Optional(value("Until when: ISO 8601 time, or a tagged value that gives one.")),
        signal: Type.Optional(
          Type.String({ pattern: SIGNAL_NAME, description: "The name of a signal that is sent to the run." }),
        ),
        schema: Type.Optional(jsonSchema("JSON Schema of the signal's payload.")),
        event: Type.Optional(
          Type.String({ maxLength: 100, description: "A type of event, such as `svc.run.succeeded`." }),
        ),
        filter: Type.Optional(
          expression("CEL over `event` and what the step sees; the first event for which it is true counts."),
        ),
        timeoutMs: Type.Optional(
          milliseconds("How long a signal or an event is waited for; then the port `expired` is taken."),
        ),
      },
      { ...closed, minProperties: 1 },
    ),
  },
  closed,
);

/** Hands work to a sibling. Outputs: the envelope `{ok, data}` with `{delegationId, status, resultRef, data}`. */
const HandoffNodeSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("handoff"),
    handoff: Type.Object(
      {
        target: Type.Enum([...SIBLING_NAMES], { description: "The sibling that gets the packet." }),
        capability: Type.String({ minLength: 1, maxLength: 200, description: "What is asked of it." }),
        intent: Type.Optional(value("Why, for a person to read: text or a tagged value.")),
        payload: Type.Optional(values("What the packet carries.")),
        inputArtifactIds: Type.Optional(
          value("Ids of input artifacts: a list, or a tagged value that gives one."),
        ),
        dryRun: Type.Optional(
          Type.Boolean({ description: "True prepares a preview packet and sends nothing." }),
        ),
      },
      closed,
    ),
    idempotencyKey: Type.Optional(value("Key the sibling gets. Default: run and step.")),
  },
  closed,
);

/** Runs another workflow and waits for it. Outputs: the outputs of that run. */
const SubworkflowNodeSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("subworkflow"),
    subworkflow: Type.Object(
      {
        workflowId: Type.String({ minLength: 1, maxLength: 200, description: "The workflow to run." }),
        version: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: "Its published version; default the newest when the run starts.",
          }),
        ),
      },
      closed,
    ),
    with: Type.Optional(values("Its inputs.")),
  },
  closed,
);

/** What a map does with each item: one tool call. */
export const MapToolBodySchema = Type.Object(
  {
    tool: Type.String({ pattern: TOOL_NAME, description: "The tool called for each item." }),
    with: Type.Optional(values("Its arguments; `item` and `index` are known here.")),
    idempotencyKey: Type.Optional(value("Key for this item. Default: run, step and index.")),
    toolDigest: Type.Optional(Type.String({ pattern: "^sha256:[0-9a-f]{64}$" })),
    result: Type.Optional(
      Type.String({
        pattern: "^(/[^/]*)*$",
        maxLength: 500,
        description:
          "JSON Pointer to the part of the tool's `{ok, data}` that one item gives; default all of it.",
      }),
    ),
  },
  closed,
);

/** An edge: when `from` ends through `port`, `to` may begin. */
export const EdgeSchema = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 300 }),
    from: Type.String({ minLength: 1, maxLength: 63 }),
    to: Type.String({ minLength: 1, maxLength: 63 }),
    port: Type.String({
      minLength: 1,
      maxLength: 80,
      description:
        "`success`, `error`, `approved`, `rejected`, `changes`, `expired`, `case:<name>` or `default`.",
    }),
  },
  closed,
);

const mapFields = {
  items: value("The list: literal, reference or expression."),
  maxItems: Type.Integer({
    minimum: 1,
    maximum: LIMITS.mapItems,
    description: "More items than this fail the step before any runs.",
  }),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.mapConcurrency,
      description: "Items at the same time (default 1).",
    }),
  ),
  onItemError: Type.Optional(
    Type.Enum(["fail", "continue"], {
      description:
        "`fail` (default) ends the map at the first failed item; `continue` records it as `{error}` and goes on.",
    }),
  ),
};

const plainNodes = [
  ToolNodeSchema,
  ApprovalNodeSchema,
  SwitchNodeSchema,
  TransformNodeSchema,
  WaitNodeSchema,
  HandoffNodeSchema,
  SubworkflowNodeSchema,
] as const;

/** What a map does with each item: a graph of its own, without another map inside. */
const MapGraphBodySchema = Type.Object(
  {
    nodes: Type.Array(Type.Union([...plainNodes]), { minItems: 1, maxItems: 200 }),
    edges: Type.Array(EdgeSchema, { maxItems: 1_000 }),
    outputs: Type.Optional(value("What one item gives; default the outputs of the last steps, by id.")),
  },
  closed,
);

/** Runs its body for each item. Outputs: `{results, count, failed}`, results in the order of the items. */
const MapNodeSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("map"),
    map: Type.Object(
      {
        ...mapFields,
        body: Type.Unsafe<MapToolBody | MapGraphBody>({ anyOf: [MapToolBodySchema, MapGraphBodySchema] }),
      },
      closed,
    ),
  },
  closed,
);

/** A map as it is checked first: its body is read on its own, so that each problem in it has its own place. */
const MapShellSchema = Type.Object(
  {
    ...base,
    type: Type.Literal("map"),
    map: Type.Object({ ...mapFields, body: values("The body.") }, closed),
  },
  closed,
);

/** Rules of the whole run. */
export const PolicySchema = Type.Object(
  {
    timeoutMs: Type.Optional(milliseconds("Longest time of a run, waits included.")),
    stepTimeoutMs: Type.Optional(
      milliseconds("Time of one try when the step says none (default 60000).", 1, LIMITS.stepTimeoutMs),
    ),
    maxParallelSteps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description: "Steps of one run at the same time (default 8).",
      }),
    ),
    maxConcurrentRuns: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: "Runs of this workflow at the same time." }),
    ),
    requireApproval: Type.Optional(
      Type.Enum(["destructive", "writes", "none"], {
        description: "Which effects need an approval before them (default destructive).",
      }),
    ),
    retry: Type.Optional(RetrySchema),
  },
  closed,
);

/** Where a canvas draws things. Not part of the digest: moving a box changes nothing that runs. */
const UiSchema = Type.Object({
  positions: Type.Optional(Type.Record(Type.String(), Type.Object({ x: Type.Number(), y: Type.Number() }))),
});

/** The JSON Schema of `suite.workflow.v1`, normalised form. */
export const WorkflowDocumentSchema = Type.Object(
  {
    schemaVersion: Type.Literal(WORKFLOW_SCHEMA_VERSION),
    inputs: jsonSchema("JSON Schema of the run's inputs: an object."),
    nodes: Type.Array(Type.Union([...plainNodes, MapNodeSchema]), { maxItems: LIMITS.nodes }),
    edges: Type.Array(EdgeSchema, { maxItems: LIMITS.edges }),
    outputs: values("The run's outputs by name; tagged values inside are resolved when it ends."),
    policy: PolicySchema,
    ui: UiSchema,
  },
  closed,
);

/** How a failed step is tried again. */
export type Retry = Static<typeof RetrySchema>;
/** Rules of the whole run. */
export type Policy = Static<typeof PolicySchema>;
/** Where a canvas draws things. */
export type Ui = Static<typeof UiSchema>;
/** An edge. */
export type Edge = Static<typeof EdgeSchema>;
/** A tool step. */
export type ToolNode = Static<typeof ToolNodeSchema>;
/** An approval step. */
export type ApprovalNode = Static<typeof ApprovalNodeSchema>;
/** A switch. */
export type SwitchNode = Static<typeof SwitchNodeSchema>;
/** A transform. */
export type TransformNode = Static<typeof TransformNodeSchema>;
/** A wait. */
export type WaitNode = Static<typeof WaitNodeSchema>;
/** A handoff step. */
export type HandoffNode = Static<typeof HandoffNodeSchema>;
/** A subworkflow step. */
export type SubworkflowNode = Static<typeof SubworkflowNodeSchema>;
/** A map. */
export type MapNode = Static<typeof MapNodeSchema>;
/** A map's body that is one tool call. */
export type MapToolBody = Static<typeof MapToolBodySchema>;
/** A map's body that is a graph. */
export type MapGraphBody = Static<typeof MapGraphBodySchema>;
/** A node that can stand inside a map's body. */
export type PlainNode =
  | ToolNode
  | ApprovalNode
  | SwitchNode
  | TransformNode
  | WaitNode
  | HandoffNode
  | SubworkflowNode;
/** Any node. */
export type WorkflowNode = PlainNode | MapNode;
/** The type of a node. */
export type NodeType = WorkflowNode["type"];

/** A normalised workflow document. */
export interface WorkflowDocument {
  readonly schemaVersion: typeof WORKFLOW_SCHEMA_VERSION;
  readonly inputs: JsonObject;
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly Edge[];
  readonly outputs: JsonObject;
  readonly policy: Policy;
  readonly ui: Ui;
}

/** The schema that a node of each type is checked against. */
export const NODE_SCHEMAS = {
  tool: ToolNodeSchema,
  approval: ApprovalNodeSchema,
  switch: SwitchNodeSchema,
  map: MapShellSchema,
  transform: TransformNodeSchema,
  wait: WaitNodeSchema,
  handoff: HandoffNodeSchema,
  subworkflow: SubworkflowNodeSchema,
} as const;

/** Every node type, in the order in which pickers list them. */
export const NODE_TYPES: readonly NodeType[] = [
  "tool",
  "approval",
  "switch",
  "map",
  "transform",
  "wait",
  "handoff",
  "subworkflow",
];

/** True when a map's body is a graph and not one tool call. */
export function isGraphBody(body: MapToolBody | MapGraphBody): body is MapGraphBody {
  return "nodes" in body;
}
