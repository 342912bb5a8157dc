import { Type, type Static } from "typebox";
import { TextOrNull, Time, viewOf } from "./common.ts";

const limit = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

/** How long ended runs are kept. */
export const RetentionRuleView = viewOf("RetentionRule", "How long ended runs are kept.", {
  workflowId: Type.Union([Type.String(), Type.Null()], {
    description: "The workflow that it is about; null for every workflow without a rule of its own.",
  }),
  workflowName: TextOrNull,
  detailsDays: limit(
    "Inputs, outputs, steps and approvals are removed after this number of days; null keeps them.",
  ),
  runsDays: limit("Runs are removed after this number of days; null keeps them."),
  runsKept: limit("The number of ended runs that are kept of a workflow; null sets no limit."),
  updatedAt: Time,
  updatedBy: Type.String(),
});
export type RetentionRuleView = Static<typeof RetentionRuleView>;

/** What a rule would remove. */
export const RetentionPreview = viewOf("RetentionPreview", "What a rule would remove now.", {
  details: Type.Integer({ description: "Runs that would lose inputs, outputs, steps and approvals." }),
  runs: Type.Integer({ description: "Runs that would be removed." }),
  isComplete: Type.Boolean({ description: "False when counting stopped: the numbers are lower bounds." }),
});
export type RetentionPreview = Static<typeof RetentionPreview>;
