import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineTool, type Tool } from "../../src/ports/operations.ts";
import { inputOf } from "../../src/model/common.ts";
import { jsonObject } from "../../src/tools/shapes.ts";
import { textAt } from "../support/json.ts";
import { startService, TEST_KEY } from "../support/service.ts";

const base = {
  title: "Test",
  output: jsonObject(),
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
} as const;

describe("rate limits", () => {
  it("count per item, say when to come back, and refill", async () => {
    let now = 1_000_000;
    const service = await startService({
      clock: { now: () => now },
      limits: { anonymous: { perSecond: 2, burst: 5 }, localFactor: 1 },
    });
    for (let i = 0; i < 5; i++) assert.equal((await service.rpc("ping")).status, 200);
    const refused = await service.rpc("ping");
    assert.deepEqual(
      [refused.status, refused.json.error.code, refused.json.error.data.retryAfterSeconds],
      [429, -32029, 1],
    );
    assert.equal(refused.headers.get("retry-after"), "1");
    now += 1_000;
    const batch = await service.fetch("/api/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "ping" }))),
    });
    const items: { error?: { code: number } }[] = JSON.parse(await batch.text());
    assert.deepEqual(
      items.map((item) => item.error?.code),
      [undefined, undefined, -32029],
    );
    assert.equal((await service.fetch("/api/svc/demo-suite")).status, 429);
    await service.close();
  });

  it("a list that takes long counts for as many requests as it took milliseconds", async (t) => {
    const slow = defineTool({
      ...base,
      name: "list_slowly",
      description: "Takes thirty milliseconds, as a list does that looks through many records.",
      input: inputOf({}),
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return {};
      },
    });
    const service = await startService({
      registry: { tools: [slow], resources: [], prompts: [] },
      clock: { now: () => 1_000_000 },
      limits: { anonymous: { perSecond: 10, burst: 20 }, localFactor: 1 },
    });
    t.after(() => service.close());
    assert.equal((await service.call("list_slowly")).status, 200);
    const refused = await service.rpc("ping");
    assert.equal(refused.status, 429);
    assert.ok(refused.json.error.data.retryAfterSeconds >= 1);
    assert.equal((await service.call("list_slowly", {}, { key: true })).status, 200);
  });

  it("a key has its own, larger bucket", async () => {
    const service = await startService({
      limits: {
        anonymous: { perSecond: 0.001, burst: 1 },
        key: { perSecond: 0.001, burst: 3 },
        localFactor: 1,
      },
    });
    assert.equal((await service.call("get_health")).status, 200);
    assert.equal((await service.call("get_health")).status, 429);
    for (let i = 0; i < 3; i++)
      assert.equal((await service.call("get_health", {}, { key: true })).status, 200);
    assert.equal((await service.call("get_health", {}, { key: true })).status, 429);
    await service.close();
  });

  it("a caller that guesses keys is stopped before the key is read", async () => {
    const service = await startService({
      limits: { refusals: { perSecond: 0.001, burst: 3 }, localFactor: 1 },
    });
    const guess = (key: string) =>
      service.rpc("tools/call", { name: "get_health" }, { authorization: `Bearer ${key}` });
    for (let i = 0; i < 3; i++) assert.equal((await guess(`wrong-${i}`)).status, 401);
    assert.equal((await guess("wrong-4")).status, 429);
    assert.equal((await guess(TEST_KEY)).status, 429, "not even the right one is looked at");
    assert.equal((await service.rpc("ping")).status, 200);
    await service.close();
  });
});

describe("clients behind a proxy", () => {
  const few = { anonymous: { perSecond: 0.001, burst: 2 } };
  const from = (forwarded: string) => ({ "x-forwarded-for": forwarded });

  it("on this machine are not exempt, though the proxy's address is", async () => {
    const service = await startService({ limits: few });
    for (let i = 0; i < 20; i++) assert.equal((await service.rpc("ping")).status, 200, "asks directly");
    for (let i = 0; i < 2; i++)
      assert.equal((await service.rpc("ping", {}, from(`203.0.113.${i}`))).status, 200);
    assert.equal(
      (await service.rpc("ping", {}, from("203.0.113.9"))).status,
      429,
      "the headers of an unknown proxy make no new client",
    );
    assert.equal((await service.rpc("ping")).status, 200);
    await service.close();
  });

  it("are counted each by itself when the operator trusts the proxy", async () => {
    const service = await startService({ limits: few, settings: { trustedProxies: ["127.0.0.0/8"] } });
    for (const client of ["203.0.113.1", "203.0.113.2", "2001:db8::1"]) {
      for (let i = 0; i < 2; i++) assert.equal((await service.rpc("ping", {}, from(client))).status, 200);
      assert.equal((await service.rpc("ping", {}, from(client))).status, 429);
      // What a client wrote itself stands to the left of what the proxy adds.
      assert.equal((await service.rpc("ping", {}, from(`198.51.100.7, ${client}`))).status, 429);
      assert.equal((await service.rpc("ping", {}, from(`127.0.0.1, ${client}`))).status, 429);
    }
    await service.close();
  });
});

describe("overload", () => {
  it("turns requests away at once when too many are being served", async (t) => {
    const release = Promise.withResolvers<void>();
    const started: (() => void)[] = [];
    const waiting: Tool = defineTool({
      ...base,
      name: "wait",
      description: "Waits until the test lets go.",
      input: inputOf({}),
      async run() {
        started.shift()?.();
        await release.promise;
        return {};
      },
    });
    const glance: Tool = defineTool({
      ...base,
      name: "glance",
      description: "Reads what is at hand.",
      input: inputOf({}),
      quick: true,
      run: () => ({}),
    });
    const service = await startService({
      registry: { tools: [waiting, glance], resources: [], prompts: [] },
      // None of the eight may be refused because a busy machine let it wait.
      limits: { maxInFlight: 8, maxWaitMs: 600_000 },
    });
    t.after(async () => {
      release.resolve();
      await service.close();
    });
    const allStarted = Promise.all(
      Array.from({ length: 8 }, () => new Promise<void>((resolve) => started.push(resolve))),
    );
    const served = Array.from({ length: 8 }, () => service.call("wait"));
    await allStarted;
    // None of those being served can end before this one is answered.
    const refused = await service.call("wait");
    assert.deepEqual(
      [refused.status, refused.json.error.code, refused.headers.get("retry-after")],
      [503, -32030, "1"],
    );
    assert.equal((await service.fetch("/livez")).status, 200, "operators still get an answer");
    for (const cheap of [service.rpc("tools/list"), service.rpc("ping"), service.call("glance")])
      assert.equal((await cheap).status, 200, "what is cheap does not wait behind what is not");
    const batch = await service.fetch("/api/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "ping" }]),
    });
    assert.equal(batch.status, 503, "a batch is work");
    release.resolve();
    for (const answer of await Promise.all(served)) assert.equal(answer.status, 200);
    assert.equal((await service.call("wait")).status, 200);
  });
});

describe("errors inside tools", () => {
  it("an unexpected one gives a reference and nothing else, and the log has the rest", async () => {
    const lines: { event: string; fields: unknown; cause: unknown }[] = [];
    const broken: Tool = defineTool({
      ...base,
      name: "broken",
      description: "Throws something nobody expected.",
      input: inputOf({}),
      run() {
        throw new TypeError("secret detail 4711");
      },
    });
    const service = await startService({
      registry: { tools: [broken], resources: [], prompts: [] },
      log: {
        debug: () => undefined,
        info: () => undefined,
        warn: () => undefined,
        error: (event, fields, cause) => lines.push({ event, fields, cause }),
      },
    });
    const { status, text, json } = await service.call("broken");
    assert.deepEqual([status, json.error.code], [500, -32603]);
    assert.doesNotMatch(text, /4711|TypeError/);
    const reference = textAt(json.error.data.details, "reference");
    assert.match(reference, /^[0-9a-f]{12}$/);
    const line = lines.find(({ event }) => event === "internal error");
    assert.partialDeepStrictEqual(line?.fields, { reference, tool: "broken" });
    assert.ok(line?.cause instanceof TypeError);
    await service.close();
  });

  it("a dry run calls nothing that can change something", async (t) => {
    const service = await startService();
    t.after(() => service.close());
    const { services } = service.app;
    const context = {
      services,
      caller: { kind: "key", id: "test", scopes: new Set(["admin"] as const) },
      trace: { traceId: "0".repeat(32), spanId: "0".repeat(16), parentSpanId: null },
      requestId: "test",
      signal: new AbortController().signal,
      meta: {},
      dryRun: true,
    } as const;
    for (const tool of services.catalog.tools) {
      if (tool.effect === "none") continue;
      const args = Object.fromEntries(
        (tool.input.required ?? []).map((name) => [
          name,
          /artifact|policy|schema|value/.test(name) && !name.endsWith("Id") ? {} : "x",
        ]),
      );
      await assert.rejects(services.catalog.call(tool.name, args, context), { code: "blocked" }, tool.name);
    }
  });
});
