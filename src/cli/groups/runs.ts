import {
  cell,
  jsonBlock,
  listResult,
  next,
  object,
  objects,
  recordResult,
  resolveId,
  text,
} from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { jsonOption } from "../input.ts";
import type { Block, Result } from "../output.ts";
import { agree } from "../prompt.ts";
import { watchRun } from "../watch.ts";

const RUNS = "/api/svc/runs";
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
];

/** Runs of workflows. */
export const handlers: Handlers = {
  async "runs list"(cli) {
    const { given } = cli;
    const workflow = given.option("workflow");
    const query = {
      workflowId: workflow === undefined ? undefined : await resolveId(cli, workflow, "workflow"),
      status: given.option("status"),
      limit: given.integer("limit", 1, 100),
      cursor: given.option("cursor"),
    };
    return listResult(cli, await cli.client().get(RUNS, query), "runs", [
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
    const envelope = await cli.client().post(`${RUNS}/${encodeURIComponent(id)}/retry`);
    return recordResult(envelope, object(envelope.data["run"]), SHOWN, [next(`suitectl runs watch ${id}`)]);
  },
  async "runs settle"(cli) {
    const { given } = cli;
    const outcome = given.option("outcome");
    if (outcome === undefined)
      throw new Failure("usage", "What happened?", { next: "Add --outcome succeeded, failed or retry." });
    const output = given.option("output");
    const id = await resolveId(cli, given.argument("id"), "run");
    const reason = given.option("reason");
    const body = {
      stepId: given.argument("step"),
      outcome,
      ...(reason !== undefined && { reason }),
      ...(output !== undefined && { output: await jsonOption(output, "--output") }),
    };
    const envelope = await cli.client().post(`${RUNS}/${encodeURIComponent(id)}/settle`, body);
    return recordResult(envelope, object(envelope.data["run"]), SHOWN);
  },
};

async function get(cli: Cli): Promise<Result> {
  const id = await resolveId(cli, cli.given.argument("id"), "run");
  const envelope = await cli.client().get(`${RUNS}/${encodeURIComponent(id)}`);
  const run = object(envelope.data["run"]);
  const steps: Block = {
    kind: "table",
    columns: ["STEP", "STATUS", "ATTEMPT", "PORT", "STARTED", "FINISHED", "ERROR"],
    rows: objects(run["steps"]).map((step) => [
      cell(step["id"]),
      cell(step["status"]),
      cell(step["attempt"]),
      cell(step["port"]),
      cell(step["startedAt"]),
      cell(step["finishedAt"]),
      cell(object(step["error"])["message"] ?? object(step["error"])["code"]),
    ]),
  };
  const error = object(run["error"]);
  const waiting = objects(run["approvals"]).filter((approval) => approval["status"] === "pending");
  return recordResult(
    envelope,
    run,
    [
      ...SHOWN,
      ...(error["code"] === undefined ? [] : [["error", error["message"] ?? error["code"]] as const]),
    ],
    [
      { kind: "text", text: "" },
      steps,
      ...objects(run["steps"]).flatMap((step): readonly Block[] => {
        const { by, outcome, reason } = object(step["settled"]);
        if (by === undefined) return [];
        const why = typeof reason === "string" ? `: ${reason}` : "";
        return [{ kind: "note", text: `Settled by ${text(by)}: ${text(step["id"])} ${text(outcome)}${why}` }];
      }),
      ...objects(run["unconfirmedSteps"]).map((step): Block => ({
        kind: "note",
        text: `Not confirmed: ${text(step["stepId"])}. ${text(step["reason"])}`,
      })),
      ...(run["outputs"] === null || run["outputs"] === undefined
        ? []
        : [{ kind: "text", text: "\nOutputs:" } as const, jsonBlock(run["outputs"])]),
      ...waiting.map((approval) => next(`suitectl approvals show ${text(approval["id"])}`)),
    ],
  );
}
