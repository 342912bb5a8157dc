import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import type { ArgumentSpec, CommandSpec } from "../model.ts";

const runId: ArgumentSpec = {
  name: "id",
  summary: "The id of the run; `latest` is the newest one, `latest:failed` the newest failed one.",
};
const approvalId: ArgumentSpec = {
  name: "id",
  summary: "The id of the approval; `latest:pending` is the newest one that waits.",
};

/** Commands about runs and approvals. */
export const runCommands: readonly CommandSpec[] = [
  {
    path: "runs list",
    summary: "Runs, newest first; without a key the public ones.",
    access: "public",
    options: [
      { name: "workflow", value: "ID", summary: "Only runs of this workflow." },
      { name: "status", value: "STATES", summary: "Only runs in these states, separated by commas." },
      { name: "started-by", value: "ID", summary: "Only runs that this person or key started." },
      { name: "from", value: "TIME", summary: "Only runs from this day or time on." },
      { name: "to", value: "TIME", summary: "Only runs before this day or time." },
      { name: "text", value: "TEXT", summary: "Only runs with this text in their inputs." },
      limitOption,
      cursorOption,
    ],
    examples: [
      { id: "runs-list", title: "The newest runs", needs: ["service"], steps: [{ options: { limit: 10 } }] },
      {
        id: "runs-list-failed",
        title: "The ids of runs that did not succeed",
        needs: ["service", "key"],
        steps: [{ options: { status: "failed,timed_out", quiet: true } }],
      },
    ],
  },
  {
    path: "runs get",
    summary: "One run with its steps.",
    access: "public",
    args: [runId],
    examples: [
      {
        id: "runs-get",
        title: "The newest run",
        needs: ["service", "key", "run"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "runs watch",
    summary: "Follow a run live until it ends; the exit status is its outcome.",
    about:
      "On a terminal a live view with a bar and the state of every step; elsewhere one line for each change. A run that waits for a person is followed on; the command to decide is shown.",
    access: "public",
    args: [runId],
    options: [
      { name: "until-waiting", summary: "Also end, with status 0, when the run waits for a person." },
    ],
    examples: [
      {
        id: "runs-watch",
        title: "Follow the newest run",
        needs: ["service", "key", "run"],
        steps: [{ args: ["latest"] }],
      },
      {
        id: "runs-watch-waiting",
        title: "Follow a run until a person is needed",
        needs: ["service", "key", "waiting-run"],
        steps: [{ args: ["latest:waiting"], options: { "until-waiting": true } }],
      },
    ],
  },
  {
    path: "runs cancel",
    summary: "Stop a run; effects that have happened are not undone.",
    access: "key",
    args: [runId],
    options: [yesOption],
    examples: [
      {
        id: "runs-cancel",
        title: "Stop the newest run that waits",
        needs: ["service", "key", "waiting-run"],
        steps: [{ args: ["latest:waiting"], options: { yes: true } }],
      },
    ],
  },
  {
    path: "runs retry",
    summary: "Run a failed or timed-out run again; what succeeded stays.",
    access: "key",
    args: [runId],
    examples: [
      {
        id: "runs-retry",
        title: "Try the newest failed run again",
        needs: ["service", "key", "failed-run"],
        steps: [{ args: ["latest:failed"] }],
      },
    ],
  },
  {
    path: "runs settle",
    summary: "Say what became of a step whose outcome is unknown.",
    access: "key",
    args: [runId, { name: "step", summary: "The step whose outcome is unknown." }],
    options: [
      {
        name: "outcome",
        value: "OUTCOME",
        summary: "What happened.",
        choices: ["succeeded", "failed", "retry"],
      },
      { name: "output", value: "JSON", summary: "The step's output, when it succeeded." },
      { name: "reason", value: "TEXT", summary: "How it is known; kept with the step and its receipt." },
    ],
    examples: [],
  },
  {
    path: "approvals list",
    summary: "Approvals, newest first; content only with a key.",
    access: "public",
    options: [
      {
        name: "status",
        value: "STATUS",
        summary: "Only approvals in this state.",
        choices: [
          "pending",
          "approved",
          "rejected",
          "changes_requested",
          "expired",
          "cancelled",
          "superseded",
        ],
      },
      {
        name: "inbox",
        value: "WHOSE",
        summary: "Those that name you, your groups and role, or all.",
        choices: ["mine", "groups", "all"],
      },
      { name: "run", value: "ID", summary: "Only approvals of this run." },
      limitOption,
      cursorOption,
    ],
    examples: [
      {
        id: "approvals-list",
        title: "What waits for a person",
        needs: ["service", "key"],
        steps: [{ options: { status: "pending" } }],
      },
    ],
  },
  {
    path: "approvals show",
    summary: "One approval: what is to be decided, until when, and its form.",
    access: "public",
    args: [approvalId],
    examples: [
      {
        id: "approvals-show",
        title: "What the newest approval asks",
        needs: ["service", "key", "approval"],
        steps: [{ args: ["latest:pending"] }],
      },
    ],
  },
  {
    path: "approvals approve",
    summary: "Approve, so that the run goes on.",
    about:
      "The digest of what you were shown goes along, so a decision never applies to something else. On a terminal the approval's form is asked for; elsewhere its values come with --values.",
    access: "key",
    args: [approvalId],
    options: [
      { name: "reason", value: "TEXT", summary: "A note for the record." },
      {
        name: "values",
        value: "JSON",
        summary: "The values of the approval's form; - is standard input, @FILE a file.",
        kind: "file",
      },
      yesOption,
    ],
    examples: [
      {
        id: "approvals-approve",
        title: "Approve the newest one",
        needs: ["service", "key", "approval"],
        steps: [{ args: ["latest:pending"], options: { reason: "Looks right", yes: true } }],
      },
    ],
  },
  {
    path: "approvals reject",
    summary: "Reject, with a reason.",
    access: "key",
    args: [approvalId],
    options: [{ name: "reason", value: "TEXT", summary: "Why; required." }, yesOption],
    examples: [
      {
        id: "approvals-reject",
        title: "Reject the newest one",
        needs: ["service", "key", "approval"],
        steps: [{ args: ["latest:pending"], options: { reason: "The target is not ready", yes: true } }],
      },
    ],
  },
  {
    path: "approvals request-changes",
    summary: "Ask for changes, where the workflow has a way on for that.",
    access: "key",
    args: [approvalId],
    options: [{ name: "comment", value: "TEXT", summary: "What should change; required." }, yesOption],
    examples: [],
  },
  {
    path: "approvals claim",
    summary: "Take an approval, so that others do not decide it; for a signed-in person.",
    access: "key",
    args: [approvalId],
    examples: [],
  },
  {
    path: "approvals release",
    summary: "Give a claim up; an admin may do that for another person.",
    access: "key",
    args: [approvalId],
    examples: [],
  },
  {
    path: "approvals delegate",
    summary: "Let another person decide in your place; yourself takes it back.",
    access: "key",
    args: [approvalId],
    options: [{ name: "to", value: "PERSON", summary: "Id or e-mail address of the person; required." }],
    examples: [],
  },
  {
    path: "approvals comment",
    summary: "Write a comment on a waiting approval.",
    access: "key",
    args: [approvalId],
    options: [{ name: "body", value: "TEXT", summary: "The comment; required." }],
    examples: [
      {
        id: "approvals-comment",
        title: "Comment on the newest one",
        needs: ["service", "key", "approval"],
        steps: [{ args: ["latest:pending"], options: { body: "The target was changed today" } }],
      },
    ],
  },
  {
    path: "approvals reassign",
    summary: "Say anew which people may decide; for admins.",
    access: "key",
    args: [approvalId],
    options: [
      {
        name: "approvers",
        value: "LIST",
        summary: "person:…, group:… and role:…, with commas between; required.",
      },
      { name: "reason", value: "TEXT", summary: "Why; required." },
    ],
    examples: [],
  },
];
