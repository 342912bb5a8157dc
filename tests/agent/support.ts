import type { TestService } from "../support/service.ts";

/** The answer of a tool at /mcp. */
export interface AgentAnswer {
  readonly status: number;
  readonly bytes: number;
  readonly isError: boolean;
  readonly text: string;
  readonly content: readonly { readonly type: string; readonly mimeType?: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly data: any;
}

/** Calls a tool at /mcp over HTTP. */
export async function ask(
  service: Pick<TestService, "fetch" | "key">,
  name: string,
  args: unknown = {},
  key: string | null = service.key,
): Promise<AgentAnswer> {
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
