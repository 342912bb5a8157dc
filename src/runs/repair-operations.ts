import { Type } from "typebox";
import { AppError } from "../kernel/errors.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { freeObject, freeValue, inputOf } from "../model/common.ts";
import {
  FailureGroups,
  RepairActionName,
  RepairReport,
  RunComparison,
  RunExplanation,
  type FailureGroupView,
} from "../model/repairs.ts";
import { RunView } from "../model/runs.ts";
import { listedFor, type Caller } from "../ports/caller.ts";
import type { RepairRequest } from "../ports/engine.ts";
import { operationsWith } from "../ports/operations.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { checkMayRepair, seenRun } from "../approvals/access-level.ts";
import { compareRuns } from "./compare.ts";
import { explainRun } from "./explain.ts";
import { runListItem } from "./views.ts";

const { operation, declared } = operationsWith<unknown>();

const id = Type.String({ description: "The id of the run." });
const repair = {
  action: RepairActionName,
  stepId: Type.Optional(Type.String({ maxLength: 200, description: "The step that is repaired." })),
  input: Type.Optional(
    freeObject("Tools and people decide what a step gets and gives.", "What the step gets instead."),
  ),
  output: Type.Optional(
    freeValue(
      "Tools and people decide what a step gets and gives.",
      "What counts as the output of the step.",
    ),
  ),
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: "The version to continue on; the newest when left out." }),
  ),
};
const reason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: "Why, for the record; needed where a step is changed.",
  }),
);
/** Runs of which causes are listed, runs that are looked through for those of one cause, and runs repaired at a time. */
const MOST_RUNS = 1_000;
const MOST_LOOKED_AT = 10_000;
const MOST_REPAIRED = 100;

interface RepairInput {
  readonly action: RepairRequest["action"];
  readonly stepId?: string | undefined;
  readonly input?: RepairRequest["input"] | undefined;
  readonly output?: RepairRequest["output"] | undefined;
  readonly version?: number | undefined;
  readonly reason?: string | undefined;
}

function requestOf(
  runId: string,
  { action, stepId, input, output, version, reason: why }: RepairInput,
  caller: Caller,
): RepairRequest {
  return {
    runId,
    action,
    caller,
    reason: why === undefined || why.trim() === "" ? null : why,
    ...(stepId !== undefined && { stepId }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(version !== undefined && { version }),
  };
}

operation({
  name: "preview_repair",
  title: "Preview a repair",
  description:
    "Says what a repair would do, step by step: which results stay, what runs, which effects would happen again. Does nothing.",
  http: "POST /api/svc/runs/{id}/repair/preview",
  access: "run",
  effect: "none",
  input: inputOf({ id, ...repair, reason }),
  output: Type.Object({ report: RepairReport }),
  examples: [{ id: "run_01", action: "continue" }],
  async run({ id: runId, ...input }, { services, caller }) {
    await checkMayRepair(services, runId, caller);
    return { report: await services.engine.previewRepair(requestOf(runId, input, caller)) };
  },
});

operation({
  name: "repair_run",
  title: "Repair a run",
  description:
    "Lets a failed or timed-out run go on, with the rights of the caller. Results of steps whose input stays the same are kept; approvals that covered something else are asked again.",
  http: "POST /api/svc/runs/{id}/repair",
  access: "run",
  effect: "external",
  idempotent: false,
  status: 202,
  input: inputOf({
    id,
    ...repair,
    reason,
    reportDigest: Type.Optional(
      Type.String({
        maxLength: 100,
        description: "The digest of the report that was looked at; needed to continue on another version.",
      }),
    ),
  }),
  output: Type.Object({ run: RunView }),
  examples: [
    {
      id: "run_01",
      action: "change_input",
      stepId: "send",
      input: { to: "ops" },
      reason: "The address was wrong.",
    },
  ],
  async run({ id: runId, reportDigest, ...input }, { services, caller }) {
    await checkMayRepair(services, runId, caller);
    if (input.action === "continue" && reportDigest === undefined)
      throw new AppError("invalid_input", "To continue on another version, look at the report first.", {
        nextAction: "POST /api/svc/runs/{id}/repair/preview, then give report.digest as reportDigest.",
      });
    const run = await services.engine.repair({
      ...requestOf(runId, input, caller),
      ...(reportDigest !== undefined && { reportDigest }),
    });
    return { run: await runListItem(services, run, caller) };
  },
});

operation({
  name: "list_run_failures",
  title: "List causes of failed runs",
  description: `Failed and timed-out runs by workflow, step and error code: of the newest ${MOST_RUNS} that you may see.`,
  http: "GET /api/svc/run-failures",
  access: "run",
  input: inputOf({
    workflowId: Type.Optional(Type.String({ description: "Only runs of this workflow." })),
  }),
  output: Type.Object({ groups: FailureGroups }),
  run: async ({ workflowId }, { services, caller }) => ({
    groups: groupsOf(await failedRuns(services, caller, workflowId)),
  }),
});

operation({
  name: "repair_runs",
  title: "Repair runs of one cause",
  description: `Repairs the runs of a workflow that failed at this step with this error code in the same way, the oldest first, ${MOST_REPAIRED} at a time; those that cannot be repaired are named with the reason and do not count. With preview it says what would be done.`,
  http: "POST /api/svc/run-failures/repair",
  access: "run",
  effect: "external",
  idempotent: false,
  input: inputOf({
    workflowId: Type.String({ description: "The workflow of the runs." }),
    failedStep: Type.Union([Type.String(), Type.Null()], {
      description: "The step they failed at; null for those that failed as a whole.",
    }),
    code: Type.String({
      maxLength: 100,
      description:
        "The code of their error, or their state where it has none, as list_run_failures gives it.",
    }),
    ...repair,
    reason,
    preview: Type.Optional(Type.Boolean({ description: "Only say what would be done." })),
    reportDigest: Type.Optional(
      Type.String({
        maxLength: 100,
        description: "The digest of the preview; needed to continue on another version.",
      }),
    ),
  }),
  output: Type.Object({
    digest: Type.Union([Type.String(), Type.Null()], { description: "Of a preview." }),
    results: Type.Array(
      Type.Object({
        runId: Type.String(),
        report: Type.Union([RepairReport, Type.Null()]),
        error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
      }),
    ),
    isMore: Type.Boolean({ description: "There are more runs of this cause." }),
  }),
  examples: [{ workflowId: "workflow_01", failedStep: "send", code: "unavailable", action: "retry" }],
  async run({ workflowId, failedStep, code, preview = false, reportDigest, ...input }, { services, caller }) {
    const isSame = (run: RunRecord): boolean => codeOf(run) === code && stepIn(run) === failedStep;
    const all = (await failedRuns(services, caller, workflowId, isSame)).toReversed();
    const each = async (work: (request: RepairRequest) => Promise<RepairReport | null>) => {
      const results = [];
      let repaired = 0;
      // What cannot be repaired does not keep the runs behind it waiting.
      for (const run of all) {
        if (repaired === MOST_REPAIRED) break;
        try {
          await checkMayRepair(services, run.id, caller);
          results.push({ runId: run.id, report: await work(requestOf(run.id, input, caller)), error: null });
          repaired += 1;
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          const { code: why, message } = error;
          results.push({ runId: run.id, report: null, error: { code: why, message } });
        }
      }
      return results;
    };
    const answer = (digest: string | null, results: Awaited<ReturnType<typeof each>>) => ({
      digest,
      results,
      isMore: results.length < all.length,
    });
    if (!preview && input.action !== "continue")
      return answer(null, await each((request) => services.engine.repair(request).then(() => null)));
    const reports = await each((request) => services.engine.previewRepair(request));
    const digest = digestOf(reports.map(({ runId, report }) => [runId, report?.digest ?? null]));
    if (preview) return answer(digest, reports);
    if (digest !== reportDigest)
      throw new AppError("conflict", "To continue on another version, look at the reports first.", {
        nextAction: "Call it with preview: true, then give its digest as reportDigest.",
      });
    const digests = new Map(reports.map(({ runId, report }) => [runId, report?.digest]));
    const results = await each((request) =>
      services.engine.repair({ ...request, reportDigest: digests.get(request.runId) ?? "" }).then(() => null),
    );
    return answer(null, results);
  },
});

operation({
  name: "compare_runs",
  title: "Compare two runs",
  description:
    "Where two runs differ: document, inputs, outputs, and each step's state, input, output and error.",
  http: "GET /api/svc/runs/{id}/compare/{other}",
  access: "mixed",
  input: inputOf({ id, other: Type.String({ description: "The id of the other run." }) }),
  output: Type.Object({ comparison: RunComparison }),
  run: async ({ id: first, other }, { services, caller }) => ({
    comparison: await compareRuns(services, first, other, caller),
  }),
});

operation({
  name: "explain_run",
  title: "Explain a run",
  description: "Says in words what happened in a run, why it stands where it stands, and what can be done.",
  http: "GET /api/svc/runs/{id}/explanation",
  access: "mixed",
  input: inputOf({ id }),
  output: Type.Object({ explanation: RunExplanation }),
  run: async (input, { services, caller }) => ({
    explanation: await explainRun(services, (await seenRun(services, input.id, caller)).run, caller),
  }),
});

/** What callers do so that runs that did not succeed go on. */
export const repairOperations = declared;

async function failedRuns(
  { store }: Services,
  caller: Caller,
  workflowId?: string,
  isWanted: (run: RunRecord) => boolean = () => true,
): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = [];
  let cursor: string | null = "";
  for (
    let looked = 0;
    cursor !== null && found.length < MOST_RUNS && looked < MOST_LOOKED_AT;
    looked += 100
  ) {
    const page: Awaited<ReturnType<typeof store.read.runs.list>> = await store.read.runs.list(
      { limit: 100, ...(cursor !== "" && { cursor }) },
      {
        ...listedFor(caller),
        states: ["failed", "timed_out"],
        ...(workflowId !== undefined && { workflowId }),
      },
    );
    found.push(...page.items.filter((run) => run.kind === "run" && isWanted(run)));
    cursor = page.nextCursor;
  }
  return found;
}

function stepIn({ error }: RunRecord): string | null {
  const step = error?.["step"];
  return typeof step === "string" ? step : null;
}

/** The code of a run's error; the state of a run whose error has none. */
function codeOf({ error, state }: RunRecord): string {
  return typeof error?.["code"] === "string" ? error["code"] : state;
}

function groupsOf(runs: readonly RunRecord[]): FailureGroupView[] {
  const groups = Map.groupBy(runs, (run) => JSON.stringify([run.workflowId, stepIn(run), codeOf(run)]));
  return [...groups.values()]
    .flatMap((group) => {
      const [newest] = group;
      if (newest === undefined) return [];
      const message = newest.error?.["message"];
      return [
        {
          workflowId: newest.workflowId,
          stepId: stepIn(newest),
          code: codeOf(newest),
          message: typeof message === "string" ? message : null,
          count: group.length,
          runIds: group.slice(0, MOST_REPAIRED).map(({ id: runId }) => runId),
          newestAt: newest.createdAt,
        },
      ];
    })
    .toSorted((a, b) => b.count - a.count);
}
