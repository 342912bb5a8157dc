import type { Client } from "@modelcontextprotocol/client";
import { answerOfRpcError, answerOfStatus, effectOf, type CallEnd } from "../kernel/effects.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import type { Fetcher, OutgoingRequest } from "../ports/platform.ts";
import type { SiblingSettings } from "../ports/settings.ts";
import type { Exchanged } from "./exchange.ts";
import { sanitized } from "../kernel/sanitize.ts";
import { withoutTrailing } from "../kernel/text.ts";
import { siblingReason } from "./reason.ts";

/** How a conversation is bounded and followed. */
interface McpBounds {
  readonly timeoutMs: number;
  readonly traceparent: string;
  readonly signal?: AbortSignal;
}

/** Talks to another MCP server with our credential. */
export interface McpClient {
  listTools(sibling: SiblingSettings, bounds: McpBounds): Promise<Exchanged>;
  callTool(
    sibling: SiblingSettings,
    call: McpBounds & { readonly name: string; readonly args: JsonObject; readonly requestKey: string },
  ): Promise<Exchanged>;
}

const MAX_TOOLS = 2_000;
/** The server works, and what the caller named or sent is wrong: an unknown tool, or invalid arguments. */
const INVALID_PARAMS = -32602;

/**
 * The official client over the guarded fetcher. It is loaded when first needed: a service without a gateway
 * configured never pays for it.
 */
export function createMcpClient(fetcher: Fetcher): McpClient {
  async function converse(
    sibling: SiblingSettings,
    bounds: McpBounds,
    talk: (client: Client, options: { timeout: number; signal: AbortSignal }) => Promise<JsonObject>,
  ): Promise<Exchanged> {
    const begun = Date.now();
    let isTalking = false;
    let sent = false;
    const onSent = (): void => {
      sent ||= isTalking;
    };
    const url = `${withoutTrailing(sibling.url, "/")}/api/mcp`;
    const evidence = (): JsonObject => ({
      url,
      method: "POST",
      observedAt: new Date(begun).toISOString(),
      durationMs: Date.now() - begun,
    });
    const deadline = AbortSignal.timeout(bounds.timeoutMs);
    const signal = bounds.signal ? AbortSignal.any([deadline, bounds.signal]) : deadline;
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const client = new Client(
      { name: SERVICE.name, version: SERVICE.build },
      { versionNegotiation: { mode: "auto" } },
    );
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: guardedFetch(fetcher, sibling, bounds, signal, onSent),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    try {
      await client.connect(transport, { timeout: bounds.timeoutMs, signal });
      isTalking = true;
      const data = await talk(client, { timeout: bounds.timeoutMs, signal });
      return { kind: "answer", data, evidence: evidence() };
    } catch (error) {
      const timedOut = deadline.aborted;
      const code = numberIn(error, "code");
      const status = numberIn(error, "status");
      let answer: CallEnd["answer"] = "none";
      if (code !== null) answer = answerOfRpcError(code);
      else if (status !== null) answer = answerOfStatus(status, false);
      const isDoubtful = effectOf({ changes: true, sent, answer }) === "unknown";
      if (error instanceof Error && isTalking && code === INVALID_PARAMS) {
        const given = siblingReason({ message: error.message });
        return {
          kind: "failure",
          problem: "not_ok",
          reason: `The gateway refused the call with JSON-RPC error ${INVALID_PARAMS}. Its own words: "${given?.message ?? "none"}"`,
          down: false,
          said: given ?? { message: "none" },
          isDoubtful,
          evidence: evidence(),
        };
      }
      return {
        kind: "failure",
        problem: timedOut ? "timed_out" : "unreachable",
        reason: timedOut
          ? "The gateway did not answer in time."
          : "The gateway could not be reached or did not follow the protocol.",
        down: true,
        said: null,
        isDoubtful,
        evidence: evidence(),
      };
    } finally {
      await client.close().catch(() => undefined);
    }
  }

  return {
    listTools: (sibling, bounds) =>
      converse(sibling, bounds, async (client, options) => {
        const tools: JsonObject[] = [];
        let cursor: string | undefined;
        do {
          const page = await client.listTools(cursor === undefined ? {} : { cursor }, options);
          for (const tool of page.tools) {
            const definition = sanitized(tool);
            if (isJsonObject(definition)) tools.push(definition);
          }
          cursor = page.nextCursor;
        } while (cursor !== undefined && tools.length < MAX_TOOLS);
        return { tools: tools.slice(0, MAX_TOOLS) };
      }),
    callTool: (sibling, { name, args, requestKey, ...bounds }) =>
      converse(sibling, bounds, async (client, options) => {
        const result = await client.callTool(
          { name, arguments: { ...args }, _meta: { "svc/idempotencyKey": requestKey } },
          options,
        );
        const data = sanitized(result);
        return isJsonObject(data) ? data : {};
      }),
  };
}

function numberIn(error: unknown, name: "code" | "status"): number | null {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : null;
  return typeof value === "number" ? value : null;
}

/** `fetch` as the client wants it, over the guarded fetcher. Answers are read whole, so no stream is kept open. */
function guardedFetch(
  fetcher: Fetcher,
  sibling: SiblingSettings,
  bounds: McpBounds,
  signal: AbortSignal,
  onSent: () => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const method = methodOf(init?.method);
    // The stream for unasked messages is not wanted; every answer comes with its request.
    if (method === "GET") return new Response(null, { status: 405 });
    const headers = Object.fromEntries(new Headers(init?.headers).entries());
    const answer = await fetcher.fetch({
      url: String(url),
      method,
      trust: "operator",
      timeoutMs: bounds.timeoutMs,
      maxRedirects: 0,
      signal,
      onSent,
      headers: {
        ...headers,
        traceparent: bounds.traceparent,
        ...(sibling.key !== null && { authorization: `Bearer ${sibling.key}` }),
      },
      ...(typeof init?.body === "string" && { body: init.body }),
    });
    const empty = answer.status === 204 || answer.status === 202 || answer.status === 304;
    const { "content-encoding": _encoding, "content-length": _length, ...plain } = answer.headers;
    return new Response(empty ? null : answer.text, { status: answer.status, headers: plain });
  };
}

function methodOf(method: string | undefined): NonNullable<OutgoingRequest["method"]> {
  return method === "POST" || method === "DELETE" ? method : "GET";
}
