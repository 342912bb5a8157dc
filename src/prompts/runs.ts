import type { Prompt } from "../ports/definitions.ts";
import { argument, embedCall, embedResource, taskPrompt } from "./compose.ts";

/** Prompts about runs and approvals. */
export const runsPrompts: readonly Prompt[] = [
  taskPrompt({
    name: "explain_run",
    title: "Explain a run",
    description:
      "Explains in plain words what a run did, where it stands, what it waits for and who must act.",
    arguments: [argument("runId", "The id of the run to explain.", true)],
    ask: "Explain this run to a person who knows the business and not the system.",
    steps: [
      "Say first where the run stands and whether anybody must do something now.",
      "Tell the steps in order: what each was for and how it ended. Join steps that belong together.",
      "If it waits, say for whom or what, since when and until when.",
      "Values that are not shown to you are private; do not guess them.",
    ],
    answer: [
      "Two sentences for the impatient.",
      "The story, at most ten lines.",
      "What happens next if nobody acts.",
    ],
    embed: async (args, context) => [await embedResource(context, `svc://run/${args["runId"] ?? ""}`)],
  }),
  taskPrompt({
    name: "diagnose_failed_run",
    title: "Diagnose a failed run",
    description:
      "Finds the first cause of a failed run, tells whether a retry can help, and proposes the smallest fix.",
    arguments: [
      argument("runId", "The run that failed.", true),
      argument("observed", "What people noticed outside the system, if anything."),
    ],
    ask: "Find out why this run failed and what to do about it.",
    steps: [
      "Find the first step that went wrong in time; later failures are often its consequences.",
      "Sort the cause: bad input, missing right, service of the suite not configured or not answering, time-out, a defect of the workflow, or unknown.",
      "For a step with the state outcome_unknown: its effect may have happened. Say how to find out before anything is repeated.",
      "Check `get_health` and `get_integration_status` for the service of the suite concerned.",
      "Decide whether a retry can help; if the same input must fail again, say so.",
    ],
    answer: [
      "The cause, with step id and error code, and how sure you are.",
      "Whether a retry is safe and sensible.",
      "The fix, and how to see that it worked.",
    ],
    embed: async (args, context) => [
      await embedResource(context, `svc://run/${args["runId"] ?? ""}`),
      await embedCall(context, "get_health", {}),
    ],
  }),
  taskPrompt({
    name: "triage_approvals",
    title: "Triage waiting approvals",
    description:
      "Sorts the approvals that wait by urgency and risk, so that a person decides the right ones first. Decides nothing itself.",
    arguments: [argument("role", "Whose desk this is, for example release manager.")],
    ask: "Put the waiting approvals into the order in which a person should look at them.",
    steps: [
      "Take only those that are pending. Note which expire soon: expiry never approves.",
      "Rate each by what it lets happen, whether that can be undone, and who waits for it.",
      "Group those that belong to the same run.",
      "Do not call `approve_step` or `reject_step`: a decision is a person's, bound to exactly what was shown.",
    ],
    answer: [
      "A list: id, title, run, expires, risk, why at this place.",
      "What the decider should look at before deciding each.",
      "If the queue is empty, say just that.",
    ],
    embed: async (args, context) => [await embedCall(context, "list_approvals", { limit: 50 })],
  }),
  taskPrompt({
    name: "brief_approval",
    title: "Brief an approver",
    description:
      "Prepares one approval for its decider: what is asked, what follows from either answer, what to check first.",
    arguments: [
      argument("approvalId", "The approval to prepare.", true),
      argument("runId", "The run it belongs to, if known."),
    ],
    ask: "Prepare this approval so that its decider needs two minutes.",
    steps: [
      "Find the approval in the queue below; if it is not there, it was decided, has expired or is unknown: say which you can tell.",
      "Say in one sentence what will happen on approval, and what on rejection.",
      "List what was shown to the decider and what was not.",
      "Name up to three checks that would change the answer.",
    ],
    answer: [
      "The question in one sentence.",
      "For and against, each with its evidence.",
      "The digest of what was shown, so that the decision is bound to it.",
    ],
    embed: async (args, context) => [
      await embedResource(context, "svc://approvals"),
      ...(args["runId"] === undefined || args["runId"] === ""
        ? []
        : [await embedResource(context, `svc://run/${args["runId"]}`)]),
    ],
  }),
  taskPrompt({
    name: "report_runs",
    title: "Report on recent runs",
    description:
      "Writes a short report on recent runs: what ran, what failed, what waits, and what deserves attention.",
    arguments: [argument("period", "The period the report is for, for example last week.")],
    ask: "Write a report on the runs below.",
    steps: [
      "Count by state and by workflow; use only runs that are listed, and say how many that is.",
      "Find patterns: the same step failing, runs that wait long, durations that grew.",
      "Tell apart what is observed from what you conclude.",
    ],
    answer: [
      "Three sentences for a manager.",
      "A table by workflow.",
      "At most three things to do, each with the run that shows why.",
    ],
    embed: async (args, context) => [await embedResource(context, "svc://runs")],
  }),
];
