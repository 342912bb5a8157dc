import { Type, type Static } from "typebox";
import type { Json, JsonObject } from "../kernel/json.ts";
import { freeValue, TextOrNull, Time, viewOf } from "./common.ts";
import { REPAIR_ACTIONS, STEP_STATES } from "./states.ts";

const VersionOrNull = Type.Union([Type.Integer(), Type.Null()]);

/** How a run that did not succeed can go on. */
export const RepairActionName = Type.Enum([...REPAIR_ACTIONS], {
  title: "RepairAction",
  description:
    "retry: what failed runs again. rerun: the step and what depends on it runs again. change_input, supply_output, skip: the step gets another input, counts as done with this output, or is left out. continue: the run goes on with another published version.",
});

const RepairStepView = viewOf("RepairStep", "What a repair does with a step.", {
  stepId: Type.String(),
  before: Type.Union([Type.Enum([...STEP_STATES]), Type.Null()]),
  outcome: Type.Enum(["kept", "computed", "runs", "may_run", "asked", "removed"], {
    description:
      "kept: its result stays. computed: it has another result without running. runs: it runs. may_run: it runs unless its input turns out to be the same. asked: people are asked again. removed: the version has no such step.",
  }),
  isEffect: Type.Boolean({ description: "Whether it can change something." }),
  isRepeated: Type.Boolean({ description: "An effect that has happened and would happen again." }),
});
/** What a repair does with a step. */
export type RepairStep = Static<typeof RepairStepView>;

/** What a repair would do. */
export const RepairReport = viewOf("RepairReport", "What a repair would do, step by step.", {
  runId: Type.String(),
  action: RepairActionName,
  stepId: TextOrNull,
  fromVersion: VersionOrNull,
  toVersion: VersionOrNull,
  toDigest: Type.String(),
  steps: Type.Array(RepairStepView),
  digest: Type.String({ description: "Give it to the repair, so that it does what the report says." }),
});
export type RepairReport = Static<typeof RepairReport>;

/** A repair of a run. */
export const RepairView = viewOf("Repair", "What a person changed so that a run can go on.", {
  action: RepairActionName,
  stepId: TextOrNull,
  reason: TextOrNull,
  by: Type.String(),
  at: Time,
  input: Type.Optional(freeValue("Tools and people decide what a step gets and gives.")),
  output: Type.Optional(freeValue("Tools and people decide what a step gets and gives.")),
  version: Type.Optional(Type.Integer()),
});
export type RepairView = Static<typeof RepairView>;

/** The repairs of a run as they are stored. */
export const RunRepairs = Type.Array(
  Type.Object({
    action: RepairActionName,
    /** The step that it is about; null when it is about the whole run. */
    stepId: TextOrNull,
    reason: TextOrNull,
    by: Type.String(),
    at: Type.String(),
    /** What the step gets instead of what the document says. */
    input: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
    /** What counts as the step's output. */
    output: Type.Optional(Type.Unsafe<Json>({})),
    /** The version and document that the run went on with, and those before. */
    version: Type.Optional(Type.Integer()),
    digest: Type.Optional(Type.String()),
    before: Type.Optional(Type.Object({ version: VersionOrNull, digest: Type.String() })),
    /** When the run first began: expressions go on to see that time. */
    startedAt: Type.String(),
  }),
);
/** What a person changed so that a run can go on. */
export type RunRepair = Static<typeof RunRepairs>[number];

const FailureGroupView = viewOf("FailureGroup", "Runs that failed for the same cause.", {
  workflowId: TextOrNull,
  stepId: TextOrNull,
  code: Type.String(),
  message: TextOrNull,
  count: Type.Integer(),
  runIds: Type.Array(Type.String(), { description: "The newest first, 100 at most." }),
  newestAt: Time,
});
/** Runs that failed for the same cause. */
export type FailureGroupView = Static<typeof FailureGroupView>;
/** Runs that did not succeed, by cause. */
export const FailureGroups = Type.Array(FailureGroupView);

const DIFFERENCES = ["status", "input", "output", "error", "missing"] as const;
const ComparedStep = viewOf("ComparedStep", "A step in two runs.", {
  stepId: Type.String(),
  first: Type.Union([Type.Enum([...STEP_STATES]), Type.Null()]),
  second: Type.Union([Type.Enum([...STEP_STATES]), Type.Null()]),
  differs: Type.Array(Type.Enum([...DIFFERENCES]), {
    description: "Empty when the step did the same in both.",
  }),
});
/** A step in two runs. */
export type ComparedStep = Static<typeof ComparedStep>;

/** Two runs side by side. */
export const RunComparison = viewOf("RunComparison", "Where two runs differ.", {
  runIds: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
  isSameDocument: Type.Boolean(),
  isSameInputs: Type.Boolean(),
  isSameOutputs: Type.Boolean(),
  firstDifference: TextOrNull,
  steps: Type.Array(ComparedStep),
});
export type RunComparison = Static<typeof RunComparison>;

/** A run in words. */
export const RunExplanation = viewOf("RunExplanation", "What happened in a run and why, in words.", {
  runId: Type.String(),
  sentences: Type.Array(Type.String()),
  next: Type.Array(Type.String(), { description: "What can be done now." }),
});
export type RunExplanation = Static<typeof RunExplanation>;
