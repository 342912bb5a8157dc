import { json, type Answer } from "../connections/api-server.ts";
import type { TestService } from "../support/service.ts";
import type { MethodAnswer, ToolData } from "./answers.ts";

/** The answer of a tool at /mcp. */
export interface AgentAnswer<N extends string> {
  readonly status: number;
  readonly bytes: number;
  readonly isError: boolean;
  readonly text: string;
  readonly content: readonly { readonly type: string; readonly mimeType?: string }[];
  readonly data: ToolData<N>;
}

/** Calls a tool at /mcp over HTTP. */
export async function ask<N extends string>(
  service: Pick<TestService, "fetch" | "key">,
  name: N,
  args: unknown = {},
  key: string | null = service.key,
): Promise<AgentAnswer<N>> {
  const response = await service.fetch("/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await response.text();
  const { result = {} } = JSON.parse(text);
  return {
    status: response.status,
    bytes: text.length,
    isError: result.isError === true,
    text: result.content?.[0]?.text ?? "",
    content: result.content ?? [],
    data: result.structuredContent?.data,
  };
}

/** An API with a read, a write and a destructive operation; it counts what it was asked. */
export const ORDERS = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "1" },
  paths: {
    "/orders": {
      get: {
        operationId: "listOrders",
        summary: "List the orders of a customer",
        parameters: [{ name: "customer", in: "query", schema: { type: "string" } }],
        responses: { 200: { description: "ok" } },
      },
      post: {
        operationId: "createOrder",
        summary: "Create an order",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: { item: { type: "string" }, quantity: { type: "integer", minimum: 1 } },
                required: ["item"],
                additionalProperties: false,
              },
            },
          },
        },
        responses: { 201: { description: "made" } },
      },
    },
    "/orders/{id}": {
      delete: {
        operationId: "deleteOrder",
        summary: "Delete an order for good",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { 204: { description: "gone" } },
      },
    },
  },
} as const;

/** What a scripted host of revision 2026-07-28 declares. */
interface HostCapabilities {
  readonly elicitation?: object;
  readonly extensions?: object;
}

/** The capability of a host that follows tasks. */
export const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Sends a request of revision 2026-07-28, as a host that declares these capabilities. */
export async function modern<M extends string>(
  service: Pick<TestService, "fetch">,
  key: string,
  method: M,
  params: Readonly<Record<string, unknown>>,
  capabilities: HostCapabilities = TASKS,
  path = "/mcp",
): Promise<MethodAnswer<M>> {
  const name = params["name"] ?? params["taskId"];
  const response = await service.fetch(path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${key}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "host", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
      },
    }),
  });
  return JSON.parse(await response.text());
}

/** Opens `subscriptions/listen` and gives its text as it grows, until `isEnough` says so. */
export async function listen(
  service: Pick<TestService, "fetch">,
  key: string,
  notifications: object,
  isEnough: (text: string) => Promise<boolean>,
  path = "/mcp",
): Promise<string> {
  const stop = new AbortController();
  const response = await service.fetch(path, {
    method: "POST",
    signal: stop.signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${key}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "sub",
      method: "subscriptions/listen",
      params: {
        notifications,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": TASKS,
        },
      },
    }),
  });
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!(await isEnough(text))) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended: ${text}`);
    text += value;
  }
  stop.abort();
  return text;
}

/** Looks until a condition holds. */
export async function until<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let n = 0; n < 1_200; n++) {
    const found = await look();
    if (holds(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("it did not come true in time");
}

/** The first of a list; throws when it is empty. */
export function firstOf<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined) throw new Error("the list is empty");
  return first;
}

/** Answers with that description, for an API whose address is known once it listens. */
export function ordersAt(url: () => string): Answer {
  return (request, response) => json({ ...ORDERS, servers: [{ url: url() }] })(request, response);
}
