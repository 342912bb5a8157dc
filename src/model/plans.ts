import { Type, type Static } from "typebox";
import type { Json } from "../kernel/json.ts";
import { freeObject, freeValue, TextOrNull, viewOf, type Given } from "./common.ts";
import { WorkflowProblemView } from "./workflows.ts";

const Effect = Type.Enum(["none", "write", "destructive", "external"], {
  title: "Effect",
  description: "What calling something can change.",
});
const Texts = Type.Array(Type.String());
const Count = Type.Integer({ minimum: 0 });
const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);

/** What was found in a workflow. */
export const verdictMembers = {
  valid: Type.Boolean(),
  errors: Count,
  warnings: Count,
  problems: Type.Array(WorkflowProblemView),
  omitted: Type.Integer({ minimum: 0, description: "How many further problems were left out of the list." }),
};

const confirmation = {
  sibling: Type.Union([Type.String(), Type.Null()], {
    description: "The service of the suite that is asked; null when only a run knows which one.",
  }),
  confirmable: Type.Boolean({ description: "Whether it can as things are set up now." }),
  reason: Type.String(),
  nextAction: TextOrNull,
};

const step = {
  id: Type.String(),
  type: Type.String(),
  title: TextOrNull,
  level: Type.Integer(),
  after: Type.Array(Type.String(), { description: "The steps whose end it waits for." }),
  tool: TextOrNull,
  toolDigest: Type.Union([Type.String(), Type.Null()], {
    description: "Digest of the tool as it is now; as toolDigest of the step it pins this definition.",
  }),
  effect: Effect,
  connection: Type.Optional(
    Type.Object(
      { name: Type.String(), credential: TextOrNull, reachable: Type.String() },
      { description: "Of a connected tool: the credential that is used, and what is known of its server." },
    ),
  ),
  calls: Type.Integer({ description: "How often it may be called at most, retries not counted." }),
  scope: Type.Union([Type.String(), Type.Null()], { description: "The scope that a key needs." }),
  conditional: Type.Boolean({ description: "Whether something decides if it runs." }),
  confirmation: Type.Union([Type.Object(confirmation), Type.Null()], {
    description: "The service that has to confirm what it does, if one has to.",
  }),
  attempts: Type.Integer(),
  worstCaseMs: Type.Union([Type.Number(), Type.Null()], {
    description: "Longest time in milliseconds; null when nothing bounds it.",
  }),
  unresolved: Type.Array(Type.Object({ pointer: Type.String(), source: Type.String() }), {
    description: "Values that are known only when it runs.",
  }),
};
const InnerStep = viewOf("InnerStep", "A step inside of a map.", { ...step, body: Type.Null() });

/** What a run would do. */
export const PlanView = viewOf("Plan", "What a run would do, before it does anything.", {
  documentDigest: Type.String(),
  planDigest: Type.String(),
  executable: Type.Boolean({ description: "True when the document is valid, so that it can be run." }),
  errors: Count,
  levels: Type.Array(Texts),
  steps: Type.Array(
    viewOf("PlannedStep", "A step of a plan.", {
      ...step,
      // Steps inside of a map have no body, which their type does not say.
      body: Type.Unsafe<Json>(Type.Union([Type.Array(InnerStep), Type.Null()])),
    }),
  ),
  effects: Type.Object(
    { none: Count, write: Count, destructive: Count, external: Count },
    { description: "Calls by effect, retries not counted." },
  ),
  approvals: Type.Array(
    Type.Object({
      stepId: Type.String(),
      title: TextOrNull,
      approvers: Texts,
      required: Type.Integer(),
      stepUp: Type.Boolean(),
      dueInMs: NumberOrNull,
      expiresInMs: NumberOrNull,
      hasForm: Type.Boolean(),
    }),
  ),
  unconfirmable: Type.Array(
    Type.Object({
      stepId: Type.String(),
      sibling: TextOrNull,
      reason: Type.String(),
      nextAction: TextOrNull,
    }),
    { description: "Steps that no service can confirm as things are set up now, why, and what to do." },
  ),
  protectedSteps: Texts,
  guardedSteps: Type.Array(Type.String(), {
    description: "Steps with an effect that the policy guards by an approval.",
  }),
  requiredInputs: Texts,
  unresolvedValues: Count,
  maxParallelSteps: Type.Integer({ minimum: 1 }),
  worstCase: Type.Object({ ms: NumberOrNull, path: Texts, unbounded: Texts }),
});

/** What a run would do. */
export type Plan = Given<Static<typeof PlanView>>;

const value = freeValue("Tools and people decide what a step gets and gives.");

/** What a dry run found. */
export const DryRunView = viewOf("DryRun", "What a run would do, computed without changing anything.", {
  kind: Type.Literal("dry_run"),
  state: Type.Enum(["succeeded", "failed", "timed_out", "cancelled"]),
  outputs: freeValue("The workflow's own outputs."),
  error: freeValue("A step's error has the members of its tool.", "Why it failed; null when it did not."),
  inputs: freeObject("The workflow's own inputs."),
  assumedInputs: Texts,
  documentDigest: Type.String(),
  warnings: Count,
  blocked: Type.Array(Type.Object({ stepId: Type.String(), tool: Type.String(), effect: Type.String() }), {
    description: "Calls that would have changed something and were not made.",
  }),
  resultConfirmed: Type.Literal(false, { description: "A dry run sends nothing, so nothing is confirmed." }),
  unconfirmedSteps: Type.Array(
    Type.Object({
      stepId: Type.String(),
      ...confirmation,
      reason: Type.Optional(Type.String()),
      nextAction: Type.Optional(TextOrNull),
    }),
    { description: "Steps that another service has to confirm: which one, and whether it could in a run." },
  ),
  nextAction: TextOrNull,
  skippedMs: Type.Number(),
  trace: Type.Object({
    traceId: Type.String(),
    traceparent: Type.String(),
    steps: Type.Array(
      viewOf("DryStep", "A step of a dry run. Values are there only for who may see them.", {
        stepId: Type.String(),
        state: Type.String(),
        port: TextOrNull,
        source: Type.Enum(["computed", "executed", "pinned", "recorded", "sample", "assumed"], {
          description: "Where the output came from.",
        }),
        note: Type.Optional(Type.String()),
        input: Type.Optional(value),
        output: Type.Optional(value),
        error: Type.Optional(value),
      }),
    ),
  }),
  runId: TextOrNull,
  persisted: Type.Boolean(),
  persistence: Type.String(),
});
/** What a dry run found. */
export type DryRun = Given<Static<typeof DryRunView>>;
