import { createServer } from "node:http";
import { asOperator } from "../people/support.ts";
import type { TestService } from "../support/service.ts";

/** A small shop: books can be listed, and orders placed. */
export interface BooksApi {
  readonly url: string;
  /** Bodies of the orders it took. */
  readonly orders: unknown[];
  close(): Promise<void>;
}

const BOOKS = [
  { id: 7, title: "Dune", author: "Frank Herbert", price: 9.5 },
  { id: 9, title: "Emma", author: "Jane Austen", price: 7 },
];

/** Starts it on a free port, and connects it as `shop`. */
export async function connectBooks(service: TestService): Promise<BooksApi> {
  const orders: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = (status: number, body: unknown) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      if (request.url === "/openapi.json") answer(200, description(address()));
      else if (request.method === "GET") answer(200, { count: BOOKS.length, books: BOOKS });
      else {
        orders.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
        answer(201, { orderId: `order-${orders.length}`, state: "taken" });
      }
    });
  });
  const address = (): string => {
    const at = server.address();
    return `http://127.0.0.1:${typeof at === "object" && at !== null ? at.port : 0}`;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const source = {
    name: "shop",
    kind: "openapi",
    url: `${address()}/openapi.json`,
    allowPrivateOrigin: true,
  };
  const made = await asOperator(service, "POST", "/api/svc/connections", source);
  if (made.status !== 201) throw new Error(made.text);
  return {
    url: address(),
    orders,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function description(url: string): unknown {
  const json = (schema: unknown) => ({ "application/json": { schema } });
  const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
    type: "object",
    properties,
    required,
  });
  const [text, whole, number] = [{ type: "string" }, { type: "integer" }, { type: "number" }];
  const book = object({ id: whole, title: text, author: text, price: number });
  const order = object({ items: { type: "array", items: object({ id: whole, title: text }) }, note: text }, [
    "items",
  ]);
  return {
    openapi: "3.1.0",
    info: { title: "Book shop", version: "1" },
    servers: [{ url }],
    paths: {
      "/books": {
        get: {
          operationId: "listBooks",
          summary: "List books",
          responses: {
            200: {
              description: "all",
              content: json(object({ count: whole, books: { type: "array", items: book } })),
            },
          },
        },
      },
      "/orders": {
        post: {
          operationId: "placeOrder",
          summary: "Place an order",
          requestBody: { required: true, content: json(order) },
          responses: {
            201: { description: "taken", content: json(object({ orderId: text, state: text })) },
          },
        },
      },
    },
  };
}
