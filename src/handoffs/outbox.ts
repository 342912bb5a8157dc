import { statusOf } from "../model/status.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { HandoffRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { SIBLING_NAMES, type SiblingName } from "../ports/settings.ts";
import type { DeliveryOutcome } from "../ports/siblings.ts";
import { handoffEvent, handoffFact } from "./journal.ts";
import { liveRequest, packetDigest, parsePacket, previewPacket, type HandoffPacket } from "./packet.ts";

const MAX_ATTEMPTS = 12;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;
const SHORTEST_POLL_MS = 500;
const LONGEST_POLL_MS = 60_000;
const RETRY_POLL_MS = 3_000;
const POLL_FOR_MS = 7 * 24 * 60 * 60_000;
/** Longer than any sibling's time-out: after it, a send that was never settled is taken for cut off. */
const LEASE_MS = 60_000;
const KEPT =
  "The packet is kept: it may have had its effect, or it is sent again automatically. It may be repeated: a repetition has no further effect.";

/** What a handoff's sending needs of the services. */
export type OutboxServices = Pick<Services, "store" | "siblings" | "provenance" | "clock" | "settings">;

/** Work to be handed over to a sibling. */
export interface Delegation {
  readonly sibling: SiblingName;
  readonly capability: string;
  readonly intent: string;
  readonly payload: JsonObject;
  readonly inputArtifactIds: readonly string[];
  /** Keep trying after this call has answered. */
  readonly background: boolean;
}

/** What became of a delegation. `record` is null when nothing was stored: no store, or nobody to send to. */
export interface Delegated {
  readonly packet: HandoffPacket;
  readonly record: HandoffRecord | null;
  readonly outcome: DeliveryOutcome;
}

/** The preview of a delegation: what would be sent, as it is shown to anybody. */
export function previewOf(delegation: Delegation, context: CallContext): HandoffPacket {
  const key = context.meta["svc/idempotencyKey"];
  return previewPacket(context.services.settings, {
    target: delegation.sibling,
    capability: delegation.capability,
    intent: delegation.intent,
    transport: context.services.siblings.status(delegation.sibling).transport,
    inputArtifactIds: delegation.inputArtifactIds,
    payload: delegation.payload,
    ...(typeof key === "string" && { idempotencyKey: key }),
    trace: context.trace,
    requestId: context.requestId,
  });
}

/** Why a capability cannot be asked of a sibling; null when the sibling declares it. */
export function undeclaredCapability(
  { siblings }: Pick<Services, "siblings">,
  { sibling, capability }: Pick<Delegation, "sibling" | "capability">,
): AppError | null {
  const { title, capabilities } = siblings.status(sibling);
  if (capabilities.includes(capability)) return null;
  const declared = capabilities.join(", ");
  const [nearest] = nearestNames(capability, capabilities, 1);
  return new AppError(
    "invalid_input",
    `The service ${title} declares no capability "${capability.slice(0, 100)}"; it declares ${declared}. Nothing was sent.`,
    {
      problems: [
        {
          pointer: "/action",
          message: `The service ${title} does not declare this capability.`,
          expected: `one of ${declared}`,
          given: capability.slice(0, 100),
          fix: nearest === undefined ? `Use one of ${declared}.` : `Did you mean "${nearest}"?`,
        },
      ],
      nextAction: `Use one of ${declared}; list_integrations shows what each service of the suite declares.`,
      details: { sibling, declared: [...capabilities] },
    },
  );
}

/**
 * Hands work over. The packet is on disk before it leaves, so a crash in between loses nothing: it is sent again
 * under the same id, which the receiver stores once. The same work asked for again gets the stored result.
 */
export async function delegate(delegation: Delegation, context: CallContext): Promise<Delegated> {
  const { services } = context;
  const undeclared = undeclaredCapability(services, delegation);
  if (undeclared !== null) throw undeclared;
  const configured = services.settings.siblings[delegation.sibling];
  const preview = previewOf(delegation, context);
  const packet = liveRequest(
    preview,
    delegation.payload,
    configured !== undefined && configured.key !== null,
  );
  if (configured === undefined || services.store.kind === "none") {
    const outcome = await send(services, delegation.sibling, packet, context.signal);
    return { packet: configured === undefined ? preview : packet, record: null, outcome };
  }
  const record = await stored(services, delegation.sibling, packet, context);
  if (record.state === "completed") return { packet, record, outcome: outcomeOf(record) };
  return attempt(services, record, { background: delegation.background, signal: context.signal });
}

/** One try at a stored handoff: send it, or ask what became of it when it was accepted. */
export async function attempt(
  services: OutboxServices,
  record: HandoffRecord,
  options: { readonly background: boolean; readonly signal?: AbortSignal },
): Promise<Delegated> {
  const packet = parsePacket(record.packet);
  const sibling = siblingOf(record);
  const statusUrl = record.state === "accepted" ? record.evidence?.["statusUrl"] : undefined;
  const outcome =
    typeof statusUrl === "string"
      ? await services.siblings.inquire({
          sibling,
          packet: { ...packet },
          traceparent: packet.trace.traceparent,
          statusUrl,
          ...(options.signal && { signal: options.signal }),
        })
      : await send(services, sibling, packet, options.signal);
  const isDoubtful = mayHaveActed(record);
  const note = services.store.transact(async (tx) => {
    // Another sender may have taken the handoff since. Only a confirmed result is written over what it noted.
    const current = (await tx.handoffs.get(record.id, "out")) ?? record;
    const before = outcome.status === "completed" ? current : record;
    if (before.state === "completed") return before;
    const next = nextRecord(before, outcome, services.clock.now(), options.background);
    if (!(await tx.handoffs.update(next, before.state))) return current;
    if (next.state !== before.state) {
      await tx.events.append([handoffEvent(next, packet.trace.traceparent)]);
      await services.provenance.append(tx, [handoffFact(next)]);
    }
    return next;
  });
  const settled = await note.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    // On disk it is still being sent: if it was not, it will be.
    throw new AppError(error.code, error.message, { ...error.info, effect: "unknown", nextAction: KEPT });
  });
  showSpan(services, packet, settled);
  if (outcome.status !== "degraded") return { packet, record: settled, outcome };
  if (settled.state === "completed") return { packet, record: settled, outcome: outcomeOf(settled) };
  // What will be sent again by itself can still have its effect.
  const effect = isDoubtful || mayHaveActed(settled) || settled.state === "ready" ? "unknown" : undefined;
  return { packet, record: settled, outcome: { ...outcome, ...(effect && { effect }) } };
}

/** The sibling has accepted the packet, or an attempt was not answered so that it says nothing was done. */
function mayHaveActed({ state, evidence }: HandoffRecord): boolean {
  return state === "accepted" || evidence?.["effect"] === "unknown";
}

/** Tells the trace store of the handoff, so that the packet's `traceUrl` shows it. Nothing waits for it or depends on it. */
function showSpan(services: OutboxServices, packet: HandoffPacket, record: HandoffRecord): void {
  if (services.settings.siblings.trace === undefined || record.peer === "trace") return;
  const { traceId, spanId, parentSpanId } = packet.trace;
  void services.siblings.ask({
    sibling: "trace",
    capability: "record",
    payload: {
      traceId,
      spans: [
        {
          spanId,
          parentSpanId,
          name: `handoff to ${record.peer}: ${record.capability}`,
          startedAt: record.createdAt,
          finishedAt: record.updatedAt,
          ...statusOf(record),
        },
      ],
    },
    trace: { traceId, spanId, parentSpanId },
    idempotencyKey: `${packet.id}-${record.attempts}`,
  });
}

/** Takes a waiting handoff for one sender; null when another replica was faster. */
export async function claimed(
  services: OutboxServices,
  record: HandoffRecord,
): Promise<HandoffRecord | null> {
  if (record.state !== "ready") return record;
  const taken = asSending(record, services.clock.now());
  return (await services.store.transact((tx) => tx.handoffs.update(taken, "ready"))) ? taken : null;
}

function asSending(record: HandoffRecord, now: number): HandoffRecord {
  return { ...record, state: "sending", nextAttemptAt: new Date(now + LEASE_MS).toISOString() };
}

function withDoubt(record: HandoffRecord): HandoffRecord {
  return { ...record, evidence: { ...record.evidence, effect: "unknown" } };
}

/** Puts the packet into the outbox, or gives what is there under its id. */
async function stored(
  services: OutboxServices,
  sibling: SiblingName,
  packet: HandoffPacket,
  { caller, meta }: CallContext,
): Promise<HandoffRecord> {
  const now = services.clock.now();
  const at = new Date(now).toISOString();
  const fresh: HandoffRecord = {
    id: packet.id,
    direction: "out",
    peer: sibling,
    capability: packet.capability,
    packet,
    packetDigest: packetDigest(packet),
    state: "sending",
    attempts: 0,
    nextAttemptAt: new Date(now + LEASE_MS).toISOString(),
    resultRef: null,
    outputArtifactIds: [],
    evidence: null,
    runId: runOfCall(meta),
    createdBy: caller.id,
    createdAt: at,
    updatedAt: at,
  };
  return services.store.transact(async (tx) => {
    if (!(await tx.handoffs.insert(fresh))) {
      const found = (await tx.handoffs.get(fresh.id, "out")) ?? fresh;
      // Another sender has it, or was cut off.
      if (found.state === "sending") return withDoubt(found);
      if (found.state !== "ready" && found.state !== "degraded") return found;
      // On disk before it leaves again, or nobody would know of this attempt if its outcome cannot be written down.
      const taken = asSending(found, now);
      return (await tx.handoffs.update(taken, found.state)) ? taken : withDoubt(taken);
    }
    await tx.events.append([handoffEvent(fresh, packet.trace.traceparent)]);
    await services.provenance.append(tx, [handoffFact(fresh)]);
    return fresh;
  });
}

function send(
  services: OutboxServices,
  sibling: SiblingName,
  packet: HandoffPacket,
  signal: AbortSignal | undefined,
): Promise<DeliveryOutcome> {
  return services.siblings.deliver({
    sibling,
    packet: { ...packet },
    traceparent: packet.trace.traceparent,
    ...(signal && { signal }),
  });
}

/** Where a handoff stands after a try. */
function nextRecord(
  record: HandoffRecord,
  outcome: DeliveryOutcome,
  now: number,
  background: boolean,
): HandoffRecord {
  const attempts = record.attempts + 1;
  const base = { ...record, attempts, updatedAt: new Date(now).toISOString(), nextAttemptAt: null };
  const inMs = (ms: number): string => new Date(now + ms).toISOString();
  if (outcome.status === "completed") {
    return {
      ...base,
      state: "completed",
      resultRef: outcome.confirmation.resultRef,
      outputArtifactIds: outcome.outputArtifactIds,
      evidence: { ...outcome.evidence, confirmation: { ...outcome.confirmation } },
    };
  }
  if (outcome.status === "accepted") {
    const ageMs = now - Date.parse(record.createdAt);
    const poll = outcome.statusUrl !== null && ageMs < POLL_FOR_MS;
    const pause = Math.min(Math.max(ageMs / 4, SHORTEST_POLL_MS), LONGEST_POLL_MS);
    return {
      ...base,
      state: "accepted",
      nextAttemptAt: poll ? inMs(pause) : null,
      evidence: { ...outcome.evidence, statusUrl: outcome.statusUrl },
    };
  }
  const effect = outcome.effect ?? record.evidence?.["effect"];
  const evidence = {
    ...record.evidence,
    ...outcome.evidence,
    reason: outcome.reason,
    ...(effect && { effect }),
  };
  // What a sibling accepted stays accepted: it was stored there, only the answer about it is missing.
  if (record.state === "accepted") {
    const old = now - Date.parse(record.createdAt) > POLL_FOR_MS;
    return {
      ...base,
      nextAttemptAt: old ? null : inMs(outcome.retryable ? RETRY_POLL_MS : LONGEST_POLL_MS),
      evidence,
    };
  }
  if (background && outcome.retryable && attempts < MAX_ATTEMPTS) {
    const pause = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
    return { ...base, state: "ready", nextAttemptAt: inMs(pause), evidence };
  }
  return { ...base, state: "degraded", evidence };
}

/** The stored result as an outcome, for work that was done before. */
function outcomeOf(record: HandoffRecord): DeliveryOutcome {
  const confirmation = record.evidence?.["confirmation"];
  const data = isJsonObject(confirmation) ? confirmation["data"] : undefined;
  const reference = record.resultRef ?? "";
  return {
    status: "completed",
    confirmation: {
      resultRef: reference,
      kind: /^https?:/.test(reference) ? "url" : reference.startsWith("scorecard_") ? "scorecard" : "id",
      source: siblingOf(record),
      data: isJsonObject(data) ? data : {},
      observedAt: record.updatedAt,
    },
    outputArtifactIds: record.outputArtifactIds,
    evidence: record.evidence ?? {},
  };
}

function siblingOf(record: HandoffRecord): SiblingName {
  const name = SIBLING_NAMES.find((candidate) => candidate === record.peer);
  if (name === undefined) throw new Error(`outgoing handoff to an unknown sibling: ${record.peer}`);
  return name;
}
