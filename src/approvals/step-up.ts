import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { DecisionProof } from "../kernel/webauthn.ts";
import type { Decision } from "../ports/engine.ts";
import type { ApprovalRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { decisionDigest, stepUpDigest } from "../provenance/step-up.ts";
import { decisionRefusal } from "./deciders.ts";

/** The parts of a decision that a passkey signs. */
type Signable = Omit<Decision, "assertion" | "shownDigest">;

/** What a browser needs to ask a person for the passkey that signs a decision. */
export async function stepUpOptions(
  services: Services,
  decision: Signable & { readonly shownDigest: string },
): Promise<JsonObject> {
  const { store, stepUp } = services;
  const { approvalId, caller, shownDigest } = decision;
  const approval = await store.read.approvals.get(approvalId);
  const run = approval === null ? null : await store.read.runs.get(approval.runId);
  if (approval === null || run === null)
    throw new AppError("not_found", "There is no approval with this id.");
  if (approval.state !== "pending")
    throw new AppError("conflict", `The approval is ${approval.state.replace("_", " ")} already.`);
  if (!approval.stepUp) {
    throw new AppError("conflict", "This approval asks for no passkey.", {
      nextAction: "Decide it without one.",
    });
  }
  const refusal = await decisionRefusal(services, approval, run, caller);
  if (refusal !== null) throw refusal;
  if (shownDigest !== approval.shownDigest) {
    throw new AppError("conflict", "What you were shown is not what this approval is about.", {
      nextAction: "Read the approval again and decide on what it shows now.",
    });
  }
  return stepUp.assertionOptions(caller.id, (await signedBy(services, decision, shownDigest)).digest);
}

/** What the passkey signs of a decision, and the digest of its reason and values inside it. */
async function signedBy(
  { provenance }: Services,
  { approvalId, caller, verdict, reason, values }: Signable,
  shownDigest: string,
): Promise<{ readonly digest: string; readonly said: string }> {
  const salt = await provenance.saidSalt(approvalId, caller.id);
  const content = decisionDigest(salt, { reason, values: verdict === "approved" ? values : null });
  const digest = stepUpDigest({ approvalId, by: caller.id, shownDigest, verdict, said: content });
  return { said: content, digest };
}

/** The passkey signature of a decision, checked; null where the step asks for none. */
export async function stepUpProof(
  services: Services,
  approval: ApprovalRecord,
  decision: Decision,
): Promise<DecisionProof | null> {
  const { store, stepUp } = services;
  const { assertion, caller } = decision;
  const given = assertion ?? null;
  if (!approval.stepUp) {
    if (given === null) return null;
    throw new AppError("invalid_input", "This approval asks for no passkey.", {
      problems: [{ pointer: "/assertion", message: "is not expected", fix: "Leave it out." }],
    });
  }
  if (given === null) {
    const known = await store.read.passkeys.ofPerson(caller.id);
    throw missing(approval.id, known.length > 0);
  }
  const { digest, said } = await signedBy(services, decision, approval.shownDigest);
  return { ...(await stepUp.verifyAssertion(caller.id, digest, given)), said };
}

function missing(id: string, hasPasskey: boolean): AppError {
  const own = hasPasskey ? "" : " You have none yet.";
  const add = hasPasskey ? "" : "Add a passkey on the account page. Then ";
  const how = `decide on the page /approvals?id=${id}, or ask POST /api/svc/approvals/${id}/step-up for what to sign and send the answer as assertion to POST /api/svc/approvals/${id}/decide.`;
  return new AppError("forbidden", `This approval is decided with a passkey.${own}`, {
    problems: [
      {
        pointer: "/assertion",
        message: "is missing",
        expected: "the browser's answer to the options of POST /api/svc/approvals/{id}/step-up",
      },
    ],
    nextAction: add === "" ? how.charAt(0).toUpperCase() + how.slice(1) : add + how,
    details: { stepUp: true, hasPasskey },
  });
}
