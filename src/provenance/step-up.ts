import { digestOf } from "../kernel/canonical-json.ts";
import { isObject } from "../kernel/json.ts";
import { assertionProblem, decisionProofIn } from "../kernel/webauthn.ts";
import { saltedDigest } from "./salted.ts";
import type { SignatureCheck } from "./signatures.ts";

/*
 * An approval step can ask for a passkey. Then each decision carries a signature over what was shown, for one approval,
 * one verdict, one reason with its values and one person; the record of the decision holds it, and everybody who has
 * the record can check it. Reason and values are not in the record: it holds a salted digest of them.
 */

/** What a person signs with a passkey. */
export interface Signed {
  readonly approvalId: string;
  /** The id of the person who decides. */
  readonly by: string;
  /** The digest of what was shown. */
  readonly shownDigest: string;
  readonly verdict: string;
  /** The salted digest of reason and values, see {@link decisionDigest}. */
  readonly said: string;
}

/** What a decision comes with. */
interface DecisionContent {
  readonly reason?: unknown;
  readonly values?: unknown;
}

/** The salted digest of the reason and the values of a decision. */
export function decisionDigest(salt: string, { reason = null, values = null }: DecisionContent): string {
  return saltedDigest(salt, digestOf({ reason, values }));
}

/** True when the person who decided signed this reason and these values. */
export function signsDecision(
  predicate: Readonly<Record<string, unknown>>,
  salt: string,
  said: DecisionContent,
): boolean {
  const decider = votesIn("approval", predicate)?.find(({ by }) => by === predicate["decidedBy"]);
  return decisionProofIn(decider?.assertion)?.said === decisionDigest(salt, said);
}

/** The digest that the challenge of a passkey stands for. */
export function stepUpDigest({ approvalId, by, shownDigest, verdict, said }: Signed): string {
  return digestOf({ approvalId, by, purpose: "svc.approval-step-up.v2", said, shownDigest, verdict });
}

interface Vote {
  readonly by: unknown;
  readonly verdict: unknown;
  readonly assertion: unknown;
}

/** What was found of the passkeys of a decision; null for records that no passkey belongs to. */
export function checkAssertions(
  record: { readonly kind: string; readonly subjectId: string },
  predicate: Readonly<Record<string, unknown>>,
  check: SignatureCheck,
): { readonly verdict: "pass" | "fail"; readonly detail: string } | null {
  const votes = votesIn(record.kind, predicate);
  if (votes === null) return null;
  const { shownDigest, decidedBy, state } = predicate;
  if (votes.length === 0) return fail("The decision needs a passkey, and the record holds none.");
  if (record.kind === "approval" && !votes.some(({ by, verdict }) => by === decidedBy && verdict === state))
    return fail("The record holds no passkey of the person who decided.");
  const origins = new Set<string>();
  for (const { by, verdict, assertion } of votes) {
    const proof = decisionProofIn(assertion);
    const known = typeof by === "string" && typeof verdict === "string" && typeof shownDigest === "string";
    if (proof === null || !known) return fail(`The record holds no passkey signature of ${String(by)}.`);
    const { said } = proof;
    const digest = stepUpDigest({ approvalId: record.subjectId, by, shownDigest, verdict, said });
    const problem = assertionProblem(proof, digest, check);
    if (problem !== null) return fail(`The passkey signature of ${by} does not hold: ${problem}.`);
    origins.add(proof.origin);
  }
  const who = votes.map(({ by }) => String(by)).join(", ");
  const detail = `Signed with a passkey by ${who} at ${[...origins].join(", ")}, over what was shown, the decision, its reason and its values.`;
  return { verdict: "pass", detail };
}

/** The votes of a decision that asked for a passkey. */
function votesIn(kind: string, predicate: Readonly<Record<string, unknown>>): readonly Vote[] | null {
  const { stepUp, votes, change, by, verdict, assertion, decidedBy } = predicate;
  if (stepUp !== true) return null;
  if (kind === "approval_action") return change === "voted" ? [{ by, verdict, assertion }] : null;
  // An approval that expired or was withdrawn was decided by no person.
  if (kind !== "approval" || typeof decidedBy !== "string") return null;
  return Array.isArray(votes)
    ? votes.map((vote: unknown) => {
        const given = isObject(vote) ? vote : {};
        return { by: given["voter"], verdict: given["verdict"], assertion: given["assertion"] };
      })
    : [];
}

function fail(detail: string): { readonly verdict: "fail"; readonly detail: string } {
  return { verdict: "fail", detail };
}
