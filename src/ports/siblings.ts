import type { JsonObject } from "../kernel/json.ts";
import type { Trace } from "../kernel/trace.ts";
import type { SiblingName } from "./settings.ts";

/** What a sibling confirmed. Only this moves a handoff past `preview_ready` or `accepted`. */
export interface Confirmation {
  readonly resultRef: string;
  readonly kind: "url" | "id" | "scorecard" | "artifact" | "trace" | "delivery";
  readonly source: SiblingName;
  readonly data: JsonObject;
  readonly observedAt: string;
}

/** The outcome of asking a sibling: confirmed, or degraded with the evidence of what happened instead. */
export type SiblingOutcome =
  | { readonly status: "confirmed"; readonly confirmation: Confirmation }
  | {
      readonly status: "degraded";
      readonly reason: string;
      readonly nextAction: string;
      readonly evidence: JsonObject;
    };

/** What was really observed of a sibling, and when. */
export interface SiblingStatus {
  readonly name: SiblingName;
  readonly configured: boolean;
  readonly url: string | null;
  readonly state: "not_configured" | "unknown" | "reachable" | "failing" | "circuit_open";
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
  readonly lastFailure: string | null;
}

/** A request to a sibling: which of its capabilities, with what. */
export interface SiblingRequest {
  readonly sibling: SiblingName;
  readonly capability: string;
  readonly payload: JsonObject;
  readonly trace: Trace;
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

/** Every sibling behind one port. */
export interface Siblings {
  ask(request: SiblingRequest): Promise<SiblingOutcome>;
  status(name: SiblingName): SiblingStatus;
  all(): readonly SiblingStatus[];
}
