import type { Envelope } from "../../kernel/envelope.ts";
import { listResult, recordResult } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import type { Result } from "../output.ts";
import { agree } from "../prompt.ts";

const RETENTION = "/api/svc/retention";
const LIMITS = { detailsDays: "details-days", runsDays: "runs-days", runsKept: "keep" } as const;

/** How long runs are kept. */
export const handlers: Handlers = {
  "retention list": async (cli) => rules(cli, await cli.client().get(RETENTION)),
  async "retention preview"(cli) {
    const envelope = await cli.client().get(`${RETENTION}/preview`, ruleIn(cli));
    return recordResult(envelope, envelope.data, ["details", "runs", "isComplete"]);
  },
  async "retention set"(cli) {
    await agree("Remove what is past these limits, now and from now on?", cli.given.flag("yes"));
    return rules(cli, await cli.client().post(RETENTION, ruleIn(cli)));
  },
  async "retention remove"(cli) {
    return rules(cli, await cli.client().remove(RETENTION, { workflowId: cli.given.option("workflow") }));
  },
};

function ruleIn({ given }: Cli): Record<string, string | number> {
  const rule: Record<string, string | number> = {};
  const workflowId = given.option("workflow");
  if (workflowId !== undefined) rule["workflowId"] = workflowId;
  for (const [member, option] of Object.entries(LIMITS)) {
    const limit = given.integer(option, 0);
    if (limit !== undefined) rule[member] = limit;
  }
  return rule;
}

function rules(cli: Cli, envelope: Envelope): Result {
  return listResult(
    cli,
    envelope,
    "rules",
    [
      ["WORKFLOW", (rule) => rule["workflowName"] ?? rule["workflowId"] ?? "(all others)"],
      ["DETAILS FOR DAYS", "detailsDays"],
      ["RUNS FOR DAYS", "runsDays"],
      ["RUNS KEPT", "runsKept"],
      ["SET", "updatedAt"],
    ],
    "workflowId",
  );
}
