import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, afterEach, before, describe, it } from "node:test";
import { textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { json, startApiServer, type ApiServer } from "./api-server.ts";
import { rest } from "./rest.ts";

/*
 * What is claimed of calls over MCP on HTTP is what the server did: also when calls share a conversation, when one is
 * given up before it left, when a task is lost, and when a proxy answers.
 */

const TASK = {
  taskId: "t1",
  status: "working",
  ttl: 60_000,
  pollInterval: 50,
  createdAt: "",
  lastUpdatedAt: "",
};

describe("Calls of an MCP server over HTTP", () => {
  let server: ApiServer;
  let service: TestService;
  /** How often each id acted. */
  const effects = new Map<string, number>();
  /** Answers that wait, each with what gives it. */
  const held = new Map<ServerResponse, () => void>();
  /** What is answered to questions about a task. */
  let taskAnswer: { status: number; error: object } = { status: 200, error: {} };

  before(async () => {
    server = await startApiServer({
      "POST /mcp": (request, response) => {
        const { id, method, params } = JSON.parse(request.body.toString());
        const send = (more: object, status = 200, headers = {}): void =>
          void json({ jsonrpc: "2.0", id, ...more }, status, headers)(request, response);
        if (id === undefined) response.writeHead(202).end();
        else if (method === "initialize") {
          const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
          const serverInfo = { name: "shop", version: "1" };
          send({ result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
        } else if (method === "tools/list") {
          const inputSchema = { type: "object", properties: { id: { type: "string" }, way: {} } };
          const execution = { taskSupport: "required" };
          send({
            result: {
              tools: [
                { name: "act", inputSchema },
                { name: "long", inputSchema, execution },
              ],
            },
          });
        } else if (method.startsWith("tasks/")) send({ error: taskAnswer.error }, taskAnswer.status);
        else if (method !== "tools/call") send({ error: { code: -32601, message: "unknown" } });
        else {
          const { id: call, way } = params.arguments;
          effects.set(call, (effects.get(call) ?? 0) + 1);
          if (params.name === "long") send({ result: { task: TASK } });
          else if (way === "held") held.set(response, () => send({ result: { content: [] } }));
          else if (way === "cut") response.destroy();
          else if (typeof way === "object") send({ error: way });
          else if (typeof way === "number")
            send({ error: { code: -32000, message: "no" } }, way, { "retry-after": "7" });
          else send({ result: { content: [{ type: "text", text: "done" }] } });
        }
      },
      "POST /slow": (_request, response) => void held.set(response, () => response.writeHead(200).end()),
    });
    service = await startService();
    const to = { allowPrivateOrigin: true };
    const requests = [{ name: "slow", method: "POST", path: "/slow" }];
    for (const connection of [
      { name: "shop", kind: "mcp", url: `${server.url}/mcp`, ...to },
      { name: "busy", kind: "http", url: server.url, document: { requests }, ...to },
    ])
      assert.equal((await rest(service, "POST", "", connection)).status, 201);
  });
  afterEach(() => {
    for (const response of held.keys()) response.destroy();
    held.clear();
  });
  after(async () => {
    await service.close();
    await server.close();
  });

  const call = (
    id: string,
    way?: unknown,
    { tool = "act", ...more }: { tool?: string; timeoutMs?: number } = {},
  ) =>
    rest(service, "POST", `/shop/call/${tool}`, {
      arguments: { id, ...(way !== undefined && { way }) },
      ...more,
    });
  const until = async (what: () => boolean): Promise<void> => {
    for (let waited = 0; !what(); waited++) {
      assert.ok(waited < 1_500, "it did not happen within 30 s");
      await new Promise((done) => setTimeout(done, 20));
    }
  };

  it("end each by itself: one that is cut says nothing about the others in its conversation", async () => {
    const others = ["a", "b", "c"].map((id) => call(id, "held"));
    await until(() => held.size === 3);
    const cut = await call("cut", "cut");
    assert.equal(cut.body.data.error.code, "outcome_unknown");
    for (const give of held.values()) give();
    for (const { body } of await Promise.all(others)) assert.equal(body.ok, true, JSON.stringify(body));
  });

  it("are not sent after they were given up: what did not happen then does not happen later", async () => {
    assert.equal((await call("warm")).body.ok, true, "the conversation is open");
    // A host gets 64 connections at most: with all of them at work, the call waits for one.
    const slow = Array.from({ length: 64 }, () =>
      rest(service, "POST", "/busy/call/slow", { arguments: {}, timeoutMs: 20_000 }),
    );
    await until(() => held.size === 64);
    const given = await call("late", undefined, { timeoutMs: 300 });
    const { code, effect } = given.body.data.error;
    assert.deepEqual({ code, effect }, { code: "timed_out", effect: "not_sent" });
    for (const give of held.values()) give();
    await Promise.all(slow);
    assert.equal((await call("after")).body.ok, true, "connections are free again");
    assert.equal(effects.get("late") ?? 0, 0);
  });

  it("say with which status a proxy answered, how long to wait, and what is known of the effect", async () => {
    for (const [status, code] of [
      [429, "rate_limited"],
      [400, "conflict"],
      [404, "conflict"],
      [422, "conflict"],
      [502, "outcome_unknown"],
      [503, "outcome_unknown"],
    ] as const) {
      const { error } = (await call(`status ${status}`, status)).body.data;
      assert.equal(error.code, code, JSON.stringify(error));
      assert.equal(error.status, status);
      assert.match(textAt(error.details["upstream"], "text"), /-32000/, "the server's own words");
      if (status !== 400 && status !== 404) assert.equal(error.retryAfterSeconds, 7);
      assert.equal(
        effects.get(`status ${status}`),
        1,
        "a server without sessions forgets none: nothing is sent again",
      );
    }
  });

  it("are in doubt after errors that proxies give for a time-out or a lost connection", async () => {
    for (const [code, claimed] of [
      [-32603, "outcome_unknown"],
      [-32000, "outcome_unknown"],
      [-32001, "outcome_unknown"],
      [408, "outcome_unknown"],
      [-32602, "upstream_error"],
      [17, "upstream_error"],
    ] as const) {
      const { error } = (await call(`rpc ${code}`, { code, message: "Request timed out" })).body.data;
      assert.equal(error.code, claimed, JSON.stringify(error));
      assert.match(error.upstream.text, /timed out/);
    }
  });

  it("are in doubt when the end of the task that they began is not known, and it is begun once", async () => {
    for (const [status, code] of [
      [200, -32602],
      [404, -32001],
      [403, -32000],
      [500, -32603],
    ] as const) {
      taskAnswer = { status, error: { code, message: "no such task" } };
      const id = `task ${status}`;
      const { error } = (await call(id, undefined, { tool: "long" })).body.data;
      assert.equal(error.code, "outcome_unknown", JSON.stringify(error));
      assert.equal(effects.get(id), 1);
    }
  });
});
