import { degraded, type NotDone } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { SiblingName } from "../ports/settings.ts";
import type { SiblingOutcome, Unconfirmed } from "../ports/siblings.ts";
import type { Delegated } from "./outbox.ts";

/** The answer of a tool that handed work over: confirmed with its reference, or degraded with the evidence. */
export function delegationAnswer(sibling: SiblingName, { packet, record, outcome }: Delegated) {
  if (outcome.status === "completed") {
    const { resultRef, kind, source, data, observedAt } = outcome.confirmation;
    return {
      status: "completed",
      resultRef,
      delegationId: packet.id,
      confirmation: { required: true, received: true, source, kind, observedAt },
      result: data,
      outputArtifactIds: outcome.outputArtifactIds,
      recorded: record !== null,
      evidence: withoutData(outcome.evidence),
    } as const;
  }
  if (outcome.status === "accepted") {
    const reason = "The other service accepted the packet but has not confirmed a result.";
    const nextAction = "Ask for the handoff later; its outcome is recorded when that service confirms one.";
    const error = { code: "degraded", message: reason, nextAction, effect: "unknown" };
    return degraded(
      { reason, adapter: sibling, nextAction, evidence: outcome.evidence },
      { delegationId: packet.id, handoffStatus: "accepted", error },
    );
  }
  return unconfirmedAnswer(sibling, outcome, { delegationId: packet.id });
}

/** What may go better later; everything else fails the same way each time until a person changes something. */
const TRANSIENT: ReadonlySet<unknown> = new Set(["circuit_open", "timed_out", "unreachable", "error_answer"]);

/**
 * The answer when a sibling confirmed nothing: degraded, with an error code that says whether asking again can help
 * (`degraded`), the sibling is missing (`not_configured`), or it refused (`not_confirmed`).
 */
export function unconfirmedAnswer(
  sibling: SiblingName,
  { reason, nextAction, evidence, effect }: Unconfirmed,
  extra: JsonObject = {},
): NotDone {
  const { problem } = evidence;
  const code =
    problem === "not_configured" ? "not_configured" : TRANSIENT.has(problem) ? "degraded" : "not_confirmed";
  return degraded(
    { reason, adapter: sibling, nextAction, evidence },
    { ...extra, error: { code, message: reason, nextAction, ...(effect && { effect }) } },
  );
}

/** The answer of a tool that asked a sibling directly. */
export function askedAnswer<E extends JsonObject>(sibling: SiblingName, outcome: SiblingOutcome, extra: E) {
  if (outcome.status === "confirmed") {
    const { resultRef, kind, source, data, observedAt } = outcome.confirmation;
    return {
      ...extra,
      status: "confirmed",
      resultRef,
      confirmation: { required: true, received: true, source, kind, observedAt },
      result: data,
    } as const;
  }
  return unconfirmedAnswer(sibling, outcome, extra);
}

/** The stored evidence holds the confirmed data too; in an answer it stands beside it already. */
function withoutData({ confirmation: _confirmation, ...rest }: JsonObject): JsonObject {
  return rest;
}
