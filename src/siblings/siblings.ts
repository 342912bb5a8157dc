import { digestOf } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { Clock, Fetcher } from "../ports/platform.ts";
import { SIBLING_NAMES, type Settings, type SiblingName, type SiblingSettings } from "../ports/settings.ts";
import type {
  Confirmation,
  DeliveryOutcome,
  DeliveryRequest,
  SiblingOutcome,
  Siblings,
  Unconfirmed,
} from "../ports/siblings.ts";
import { handoffPathOf, type Adapter } from "./adapter.ts";
import { aiGatewayAdapter } from "./adapters/ai-gateway.ts";
import { asciiAdapter } from "./adapters/ascii.ts";
import { browsercheckAdapter } from "./adapters/browsercheck.ts";
import { catalogAdapter } from "./adapters/catalog.ts";
import { docsAdapter } from "./adapters/docs.ts";
import { evalsAdapter } from "./adapters/evals.ts";
import { layoutAdapter } from "./adapters/layout.ts";
import { mcpAdapter } from "./adapters/mcp.ts";
import { rootAdapter } from "./adapters/root.ts";
import { sandboxAdapter } from "./adapters/sandbox.ts";
import { sheetsAdapter } from "./adapters/sheets.ts";
import { specAdapter } from "./adapters/spec.ts";
import { studioAdapter } from "./adapters/studio.ts";
import { traceAdapter } from "./adapters/trace.ts";
import { createBreaker, type Breaker } from "./breaker.ts";
import { idOf, urlUnder } from "./confirm.ts";
import { exchange, type Exchanged, type Exchange, type Problem } from "./exchange.ts";
import { createMcpClient } from "./mcp-client.ts";
import { withoutTrailing } from "../kernel/text.ts";

/** Every adapter, by its sibling's name. */
export const ADAPTERS: Readonly<Record<SiblingName, Adapter>> = {
  root: rootAdapter,
  mcp: mcpAdapter,
  spec: specAdapter,
  sandbox: sandboxAdapter,
  evals: evalsAdapter,
  trace: traceAdapter,
  ascii: asciiAdapter,
  docs: docsAdapter,
  sheets: sheetsAdapter,
  catalog: catalogAdapter,
  studio: studioAdapter,
  browsercheck: browsercheckAdapter,
  layout: layoutAdapter,
  ai_gateway: aiGatewayAdapter,
};

/** What the siblings need of the rest. */
export interface SiblingParts {
  readonly settings: Pick<Settings, "siblings">;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** No sibling is waited for longer than this, whatever its adapter says. */
  readonly maxTimeoutMs?: number;
}

/** Every sibling behind one port: believes nothing but a well-formed confirmation, and remembers what it saw. */
export function createSiblings({ settings, fetcher, clock, maxTimeoutMs }: SiblingParts): Siblings {
  const timeoutOf = (adapter: Adapter): number => Math.min(adapter.timeoutMs, maxTimeoutMs ?? Infinity);
  const breakers = new Map<SiblingName, Breaker>(
    SIBLING_NAMES.map((name) => [name, createBreaker(ADAPTERS[name], settings.siblings[name], clock)]),
  );
  const breakerOf = (name: SiblingName): Breaker =>
    breakers.get(name) ?? createBreaker(ADAPTERS[name], settings.siblings[name], clock);
  const mcp = createMcpClient(fetcher);

  /** Asks if the sibling may be asked, and remembers how it went. `check` sees only well-formed answers. */
  async function observed<T>(
    name: SiblingName,
    changes: boolean,
    talk: (sibling: SiblingSettings) => Promise<Exchanged>,
    check: (data: JsonObject, evidence: JsonObject) => T | { readonly problem: string },
  ): Promise<T | (Unconfirmed & { readonly retryable: boolean })> {
    const sibling = settings.siblings[name];
    const adapter = ADAPTERS[name];
    if (sibling === undefined) {
      return unconfirmed(
        adapter,
        "not_configured",
        `The ${adapter.title} service is not configured.`,
        {},
        false,
      );
    }
    const breaker = breakerOf(name);
    const waitMs = breaker.waitMs();
    if (waitMs !== null) {
      const reason = `The ${adapter.title} sibling failed repeatedly and is left alone for a moment.`;
      return unconfirmed(adapter, "circuit_open", reason, { retryInMs: waitMs }, true);
    }
    const result = await talk(sibling);
    if (result.kind === "failure") {
      if (isRequestAtFault(result)) breaker.refusedRequest();
      else breaker.failed(result.reason, result.down);
      const { problem, reason, evidence, down, isDoubtful } = result;
      return unconfirmed(adapter, problem, reason, evidence, down, isDoubtful);
    }
    const verdict = check(result.data, result.evidence);
    if (isProblem(verdict)) {
      breaker.failed(verdict.problem, false);
      // The answer is no refusal, only no proof either.
      return unconfirmed(adapter, "not_confirmed", verdict.problem, result.evidence, false, changes);
    }
    breaker.succeeded();
    return verdict;
  }

  const observedNow = (): string => new Date(clock.now()).toISOString();

  async function handedOver(
    request: DeliveryRequest,
    changes: boolean,
    call: (base: URL) => Pick<Exchange, "method" | "url" | "body">,
  ): Promise<DeliveryOutcome> {
    const { sibling: name, packet } = request;
    const adapter = ADAPTERS[name];
    const base = new URL(settings.siblings[name]?.url ?? "http://unconfigured.invalid");
    return observed<DeliveryOutcome>(
      name,
      changes,
      (sibling) =>
        exchange(fetcher, clock, sibling, {
          ...call(base),
          traceparent: request.traceparent,
          idempotencyKey: packet.id,
          timeoutMs: timeoutOf(adapter),
          safe: true,
          changes,
          ...(request.signal && { signal: request.signal }),
        }),
      (data, evidence) => judgeDelivery(data, evidence, { adapter, base, packet, observedAt: observedNow() }),
    );
  }

  return {
    async ask(request): Promise<SiblingOutcome> {
      const adapter = ADAPTERS[request.sibling];
      const confirmed = (verdict: Pick<Confirmation, "resultRef" | "kind" | "data">): SiblingOutcome => ({
        status: "confirmed",
        confirmation: { ...verdict, source: request.sibling, observedAt: observedNow() },
      });
      if (request.sibling === "mcp") {
        const { name, arguments: args } = request.payload;
        return observed<SiblingOutcome>(
          "mcp",
          true,
          (sibling) =>
            mcp.callTool(sibling, {
              name: typeof name === "string" ? name : "",
              args: isJsonObject(args) ? args : {},
              requestKey: request.idempotencyKey,
              timeoutMs: timeoutOf(adapter),
              traceparent: traceparentOf(request.trace),
              ...(request.signal && { signal: request.signal }),
            }),
          (data) => confirmed({ resultRef: `mcp_${request.idempotencyKey}`, kind: "delivery", data }),
        );
      }
      const call = adapter.calls?.[request.capability];
      if (call === undefined) {
        const reason = `The ${adapter.title} sibling has no capability of this name.`;
        return unconfirmed(adapter, "unknown_capability", reason, {}, false);
      }
      const base = new URL(settings.siblings[request.sibling]?.url ?? "http://unconfigured.invalid");
      return observed<SiblingOutcome>(
        request.sibling,
        !call.safe,
        (sibling) =>
          exchange(fetcher, clock, sibling, {
            method: call.method,
            url: addressOf(base, call.path(request.payload)),
            ...(call.method === "POST" && { body: request.payload }),
            traceparent: traceparentOf(request.trace),
            // Steps of one run share the id of the run; another question must not get this one's answer.
            idempotencyKey: `${request.idempotencyKey}-${digestOf([request.capability, request.payload]).slice(7, 23)}`,
            timeoutMs: timeoutOf(adapter),
            safe: call.safe,
            changes: !call.safe,
            ...(request.signal && { signal: request.signal }),
          }),
        (data) => {
          const verdict = call.confirm(data, { base, payload: request.payload });
          return "problem" in verdict ? verdict : confirmed(verdict);
        },
      );
    },
    deliver: (request) =>
      handedOver(request, true, (base) => ({
        method: "POST",
        url: addressOf(base, handoffPathOf(ADAPTERS[request.sibling])),
        body: request.packet,
      })),
    inquire: (request) => handedOver(request, false, () => ({ method: "GET", url: request.statusUrl })),
    async listTools(trace, signal) {
      return observed(
        "mcp",
        false,
        (sibling) =>
          mcp.listTools(sibling, {
            timeoutMs: timeoutOf(mcpAdapter),
            traceparent: traceparentOf(trace),
            ...(signal && { signal }),
          }),
        (data) => {
          const tools = Array.isArray(data["tools"]) ? data["tools"].filter(isJsonObject) : [];
          return {
            status: "listed" as const,
            server: "mcp",
            tools: tools.flatMap((definition) =>
              typeof definition["name"] === "string" ? [{ name: definition["name"], definition }] : [],
            ),
          };
        },
      );
    },
    status: (name) => breakerOf(name).status(),
    all: () => SIBLING_NAMES.map((name) => breakerOf(name).status()),
  };
}

interface DeliveryFacts {
  readonly adapter: Adapter;
  readonly base: URL;
  readonly packet: DeliveryRequest["packet"];
  readonly observedAt: string;
}

/** What an answer to a packet proves. `completed` needs a reference, and the proof its capability asks for. */
function judgeDelivery(
  data: JsonObject,
  evidence: JsonObject,
  { adapter, base, packet, observedAt }: DeliveryFacts,
): DeliveryOutcome | { readonly problem: string } {
  if (data["id"] !== packet.id) return { problem: "The answer is about another packet." };
  const { status, resultRef, statusUrl } = data;
  if (status === "accepted") {
    if (statusUrl === undefined || statusUrl === null)
      return { status: "accepted", statusUrl: null, evidence };
    const url = urlUnder(base, statusUrl);
    return url === null
      ? { problem: "The address to ask later is not the sibling's own." }
      : { status: "accepted", statusUrl: url.href, evidence };
  }
  if (status !== "completed") return { problem: "The sibling neither accepted nor completed the packet." };
  const url = urlUnder(base, resultRef);
  const reference = url?.href ?? idOf(resultRef);
  if (reference === null) return { problem: "The sibling says completed without a reference of its own." };
  const result = isJsonObject(data["result"]) ? data["result"] : {};
  const proof = adapter.proofs?.[packet.capability];
  const problem = proof?.(result, { base, payload: packet, resultRef: reference }) ?? null;
  if (problem !== null) return { problem };
  const kind = url !== null ? "url" : reference.startsWith("scorecard_") ? "scorecard" : "id";
  const { outputArtifactIds } = data;
  return {
    status: "completed",
    confirmation: { resultRef: reference, kind, source: adapter.name, data: result, observedAt },
    outputArtifactIds: Array.isArray(outputArtifactIds)
      ? outputArtifactIds.filter((id) => typeof id === "string").slice(0, 100)
      : [],
    evidence,
  };
}

/** True when the sibling works and refused what the caller sent. A bare 404 or 405 rather says that its address is wrong. */
function isRequestAtFault({ problem, said, evidence }: Extract<Exchanged, { kind: "failure" }>): boolean {
  const status = Number(evidence["httpStatus"]);
  if (problem !== "not_ok" || status === 408 || status === 429) return false;
  return said !== null || (status >= 400 && status !== 404 && status !== 405);
}

function isProblem(value: unknown): value is { readonly problem: string } {
  return (
    typeof value === "object" && value !== null && "problem" in value && typeof value.problem === "string"
  );
}

function addressOf(base: URL, path: string): string {
  return `${withoutTrailing(base.href, "/")}${path}`;
}

function unconfirmed(
  adapter: Adapter,
  problem: Problem,
  reason: string,
  evidence: JsonObject,
  retryable: boolean,
  isDoubtful = false,
): Unconfirmed & { readonly retryable: boolean } {
  return {
    status: "degraded",
    ...(isDoubtful && { effect: "unknown" }),
    reason,
    nextAction:
      problem === "not_ok" && "siblingSaid" in evidence
        ? "Correct what that service names, then call again; evidence.siblingSaid holds its own words."
        : NEXT_ACTIONS[problem](adapter.name.toUpperCase()),
    evidence: { sibling: adapter.name, problem, ...evidence },
    retryable,
  };
}

const again = (): string => "Try again later; get_integration_status shows what was last observed.";
const fix = (): string => "Have the sibling's operator look at its answer; the evidence names what was seen.";
const NEXT_ACTIONS: Readonly<Record<Problem, (name: string) => string>> = {
  not_configured: (name) =>
    `Set SUITE_${name}_URL and SUITE_${name}_KEY, or start with --with-suite to try it out.`,
  circuit_open: again,
  unknown_capability: () => "Use one of the sibling's capabilities.",
  timed_out: again,
  unreachable: again,
  blocked: (name) => `Check SUITE_${name}_URL.`,
  too_large: fix,
  redirected: (name) => `Set SUITE_${name}_URL to the address the sibling really has.`,
  refused: (name) => `Check SUITE_${name}_KEY.`,
  error_answer: again,
  invalid_json: fix,
  not_an_envelope: fix,
  not_ok: fix,
  not_confirmed: fix,
};
