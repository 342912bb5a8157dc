import { Agent, request, type OutgoingHttpHeaders } from "node:http";
import fc from "fast-check";
import { isObject } from "../../src/kernel/json.ts";
import { makeRecords, restShots } from "./fuzz-rest.ts";
import { TEST_KEY, type TestService } from "../support/service.ts";

/** One made-up request. */
interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer;
}

/** What was wrong with an answer, and how to make the request again. */
export interface Finding {
  readonly seed: number;
  readonly problem: string;
  readonly shot: Shot;
}

const CONCURRENT = 32;
const CHUNK = 2_000;

/** How much to send, and what counts as too slow. */
export interface FuzzOptions {
  readonly count: number;
  readonly seed: number;
  readonly maxMs: number;
  /** False ends it before everything is sent. */
  readonly onProgress?: (sent: number) => boolean;
}

/** What came of a request: what is wrong with its answer, and whether it was late. */
interface Outcome {
  readonly problem?: string | undefined;
  readonly isLate?: boolean;
}

/**
 * Sends made-up requests and gives everything that was not a clear, quick answer below 500. An answer that was late may
 * have waited for others of the same moment or for a busy machine: it is asked for twice more, alone, and is too slow when
 * it is late both times.
 */
export async function fuzz(
  service: TestService,
  { count, seed, maxMs, onProgress }: FuzzOptions,
): Promise<readonly Finding[]> {
  // The first use of some documents renders them; that is measured elsewhere.
  await service.call("get_svc_web_scorecard");
  await service.fetch("/api/svc/workflows/import", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "nodes: []\nedges: []" }),
  });
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT });
  const shots = shotsFor(service, await makeRecords(service));
  const findings: Finding[] = [];
  for (let sent = 0; sent < count; sent += CHUNK) {
    const chunkSeed = seed + sent;
    const chunk = fc.sample(shots, { numRuns: Math.min(CHUNK, count - sent), seed: chunkSeed });
    let next = 0;
    const late: Shot[] = [];
    const note = (shot: Shot, problem: string | undefined): void => {
      if (problem !== undefined) findings.push({ seed: chunkSeed, problem, shot });
    };
    const lane = async (): Promise<void> => {
      for (let shot = chunk[next++]; shot !== undefined; shot = chunk[next++]) {
        const { problem, isLate } = await fire(service, agent, shot, maxMs);
        note(shot, problem);
        if (isLate) late.push(shot);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, lane));
    for (const shot of late) {
      const again = await fire(service, agent, shot, maxMs);
      const { problem, isLate } = again.isLate ? await fire(service, agent, shot, maxMs) : again;
      note(shot, isLate ? `took more than ${maxMs} ms three times, twice alone` : problem);
    }
    if (onProgress?.(Math.min(count, sent + CHUNK)) === false) break;
  }
  agent.destroy();
  return findings;
}

function shotsFor(service: TestService, known: readonly string[]): fc.Arbitrary<Shot> {
  const { tools, resources, prompts } = service.app.services.catalog;
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      "",
      "__proto__",
      "constructor",
      "../../etc/passwd",
      "http://127.0.0.1:1/",
      "https://user@[::1]/",
      "{{7*7}}",
      "\u202Eevil",
      "a".repeat(5_000),
      -0,
      1e308,
      0.1,
      2 ** 53,
      [],
      {},
      { $ref: "#" },
      { type: "object", properties: { a: { $ref: "#/properties/a" } } },
    ),
  );
  const likely = (schema: unknown): fc.Arbitrary<unknown> => {
    const type = isObject(schema) ? schema["type"] : undefined;
    if (type === "string") return fc.string({ unit: "grapheme", maxLength: 30 });
    if (type === "number") return fc.double({ noNaN: true, noDefaultInfinity: true });
    if (type === "boolean") return fc.boolean();
    if (type === "array") return fc.array(value, { maxLength: 4 });
    return fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 4 });
  };
  const toolCall = fc.constantFrom(...tools).chain((tool) => {
    const members = Object.entries(tool.input.properties).map(
      ([name, schema]) =>
        [name, fc.oneof({ weight: 3, arbitrary: likely(schema) }, { weight: 1, arbitrary: value })] as const,
    );
    const args = fc.record(Object.fromEntries(members), { requiredKeys: tool.input.required ?? [] });
    return args.map((given) => ({ method: "tools/call", params: { name: tool.name, arguments: given } }));
  });
  const uri = fc
    .constantFrom(...resources.map((resource) => resource.uri))
    .chain((known) => fc.string({ maxLength: 12 }).map((id) => known.replace("{id}", id)));
  const call = fc.oneof(
    { weight: 6, arbitrary: toolCall },
    { weight: 1, arbitrary: uri.map((one) => ({ method: "resources/read", params: { uri: one } })) },
    {
      weight: 1,
      arbitrary: fc.record({
        method: fc.constant("prompts/get"),
        params: fc.record({
          name: fc.constantFrom(...prompts.map(({ name }) => name)),
          arguments: fc.dictionary(fc.constantFrom("id", "goal", "toolName", "workflowId", "x"), value),
        }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        method: fc.oneof(
          fc.constantFrom(
            "initialize",
            "ping",
            "tools/list",
            "tools/call",
            "resources/read",
            "prompts/get",
            "completion/complete",
            "server/discover",
            "logging/setLevel",
          ),
          fc.string({ maxLength: 20 }),
        ),
        params: value,
      }),
    },
  );
  const message = fc
    .tuple(call, fc.oneof(fc.integer(), fc.string({ maxLength: 10 }), value))
    .map(([one, id]) => ({ jsonrpc: "2.0", id, ...one }));
  const mangled = fc
    .tuple(message, fc.nat(), fc.constantFrom("", '"', "{", "]", "\u0000", "\\u0000", "1e999", ",,"))
    .map(([one, at, junk]) => {
      const text = JSON.stringify(one);
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + junk + text.slice(cut + junk.length);
    });
  const body: fc.Arbitrary<string | Buffer> = fc.oneof(
    { weight: 8, arbitrary: message.map((one) => JSON.stringify(one)) },
    {
      weight: 2,
      arbitrary: fc.array(fc.oneof(message, value), { maxLength: 6 }).map((items) => JSON.stringify(items)),
    },
    { weight: 2, arbitrary: mangled },
    { weight: 1, arbitrary: value.map((one) => JSON.stringify(one)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  );
  const headers = fc.record(
    {
      authorization: fc.constantFrom(`Bearer ${TEST_KEY}`, "Bearer wrong", "Basic eA==", "Bearer"),
      "x-suite-api-key": fc.constantFrom(TEST_KEY, "wrong", ""),
      "mcp-protocol-version": fc.constantFrom("2025-11-25", "2026-07-28", "nonsense", ""),
      "mcp-method": fc.constantFrom("tools/call", "ping", "=?base64?zz?="),
      "mcp-name": fc.constantFrom("get_health", "=?base64?Z2V0?="),
      traceparent: fc.constantFrom("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "junk"),
      "x-request-id": fc.constantFrom("abc", "a b", "x".repeat(200)),
      accept: fc.constantFrom("*/*", "text/event-stream", "application/json"),
    },
    { requiredKeys: [] },
  );
  const rpc = fc.tuple(body, headers).map(([content, more]): Shot => ({
    method: "POST",
    path: "/api/mcp",
    headers: { "content-type": "application/json", ...more },
    body: content,
  }));
  const paths = service.app.services.site.routes
    .map(({ path }) => path)
    .filter((path) => !path.endsWith("/events"));
  const rest = fc
    .tuple(
      fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"),
      fc.oneof(
        fc.constantFrom(...paths),
        fc.webPath(),
        fc.constantFrom("/api/mcp?x=1", "/api/mcp#x", "/%00", "/..%2f", "/api/svc/demo-suite?mode=nope"),
      ),
      fc.constantFrom("application/json", "text/plain", ""),
      body,
      headers,
    )
    .map(([method, path, type, content, more]): Shot => ({
      method,
      path,
      headers: { "content-type": type, ...more },
      body: method === "GET" ? "" : content,
    }));
  const close = fc
    .tuple(restShots(service.app.services.site.routes, known, value), headers, fc.boolean())
    .map(([shot, more, keyed]): Shot => ({
      ...shot,
      headers: {
        "content-type": "application/json",
        ...more,
        // Most of these routes ask for a key first; without one nothing behind it would be reached.
        ...(keyed && { authorization: `Bearer ${TEST_KEY}`, "x-suite-api-key": TEST_KEY }),
      },
    }));
  return fc.oneof(
    { weight: 7, arbitrary: rpc },
    { weight: 2, arbitrary: close },
    { weight: 1, arbitrary: rest },
  );
}

function fire(service: TestService, agent: Agent, shot: Shot, maxMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const began = performance.now();
    const headers = { ...shot.headers, "content-length": Buffer.byteLength(shot.body) };
    const outgoing = request(
      { host: "127.0.0.1", port: service.port, method: shot.method, path: shot.path, headers, agent },
      (response) => {
        let length = 0;
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => {
          length += chunk.length;
          chunks.push(chunk);
        });
        response.on("end", () => {
          const { statusCode = 0, headers: given } = response;
          const problem = verdictOf(statusCode, given["content-type"] ?? "", Buffer.concat(chunks, length));
          resolve({ problem, isLate: performance.now() - began > maxMs });
        });
      },
    );
    const patienceMs = Math.max(60_000, maxMs);
    outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error(`no answer in ${patienceMs} ms`)));
    outgoing.on("error", (error) => resolve({ problem: `connection failed: ${error.message}` }));
    outgoing.end(shot.body);
  });
}

function verdictOf(status: number, type: string, body: Buffer): string | undefined {
  if (status >= 500) return `status ${status}: ${body.toString().slice(0, 300)}`;
  if (body.length === 0 || !/^application\/json(?:;|$)/.test(type)) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString());
    return JSON.stringify(value).includes('"code":-32603')
      ? `internal error: ${body.toString().slice(0, 300)}`
      : undefined;
  } catch {
    return `not JSON: ${body.toString().slice(0, 300)}`;
  }
}
