import { cell, jsonBlock, listResult, next, object, recordResult, resolveId } from "../answers.ts";
import { SETTLE_OUTCOMES } from "../../model/states.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { jsonOption } from "../input.ts";
import type { Block, Result } from "../output.ts";
import { agree } from "../prompt.ts";
import { watchRun } from "../watch.ts";

const SHOWN = [
  "id",
  "status",
  "kind",
  "workflowId",
  "workflowVersion",
  "createdAt",
  "startedAt",
  "finishedAt",
  "resultConfirmed",
  "wakeAt",
  "startedBy",
  "traceUrl",
] as const;

/** Runs of workflows. */
export const handlers: Handlers = {
  async "runs list"(cli) {
    const { given } = cli;
    const workflow = given.option("workflow");
    const query = {
      workflowId: workflow === undefined ? undefined : await resolveId(cli, workflow, "workflow"),
      status: given.option("status"),
      startedBy: given.option("started-by"),
      from: given.option("from"),
      to: given.option("to"),
      text: given.option("text"),
      limit: given.integer("limit", 1, 100),
      cursor: given.option("cursor"),
    };
    return listResult(cli, await cli.client().run("list_runs", query), "runs", [
      ["ID", "id"],
      ["STATUS", "status"],
      ["WORKFLOW", "workflowId"],
      ["KIND", "kind"],
      ["STARTED", "createdAt"],
      ["FINISHED", "finishedAt"],
    ]);
  },
  "runs get": get,
  async "runs watch"(cli) {
    const id = await resolveId(cli, cli.given.argument("id"), "run");
    return watchRun(cli, id, cli.given.flag("until-waiting"));
  },
  async "runs cancel"(cli) {
    const id = await resolveId(cli, cli.given.argument("id"), "run");
    await agree(`Stop the run ${id}? What it has done is not undone.`, cli.given.flag("yes"));
    const envelope = await cli.client().call("cancel_workflow_run", { id });
    return recordResult(envelope, object(envelope.data["run"]), SHOWN);
  },
  async "runs retry"(cli) {
    const id = await resolveId(cli, cli.given.argument("id"), "run");
    const envelope = await cli.client().run("retry_run", { id });
    return recordResult(envelope, envelope.data.run, SHOWN, [next(`suitectl runs watch ${id}`)]);
  },
  async "runs settle"(cli) {
    const { given } = cli;
    const outcome = given.choice("outcome", SETTLE_OUTCOMES);
    if (outcome === undefined)
      throw new Failure("usage", "What happened?", { next: "Add --outcome succeeded, failed or retry." });
    const output = given.option("output");
    const id = await resolveId(cli, given.argument("id"), "run");
    const envelope = await cli.client().run("settle_step", {
      id,
      stepId: given.argument("step"),
      outcome,
      reason: given.option("reason"),
      output: output === undefined ? undefined : await jsonOption(output, "--output"),
    });
    return recordResult(envelope, envelope.data.run, SHOWN);
  },
};

async function get(cli: Cli): Promise<Result> {
  const id = await resolveId(cli, cli.given.argument("id"), "run");
  const envelope = await cli.client().run("get_run", { id });
  const { run } = envelope.data;
  const { error, outputs } = run;
  const steps: Block = {
    kind: "table",
    columns: ["STEP", "STATUS", "ATTEMPT", "PORT", "STARTED", "FINISHED", "ERROR"],
    rows: run.steps.map((step) =>
      [
        step.id,
        step.status,
        step.attempt,
        step.port,
        step.startedAt,
        step.finishedAt,
        step.error?.message ?? step.error?.code,
      ].map(cell),
    ),
  };
  const waiting = (run.approvals ?? []).filter(({ status }) => status === "pending");
  return recordResult(
    envelope,
    run,
    [...SHOWN, ...((error ?? null) === null ? [] : [["error", error?.message ?? error?.code] as const])],
    [
      { kind: "text", text: "" },
      steps,
      ...run.steps.flatMap(({ id: stepId, settled }): readonly Block[] => {
        if (settled === undefined) return [];
        const why = settled.reason === null ? "" : `: ${settled.reason}`;
        return [{ kind: "note", text: `Settled by ${settled.by}: ${stepId} ${settled.outcome}${why}` }];
      }),
      ...run.unconfirmedSteps.map(({ stepId, reason }): Block => ({
        kind: "note",
        text: `Not confirmed: ${stepId}. ${reason}`,
      })),
      ...((outputs ?? null) === null
        ? []
        : [{ kind: "text", text: "\nOutputs:" } as const, jsonBlock(outputs)]),
      ...waiting.map((approval) => next(`suitectl approvals show ${approval.id}`)),
    ],
  );
}
