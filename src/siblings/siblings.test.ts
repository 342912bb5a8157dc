import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before, describe, it } from "node:test";
import { canonicalJson, digestOf, sha256Hex } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { traceFrom } from "../kernel/trace.ts";
import { SIBLING_NAMES, type SiblingName } from "../ports/settings.ts";
import type { Siblings } from "../ports/siblings.ts";
import { createFetcher, type GuardedFetcher } from "../fetch/fetcher.ts";
import { ADAPTERS, createSiblings } from "./siblings.ts";

/* Long on purpose: one table of honest answers, and every false one to every adapter. */

const HEX = "0123456789abcdef0123456789abcdef";
const FOREIGN = "https://elsewhere.example";
const PACKET = "delegation_test_0123456789abcdef";

const NO_EVIDENCE: JsonObject = {};

/** What an honest sibling answers: to a direct call, by its payload; to a packet, with its result. */
type Honest = (payload: JsonObject, base: string) => JsonObject;
const GRAPH = { nodes: [{ id: "root" }, { id: "svc" }], edges: [{ from: "root", to: "svc" }] };
const IMAGE = Buffer.from("image");

const DIRECT: readonly { sibling: SiblingName; capability: string; payload: JsonObject; honest: Honest }[] = [
  {
    sibling: "root",
    capability: "graph",
    payload: {},
    honest: () => ({ ...GRAPH, graphId: `graph_${sha256Hex(canonicalJson(GRAPH)).slice(0, 32)}` }),
  },
  {
    sibling: "spec",
    capability: "validate",
    payload: { schema: { type: "string" } },
    honest: ({ schema }, base) => ({
      validationId: `validation_${HEX}`,
      url: `${base}/api/v1/validations/validation_${HEX}`,
      valid: true,
      errors: [],
      documentDigest: digestOf(schema),
    }),
  },
  ...["record", "show"].map((capability) => ({
    sibling: "trace" as const,
    capability,
    payload: { traceId: HEX, spans: [] },
    honest: (_: JsonObject, base: string) => ({ traceId: HEX, url: `${base}/traces/${HEX}`, spanCount: 0 }),
  })),
  {
    sibling: "ascii",
    capability: "convert",
    payload: { image: IMAGE.toString("base64") },
    honest: () => ({
      conversionId: `conversion_${HEX}`,
      imageDigest: `sha256:${sha256Hex(IMAGE)}`,
      text: "ab\ncd",
      columns: 2,
      rows: 2,
    }),
  },
  {
    sibling: "sheets",
    capability: "read",
    payload: { sheetId: `sheet_${HEX}` },
    honest: () => ({ id: `sheet_${HEX}`, columns: ["a"], rows: [[1]] }),
  },
  {
    sibling: "studio",
    capability: "preview",
    payload: { prompt: "x" },
    honest: (_, base) => ({
      design: { id: `design_${HEX}`, sections: [] },
      url: `${base}/api/studio/designs/design_${HEX}`,
    }),
  },
  {
    sibling: "studio",
    capability: "import",
    payload: { designId: `design_${HEX}` },
    honest: (_, base) => ({
      design: { id: `design_${HEX}`, sections: [] },
      url: `${base}/api/studio/designs/design_${HEX}`,
    }),
  },
  ...(["preview", "score", "export"] as const).map((capability) => ({
    sibling: "layout" as const,
    capability,
    payload: { document: { title: "t" } },
    honest: ({ document }: JsonObject, base: string) => ({
      id: `${capability}_${HEX}`,
      url: `${base}/layouts/${capability}_${HEX}.json`,
      documentDigest: digestOf(document),
      ...{
        preview: { html: "<p>x</p>" },
        score: { score: 50, findings: [] },
        export: { format: "html", content: "x" },
      }[capability],
    }),
  })),
  {
    sibling: "ai_gateway",
    capability: "draft",
    payload: { text: "x" },
    honest: () => ({ draftId: `draft_${HEX}`, text: "x", advisory: true, producedBy: "counting" }),
  },
];

const PACKETS: readonly { sibling: SiblingName; capability: string; honest: (base: string) => JsonObject }[] =
  [
    {
      sibling: "sandbox",
      capability: "execute",
      honest: (base) => ({
        resultRef: `${base}/api/sandbox/executions/execution_${HEX}`,
        result: { execution: { id: `execution_${HEX}`, status: "failed", durationMs: 3 } },
      }),
    },
    {
      sibling: "evals",
      capability: "score",
      honest: () => ({
        resultRef: `scorecard_${HEX}`,
        result: {
          scorecard: { id: `scorecard_${HEX}`, score: 0.5, criteria: [{ id: "a", weight: 2, score: 0.5 }] },
        },
      }),
    },
    {
      sibling: "docs",
      capability: "report",
      honest: (base) => ({
        resultRef: `${base}/reports/report_${HEX}.html`,
        result: { report: { id: `report_${HEX}`, contentDigest: `sha256:${HEX}${HEX}` } },
      }),
    },
    {
      sibling: "sheets",
      capability: "export",
      honest: (base) => ({
        resultRef: `${base}/sheets/sheet_${HEX}.csv`,
        result: {
          sheet: {
            id: `sheet_${HEX}`,
            rowCount: 2,
            csvUrl: `${base}/sheets/sheet_${HEX}.csv`,
            xlsxUrl: `${base}/sheets/sheet_${HEX}.xlsx`,
          },
        },
      }),
    },
    {
      sibling: "catalog",
      capability: "register",
      honest: (base) => ({
        resultRef: `entry_${HEX}`,
        result: {
          entry: { id: `entry_${HEX}`, title: "t", url: `${base}/api/catalog/entries/entry_${HEX}` },
        },
      }),
    },
    {
      sibling: "browsercheck",
      capability: "check",
      honest: (base) => ({
        resultRef: `${base}/api/browsercheck/checks/check_${HEX}`,
        result: {
          check: {
            id: `check_${HEX}`,
            checkedUrl: "https://example.com/",
            violations: 0,
            screenshotUrl: `${base}/screenshots/check_${HEX}.png`,
            screenshotDigest: `sha256:${HEX}${HEX}`,
          },
        },
      }),
    },
    ...(["root", "mcp", "spec", "trace", "ascii", "studio", "layout", "ai_gateway"] as const).map(
      (sibling) => ({
        sibling,
        capability: "anything",
        honest: (base: string) => ({ resultRef: `${base}/results/1`, result: {} }),
      }),
    ),
  ];

type Respond = (data: JsonObject, response: ServerResponse, request: IncomingMessage) => void;

const json: Respond = (data, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ok: true, data }));
};
const without = (value: JsonObject, pattern: RegExp): JsonObject => {
  const left: unknown = JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    pattern.test(key) ? undefined : part,
  );
  assert.ok(isJsonObject(left));
  return left;
};
const replaced = (value: JsonObject, from: string | RegExp, to: string): JsonObject => {
  const changed: unknown = JSON.parse(JSON.stringify(value).replaceAll(from, to));
  assert.ok(isJsonObject(changed));
  return changed;
};

describe("siblings: what is believed and what is not", () => {
  let respond: Respond = json;
  let honest: (base: string) => JsonObject = () => ({});
  let base = "";
  let requests = 0;
  let fetcher: GuardedFetcher;
  let siblings: Siblings;
  const server = createServer((request, response) => {
    requests++;
    request.resume();
    request.on("end", () => respond(honest(base), response, request));
  });
  const fresh = (maxTimeoutMs = 2_000): Siblings =>
    createSiblings({
      settings: {
        siblings: Object.fromEntries(SIBLING_NAMES.map((name) => [name, { url: base, key: "k" }])),
      },
      fetcher,
      clock: { now: () => Date.now() },
      maxTimeoutMs,
    });
  before(async () => {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    base = `http://127.0.0.1:${address.port}/base`;
    fetcher = createFetcher({ trustedHosts: [`127.0.0.1:${address.port}`], siblings: {} });
  });
  after(async () => {
    await fetcher.close();
    server.closeAllConnections();
    server.close();
  });

  const trace = traceFrom(undefined);
  const cases = [
    ...DIRECT.map(({ sibling, capability, payload, honest: answer }) => ({
      name: `${sibling}.${capability}`,
      answer: (url: string) => answer(payload, url),
      ask: async () => {
        const outcome = await siblings.ask({ sibling, capability, payload, trace, idempotencyKey: "key-1" });
        return outcome.status === "confirmed"
          ? { status: "confirmed", resultRef: outcome.confirmation.resultRef, evidence: NO_EVIDENCE }
          : { status: outcome.status, resultRef: null, evidence: outcome.evidence };
      },
    })),
    ...PACKETS.map(({ sibling, capability, honest: answer }) => ({
      name: `${sibling} packet`,
      answer: (url: string) => ({ id: PACKET, status: "completed", ...answer(url) }),
      ask: async () => {
        const packet = { id: PACKET, capability };
        const outcome = await siblings.deliver({
          sibling,
          packet,
          traceparent: `00-${HEX}-0123456789abcdef-01`,
        });
        return outcome.status === "completed"
          ? { status: "confirmed", resultRef: outcome.confirmation.resultRef, evidence: NO_EVIDENCE }
          : { status: outcome.status, resultRef: null, evidence: outcome.evidence };
      },
    })),
  ];

  const lies: readonly {
    name: string;
    problem: string;
    respond: Respond;
    applies?: (data: JsonObject) => boolean;
  }[] = [
    {
      name: "a 200 with nothing in it",
      problem: "not_confirmed",
      respond: (_, response, request) => json({}, response, request),
    },
    {
      name: "a 200 without a reference",
      problem: "not_confirmed",
      respond: (data, response, request) =>
        json(without(data, /^(resultRef|url|\w*Id|id)$/), response, request),
    },
    {
      name: "references on a foreign origin",
      problem: "not_confirmed",
      respond: (data, response, request) =>
        json(replaced(data, new URL(base).origin, FOREIGN), response, request),
      applies: (data) => JSON.stringify(data).includes("http://127.0.0.1"),
    },
    {
      name: "references outside the sibling's own path",
      problem: "not_confirmed",
      respond: (data, response, request) => json(replaced(data, "/base/", "/other/"), response, request),
      applies: (data) => JSON.stringify(data).includes("/base/"),
    },
    {
      name: "another id, digest or packet",
      problem: "not_confirmed",
      respond: (data, response, request) =>
        json(
          replaced(
            data,
            /("(?:id|graphId|traceId|documentDigest|imageDigest)":"[a-z0-9:_]*?)[0-9a-f]{6}"/g,
            '$1ffffff"',
          ),
          response,
          request,
        ),
      applies: (data) => !("draftId" in data) && !JSON.stringify(data).includes('"sections"'),
    },
    { name: "not ok", problem: "not_ok", respond: (_, response) => response.end('{"ok":false,"data":{}}') },
    {
      name: "no envelope",
      problem: "not_an_envelope",
      respond: (data, response) => response.end(JSON.stringify(data)),
    },
    { name: "invalid JSON", problem: "invalid_json", respond: (_, response) => response.end('{"ok":true,') },
    { name: "an empty body", problem: "invalid_json", respond: (_, response) => response.end() },
    {
      name: "a redirect",
      problem: "redirected",
      respond: (_, response) => response.writeHead(302, { location: "/base/honest" }).end(),
    },
    {
      name: "a huge body",
      problem: "too_large",
      respond: (_, response) => response.end(Buffer.alloc(6 * 1024 * 1024, 32)),
    },
    {
      name: "a truncated body",
      problem: "unreachable",
      respond: (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"ok":true,"data":{', () => response.destroy());
      },
    },
    { name: "silence", problem: "timed_out", respond: () => undefined },
    {
      name: "an error of its own",
      problem: "error_answer",
      respond: (_, response) => response.writeHead(500).end("{}"),
    },
    { name: "a refusal", problem: "refused", respond: (_, response) => response.writeHead(401).end("{}") },
  ];

  for (const { name, answer, ask } of cases) {
    it(`believes an honest ${name}`, async () => {
      siblings = fresh();
      [honest, respond] = [answer, json];
      const outcome = await ask();
      assert.equal(outcome.status, "confirmed", JSON.stringify(outcome));
      assert.ok(outcome.resultRef);
    });
  }

  for (const lie of lies) {
    it(`believes nothing of ${lie.name}, from any sibling`, async () => {
      for (const one of cases) {
        if (lie.applies && !lie.applies(one.answer(base))) continue;
        // Short where the lie costs its time-out or the pause before another try, long where it is answered at once.
        siblings = fresh({ timed_out: 120, error_answer: 450, unreachable: 450 }[lie.problem] ?? 2_000);
        [honest, respond] = [one.answer, lie.respond];
        let outcome = await one.ask();
        if (lie.problem !== "timed_out" && outcome.evidence["problem"] === "timed_out") {
          // A busy machine needs longer.
          siblings = fresh(20_000);
          outcome = await one.ask();
        }
        assert.equal(outcome.status, "degraded", `${one.name} believed ${lie.name}`);
        assert.equal(
          outcome.evidence["problem"],
          lie.problem,
          `${one.name}: ${JSON.stringify(outcome.evidence)}`,
        );
        assert.ok(outcome.evidence["observedAt"] !== undefined);
        assert.equal(JSON.stringify(outcome.evidence).includes(FOREIGN), false);
      }
    });
  }

  it("never takes completed without a reference", async () => {
    siblings = fresh();
    for (const resultRef of [null, "", "x", 7, FOREIGN, "javascript:alert(1)", "http://127.0.0.1:1/base/x"]) {
      honest = () => ({ id: PACKET, status: "completed", resultRef });
      respond = json;
      const outcome = await siblings.deliver({
        sibling: "docs",
        packet: { id: PACKET, capability: "anything" },
        traceparent: `00-${HEX}-0123456789abcdef-01`,
      });
      assert.equal(outcome.status, "degraded", String(resultRef));
    }
  });

  it("takes accepted for what it is, with an address of the sibling's own to ask", async () => {
    siblings = fresh();
    respond = json;
    const deliver = () =>
      siblings.deliver({
        sibling: "docs",
        packet: { id: PACKET, capability: "report" },
        traceparent: `00-${HEX}-0123456789abcdef-01`,
      });
    honest = (url) => ({
      id: PACKET,
      status: "accepted",
      resultRef: `${url}/x`,
      statusUrl: `${url}/api/handoffs/1`,
    });
    const accepted = await deliver();
    assert.equal(accepted.status, "accepted");
    honest = () => ({ id: PACKET, status: "accepted", statusUrl: `${FOREIGN}/api/handoffs/1` });
    assert.equal((await deliver()).status, "degraded");
    honest = () => ({ id: PACKET, status: "preview_ready" });
    assert.equal((await deliver()).status, "degraded");
  });

  it("says so when a sibling is not configured, and asks nobody", async () => {
    const none = createSiblings({ settings: { siblings: {} }, fetcher, clock: { now: () => 0 } });
    const before = requests;
    for (const name of SIBLING_NAMES) {
      const outcome = await none.deliver({
        sibling: name,
        packet: { id: PACKET, capability: "x" },
        traceparent: `00-${HEX}-0123456789abcdef-01`,
      });
      assert.equal(outcome.status, "degraded");
      assert.equal(none.status(name).state, "not_configured");
    }
    assert.equal(requests, before);
  });

  it("tries a safe call again, three times at most", async () => {
    siblings = fresh();
    let left = 2;
    const found = DIRECT.find(({ sibling }) => sibling === "root");
    assert.ok(found);
    honest = (url) => found.honest({}, url);
    respond = (data, response, request) =>
      left-- > 0 ? response.writeHead(503).end() : json(data, response, request);
    const before = requests;
    const outcome = await siblings.ask({ ...found, trace, idempotencyKey: "k" });
    assert.equal(outcome.status, "confirmed");
    assert.equal(requests - before, 3);
  });

  it("leaves a sibling alone after five failures in a row, and tries it again later", async () => {
    let now = 1_000_000;
    const guarded = createSiblings({
      settings: { siblings: { docs: { url: base, key: null } } },
      fetcher,
      clock: { now: () => now },
      maxTimeoutMs: 400,
    });
    const deliver = () =>
      guarded.deliver({
        sibling: "docs",
        packet: { id: PACKET, capability: "anything" },
        traceparent: `00-${HEX}-0123456789abcdef-01`,
      });
    honest = (url) => ({ id: PACKET, status: "completed", resultRef: `${url}/results/1` });
    respond = (_, response) => response.writeHead(500).end();
    for (let i = 0; i < 5; i++) await deliver();
    assert.equal(guarded.status("docs").state, "circuit_open");
    const before = requests;
    const refused = await deliver();
    assert.equal(refused.status === "degraded" && refused.evidence["problem"], "circuit_open");
    assert.equal(requests, before);
    now += 3_000;
    respond = json;
    const both = await Promise.all([deliver(), deliver()]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ["completed", "degraded"]);
    assert.equal(guarded.status("docs").state, "reachable");
    assert.equal((await deliver()).status, "completed");
  });

  it("is not failing because callers send it what it refuses", async () => {
    let status = 422;
    respond = (_, response) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(status === 404 ? "no such page" : JSON.stringify({ ok: false, data: {} }));
    };
    const asked = fresh();
    const deliver = () =>
      asked.deliver({
        sibling: "docs",
        packet: { id: PACKET, capability: "anything" },
        traceparent: `00-${HEX}-0123456789abcdef-01`,
      });
    const state = async (answer: number): Promise<string> => {
      status = answer;
      assert.equal((await deliver()).status, "degraded");
      return asked.status("docs").state;
    };
    assert.equal(asked.status("docs").state, "unknown");
    for (const answer of [400, 409, 413, 422]) assert.equal(await state(answer), "reachable", `${answer}`);
    assert.deepEqual([asked.status("docs").lastFailure, asked.status("docs").lastSuccessAt], [null, null]);
    for (const answer of [401, 403, 404, 429, 500]) {
      assert.equal(await state(answer), "failing", `${answer}`);
      // That it answers again is known now; that it takes our credential is not.
      assert.equal(await state(422), answer === 500 ? "reachable" : "failing", `422 after ${answer}`);
    }
  });

  it("is not failing when it answers a call with the JSON-RPC error for invalid params", async () => {
    let code = -32602;
    const gateway = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
        const protocolVersion = "2025-06-18";
        const started = {
          protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "g", version: "1" },
        };
        const answer =
          method === "initialize"
            ? { result: started }
            : { error: { code: method === "tools/call" ? code : -32601, message: "Unknown tool: nope" } };
        response.writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" });
        response.end(id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      });
    });
    await new Promise<void>((done) => gateway.listen(0, "127.0.0.1", done));
    const address = gateway.address();
    assert.ok(address !== null && typeof address === "object");
    const host = `127.0.0.1:${address.port}`;
    const own = createFetcher({ trustedHosts: [host], siblings: {} });
    const asked = createSiblings({
      settings: { siblings: { mcp: { url: `http://${host}`, key: "k" } } },
      fetcher: own,
      clock: { now: () => Date.now() },
    });
    const call = () =>
      asked.ask({
        sibling: "mcp",
        capability: "call_tool",
        payload: { name: "nope" },
        trace,
        idempotencyKey: "k",
      });
    const refused = await call();
    assert.match(JSON.stringify(refused), /refused the call with JSON-RPC error -32602.*Unknown tool: nope/);
    assert.deepEqual([asked.status("mcp").state, asked.status("mcp").lastFailure], ["reachable", null]);
    code = -32603;
    await call();
    assert.equal(asked.status("mcp").state, "failing");
    await own.close();
    gateway.closeAllConnections();
    await new Promise((done) => gateway.close(done));
  });

  it("shows our key to the sibling, and a trace and an idempotency key with it", async () => {
    siblings = fresh();
    let seen: IncomingMessage["headers"] = {};
    const found = DIRECT.find(({ sibling }) => sibling === "spec");
    assert.ok(found);
    honest = (url) => found.honest(found.payload, url);
    respond = (data, response, request) => {
      seen = request.headers;
      json(data, response, request);
    };
    await siblings.ask({ ...found, trace, idempotencyKey: "key-7" });
    assert.equal(seen["authorization"], "Bearer k");
    assert.match(String(seen["idempotency-key"]), /^key-7-[0-9a-f]{16}$/);
    assert.match(String(seen["traceparent"]), new RegExp(`^00-${trace.traceId}-`));
  });

  it("has an adapter for every sibling, under its own name", () => {
    for (const name of SIBLING_NAMES) assert.equal(ADAPTERS[name].name, name);
  });
});
