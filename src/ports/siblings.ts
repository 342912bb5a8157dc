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

/** Nothing was confirmed: why, what to do, and the evidence of what happened instead. */
export interface Unconfirmed {
  readonly status: "degraded";
  readonly reason: string;
  readonly nextAction: string;
  /** `problem` in it is one of a fixed set of words, `timed_out` and `not_configured` among them. */
  readonly evidence: JsonObject;
  /** Set where it may have happened all the same. */
  readonly effect?: "unknown";
}

/** The outcome of asking a sibling: confirmed, or degraded with the evidence of what happened instead. */
export type SiblingOutcome =
  | { readonly status: "confirmed"; readonly confirmation: Confirmation }
  | Unconfirmed;

/** What was really observed of a sibling, and when. */
export interface SiblingStatus {
  readonly name: SiblingName;
  readonly title: string;
  readonly purpose: string;
  readonly transport: "openapi" | "mcp";
  /** What it can be asked for: the capabilities of packets whose results are proved, then direct calls. */
  readonly capabilities: readonly string[];
  readonly configured: boolean;
  readonly url: string | null;
  readonly state: "not_configured" | "unknown" | "reachable" | "failing" | "circuit_open";
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
  readonly lastFailure: string | null;
}

/** A request to a sibling: which of its capabilities, with what. */
interface SiblingRequest {
  readonly sibling: SiblingName;
  /** root: `graph` · spec: `validate` · trace: `record`, `show` · ascii: `convert` · sheets: `read` ·
   * layout: `preview`, `score`, `export` · studio: `preview` {prompt, templateId}, `import` {designId} ·
   * ai_gateway: `draft` · mcp: `call_tool` {name, arguments}. Work that leaves something behind is handed over
   * as a packet instead, with `deliver`. */
  readonly capability: string;
  readonly payload: JsonObject;
  readonly trace: Trace;
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

/** A packet to be delivered. Delivering it again under the same id is harmless. */
export interface DeliveryRequest {
  readonly sibling: SiblingName;
  /** The live `suite.handoff.v1` packet. */
  readonly packet: JsonObject & { readonly id: string; readonly capability: string };
  readonly traceparent: string;
  readonly signal?: AbortSignal;
}

/** What became of a delivery. `accepted` is not a result; `completed` always has one. */
export type DeliveryOutcome =
  | { readonly status: "accepted"; readonly statusUrl: string | null; readonly evidence: JsonObject }
  | {
      readonly status: "completed";
      readonly confirmation: Confirmation;
      readonly outputArtifactIds: readonly string[];
      readonly evidence: JsonObject;
    }
  | (Unconfirmed & {
      /** Whether the same delivery may succeed later. */
      readonly retryable: boolean;
    });

/** A tool of the canonical gateway as it was listed, text made safe to show. */
interface ListedTool {
  readonly name: string;
  readonly definition: JsonObject;
}

/** The list of tools of the canonical gateway, or why there is none. */
type ListedTools =
  | { readonly status: "listed"; readonly server: string; readonly tools: readonly ListedTool[] }
  | Unconfirmed;

/** Every sibling behind one port. */
export interface Siblings {
  ask(request: SiblingRequest): Promise<SiblingOutcome>;
  /** Hands a packet over. */
  deliver(request: DeliveryRequest): Promise<DeliveryOutcome>;
  /** Asks what became of a packet that was accepted; `statusUrl` is the address the sibling gave. */
  inquire(request: DeliveryRequest & { readonly statusUrl: string }): Promise<DeliveryOutcome>;
  /** Lists the canonical gateway's tools. */
  listTools(trace: Trace, signal?: AbortSignal): Promise<ListedTools>;
  status(name: SiblingName): SiblingStatus;
  all(): readonly SiblingStatus[];
}
