import assert from "node:assert/strict";
import { startApiServer, type Answer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { TEST_KEY, type ServiceProcess } from "../support/service.ts";
import type { Target } from "./cost-sweep.ts";
import { ARRAYS, OBJECTS, TEXTS, type Shape } from "./shapes.ts";

/* A connected API and a connected MCP server that answer with whatever could cost the service more than it is long. */

/** What an answer of a connected server may be: more than a body of a caller. */
const SIZES = [1_000, 16_000, 256_000, 1_000_000, 4_000_000, 9_000_000];
/** What is past the bound is kept as an artifact: each byte is digested and stored, which is not free. */
const MAX_KEPT_MS = 500;

const DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "Hostile", version: "1" },
  paths: { "/answer": { get: { operationId: "answer", responses: { 200: { description: "ok" } } } } },
};

const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => item(at)).join(",");

/** JSON texts that the shapes of requests do not reach. */
const JSON_TEXTS: readonly Shape[] = [
  { name: "members", make: (size) => `{${list(size / 11, (at) => `"k${at}":1`)}}` },
  { name: "empty containers", make: (size) => `[${list(size / 3, () => "[]")}]` },
  { name: "pairs", make: (size) => `[${list(size / 18, (at) => `{"id":${at},"a":1}`)}]` },
  { name: "nested arrays", make: (size) => `${"[".repeat(size / 2)}${"]".repeat(size / 2)}` },
  { name: "nested objects", make: (size) => `${'{"a":'.repeat(size / 6)}1${"}".repeat(size / 6)}` },
  { name: "half of it", make: (size) => `[${"[1,".repeat(size / 3)}` },
  { name: "escapes", make: (size) => `"${"\\u00e9".repeat(size / 6)}"` },
  { name: "a long number", make: (size) => "1".repeat(size) },
  {
    name: "names that differ at their end",
    make: (size) => `{${list(size / 220, (at) => `"${"n".repeat(200)}${at}":1`)}}`,
  },
];

const asText = (shape: Shape): Shape => ({
  ...shape,
  make: (size) => {
    const made = shape.make(size);
    return typeof made === "string" ? made : JSON.stringify(made);
  },
});
const BODIES = [...JSON_TEXTS, ...OBJECTS.map(asText), ...ARRAYS.map(asText)];

/** The places in which such servers can answer, and their end. */
export async function connectedTargets(
  service: ServiceProcess,
): Promise<{ readonly targets: readonly Target[]; close(): Promise<void> }> {
  let body = "";
  let headers: Readonly<Record<string, string | string[]>> = {};
  let speaks: (id: string, method: string) => string = () => "";
  const answer: Answer = (_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  };
  const mcp: Answer = (request, response) => {
    const { id, method } = JSON.parse(request.body.toString());
    if (id === undefined) return void response.writeHead(202).end();
    const usual: Readonly<Record<string, unknown>> = {
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: "hostile", version: "1" },
      },
      "tools/list": { tools: [{ name: "say", inputSchema: { type: "object" } }] },
    };
    const text = speaks(JSON.stringify(id), method);
    const isStream = text.startsWith("data:") || text.startsWith("event:");
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(text === "" ? JSON.stringify({ jsonrpc: "2.0", id, result: usual[method] ?? {} }) : text);
  };
  const server = await startApiServer({
    "GET /openapi.json": (_request, response) => void response.end(JSON.stringify(DOCUMENT)),
    "GET /answer": answer,
    "GET /mcp": (_request, response) => void response.writeHead(405).end(),
    "POST /mcp": mcp,
  });
  const keyed = { ...service, key: TEST_KEY };
  for (const [name, kind, path] of [
    ["hostile-api", "openapi", "/openapi.json"],
    ["hostile-mcp", "mcp", "/mcp"],
  ]) {
    const given = { name, kind, url: `${server.url}${path}`, allowPrivateOrigin: true };
    const added = await rest(keyed, "POST", "", given);
    assert.equal(added.status, 201, JSON.stringify(added.body));
  }
  const ask = async (path: string, more: object = {}): Promise<number> =>
    (await rest(keyed, "POST", path, more)).status;
  const callApi = (given: string, with_: typeof headers): Promise<number> => {
    [body, headers] = [given, with_];
    return ask("/hostile-api/call/answer", { arguments: {} });
  };
  const callMcp = (say: typeof speaks, path = "/hostile-mcp/call/say"): Promise<number> => {
    speaks = say;
    return ask(path, path.endsWith("say") ? { arguments: {} } : {});
  };
  const at = { sizes: SIZES, maxMs: MAX_KEPT_MS } as const;
  const result = (id: string, text: string): string => `{"jsonrpc":"2.0","id":${id},"result":${text}}`;
  const onCall =
    (make: (id: string) => string): typeof speaks =>
    (id, method) =>
      method === "tools/call" ? make(id) : "";
  const structured = (text: string): string => `{"content":[],"structuredContent":{"a":${text}}}`;
  const tool = (index: number): string =>
    `{"name":"t${index}","description":"A tool","inputSchema":{"type":"object","properties":{"p${index}":{"type":"string"}}}}`;
  const targets: Target[] = [
    ...BODIES.map((shape) => ({
      place: "answer of an API, JSON",
      shape,
      ...at,
      send: (input: unknown) => callApi(String(input), { "content-type": "application/json" }),
    })),
    ...TEXTS.flatMap((shape) =>
      ["text/plain", "application/xml", "application/x-ndjson", "application/octet-stream", "image/png"].map(
        (type) => ({
          place: `answer of an API, ${type}`,
          shape,
          ...at,
          send: (input: unknown) => callApi(String(input), { "content-type": type }),
        }),
      ),
    ),
    {
      place: "answer of an API, headers",
      shape: { name: "many headers", make: (size) => size },
      sizes: [1_000, 8_000, 15_000],
      send: (input) =>
        callApi(
          "{}",
          Object.fromEntries(Array.from({ length: Number(input) / 10 }, (_, n) => [`x-${n}`, "v"])),
        ),
    },
    {
      place: "answer of an API, headers",
      shape: { name: "a long header", make: (size) => size },
      sizes: [1_000, 8_000, 15_000],
      send: (input) => callApi("{}", { "x-long": "v".repeat(Number(input)), "retry-after": "9".repeat(500) }),
    },
    ...BODIES.map((shape) => ({
      place: "answer of an MCP server, structured",
      shape,
      ...at,
      send: (input: unknown) => callMcp(onCall((id) => result(id, structured(String(input))))),
    })),
    ...TEXTS.map((shape) => ({
      place: "answer of an MCP server, text",
      shape,
      ...at,
      send: (input: unknown) =>
        callMcp(onCall((id) => result(id, JSON.stringify({ content: [{ type: "text", text: input }] })))),
    })),
    ...TEXTS.map((shape) => ({
      place: "error of an MCP server",
      shape,
      ...at,
      send: (input: unknown) =>
        callMcp(
          onCall((id) =>
            JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(id), error: { code: -32_000, message: input } }),
          ),
        ),
    })),
    ...[
      {
        name: "a long line of an event stream",
        make: (id: string, size: number) => `data: ${result(id, structured(`"${"x".repeat(size)}"`))}\n\n`,
      },
      {
        name: "many short lines of an event stream",
        make: (id: string, size: number) =>
          `event: message\n${"data:\n".repeat(size / 6)}data: ${result(id, '{"content":[]}')}\n\n`,
      },
      {
        name: "many comments of an event stream",
        make: (id: string, size: number) =>
          `data: ${result(id, '{"content":[]}')}\n\n${": x\n\n".repeat(size / 5)}`,
      },
      {
        name: "many content parts",
        make: (id: string, size: number) =>
          result(id, `{"content":[${list(size / 24, () => '{"type":"text","text":""}')}]}`),
      },
      {
        name: "progress again and again",
        make: (id: string, size: number) =>
          `${'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n\n'.repeat(Math.min(9_000, size / 100))}data: ${result(id, '{"content":[]}')}\n\n`,
      },
    ].map(({ name, make }) => ({
      place: "answer of an MCP server, stream",
      shape: { name, make: (size: number) => size },
      ...at,
      send: (input: unknown) => callMcp(onCall((id) => make(id, Number(input)))),
    })),
    ...[
      { name: "many tools", make: (size: number) => `[${list(size / 110, tool)}]` },
      {
        name: "a tool with a large schema",
        make: (size: number) =>
          `[{"name":"say","inputSchema":{"type":"object","properties":{${list(size / 25, (n) => `"p${n}":{"type":"string"}`)}}}}]`,
      },
      {
        name: "a tool with a long description",
        make: (size: number) =>
          `[{"name":"say","description":"${"x".repeat(size)}","inputSchema":{"type":"object"}}]`,
      },
      {
        name: "tools of one name",
        make: (size: number) =>
          `[${list(size / 45, () => '{"name":"say","inputSchema":{"type":"object"}}')}]`,
      },
    ].map(({ name, make }) => ({
      place: "list of an MCP server",
      shape: { name, make },
      ...at,
      send: (input: unknown) =>
        callMcp(
          (id, method) => (method === "tools/list" ? result(id, `{"tools":${String(input)}}`) : ""),
          "/hostile-mcp/sync",
        ),
    })),
  ];
  return { targets, close: () => server.close() };
}
