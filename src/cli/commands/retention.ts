import type { Cli } from "../command.ts";
import { yesOption } from "../conventions.ts";
import { list, record } from "../from-operation.ts";
import { agree } from "../asking.ts";
import type { Columns } from "../results.ts";
import { example, group, option } from "../spec.ts";
import type { RetentionRule } from "../../../packages/client/client.ts";

const workflow = option(
  "--workflow <ID>",
  "The workflow; without it, every workflow that has no rule of its own.",
);
const limits = [
  workflow,
  option("--details-days <N>", "Remove inputs, outputs, steps and approvals N days after a run ended."),
  option("--runs-days <N>", "Remove runs N days after they ended."),
  option("--keep <N>", "Keep only the N newest ended runs of a workflow."),
];
const rules = {
  rows: "rules",
  columns: {
    WORKFLOW: (rule) => rule.workflowName ?? rule.workflowId ?? "(all others)",
    "DETAILS FOR DAYS": "detailsDays",
    "RUNS FOR DAYS": "runsDays",
    "RUNS KEPT": "runsKept",
    SET: "updatedAt",
  } satisfies Columns<RetentionRule>,
  id: "workflowId",
} as const;

/** How long runs are kept. */
export const retention = group("retention", {
  list: list({
    summary: "How long ended runs are kept. Needs the scope admin.",
    examples: [example("Every rule")],
    operation: "list_retention_rules",
    input: () => ({}),
    ...rules,
  }),
  preview: record({
    summary: "What a rule would remove now; nothing is changed.",
    options: limits,
    examples: [example("What 30 days would remove", "--details-days 30")],
    operation: "preview_retention_rule",
    input: ruleIn,
    fields: ["details", "runs", "isComplete"],
  }),
  set: list({
    summary: "Set how long ended runs are kept; what is past a limit is removed for good.",
    about: "Signed records stay: receipts and proofs of removed runs remain valid. Needs the scope admin.",
    options: [...limits, yesOption],
    examples: [example("Details for 30 days, runs for a year", "--details-days 30 --runs-days 365 --yes")],
    operation: "set_retention_rule",
    async input(cli) {
      await agree("Remove what is past these limits, now and from now on?", cli.given.flag("yes"));
      return ruleIn(cli);
    },
    ...rules,
  }),
  remove: list({
    summary: "Remove a rule: what is there is kept from now on.",
    options: [workflow],
    examples: [
      example("Keep runs of all workflows again", [
        "suitectl retention set --runs-days 365 --yes",
        "suitectl retention remove",
      ]),
    ],
    operation: "remove_retention_rule",
    input: ({ given }) => ({ workflowId: given.option("workflow") }),
    ...rules,
  }),
});

function ruleIn({ given }: Cli) {
  return {
    workflowId: given.option("workflow"),
    detailsDays: given.integer("details-days", 0),
    runsDays: given.integer("runs-days", 0),
    runsKept: given.integer("keep", 0),
  };
}
