import type { Caller, World } from "./callers.ts";
import type { Json } from "../../src/kernel/json.ts";

/* How the authorization tests ask. */

/** An id that no record has. */
export const MISSING = "missing_0123456789abcdef";

/** Sends a JSON-RPC request. */
export async function rpc(world: World, method: string, params: unknown, caller: Caller) {
  const response = await world.service.fetch("/api/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", ...caller.headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const json: Json = JSON.parse(await response.text());
  return { status: response.status, headers: response.headers, json };
}

const answered = new WeakMap<World, Map<string, Promise<number>>>();

/** What a route answers to a caller; asked once, because the tests compare the same answers in several ways. */
export function statusOf(world: World, method: string, path: string, caller: Caller): Promise<number> {
  const known = answered.get(world) ?? new Map<string, Promise<number>>();
  answered.set(world, known);
  const request = `${method} ${path} ${JSON.stringify(caller.headers)}`;
  const status = known.get(request) ?? askStatus(world, method, path, caller);
  known.set(request, status);
  return status;
}

const FIND = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "find", arguments: { query: "x" } },
};

/** Sends a request and reads only its status: some answers never end. */
async function askStatus(world: World, method: string, path: string, caller: Caller): Promise<number> {
  const stop = new AbortController();
  const hasBody = method === "POST" || method === "PATCH";
  const response = await world.service.fetch(path, {
    method,
    headers: { ...(hasBody && { "content-type": "application/json" }), ...caller.headers },
    // An MCP endpoint says what is wrong with a request before it looks at the key.
    ...(hasBody && { body: path.startsWith("/mcp") ? JSON.stringify(FIND) : "{}" }),
    redirect: "manual",
    signal: stop.signal,
  });
  const { status } = response;
  await response.body?.cancel().catch(() => undefined);
  stop.abort();
  return status;
}
