import type { Approval } from "../../../packages/client/client.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { APPROVAL_STATES, INBOXES } from "../../model/states.ts";
import type { Cli } from "../command.ts";
import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { byId, list, page, record } from "../from-operation.ts";
import { jsonOption } from "../input.ts";
import { resolveId } from "../newest.ts";
import type { Result } from "../output.ts";
import { agree, canAsk } from "../asking.ts";
import { jsonBlock, line, next, recordResult } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

const approvalId = argument("id", "The id of the approval; `latest:pending` is the newest one that waits.");
const SHOWN = [
  "id",
  "status",
  "title",
  "runId",
  "stepId",
  "createdAt",
  "expiresAt",
  "approvers",
  "stepUp",
  "claimedBy",
  "decidedAt",
  "decidedBy",
  "reason",
] as const;
const shown = { record: "approval", fields: SHOWN } as const;
const oneApproval = byId("approval");

/** Decisions that runs wait for. */
export const approvals = group("approvals", {
  list: list({
    summary: "Approvals, newest first; content only with a key.",
    access: "public",
    options: [
      option("--status <STATUS>", "Only approvals in this state.", { choices: APPROVAL_STATES }),
      option("--inbox <WHOSE>", "Those that name you, your groups and role, or all.", { choices: INBOXES }),
      option("--run <ID>", "Only approvals of this run."),
      limitOption,
      cursorOption,
    ],
    examples: [example("What waits for a person", "--status pending", ["key"])],
    operation: "find_approvals",
    async input(cli) {
      const { given } = cli;
      const run = given.option("run");
      return {
        status: given.choice("status", APPROVAL_STATES),
        inbox: given.choice("inbox", INBOXES),
        runId: run === undefined ? undefined : await resolveId(cli, run, "run"),
        ...page(cli),
      };
    },
    rows: "approvals",
    columns: {
      ID: "id",
      STATUS: "status",
      TITLE: "title",
      RUN: "runId",
      STEP: "stepId",
      EXPIRES: "expiresAt",
      PASSKEY: "stepUp",
    },
  }),
  show: record({
    summary: "One approval: what is to be decided, until when, and its form.",
    access: "public",
    args: [approvalId],
    examples: [example("What the newest approval asks", "latest:pending", ["key", "approval"])],
    operation: "get_approval",
    input: oneApproval,
    ...shown,
    more: ({ approval: { id, status, stepUp, shown: content } }, cli) => [
      line("\nWhat is to be decided:"),
      jsonBlock(content),
      ...(status !== "pending"
        ? []
        : stepUp
          ? [next(`Sign in and decide with a passkey: ${pageOf(cli, id)}`)]
          : [next(`suitectl approvals approve ${id}`, `suitectl approvals reject ${id} --reason '…'`)]),
    ],
  }),
  approve: {
    summary: "Approve, so that the run continues.",
    about:
      "The digest of what you were shown goes along, so a decision never applies to something else. On a terminal the approval's form is asked for; elsewhere its values come with --values.",
    args: [approvalId],
    options: [
      option("--reason <TEXT>", "A note for the record."),
      option("--values <JSON>", "The values of the approval's form; - is standard input, @FILE a file.", {
        kind: "file",
      }),
      yesOption,
    ],
    examples: [
      example("Approve the newest one", "latest:pending --reason 'Looks right' --yes", ["approval"]),
    ],
    run: (cli) => decide(cli, "approve_step"),
  },
  reject: {
    summary: "Reject, with a reason.",
    args: [approvalId],
    options: [option("--reason <TEXT>", "Why; required."), yesOption],
    examples: [
      example("Reject the newest one", "latest:pending --reason 'The target is not ready' --yes", [
        "approval",
      ]),
    ],
    run: (cli) => decide(cli, "reject_step"),
  },
  "request-changes": {
    summary: "Ask for changes, where the workflow has a way on for that.",
    args: [approvalId],
    options: [option("--comment <TEXT>", "What should change; required."), yesOption],
    async run(cli) {
      const comment = required(cli, "comment");
      const { id, shownDigest = "" } = await look(cli, true);
      await agree("Request changes?", cli.given.flag("yes"));
      const envelope = await cli.client().run("request_approval_changes", { id, comment, shownDigest });
      return recordResult(envelope, envelope.data.approval, SHOWN);
    },
  },
  claim: record({
    summary: "Take an approval, so that others do not decide it; for a signed-in person.",
    args: [approvalId],
    operation: "claim_approval",
    input: oneApproval,
    ...shown,
  }),
  release: record({
    summary: "Give a claim up; an admin may do that for another person.",
    args: [approvalId],
    operation: "release_approval",
    input: oneApproval,
    ...shown,
  }),
  delegate: record({
    summary: "Let another person decide in your place; yourself takes it back.",
    args: [approvalId],
    options: [option("--to <PERSON>", "Id or e-mail address of the person; required.")],
    operation: "delegate_approval",
    input: async (cli) => ({ to: required(cli, "to"), ...(await oneApproval(cli)) }),
    ...shown,
  }),
  comment: record({
    summary: "Write a comment on a waiting approval.",
    args: [approvalId],
    options: [option("--body <TEXT>", "The comment; required.")],
    examples: [
      example("Comment on the newest one", "latest:pending --body 'The target was changed today'", [
        "approval",
      ]),
    ],
    operation: "comment_approval",
    input: async (cli) => ({ body: required(cli, "body"), ...(await oneApproval(cli)) }),
    ...shown,
  }),
  reassign: record({
    summary: "Name other people who may decide; for admins.",
    args: [approvalId],
    options: [
      option("--approvers <LIST>", "person:…, group:… and role:…, with commas between; required."),
      option("--reason <TEXT>", "Why; required."),
    ],
    operation: "reassign_approval",
    async input(cli) {
      const approvers = required(cli, "approvers")
        .split(",")
        .map((entry) => entry.trim());
      const reason = required(cli, "reason");
      return { approvers: approvers.filter((entry) => entry !== ""), reason, ...(await oneApproval(cli)) };
    },
    ...shown,
  }),
});

const pageOf = (cli: Cli, id: string): string => `${cli.url()}/approvals?id=${encodeURIComponent(id)}`;
const titleOf = ({ title }: Approval): string => (typeof title === "string" ? title : "");

/** Reads what is to be decided, and shows it to a person who is asked. */
async function look(cli: Cli, isShown: boolean): Promise<Approval> {
  const { approval } = (await cli.client().run("get_approval", await oneApproval(cli))).data;
  const { id, stepUp, status } = approval;
  // A passkey is in a browser or on a phone: a terminal cannot use it.
  if (stepUp && status === "pending") {
    throw new Failure("refused", "This approval is decided with a passkey, which needs a browser.", {
      next: `Sign in and decide: ${pageOf(cli, id)}`,
    });
  }
  if (isShown && canAsk()) {
    cli.output.note(`${titleOf(approval)}\n${JSON.stringify(approval.shown, null, 2)}`);
  }
  return approval;
}

function required(cli: Cli, name: string): string {
  const value = cli.given.option(name);
  if (value !== undefined && value.trim() !== "") return value;
  throw new Failure("usage", `--${name} is missing.`, { next: `Add --${name} '…'.` });
}

async function decide(cli: Cli, tool: "approve_step" | "reject_step"): Promise<Result> {
  const { given } = cli;
  const reason = given.option("reason");
  if (tool === "reject_step" && reason === undefined) {
    throw new Failure("usage", "A rejection needs a reason.", { next: "Add --reason '…'." });
  }
  const approval = await look(cli, !given.flag("yes"));
  const { id, shownDigest } = approval;
  const values = tool === "approve_step" ? await valuesFor(cli, approval) : undefined;
  await agree(tool === "approve_step" ? "Approve this?" : "Reject this?", given.flag("yes"));
  // Bound to what was read just now: if it changed since, the decision is refused.
  const meta = { "svc/shownDigest": shownDigest, "svc/values": values };
  const envelope = await cli.client().run(tool, { id, reason }, meta);
  const { approval: decided, run } = envelope.data;
  const watch = next(`suitectl runs watch ${run.id}`);
  return recordResult(envelope, decided, [...SHOWN, ["run is", run.status]], [watch]);
}

async function valuesFor(cli: Cli, approval: Approval): Promise<JsonObject | undefined> {
  const given = cli.given.option("values");
  if (given !== undefined) return jsonOption(given, "--values");
  const schema = approval.form ?? null;
  if (schema === null || !canAsk() || cli.given.flag("yes")) return undefined;
  const { fillSchema } = await import("../form/fill-schema.ts");
  return fillSchema(cli, schema, titleOf(approval));
}
