import { AppError } from "../kernel/errors.ts";
import type { Decision } from "../ports/engine.ts";
import type { ApprovalRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { decisionRefusal } from "../workflows/deciders.ts";
import type { CheckpointWriter } from "./checkpoint.ts";
import { approvalEvent, approvalFact } from "./journal.ts";

/** The longest note that a decision carries. */
const MAX_REASON = 4_000;

/** Records a person's decision. Of many at the same time one wins; the others get a conflict that says who did. */
export async function decideApproval(
  services: Services,
  writer: CheckpointWriter,
  decision: Decision,
): Promise<ApprovalRecord> {
  const { store, clock } = services;
  const approval = await store.read.approvals.get(decision.approvalId);
  if (approval === null) throw new AppError("not_found", "There is no approval with this id.");
  if (approval.state !== "pending") throw decided(approval);
  const run = await store.read.runs.get(approval.runId);
  if (run === null) throw new AppError("not_found", "The run of this approval does not exist.");
  const refusal = await decisionRefusal(services, approval, run, decision.caller);
  if (refusal !== null) throw refusal;
  checkReason(decision);
  if (decision.shownDigest === null && decision.caller.person !== undefined) throw digestMissing();
  if (decision.shownDigest !== null && decision.shownDigest !== approval.shownDigest) {
    throw new AppError("conflict", "What you were shown is not what this approval is about.", {
      // The right digest is not part of the answer: it stands for having looked at what is shown.
      nextAction: "Read the approval again and decide on what it shows now.",
    });
  }
  const now = clock.now();
  if (approval.expiresAt !== null && Date.parse(approval.expiresAt) <= now) {
    throw new AppError("conflict", "The approval has expired. Expiry never approves.");
  }
  if (decision.verdict === "approved") await checkValues(services, approval, decision);
  const next: ApprovalRecord = {
    ...approval,
    state: decision.verdict,
    decidedAt: new Date(now).toISOString(),
    decidedBy: decision.caller.id,
    reason: decision.reason,
    values: decision.verdict === "approved" ? decision.values : null,
  };
  const won = await store.transact(async (tx) => {
    if (!(await tx.approvals.decide(next))) return false;
    await tx.events.append([approvalEvent(run, next, decision.verdict)]);
    await writer.provenance(tx, [approvalFact(next)]);
    await writer.enqueue(tx, [run.id]);
    return true;
  });
  if (won) return next;
  throw decided((await store.read.approvals.get(approval.id)) ?? approval);
}

function decided(approval: ApprovalRecord): AppError {
  const { state, decidedAt } = approval;
  return new AppError("conflict", `The approval is ${state} already; one decision counts.`, {
    details: { state, decidedAt },
  });
}

/** A person decides on what the page showed; the digest says what that was. */
function digestMissing(): AppError {
  return new AppError("invalid_input", "A person's decision needs the digest of what was shown.", {
    problems: [
      {
        pointer: "/_meta/svc~1shownDigest",
        message: "is missing",
        expected: "shownDigest of the approval that was looked at",
      },
    ],
    nextAction: "Read the approval and send its shownDigest as _meta svc/shownDigest.",
  });
}

function checkReason({ verdict, reason }: Decision): void {
  if (verdict === "rejected" && (reason === null || reason.trim() === "")) {
    throw new AppError("invalid_input", "A rejection needs a reason.", {
      problems: [{ pointer: "/reason", message: "must say why", expected: "a text that is not empty" }],
    });
  }
  if (reason !== null && reason.length > MAX_REASON) {
    throw new AppError("invalid_input", `A reason has at most ${MAX_REASON} characters.`);
  }
}

async function checkValues(services: Services, approval: ApprovalRecord, decision: Decision): Promise<void> {
  if (approval.formSchema === null) {
    if (decision.values === null) return;
    throw new AppError("invalid_input", "This approval has no form, so a decision carries no values.");
  }
  const verdict = await services.validator.validate(approval.formSchema, decision.values ?? {});
  if (verdict.valid) return;
  throw new AppError("invalid_input", "The values do not fit the approval's form.", {
    problems: verdict.errors.map(({ pointer, message }) => ({ pointer: `/values${pointer}`, message })),
    details: { form: approval.formSchema },
    nextAction: "Send the form's values in _meta under svc/values.",
  });
}
