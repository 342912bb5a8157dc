import { Type, type Static } from "typebox";
import { ApprovalView } from "./approvals.ts";
import {
  documentObject,
  FailureView,
  freeValue,
  RedactedMark,
  TextOrNull,
  Time,
  TimeOrNull,
  viewOf,
  VisibilityName,
} from "./common.ts";
import { ScopeName } from "./keys.ts";
import { RepairView } from "./repairs.ts";
import { ATTEMPT_STATES, RUN_STATES, STEP_STATES } from "./states.ts";

/** Where a run stands. */
export const RunStateName = Type.Enum([...RUN_STATES], {
  title: "RunState",
  description: "Where a run stands.",
});

const StepStateName = Type.Enum([...STEP_STATES], {
  title: "StepState",
  description: "Where a step of a run stands.",
});

const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()]);
const FailureOrNull = Type.Union([FailureView, Type.Null()]);
const stepValue = freeValue("Tools and people decide what a step gets and gives.");

const UnconfirmedStep = viewOf(
  "UnconfirmedStep",
  "A step whose effect outside of this service nobody has confirmed.",
  {
    stepId: Type.String(),
    reason: Type.String(),
    sent: Type.Boolean({ description: "True when an answer shows that the other service has it." }),
  },
);

const confirmation = {
  resultConfirmed: Type.Boolean({
    description:
      "True when the run succeeded and every step that changes something outside has a confirmed reference.",
  }),
  unconfirmedSteps: Type.Array(UnconfirmedStep, { description: "The first 100 of them." }),
};
const Confirmation = Type.Object(confirmation);
/** What may be reported of a run's result. */
export type RunConfirmation = Static<typeof Confirmation>;

const run = {
  id: Type.String(),
  workflowId: TextOrNull,
  workflowVersion: IntegerOrNull,
  workflowName: Type.Union([Type.String(), Type.Null()], {
    description: "What the workflow was called in the version that runs.",
  }),
  documentDigest: TextOrNull,
  kind: Type.Enum(["run", "dry_run"]),
  status: RunStateName,
  visibility: VisibilityName,
  createdAt: Time,
  startedAt: TimeOrNull,
  finishedAt: TimeOrNull,
  wakeAt: TimeOrNull,
  detailsRemovedAt: Type.Optional(
    Type.String({ description: "When retention removed its values, steps and approvals." }),
  ),
  traceId: Type.String(),
  traceUrl: Type.String({ description: "Where the trace of the run can be read." }),
  ...confirmation,
  startedBy: Type.Optional(Type.String({ description: "Not shown to strangers." })),
  error: Type.Optional(FailureOrNull),
  parentRunId: Type.Optional(TextOrNull),
};

/** A run as a list shows it. */
export const RunView = viewOf("Run", "A run as a list shows it.", run);
export type RunView = Static<typeof RunView>;

const AttemptView = viewOf("Attempt", "One attempt at a step.", {
  attempt: Type.Integer(),
  status: Type.Enum([...ATTEMPT_STATES]),
  spanId: Type.String(),
  error: FailureOrNull,
  startedAt: Time,
  finishedAt: TimeOrNull,
});

const SettlementView = viewOf(
  "Settlement",
  "What a person reported became of a step whose outcome was unknown.",
  {
    outcome: Type.String(),
    by: Type.String(),
    reason: TextOrNull,
    at: Type.String(),
  },
);
/** What a person reported became of a step. */
export type SettlementView = Static<typeof SettlementView>;

/** A step of a run; strangers see only how far it is. */
export const StepView = viewOf("Step", "A step of a run. Strangers see only how far it is.", {
  id: Type.String({ description: "The id of the node, with [index] for an item of a map." }),
  status: StepStateName,
  attempt: Type.Integer(),
  startedAt: TimeOrNull,
  finishedAt: TimeOrNull,
  port: Type.Optional(TextOrNull),
  input: Type.Optional(stepValue),
  output: Type.Optional(stepValue),
  error: Type.Optional(FailureOrNull),
  settled: Type.Optional(SettlementView),
  idempotencyKey: Type.Optional(TextOrNull),
  wakeAt: Type.Optional(TimeOrNull),
  attempts: Type.Optional(Type.Array(AttemptView)),
});
export type StepView = Static<typeof StepView>;

/** What a map did with one item. */
export const MapItemView = viewOf("MapItem", "What a map did with one item of its list.", {
  index: Type.Integer({ minimum: 0, description: "Its place in the list, from 0 on." }),
  status: StepStateName,
  steps: Type.Array(StepView),
});
export type MapItemView = Static<typeof MapItemView>;

const MapItemsView = viewOf("MapItems", "How far the items of a map are.", {
  stepId: Type.String({ description: "The map." }),
  items: Type.Integer({ description: "How many items have begun." }),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  shown: Type.Integer({
    description: "How many of them have their steps in this answer, failed ones first.",
  }),
});
/** How far the items of a map are. */
export type MapItems = Static<typeof MapItemsView>;

/** Something that was sent to a run. */
export const SignalView = viewOf("Signal", "Something that was sent to a run under a name.", {
  id: Type.String(),
  name: Type.String(),
  payload: Type.Optional(freeValue("Tools and people decide what a step gets and gives.")),
  sentBy: Type.String(),
  sentAt: Time,
  usedBy: Type.Union([Type.String(), Type.Null()], {
    description: "The step that it was delivered to; null while none has used it.",
  }),
});
export type SignalView = Static<typeof SignalView>;

const Resolution = viewOf(
  "RunResolution",
  "What the steps of a run refer to, as it was when the run started; null where there was nothing.",
  {
    workflows: Type.Record(
      Type.String(),
      Type.Union([Type.Object({ version: Type.Integer(), digest: Type.String() }), Type.Null()]),
    ),
    definitions: Type.Record(Type.String(), TextOrNull),
    late: Type.Optional(
      Type.Boolean({ description: "The run began before this was kept, so it is what was there later." }),
    ),
  },
);

/** A run with its steps, as far as the caller may see it. */
export const RunDetail = viewOf(
  "RunDetail",
  "A run with its steps. Values are there only for who may see them.",
  {
    ...run,
    inputs: Type.Optional(freeValue("The workflow's own inputs.")),
    outputs: Type.Optional(freeValue("The workflow's own outputs.")),
    scopes: Type.Optional(Type.Array(ScopeName)),
    actsFor: Type.Optional(
      Type.String({ description: "Whose rights its steps act with: who started it, or retried it last." }),
    ),
    parentStepId: Type.Optional(TextOrNull),
    handoffId: Type.Optional(TextOrNull),
    resolved: Type.Optional(Type.Union([Resolution, Type.Null()])),
    steps: Type.Array(StepView),
    maps: Type.Optional(Type.Array(MapItemsView)),
    approvals: Type.Optional(Type.Array(ApprovalView)),
    signals: Type.Optional(Type.Array(SignalView)),
    repairs: Type.Optional(Type.Array(RepairView)),
    values: Type.Optional(RedactedMark),
  },
);
export type RunDetail = Static<typeof RunDetail>;

/** The document that a run runs. */
export const RunDocument = viewOf("RunDocument", "The document that a run was started with.", {
  runId: Type.String(),
  workflowId: TextOrNull,
  workflowVersion: IntegerOrNull,
  documentDigest: TextOrNull,
  name: TextOrNull,
  isCurrent: Type.Boolean({ description: "Whether the workflow is still as it was." }),
  document: Type.Union([documentObject, Type.Null()]),
});
export type RunDocument = Static<typeof RunDocument>;

const SpanView = viewOf("Span", "A part of a trace that has begun.", {
  traceId: Type.String(),
  spanId: Type.String(),
  parentSpanId: TextOrNull,
  name: Type.String(),
  startedAt: Time,
  finishedAt: TimeOrNull,
  status: Type.Enum(["ok", "error", "unset"]),
  attributes: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])),
});
/** A part of a trace. */
export type SpanView = Static<typeof SpanView>;

/** The runs of one trace as a tree of spans. */
export const TraceView = viewOf("Trace", "The runs of one trace, and their spans.", {
  traceId: Type.String(),
  runs: Type.Array(Type.Object({ id: Type.String(), status: RunStateName })),
  spans: Type.Array(SpanView),
});
export type TraceView = Static<typeof TraceView>;
