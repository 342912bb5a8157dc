import { AppError } from "../kernel/errors.ts";
import { SERVICE } from "../kernel/service.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { ReceivedView, ReceiverView } from "../model/suite.ts";
import { requireScope } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import { Reply } from "../ports/operations.ts";
import type { HandoffRecord } from "../ports/records.ts";
import { storeAccepted } from "./acceptance.ts";
import { HANDOFF_SCHEMA, packetDigest, parsePacket, type HandoffPacket } from "./packet.ts";

/** The address of the receiver, and its three aliases. */
export const RECEIVER_PATH = "/api/svc/receive-handoff";
export const RECEIVER_ALIASES = [
  "/api/browsercheck/receive-handoff",
  "/api/v1/receive-handoff",
  "/api/v1/svc/receive-handoff",
] as const;

/** The readiness document: what the receiver takes and what it promises. Public, and changes nothing. */
export function receiverReadiness(baseUrl: string): ReceiverView {
  return {
    schemaVersion: "svc.browsercheck-receiver.v1",
    service: SERVICE.id,
    endpoint: `${baseUrl}${RECEIVER_PATH}`,
    aliases: RECEIVER_ALIASES.map((path) => `${baseUrl}${path}`),
    status: "configured",
    accepts: [HANDOFF_SCHEMA],
    methods: ["GET", "POST"],
    publicSafeProbe: true,
    protectedAcceptance: true,
    auth: {
      requiredForAcceptedHandoff: true,
      acceptedHeaders: ["Authorization: Bearer <API_KEY>", "X-Suite-API-Key: <API_KEY>"],
      browserStorage: "Keys are not stored in browser storage; the web app keeps a key in memory only.",
    },
    confirmationPolicy:
      "A dry-run packet is answered preview_ready and not stored. An authorized packet that is received is answered accepted. Nothing is reported completed without a result reference.",
    outputPolicy:
      "Acceptance creates no durable artifact. outputArtifactIds stay empty until persistence is configured and a run made from the packet has succeeded.",
  };
}

/**
 * Takes a packet in. A dry run is only looked at. A live packet needs a key and is stored once: the same content
 * again gets the same answer, other content under the same id is a conflict. The answer is given after the record, its
 * event and its provenance are durable; all three or none are, also after a crash.
 */
export async function receiveHandoff(body: unknown, context: CallContext): Promise<Reply<ReceivedView>> {
  const packet = parsePacket(body);
  if (packet.dryRun) return new Reply(previewAnswer(packet), { status: 200 });
  requireScope(context.caller, "handoff");
  const { clock, settings } = context.services;
  const record = acceptedRecord(packet, context.caller.id, new Date(clock.now()).toISOString());
  const stored = await storeAccepted(context.services, record, traceparentOf(context.trace));
  if (stored === null || stored.packetDigest !== record.packetDigest) {
    throw new AppError("conflict", "Another packet was accepted under this id already.", {
      nextAction: "Give a packet with other content an id of its own.",
    });
  }
  return new Reply(acceptedAnswer(stored, settings.baseUrl));
}

function acceptedRecord(packet: HandoffPacket, createdBy: string, at: string): HandoffRecord {
  return {
    id: packet.id,
    direction: "in",
    peer: packet.from,
    capability: packet.capability,
    packet,
    packetDigest: packetDigest(packet),
    state: "accepted",
    attempts: 1,
    nextAttemptAt: null,
    resultRef: null,
    outputArtifactIds: [],
    evidence: null,
    runId: null,
    createdBy,
    createdAt: at,
    updatedAt: at,
  };
}

/** What a sender is answered on acceptance and on every replay: made from what never changes about the record. */
function acceptedAnswer(record: HandoffRecord, baseUrl: string): ReceivedView {
  return {
    schemaVersion: HANDOFF_SCHEMA,
    id: record.id,
    status: "accepted",
    dryRun: false,
    receivedAt: record.createdAt,
    packetDigest: record.packetDigest,
    resultRef: null,
    outputArtifactIds: [],
    confirmation: { required: true, received: false, source: null },
    statusUrl: handoffUrl(baseUrl, record.id),
    nextAction: "Ask statusUrl for the outcome; it is completed only with a result reference.",
  };
}

function previewAnswer(packet: HandoffPacket): ReceivedView {
  return {
    schemaVersion: HANDOFF_SCHEMA,
    id: packet.id,
    status: "preview_ready",
    dryRun: true,
    packetDigest: packetDigest(packet),
    resultRef: null,
    outputArtifactIds: [],
    confirmation: { required: true, received: false, source: null },
    nextAction: "The packet is well formed. Send it with dryRun false and an API key to have it accepted.",
  };
}

/** Where a handoff can be asked for. Its id has no character that an address would have to escape. */
export function handoffUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/api/svc/handoffs/${id}`;
}
