import { stateFrom } from "../model/status.ts";
import { Type } from "typebox";
import { claim, comment, delegate, reassign, release } from "./actions.ts";
import { inboxEntries } from "./inbox.ts";
import { stepUpOptions } from "./step-up.ts";
import { problemAt } from "../kernel/errors.ts";
import { ApprovalDetail } from "../model/approval-detail.ts";
import { ApprovalStateName, ApprovalView, VerdictName } from "../model/approvals.ts";
import { freeObject, inputOf, NEXT_CURSOR, PAGE_INPUT } from "../model/common.ts";
import { INBOXES } from "../model/states.ts";
import { heldAs } from "../ports/guard.ts";
import { operationsWith, pageIn, type OperationCall } from "../ports/operations.ts";
import { APPROVER } from "../workflows/schema.ts";
import { approvalDetail, type ApprovalParts } from "./detail.ts";
import { listApprovals } from "./list.ts";
import { seenApproval } from "./access-level.ts";

const MAX_TEXT = 4_000;
const { operation, declared } = operationsWith<ApprovalParts>();

const id = Type.String({ description: "The id of the approval." });
const assertion = Type.Optional(
  Type.Union([freeObject("WebAuthn says what a browser answers."), Type.Null()], {
    description:
      "The browser's answer to the options of POST /api/svc/approvals/{id}/step-up; needed where the approval says stepUp.",
  }),
);
const shownDigest = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "The digest of what the decider was shown, as the approval gives it.",
});
const decision = {
  id,
  verdict: VerdictName,
  shownDigest,
  reason: Type.Optional(textInput("A note for the record.")),
  values: Type.Optional(
    Type.Union([freeObject("The fields of the approval's own form."), Type.Null()], {
      description: "The values of the approval's form, if it has one.",
    }),
  ),
};

operation({
  name: "find_approvals",
  title: "Find approvals",
  description:
    "Approvals, newest first; without read-private those of public runs without content and notes, of your own runs, and those that you may decide.",
  http: "GET /api/svc/approvals",
  access: "mixed",
  input: inputOf({
    status: Type.Optional(ApprovalStateName),
    runId: Type.Optional(Type.String({ description: "Only those of this run." })),
    inbox: Type.Optional(
      Type.Enum([...INBOXES], {
        description:
          "mine: those that name you. groups: those that name a group or the role of you, or nobody. all: every one.",
      }),
    ),
    ...PAGE_INPUT,
  }),
  output: Type.Object({ approvals: Type.Array(ApprovalView), nextCursor: NEXT_CURSOR }),
  examples: [{ status: "pending", inbox: "mine" }],
  async run({ status, runId, inbox = "all", ...page }, { services, caller }) {
    const assigned = await inboxEntries(services, inbox, caller);
    return listApprovals(services, pageIn(page), caller, {
      ...(assigned !== undefined && { assigned }),
      ...stateFrom(status),
      ...(runId !== undefined && { runId }),
    });
  },
});

operation({
  name: "get_approval",
  title: "Show an approval",
  description:
    "One approval: what is shown, its digest, its form and its history; content only for who started the run, who may decide, or with read-private.",
  http: "GET /api/svc/approvals/{id}",
  access: "mixed",
  input: inputOf({ id }),
  output: ApprovalDetail,
  run: (input, { services, caller }, parts) => approvalDetail(services, input.id, caller, parts),
});

operation({
  name: "claim_approval",
  title: "Claim an approval",
  description: "Claims an approval: others do not decide it until it is released.",
  http: "POST /api/svc/approvals/{id}/claim",
  access: "approve",
  effect: "write",
  idempotent: true,
  input: inputOf({ id }),
  output: ApprovalDetail,
  run: (input, call, parts) =>
    changed(input.id, call, parts, () => claim(call.services, input.id, call.caller)),
});

operation({
  name: "release_approval",
  title: "Release an approval",
  description: "Gives a claim up; an admin may do that for another person.",
  http: "POST /api/svc/approvals/{id}/release",
  access: "approve",
  effect: "write",
  idempotent: false,
  input: inputOf({ id }),
  output: ApprovalDetail,
  run: (input, call, parts) =>
    changed(input.id, call, parts, () => release(call.services, input.id, call.caller)),
});

operation({
  name: "delegate_approval",
  title: "Delegate an approval",
  description: "Lets another person decide in your place; naming yourself takes it back.",
  http: "POST /api/svc/approvals/{id}/delegate",
  access: "approve",
  effect: "write",
  idempotent: true,
  input: inputOf({ id, to: textInput("The id or e-mail address of the person.", 300) }),
  output: ApprovalDetail,
  run: ({ id: approvalId, to }, call, parts) =>
    changed(approvalId, call, parts, () => delegate(call.services, approvalId, to.trim(), call.caller)),
});

operation({
  name: "comment_approval",
  title: "Comment on an approval",
  description: "Writes a comment on a waiting approval.",
  http: "POST /api/svc/approvals/{id}/comment",
  access: "read-private",
  effect: "write",
  idempotent: false,
  input: inputOf({ id, body: textInput("The comment.") }),
  output: ApprovalDetail,
  run: ({ id: approvalId, body }, call, parts) =>
    changed(approvalId, call, parts, () => comment(call.services, approvalId, body.trim(), call.caller)),
});

operation({
  name: "decide_approval",
  title: "Decide an approval",
  description: "Decides an approval; of many decisions at the same time one wins.",
  http: "POST /api/svc/approvals/{id}/decide",
  access: "approve",
  effect: "write",
  idempotent: false,
  input: inputOf({ ...decision, assertion }),
  output: ApprovalDetail,
  run: async ({ id: approvalId, assertion: signed = null, reason, values = null, ...said }, call, parts) =>
    (await heldAs(
      said.verdict === "approved" ? "approve_step" : "reject_step",
      { id: approvalId, reason },
      call.context,
    )) ??
    changed(approvalId, call, parts, () =>
      call.services.engine.decide({
        ...said,
        approvalId,
        reason: reason?.trim() ?? null,
        values,
        assertion: signed,
        caller: call.caller,
      }),
    ),
});

operation({
  name: "request_approval_changes",
  title: "Request changes",
  description: "Requests changes: the run takes the port `changes` of the step.",
  http: "POST /api/svc/approvals/{id}/request-changes",
  access: "approve",
  effect: "write",
  idempotent: false,
  input: inputOf({ id, comment: textInput("What should change."), shownDigest, assertion }),
  output: ApprovalDetail,
  run: async (
    { id: approvalId, comment: reason, shownDigest: digest, assertion: signed = null },
    call,
    parts,
  ) =>
    (await heldAs("reject_step", { id: approvalId, reason }, call.context)) ??
    changed(approvalId, call, parts, () =>
      call.services.engine.decide({
        approvalId,
        verdict: "changes_requested",
        reason: reason.trim(),
        values: null,
        shownDigest: digest,
        assertion: signed,
        caller: call.caller,
      }),
    ),
});

operation({
  name: "reassign_approval",
  title: "Reassign an approval",
  description: "An admin replaces the people who may decide.",
  http: "POST /api/svc/approvals/{id}/reassign",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({
    id,
    approvers: Type.Array(Type.String({ maxLength: 300 }), {
      minItems: 1,
      maxItems: 100,
      description: "person:…, group:…, role:owner, role:admin or role:approver.",
    }),
    reason: textInput("Why, for the record."),
  }),
  output: ApprovalDetail,
  examples: [{ id: "apr_01", approvers: ["group:finance"], reason: "The first approver has left." }],
  // Keys are named by workflows only: an admin's key could otherwise name itself.
  rules: ({ approvers }) =>
    approvers.every((entry) => entry.includes(":") && APPROVER.test(entry))
      ? []
      : [problemAt("approvers", "1 to 100 of person:…, group:…, role:owner, role:admin, role:approver")],
  run: ({ id: approvalId, approvers, reason }, call, parts) =>
    changed(approvalId, call, parts, () =>
      reassign(call.services, approvalId, approvers, reason.trim(), call.caller),
    ),
});

operation({
  name: "get_step_up_options",
  title: "Ask what a passkey signs",
  description:
    "What the browser needs to sign a decision with a passkey; send its answer as assertion with the same decision, within five minutes.",
  http: "POST /api/svc/approvals/{id}/step-up",
  access: "person",
  effect: "write",
  idempotent: false,
  input: inputOf(decision),
  output: Type.Object({
    publicKey: freeObject("PublicKeyCredentialRequestOptions, as WebAuthn defines them."),
  }),
  async run({ id: approvalId, reason, values = null, ...said }, { services, caller }) {
    await seenApproval(services, approvalId, caller);
    const asked = { ...said, approvalId, reason: reason?.trim() ?? null, values, caller };
    return { publicKey: await stepUpOptions(services, asked) };
  },
});

/** What people do with approvals. What changes one answers with it as `get_approval` does. */
export const approvalOperations = declared;

function textInput(description: string, maxLength = MAX_TEXT) {
  return Type.String({ minLength: 1, maxLength, pattern: "\\S", description });
}

async function changed(
  approvalId: string,
  { services, caller }: OperationCall,
  parts: ApprovalParts,
  act: () => Promise<unknown>,
): Promise<ApprovalDetail> {
  await seenApproval(services, approvalId, caller);
  await act();
  return approvalDetail(services, approvalId, caller, parts);
}
