import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { allows, requireScope } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import { pageOfQuery } from "../ports/http.ts";
import { HANDOFF_STATES, type HandoffRecord } from "../ports/records.ts";
import { settled } from "./outcome.ts";
import { HANDOFF_SCHEMA } from "./packet.ts";
import { handoffUrl } from "./receiver.ts";

/** A handoff as a holder of a key sees it, its packet included. */
export async function showHandoff(
  id: string,
  direction: "in" | "out" | null,
  context: CallContext,
): Promise<JsonObject> {
  requireScope(context.caller, "handoff");
  const { store } = context.services;
  const found =
    (direction === "out" ? null : await store.read.handoffs.get(id, "in")) ??
    (direction === "in" ? null : await store.read.handoffs.get(id, "out"));
  if (found === null) throw new AppError("not_found", "There is no handoff with this id.");
  const record = await settled(context.services, found);
  return { ...handoffView(record, context.services.settings.baseUrl), packet: record.packet };
}

/** The inbox and the outbox, newest first. */
export async function listHandoffs(query: URLSearchParams, context: CallContext): Promise<JsonObject> {
  if (!allows(context.caller, "read-private")) requireScope(context.caller, "handoff");
  const direction = chosen("direction", query.get("direction"), ["in", "out"] as const);
  const state = chosen("state", query.get("state"), HANDOFF_STATES);
  const page = await context.services.store.read.handoffs.list(pageOfQuery(query), {
    ...(direction && { direction }),
    ...(state && { state }),
  });
  const { baseUrl } = context.services.settings;
  return { handoffs: page.items.map((record) => handoffView(record, baseUrl)), nextCursor: page.nextCursor };
}

/** What is shown of a handoff: where it stands, what was tried, what was confirmed. */
export function handoffView(record: HandoffRecord, baseUrl: string): JsonObject {
  const done = record.state === "completed" && record.resultRef !== null;
  return {
    schemaVersion: HANDOFF_SCHEMA,
    id: record.id,
    direction: record.direction,
    peer: record.peer,
    capability: record.capability,
    intent: record.packet["intent"] ?? null,
    status: record.state,
    dryRun: false,
    attempts: record.attempts,
    nextAttemptAt: record.nextAttemptAt,
    resultRef: done ? record.resultRef : null,
    outputArtifactIds: done ? record.outputArtifactIds : [],
    confirmation: {
      required: true,
      received: done,
      source: done ? (record.direction === "out" ? record.peer : "svc") : null,
    },
    evidence: record.evidence,
    runId: record.runId,
    packetDigest: record.packetDigest,
    statusUrl: handoffUrl(baseUrl, record.id),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

function chosen<T extends string>(name: string, value: string | null, allowed: readonly T[]): T | null {
  if (value === null || value === "") return null;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) {
    throw new AppError("invalid_input", `${name} is one of ${allowed.join(", ")}.`);
  }
  return found;
}
