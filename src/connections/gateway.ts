import { unconfirmedAnswer } from "../handoffs/results.ts";
import { doubtAction } from "../kernel/effects.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import { siblingBaseUrl, type Settings } from "../ports/settings.ts";
import { GATEWAY } from "./definition.ts";
import type { DriverCall, DriverResult } from "./driver.ts";

/** The canonical gateway as a connection. */
export function gatewayOf(settings: Settings): ConnectionRecord | null {
  const sibling = settings.siblings.mcp;
  if (sibling === undefined) return null;
  return {
    ...unconfigured(),
    url: `${siblingBaseUrl(settings, "mcp")}/api/mcp`,
    state: "unknown",
    problem: null,
  };
}

/** The canonical gateway when it is not configured: its definitions are known, and calls say why they fail. */
export function unconfigured(): ConnectionRecord {
  return {
    name: GATEWAY,
    kind: "mcp",
    title: "The canonical gateway",
    url: null,
    command: null,
    baseUrl: null,
    credential: null,
    privateOrigin: null,
    state: "failing",
    problem: "SUITE_MCP_URL is not set.",
    checkedAt: null,
    syncedAt: null,
    owner: "settings",
    createdAt: new Date(0).toISOString(),
    updatedAt: new Date(0).toISOString(),
  };
}

/** A call of the canonical gateway goes the way of every sibling: with its breaker and its evidence. */
export async function callGateway({
  record,
  args,
  idempotencyKey,
  context,
}: DriverCall): Promise<DriverResult> {
  const { services, trace, signal } = context;
  const outcome = await services.siblings.ask({
    sibling: "mcp",
    capability: "call_tool",
    payload: { name: record.sourceName, arguments: args },
    trace,
    signal,
    idempotencyKey,
  });
  if (outcome.status === "degraded") {
    const { data } = unconfirmedAnswer("mcp", outcome);
    if (record.effect === "read" || outcome.effect !== "unknown")
      return { ok: false, data, outcome: "degraded", httpStatus: null };
    const code = record.idempotent ? "degraded" : "outcome_unknown";
    const nextAction = doubtAction(record.idempotent);
    const error = { code, message: outcome.reason, effect: "unknown", nextAction };
    return { ok: false, data: { ...data, error, nextAction }, outcome: code, httpStatus: null };
  }
  const { data, resultRef, kind, observedAt } = outcome.confirmation;
  if (data["isError"] === true) return { ok: false, data, outcome: "upstream_error", httpStatus: null };
  const confirmation = { required: true, received: true, source: GATEWAY, kind, observedAt };
  return { ok: true, data: { ...data, resultRef, confirmation }, outcome: "ok", httpStatus: null };
}
