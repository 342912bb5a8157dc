import { createServer, type Server } from "node:http";

/** The only token that the API takes. */
export const TOKEN = "orders-token-that-nobody-may-see";

/** A small API as a person would bring it: described, with bearer authentication, on a private address. */
export interface OrdersApi {
  readonly url: string;
  readonly orders: unknown[];
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startOrders(): Promise<OrdersApi> {
  const orders: unknown[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = (status: number, body: unknown) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      if (request.url === "/openapi.json") return answer(200, describedAt(`http://127.0.0.1:${port()}`));
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(401, { error: "no token" });
      if (request.method === "POST") {
        orders.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
        return answer(201, { id: orders.length, state: "taken" });
      }
      return answer(200, [
        { id: 1, item: "tea" },
        { id: 2, item: "cake" },
      ]);
    });
  });
  const port = (): number => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port()}`,
    orders,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Its description. */
export function describedAt(url: string): Readonly<Record<string, unknown>> & { readonly paths: object } {
  const order = {
    type: "object",
    required: ["item"],
    properties: { item: { type: "string", title: "Item" }, count: { type: "integer", minimum: 1 } },
  };
  const json = (schema: unknown) => ({ "application/json": { schema } });
  return {
    openapi: "3.1.0",
    info: { title: "Orders", version: "1" },
    servers: [{ url }],
    paths: {
      "/orders": {
        get: {
          operationId: "listOrders",
          summary: "List orders",
          responses: {
            200: { description: "all", content: json({ type: "array", items: { type: "object" } }) },
          },
        },
        post: {
          operationId: "placeOrder",
          summary: "Place an order",
          requestBody: { required: true, content: json(order) },
          responses: { 201: { description: "taken", content: json({ type: "object" }) } },
        },
      },
    },
  };
}
