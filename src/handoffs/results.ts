import { degraded, ok, type Envelope } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { SiblingName } from "../ports/settings.ts";
import type { SiblingOutcome } from "../ports/siblings.ts";
import type { Delegated } from "./outbox.ts";

/** The answer of a tool that handed work over: confirmed with its reference, or degraded with the evidence. */
export function delegationEnvelope(sibling: SiblingName, { packet, record, outcome }: Delegated): Envelope {
  if (outcome.status === "completed") {
    const { resultRef, kind, source, data, observedAt } = outcome.confirmation;
    return ok({
      status: "completed",
      resultRef,
      delegationId: packet.id,
      confirmation: { required: true, received: true, source, kind, observedAt },
      result: data,
      outputArtifactIds: outcome.outputArtifactIds,
      recorded: record !== null,
      evidence: withoutData(outcome.evidence),
    });
  }
  if (outcome.status === "accepted") {
    return degraded(
      {
        reason: "The sibling accepted the packet but has not confirmed a result.",
        adapter: sibling,
        nextAction: "Ask for the handoff later; its outcome is recorded when the sibling confirms one.",
        evidence: outcome.evidence,
      },
      { delegationId: packet.id, handoffStatus: "accepted" },
    );
  }
  const { reason, nextAction, evidence } = outcome;
  return degraded({ reason, adapter: sibling, nextAction, evidence }, { delegationId: packet.id });
}

/** The answer of a tool that asked a sibling directly. */
export function askedEnvelope(
  sibling: SiblingName,
  outcome: SiblingOutcome,
  extra: JsonObject = {},
): Envelope {
  if (outcome.status === "confirmed") {
    const { resultRef, kind, source, data, observedAt } = outcome.confirmation;
    return ok({
      ...extra,
      status: "confirmed",
      resultRef,
      confirmation: { required: true, received: true, source, kind, observedAt },
      result: data,
    });
  }
  const { reason, nextAction, evidence } = outcome;
  return degraded({ reason, adapter: sibling, nextAction, evidence }, extra);
}

/** The stored evidence holds the confirmed data too; in an answer it stands beside it already. */
function withoutData({ confirmation: _confirmation, ...rest }: JsonObject): JsonObject {
  return rest;
}
