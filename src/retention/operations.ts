import { Type } from "typebox";
import { recordEntry } from "../audit/record.ts";
import { AppError, invalidValue, problemAt } from "../kernel/errors.ts";
import { inputOf } from "../model/common.ts";
import { RetentionPreview, RetentionRuleView } from "../model/retention.ts";
import { operationsWith } from "../ports/operations.ts";
import type { RetentionRule } from "../ports/retention.ts";
import type { Services } from "../ports/services.ts";
import { pastLimits, workflowsUnder, type Limits } from "./due.ts";
import type { Loop } from "../kernel/loop.ts";

/** Counting more would take a database longer than a person waits. */
const MOST_COUNTED = 10_000;

/** What the operations of retention work with. */
export interface RetentionOperationParts {
  readonly pruner: Pick<Loop, "wake">;
}

const { operation, declared } = operationsWith<RetentionOperationParts>();

const RULE_INPUT = {
  workflowId: Type.Optional(
    Type.String({ description: "The workflow; without it, every workflow that has no rule of its own." }),
  ),
  detailsDays: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 36_500,
      description: "Days after which inputs, outputs, steps and approvals of an ended run are removed.",
    }),
  ),
  runsDays: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 36_500,
      description: "Days after which an ended run is removed. Its signed record stays.",
    }),
  ),
  runsKept: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: "How many ended runs of a workflow are kept." }),
  ),
};

operation({
  name: "list_retention_rules",
  title: "List retention rules",
  description: "How long ended runs are kept: for all workflows, and for those with a rule of their own.",
  http: "GET /api/svc/retention",
  access: "admin",
  input: inputOf({}),
  output: Type.Object({ rules: Type.Array(RetentionRuleView) }),
  run: async (_input, { services }) => ({ rules: await views(services) }),
});

operation({
  name: "set_retention_rule",
  title: "Set a retention rule",
  description:
    "Says how long ended runs are kept; replaces the rule that was set. What is past a limit is removed at once and for good; signed records stay.",
  http: "POST /api/svc/retention",
  access: "admin",
  effect: "destructive",
  idempotent: true,
  input: inputOf(RULE_INPUT),
  output: Type.Object({ rules: Type.Array(RetentionRuleView) }),
  examples: [{ detailsDays: 30, runsDays: 365 }],
  rules: (input) =>
    Object.values(limitsIn(input)).every((limit) => limit === null)
      ? [problemAt("runsDays", "at least one of detailsDays, runsDays and runsKept")]
      : [],
  async run(input, { services, caller }, { pruner }) {
    const { store, clock } = services;
    const workflowId = input.workflowId ?? null;
    if (workflowId !== null && (await store.read.workflows.head(workflowId)) === null) {
      throw invalidValue("workflowId", "the id of a workflow");
    }
    const limits = limitsIn(input);
    const updatedAt = new Date(clock.now()).toISOString();
    await store.transact(async (tx) => {
      await tx.retention.put({ workflowId, ...limits, updatedAt, updatedBy: caller.id });
      await recordEntry(tx, {
        action: "retention.set",
        by: caller.id,
        subject: subjectOf(workflowId),
        detail: { ...limits },
        provenanceId: null,
      });
    });
    pruner.wake();
    return { rules: await views(services) };
  },
});

operation({
  name: "remove_retention_rule",
  title: "Remove a retention rule",
  description: "Removes a rule. What it removed does not come back; what is there is kept from now on.",
  http: "DELETE /api/svc/retention",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({ workflowId: RULE_INPUT.workflowId }),
  output: Type.Object({ rules: Type.Array(RetentionRuleView) }),
  async run(input, { services, caller }) {
    const workflowId = input.workflowId ?? null;
    await services.store.transact(async (tx) => {
      if (!(await tx.retention.remove(workflowId))) {
        throw new AppError("not_found", "There is no such retention rule.", {
          nextAction: "See list_retention_rules.",
        });
      }
      await recordEntry(tx, {
        action: "retention.removed",
        by: caller.id,
        subject: subjectOf(workflowId),
        detail: {},
        provenanceId: null,
      });
    });
    return { rules: await views(services) };
  },
});

operation({
  name: "preview_retention_rule",
  title: "Preview a retention rule",
  description: "What a rule would remove if it were set now. Nothing is changed.",
  http: "GET /api/svc/retention/preview",
  access: "admin",
  input: inputOf(RULE_INPUT),
  output: RetentionPreview,
  async run(input, { services }) {
    const { read } = services.store;
    const rule = { workflowId: input.workflowId ?? null };
    const counted = { details: 0, run: 0 };
    for await (const workflowId of workflowsUnder(rule, await read.retention.rules(), read)) {
      const most = { details: 0, run: 0 };
      // Limits of one stage lie within each other: the widest counts.
      for (const old of await pastLimits(limitsIn(input), workflowId, services.clock.now(), read)) {
        // A run is removed whether or not its details are gone already.
        const withDetails = await read.retention.count({ ...old, stage: "details" }, MOST_COUNTED);
        const without =
          old.stage === "run" ? await read.retention.count({ ...old, stage: "run" }, MOST_COUNTED) : 0;
        most[old.stage] = Math.max(most[old.stage], withDetails + without);
      }
      counted.details += most.details;
      counted.run += most.run;
      if (Math.max(counted.details, counted.run) >= MOST_COUNTED) break;
    }
    return {
      details: Math.min(counted.details, MOST_COUNTED),
      runs: Math.min(counted.run, MOST_COUNTED),
      isComplete: Math.max(counted.details, counted.run) < MOST_COUNTED,
    };
  },
});

/** What operators do about how long runs are kept. */
export const retentionOperations = declared;

function limitsIn(input: { readonly [K in keyof Limits]?: number }): Limits {
  return {
    detailsDays: input.detailsDays ?? null,
    runsDays: input.runsDays ?? null,
    runsKept: input.runsKept ?? null,
  };
}

function subjectOf(workflowId: string | null): string {
  return workflowId === null ? "retention" : `workflows/${workflowId}`;
}

async function views({ store }: Services): Promise<RetentionRuleView[]> {
  const rules: readonly RetentionRule[] = await store.read.retention.rules();
  return Promise.all(
    rules.map(async (rule) => {
      const workflow = rule.workflowId === null ? null : await store.read.workflows.get(rule.workflowId);
      return { ...rule, workflowName: workflow?.name ?? null };
    }),
  );
}
