import { yesOption } from "../conventions.ts";
import type { CommandSpec, OptionSpec } from "../model.ts";

const workflow: OptionSpec = {
  name: "workflow",
  value: "ID",
  summary: "The workflow; without it, every workflow that has no rule of its own.",
};
const limits: readonly OptionSpec[] = [
  workflow,
  {
    name: "details-days",
    value: "N",
    summary: "Remove inputs, outputs, steps and approvals N days after a run ended.",
  },
  { name: "runs-days", value: "N", summary: "Remove runs N days after they ended." },
  { name: "keep", value: "N", summary: "Keep only the N newest ended runs of a workflow." },
];

/** The commands about how long runs are kept. */
export const retentionCommands: readonly CommandSpec[] = [
  {
    path: "retention list",
    summary: "How long ended runs are kept. Needs the scope admin.",
    access: "key",
    examples: [{ id: "retention-list", title: "Every rule", needs: ["service", "key"], steps: [{}] }],
  },
  {
    path: "retention preview",
    summary: "What a rule would remove now; nothing is changed.",
    access: "key",
    options: limits,
    examples: [
      {
        id: "retention-preview",
        title: "What 30 days would remove",
        needs: ["service", "key"],
        steps: [{ options: { "details-days": 30 } }],
      },
    ],
  },
  {
    path: "retention set",
    summary: "Set how long ended runs are kept; what is past a limit is removed for good.",
    about: "Signed records stay: receipts and proofs of removed runs remain valid. Needs the scope admin.",
    access: "key",
    options: [...limits, yesOption],
    examples: [
      {
        id: "retention-set",
        title: "Details for 30 days, runs for a year",
        needs: ["service", "key"],
        steps: [{ options: { "details-days": 30, "runs-days": 365, yes: true } }],
      },
    ],
  },
  {
    path: "retention remove",
    summary: "Remove a rule: what is there is kept from now on.",
    access: "key",
    options: [workflow],
    examples: [
      {
        id: "retention-remove",
        title: "Keep runs of all workflows again",
        needs: ["service", "key"],
        steps: [{ path: "retention set", options: { "runs-days": 365, yes: true } }, {}],
      },
    ],
  },
];
