import { cell, jsonBlock, listResult, next, object, recordResult, resolveId, text } from "../answers.ts";
import type { Cli, Handler, Handlers } from "../command.ts";
import { jsonOption } from "../input.ts";
import type { Result } from "../output.ts";
import { agree } from "../prompt.ts";
import { artifactOf } from "./artifacts.ts";

const HANDOFFS = "/api/svc/handoffs";
const SHOWN = [
  "id",
  "direction",
  "peer",
  "capability",
  "intent",
  "status",
  "attempts",
  "nextAttemptAt",
  "resultRef",
  "runId",
  "createdAt",
];

/** Work handed to and received from siblings. */
export const handlers: Handlers = {
  "handoffs preview": (cli) => delegate(cli, true),
  "handoffs send": (cli) => delegate(cli, false),
  "handoffs inbox": box("in"),
  "handoffs outbox": box("out"),
  async "handoffs show"(cli) {
    const id = await resolveId(cli, cli.given.argument("id"), "handoff");
    const envelope = await cli.client().get(`${HANDOFFS}/${encodeURIComponent(id)}`);
    return recordResult(envelope, envelope.data, SHOWN, [
      { kind: "text", text: "\nThe packet:" },
      jsonBlock(envelope.data["packet"]),
    ]);
  },
  async "handoffs run"(cli) {
    const { given } = cli;
    const id = await resolveId(cli, given.argument("id"), "handoff");
    const workflowId = await resolveId(cli, given.argument("workflow"), "workflow");
    const inputs = given.option("inputs");
    const body = {
      workflowId,
      ...(inputs !== undefined && { inputs: await jsonOption(inputs, "--inputs") }),
    };
    const envelope = await cli.client().post(`${HANDOFFS}/${encodeURIComponent(id)}/run`, body);
    const run = object(envelope.data["run"]);
    return recordResult(
      envelope,
      run,
      ["id", "status", "workflowId", ["handoff", id]],
      [next(`suitectl runs watch ${text(run["id"])}`)],
    );
  },
};

async function delegate(cli: Cli, dryRun: boolean): Promise<Result> {
  const { given } = cli;
  const targetService = given.argument("target");
  const source = given.optionalArgument("artifact");
  const action = given.option("action");
  const artifact = source === undefined ? undefined : await artifactOf(cli, source);
  if (!dryRun) await agree(`Hand this over to ${targetService}?`, given.flag("yes"));
  const envelope = await cli.client().call("delegate_artifact", {
    targetService,
    dryRun,
    ...(artifact && { artifact }),
    ...(action !== undefined && { action }),
  });
  const { data } = envelope;
  const result = recordResult(
    envelope,
    data,
    [
      ["id", data["delegationId"]],
      ["to", targetService],
      "status",
      ["result", cell(data["resultRef"])],
      ["next", data["nextAction"]],
    ],
    dryRun ? [{ kind: "text", text: "\nThe packet:" }, jsonBlock(data["packet"])] : [],
  );
  return { ...result, ids: [text(data["delegationId"])] };
}

function box(direction: "in" | "out"): Handler {
  return async (cli) => {
    const { given } = cli;
    const query = {
      direction,
      state: given.option("status"),
      limit: given.integer("limit", 1, 100),
      cursor: given.option("cursor"),
    };
    return listResult(cli, await cli.client().get(HANDOFFS, query), "handoffs", [
      ["ID", "id"],
      [direction === "in" ? "FROM" : "TO", "peer"],
      ["CAPABILITY", "capability"],
      ["STATUS", "status"],
      ["RESULT", "resultRef"],
      ["CREATED", "createdAt"],
    ]);
  };
}
