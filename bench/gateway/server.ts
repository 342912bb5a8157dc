import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import * as z from "zod";
import { BENCH_TOOL, callResult, benchRegistry, listBytes, listedTools } from "./payload.ts";

/*
 * One server of the comparison, in a process of its own: node server.ts <kind>. Prints its port.
 * The peers do the least that is correct: read the body, parse it, look at the method, send the same bytes as ours.
 * None of them checks hosts, keys, rates, depth, duplicates or parameters.
 */

const info = { name: "bench", version: "1.0.0" };
const port = await start(process.argv[2] ?? "ours");
process.stdout.write(`port ${port}\n`);
process.on("SIGTERM", () => process.exit(0));

function start(kind: string): Promise<number> {
  if (kind === "ours") return ours();
  if (kind === "raw") return listen(raw(serialising()));
  if (kind === "constant") return listen(raw(constant()));
  if (kind === "fastify") return fastify();
  if (kind === "sdk-v1") return sdkV1();
  if (kind === "sdk-v2") return sdkV2();
  if (kind === "sdk-v2-bare") return sdkV2Bare();
  throw new TypeError(`unknown server ${kind}`);
}

async function ours(): Promise<number> {
  const { startApp } = await import("../../src/app.ts");
  const { loadSettings } = await import("../../src/config.ts");
  const settings = loadSettings([], {
    PORT: "0",
    DATABASE_URL: "none",
    LOG_LEVEL: "info",
    SVC_API_KEY: "bench-key-of-24-characters",
  });
  if (typeof settings === "string") throw new TypeError("settings expected");
  return (await startApp(settings, { registry: benchRegistry })).port;
}

function listen(handler: RequestListener): Promise<number> {
  const server = createServer(handler);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

type Answer = (body: { id: unknown; method: string }) => string | Buffer;

/** What a hand-written server has to do: serialise each result of a call; the list is serialised once. */
function serialising(): Answer {
  const fixed = constant();
  return (body) => {
    if (body.method === "tools/list") return fixed(body);
    const { structuredContent } = callResult;
    const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
    return JSON.stringify({
      jsonrpc: "2.0",
      id: body.id,
      result: { content, structuredContent, isError: false },
    });
  };
}

/** The limit: constant bytes around the request's id. */
function constant(): Answer {
  const call = JSON.stringify(callResult);
  const list = listBytes();
  return ({ id, method }) => {
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    return method === "tools/list"
      ? Buffer.concat([Buffer.from(head), list, Buffer.from("}")])
      : `${head}${call}}`;
  };
}

function raw(answer: Answer): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = answer(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      });
      response.end(body);
    });
  };
}

async function fastify(): Promise<number> {
  const { default: Fastify } = await import("fastify");
  const answer = serialising();
  const app = Fastify();
  app.post<{ Body: { id: unknown; method: string } }>("/api/mcp", (request, reply) =>
    reply.header("content-type", "application/json").send(answer(request.body)),
  );
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.addresses()[0]?.port ?? 0;
}

/** The arguments of the benchmarked tool, which the official servers check with zod as ours checks them. */
const inputSchema = z.object({ id: z.string(), limit: z.number().min(1).max(100).optional() });
const declaration = {
  title: "One kilobyte",
  description: "Returns an envelope of 1,024 bytes.",
  inputSchema,
};

/**
 * Stateless, as the SDK's documentation shows it: a server and a transport for each request, the tool registered with
 * its schema. The list is that of the whole registry and is not made from registrations.
 */
async function sdkV1(): Promise<number> {
  const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
  const { StreamableHTTPServerTransport } =
    await import("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const { ListToolsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const tools = listedTools();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const server = new McpServer(info);
    server.registerTool(BENCH_TOOL, { ...declaration, inputSchema: inputSchema.shape }, () => callResult);
    server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.on("close", () => {
      void transport.close();
      void server.close();
    });
    // @ts-expect-error -- the SDK's own types disagree under exactOptionalPropertyTypes
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };
  return listen((request, response) => void serve(request, response));
}

/** The handler that the SDK recommends for both eras, with a server as its documentation shows it. */
async function sdkV2(): Promise<number> {
  const { createMcpHandler, McpServer } = await import("@modelcontextprotocol/server");
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  const tools = listedTools();
  const handler = toNodeHandler(
    createMcpHandler(
      () => {
        const server = new McpServer(info);
        server.registerTool(BENCH_TOOL, declaration, () => callResult);
        server.server.setRequestHandler("tools/list", () => ({ tools }));
        return server;
      },
      { responseMode: "json" },
    ),
  );
  return listen((request, response) => void handler(request, response));
}

/** The same handler over the low-level server, which checks no arguments: the least that the SDK can do. */
async function sdkV2Bare(): Promise<number> {
  const { createMcpHandler, Server } = await import("@modelcontextprotocol/server");
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  const tools = listedTools();
  const handler = toNodeHandler(
    createMcpHandler(
      () => {
        const server = new Server(info, { capabilities: { tools: {} } });
        server.setRequestHandler("tools/list", () => ({ tools }));
        server.setRequestHandler("tools/call", () => callResult);
        return server;
      },
      { responseMode: "json" },
    ),
  );
  return listen((request, response) => void handler(request, response));
}
