import type { InputOf } from "../../../packages/client/client.ts";
import { HANDOFF_STATES } from "../../model/states.ts";
import type { Cli } from "../command.ts";
import { cursorOption, limitOption, recordId, yesOption } from "../conventions.ts";
import { byId, list, page, record } from "../from-operation.ts";
import { optionalJson } from "../input.ts";
import { resolveId } from "../newest.ts";
import type { Result } from "../output.ts";
import { agree } from "../asking.ts";
import { jsonBlock, line, next, recordResult } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";
import { artifactOf, artifactSource, NOTE } from "./artifacts.ts";

const target = argument("target", "The sibling: sandbox, evals, docs, sheets, catalog, browsercheck, …");
const artifact = { ...artifactSource, optional: true };
const action = option("--action <CAPABILITY>", "What the target should do; receive when left out.");
const status = option("--status <STATUS>", "Only handoffs in this state.", { choices: HANDOFF_STATES });
const COLUMNS = {
  CAPABILITY: "capability",
  STATUS: "status",
  RESULT: "resultRef",
  CREATED: "createdAt",
} as const;

/** Work handed to and received from siblings. */
export const handoffs = group("handoffs", {
  preview: {
    summary: "The packet that would hand an artifact to a sibling. Sends nothing.",
    access: "public",
    args: [target, artifact],
    options: [action],
    examples: [
      example("See the packet before it is sent", "sandbox -", [], {
        stdin: NOTE,
      }),
    ],
    run: (cli) => delegate(cli, true),
  },
  send: {
    summary: "Hand an artifact to a sibling; completed only when it confirms a result.",
    args: [target, artifact],
    options: [action, yesOption],
    examples: [
      example("Have a report made of the newest artifact", "docs latest --action report --yes", [
        "artifact",
        "siblings",
      ]),
    ],
    run: (cli) => delegate(cli, false),
  },
  inbox: list({
    summary: "Handoffs that came in, newest first.",
    options: [status, limitOption, cursorOption],
    examples: [example("The inbox")],
    operation: "list_handoffs",
    input: (cli) => inBox(cli, "in"),
    rows: "handoffs",
    columns: { ID: "id", FROM: "peer", ...COLUMNS },
  }),
  outbox: list({
    summary: "Handoffs that were sent, newest first.",
    options: [status, limitOption, cursorOption],
    examples: [example("What was sent")],
    operation: "list_handoffs",
    input: (cli) => inBox(cli, "out"),
    rows: "handoffs",
    columns: { ID: "id", TO: "peer", ...COLUMNS },
  }),
  show: record({
    summary: "One handoff: where it stands, what was tried and what was confirmed.",
    args: [recordId("handoff")],
    examples: [example("The newest handoff", "latest", ["handoff"])],
    operation: "get_handoff",
    input: byId("handoff"),
    fields: [
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
    ],
    more: ({ packet }) => [line("\nThe packet:"), jsonBlock(packet)],
  }),
  run: {
    summary: "Start a workflow from an accepted handoff; its outcome becomes the handoff's.",
    args: [recordId("handoff"), argument("workflow", "The id of the workflow; `latest` is the newest one.")],
    options: [option("--inputs <JSON>", "The run's inputs.", { kind: "file" })],
    examples: [
      example("Start the newest workflow from the newest handoff", "latest latest", ["handoff", "workflow"]),
    ],
    async run(cli) {
      const { given } = cli;
      const { id } = await byId("handoff")(cli);
      const workflowId = await resolveId(cli, given.argument("workflow"), "workflow");
      const inputs = await optionalJson(cli, "inputs");
      const envelope = await cli.client().run("run_handoff", { id, workflowId, inputs });
      const { run } = envelope.data;
      const watch = next(`suitectl runs watch ${run.id}`);
      return recordResult(envelope, run, ["id", "status", "workflowId", ["handoff", id]], [watch]);
    },
  },
});

function inBox(cli: Cli, direction: "in" | "out"): InputOf<"list_handoffs"> {
  return { direction, state: cli.given.choice("status", HANDOFF_STATES), ...page(cli) };
}

async function delegate(cli: Cli, dryRun: boolean): Promise<Result> {
  const { given } = cli;
  const targetService = given.argument("target");
  const source = given.optionalArgument("artifact");
  const handed = source === undefined ? undefined : await artifactOf(cli, source);
  if (!dryRun) await agree(`Hand this over to ${targetService}?`, given.flag("yes"));
  const input = { targetService, dryRun, artifact: handed, action: given.option("action") };
  const envelope = await cli.client().run("delegate_artifact", input);
  const { data } = envelope;
  const result = recordResult(
    envelope,
    data,
    [
      ["id", data.delegationId],
      ["to", targetService],
      "status",
      ["result", data.resultRef],
      ["next", data.nextAction],
    ],
    dryRun ? [line("\nThe packet:"), jsonBlock(data.packet)] : [],
  );
  return { ...result, ids: [data.delegationId] };
}
