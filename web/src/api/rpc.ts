import {
  OperationError,
  readAnswer,
  unreachable,
  type CallOptions,
  type JsonObject,
  type ReadAnswer,
} from "@workflow-ui/client";
import { askForKey, askToSignIn, authHeaders, markRefused, session } from "./session.ts";

/** An answer with how it came. */
export interface RawAnswer<T = JsonObject> extends ReadAnswer<T> {
  /** The response body, byte for byte. */
  readonly text: string;
  readonly ms: number;
  readonly traceId: string;
  readonly requestId: string;
}

let lastId = 0;

/** The body of a `tools/call` request. */
export function toolCallBody(name: string, argumentsText: string, meta?: JsonObject): string {
  const extra = meta === undefined ? "" : `,"_meta":${JSON.stringify(meta)}`;
  const params = `{"name":${JSON.stringify(name)},"arguments":${argumentsText}${extra}}`;
  return `{"jsonrpc":"2.0","id":${++lastId},"method":"tools/call","params":${params}}`;
}

/** Calls any tool with arguments given as JSON text, so that big numbers stay exact. */
export function callToolText<T = JsonObject>(
  name: string,
  argumentsText: string,
  { meta, signal }: CallOptions = {},
): Promise<RawAnswer<T>> {
  return exchange("/api/mcp", toolCallBody(name, argumentsText, meta), signal);
}

/** Posts a text and gives the answer with how it came. The call begins a trace, so that it can be found again. */
export async function exchange<T = JsonObject>(
  address: string,
  body: string,
  signal?: AbortSignal,
): Promise<RawAnswer<T>> {
  const began = performance.now();
  const traceId = hex(16);
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    traceparent: `00-${traceId}-${hex(8)}-01`,
  };
  const init = { method: "POST", headers, body, ...(signal && { signal }) };
  const response = await reach(address, init, true).catch((cause: unknown) => {
    throw signal?.aborted === true ? cause : unreachable();
  });
  const text = await response.text();
  return {
    ...readAnswer<T>(text, response.status),
    text,
    ms: performance.now() - began,
    traceId,
    requestId: response.headers.get("x-request-id") ?? "",
  };
}

/** Calls a method of MCP that is no tool. */
export async function rpc<T>(method: string, params: object, signal?: AbortSignal): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const init = { method: "POST", headers, body, ...(signal && { signal }) };
  const response = await reach("/api/mcp", init, false).catch((cause: unknown) => {
    throw signal?.aborted === true ? cause : unreachable();
  });
  const answer: { readonly result?: T } = JSON.parse(await response.text());
  if (answer.result === undefined) throw new OperationError(response.status, {});
  return answer.result;
}

/** Sends with the key or the session; on a 401 it leads to the key field and sends again, if it may. */
export async function reach(
  address: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  interactive: boolean,
): Promise<Response> {
  for (;;) {
    const { generation } = session.get();
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(authHeaders())) headers.set(name, value);
    const response = await fetch(address, { ...init, headers, cache: "no-store" });
    if (response.status !== 401) return response;
    markRefused(generation);
    const { keyed } = session.get();
    if (!interactive) return response;
    const isKnown = keyed
      ? await askForKey("The key was refused.", true)
      : await askToSignIn("This needs an account.");
    if (!isKnown) return response;
  }
}

/** Random lower-case hexadecimal. */
function hex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
