import { auditDetail, approvalEvent, approvalFact, changeFact } from "./journal.ts";
import { claimedByOther, eligibilityOf, stepUpRefusal, votedAlready } from "./deciders.ts";
import { takesChanges } from "./four-eyes.ts";
import { stepUpProof } from "./step-up.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { AppError, problemAt } from "../kernel/errors.ts";
import { noRecord } from "../kernel/no-record.ts";
import { invalidBecause } from "../kernel/schema-words.ts";
import type { ApprovalVote } from "../ports/approvals.ts";
import type { Decision } from "../ports/engine.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import { recordEntry } from "../audit/record.ts";

/** The longest note that a decision carries. */
const MAX_REASON = 4_000;

/** What the engine does in the transaction of a decision. */
interface DecisionWriter {
  provenance(tx: StoreTx, facts: readonly ProvenanceFact[]): Promise<readonly string[]>;
  /** Lets the run go on. */
  enqueue(tx: StoreTx, runIds: readonly string[]): Promise<void>;
}

/**
 * Records a person's decision. Of many at the same time as many count as the approval needs; the others get a conflict
 * that says how it was decided.
 */
export async function decideApproval(
  services: Services,
  writer: DecisionWriter,
  decision: Decision,
): Promise<ApprovalRecord> {
  const { store, clock } = services;
  const approval = await store.read.approvals.get(decision.approvalId);
  if (approval === null) throw noRecord("approval", decision.approvalId);
  if (approval.state !== "pending") throw decided(approval);
  const run = await store.read.runs.get(approval.runId);
  if (run === null) throw new AppError("not_found", "The run of this approval does not exist.");
  const standing = await eligibilityOf(services, approval, run, decision.caller);
  if (standing.seat === null) throw standing.refusal;
  const { seat, actor } = standing;
  const noPasskey = stepUpRefusal(approval, decision.caller);
  if (noPasskey !== null) throw noPasskey;
  const claimed = await claimedByOther(services, approval, actor.id);
  if (claimed !== null) throw claimed;
  checkReason(decision);
  checkDigest(approval, decision);
  const now = clock.now();
  if (approval.expiresAt !== null && Date.parse(approval.expiresAt) <= now) {
    throw new AppError("conflict", "The approval has expired. Expiry never approves.");
  }
  await checkVerdict(services, approval, run, decision);
  const vote: ApprovalVote = {
    approvalId: approval.id,
    voter: actor.id,
    via: actor.via,
    seat,
    verdict: decision.verdict,
    reason: decision.reason,
    at: new Date(now).toISOString(),
    // Last: the answer to a request for a passkey counts once.
    assertion: await stepUpProof(services, approval, decision),
  };
  return store.transact((tx) => cast(tx, writer, run, approval, vote, decision));
}

/** Counts a vote on an approval that nobody changes before the transaction ends. */
async function cast(
  tx: StoreTx,
  writer: DecisionWriter,
  run: RunRecord,
  known: ApprovalRecord,
  vote: ApprovalVote,
  { verdict, values }: Decision,
): Promise<ApprovalRecord> {
  const current = await tx.approvals.lock(known.id);
  if (current === null || current.state !== "pending") throw decided(current ?? known);
  if (canonicalJson(assignment(current)) !== canonicalJson(assignment(known))) {
    throw new AppError("conflict", "Who may decide this approval was changed at the same moment.", {
      nextAction: "Read it again and repeat the decision.",
    });
  }
  const votes = await tx.approvals.votes(known.id);
  const again = votedAlready(votes, vote.seat, vote.voter);
  if (again !== null) throw again;
  await tx.approvals.vote(vote);
  const { voter, via, seat, at, reason, assertion } = vote;
  if (verdict === "approved" && votes.length + 1 < current.required) {
    await tx.events.append([approvalEvent(run, current, "voted", { by: voter, via })]);
    const [provenanceId = null] = await writer.provenance(tx, [
      changeFact(current, "voted", voter, {
        seat,
        verdict,
        at,
        via,
        ...(assertion !== null && { stepUp: true, assertion }),
      }),
    ]);
    await audit(tx, "voted", current, vote, provenanceId);
    return current;
  }
  const next: ApprovalRecord = {
    ...current,
    state: verdict,
    decidedAt: at,
    decidedBy: voter,
    decidedVia: via,
    reason,
    values: verdict === "approved" ? values : null,
  };
  if (!(await tx.approvals.decide(next))) throw decided(current);
  await tx.events.append([approvalEvent(run, next, verdict)]);
  const [provenanceId = null] = await writer.provenance(tx, [approvalFact(next, [...votes, vote])]);
  await audit(tx, verdict, next, vote, provenanceId);
  await writer.enqueue(tx, [run.id]);
  return next;
}

function audit(
  tx: StoreTx,
  what: "voted" | Decision["verdict"],
  approval: ApprovalRecord,
  { voter, via }: ApprovalVote,
  provenanceId: string | null,
): Promise<void> {
  const detail = auditDetail(approval, { via });
  return recordEntry(tx, {
    action: `approval.${what}`,
    by: voter,
    subject: `approvals/${approval.id}`,
    detail,
    provenanceId,
  });
}

function assignment({ approvers, delegations, claimedBy }: ApprovalRecord): object {
  return { approvers, delegations, claimedBy };
}

/** A decision is about what was shown: a person always says what that was, a key may. */
function checkDigest({ shownDigest }: ApprovalRecord, decision: Decision): void {
  if (decision.shownDigest === null && decision.caller.person !== undefined) throw digestMissing();
  if (decision.shownDigest === null || decision.shownDigest === shownDigest) return;
  throw new AppError("conflict", "What you were shown is not what this approval is about.", {
    // The right digest is not part of the answer: it stands for having looked at what is shown.
    nextAction: "Read the approval again and decide on what it shows now.",
  });
}

async function checkVerdict(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord,
  decision: Decision,
): Promise<void> {
  if (decision.verdict === "approved") await checkValues(services, approval, decision);
  if (decision.verdict !== "changes_requested" || (await takesChanges(services, approval, run))) return;
  throw new AppError("conflict", "This workflow has no way on for requested changes.", {
    nextAction:
      "Reject it with a reason, or connect the port `changes` of the approval step and run it again.",
  });
}

function decided(approval: ApprovalRecord): AppError {
  const { state, decidedAt } = approval;
  if (state === "superseded") {
    return new AppError(
      "conflict",
      "What this approval was about changed, so another was asked in its place.",
      {
        nextAction: "list_approvals shows the one that waits now.",
        details: { state, decidedAt },
      },
    );
  }
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
  if (verdict !== "approved" && (reason === null || reason.trim() === "")) {
    const what = verdict === "rejected" ? "A rejection" : "A request for changes";
    throw new AppError("invalid_input", `${what} needs a reason.`, {
      problems: [problemAt("reason", "a text that says why")],
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
  throw new AppError(
    "invalid_input",
    invalidBecause("The values are invalid by the approval's form", verdict.errors),
    {
      problems: verdict.errors.map(({ pointer, message }) => ({ pointer: `/values${pointer}`, message })),
      details: { form: approval.formSchema },
      nextAction: "Send the form's values in _meta under svc/values.",
    },
  );
}
