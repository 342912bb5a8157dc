import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startApiServer, json, type Answer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { textAt } from "../support/json.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";
import { costOf } from "./main-thread.ts";

/*
 * Connected servers that answer with as many values as fit into the bytes that are read. They are counted before
 * anything is built of them: past the bound the bytes are kept, within it JSON keeps its shape whatever its size.
 */

/** Processor time of the main thread for an answer that keeps its shape; building 700,000 members alone took 36 s. */
const MOST_CPU_MS = 100;
/** For up to 10 MB that are kept as bytes: digested, encoded and stored. Measured: 150 to 220 ms, the first 420 ms. */
const MOST_KEPT_MS = 500;
/** The least of N counts: the first one loads and compiles, and a collection can happen in any of them. */
const ATTEMPTS = 12;

const text = (body: () => string): Answer => {
  let made: string | undefined;
  return (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end((made ??= body()));
};

const list = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(",");

const ANSWERS: Readonly<Record<string, () => string>> = {
  members: () => `{${list(700_000, (at) => `"k${at}":1`)}}`,
  empty: () => `[${list(3_000_000, () => "[]")}]`,
  deep: () => `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  names: () => `{${list(90_000, (at) => `"k${at}":1`)}}`,
  allowed: () => `{${list(19_900, (at) => `"k${at}":1`)},"list":[${list(80_000, (at) => `${at}`)}]}`,
  pairs: () => `[${list(33_000, (at) => `{"id":${at},"a":1}`)}]`,
  texts: () => `[${list(3_900, () => `"${"x".repeat(1_000)}"`)}]`,
  items: () => `{"items":[${list(2_000, (at) => `{"id":${at},"text":"${"x".repeat(1_000)}"}`)}]}`,
};

const DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "Hostile", version: "1" },
  paths: Object.fromEntries(
    Object.keys(ANSWERS).map((name) => [
      `/${name}`,
      { get: { operationId: name, responses: { 200: { description: "ok" } } } },
    ]),
  ),
};

describe("connected servers as the attacker", () => {
  let api: ApiServer;
  let folder: string;
  let service: ServiceProcess & { readonly key: string };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hostile-"));
    api = await startApiServer({
      "GET /openapi.json": json(DOCUMENT),
      ...Object.fromEntries(Object.entries(ANSWERS).map(([name, body]) => [`GET /${name}`, text(body)])),
    });
    service = {
      ...(await startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "test.db")}` })),
      key: TEST_KEY,
    };
    const added = await rest(service, "POST", "", {
      name: "hostile",
      kind: "openapi",
      url: `${api.url}/openapi.json`,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
  });
  after(async () => {
    await service.stop("SIGKILL");
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  const call = (name: string) => rest(service, "POST", `/hostile/call/${name}`, { arguments: {} });

  it("an API's answer past the bound is kept as bytes, and the result says so", async () => {
    for (const [name, why] of [
      ["members", /has 700001 values; up to 100000 values/],
      ["empty", /has \d+ values/],
      ["deep", /is nested 50000 deep/],
      ["names", /has more than 20000 different names/],
    ] as const) {
      const costs: number[] = [];
      for (let attempt = 0; attempt < ATTEMPTS && !costs.some((ms) => ms < MOST_KEPT_MS); attempt++) {
        const { result, cpuMs } = await costOf(service, () => call(name));
        assert.equal(result.body.ok, true, JSON.stringify(result.body).slice(0, 500));
        const { body, problems } = result.body.data;
        assert.match(textAt(body, "artifact"), /^artifact/, name);
        assert.match(textAt(body, "note"), why);
        assert.match(textAt(problems, 0, "message"), why);
        costs.push(cpuMs);
      }
      assert.ok(Math.min(...costs) < MOST_KEPT_MS, `${name}: ${costs.join(", ")} ms`);
    }
  });

  it("an API's answer within the bound keeps its shape and costs 100 ms of the main thread at most", async () => {
    for (const [name, last] of [
      ["allowed", ["k19899"]],
      ["pairs", [32_999, "a"]],
      ["texts", [3_899, "length"]],
      ["items", ["items", 1_999, "text", "length"]],
    ] as const) {
      const costs: number[] = [];
      for (let attempt = 0; attempt < ATTEMPTS && !costs.some((ms) => ms < MOST_CPU_MS); attempt++) {
        const { result, cpuMs } = await costOf(service, () => call(name));
        let value: unknown = result.body.data.body;
        for (const step of last) value = Reflect.get(Object(value), step);
        assert.ok(typeof value === "number" && value > 0, name);
        costs.push(cpuMs);
      }
      assert.ok(Math.min(...costs) < MOST_CPU_MS, `${name}: ${costs.join(", ")} ms`);
    }
  });

  const ended = async (nodes: readonly object[]) => {
    const edges = [{ id: "e1", from: "read", to: "use", port: "success" }];
    const created = await service.call("create_workflow", { name: "Uses", nodes, edges }, { key: true });
    const { id } = created.envelope.data.workflow;
    const started = await service.call("run_workflow", { id }, { key: true });
    const runId: string = started.envelope.data.run.id;
    for (let waited = 0; waited < 2_400; waited++) {
      const { run } = (await service.call("get_workflow_run", { id: runId }, { key: true })).envelope.data;
      if (run.status === "succeeded" || run.status === "failed") return run;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error("the run did not end");
  };
  const uses = (tool: string, expr: string) => [
    { id: "read", type: "tool", tool: `hostile:${tool}` },
    { id: "use", type: "transform", value: { $expr: expr } },
  ];

  it("a JSON answer of 2 MB keeps its shape for the next step", async () => {
    const run = await ended(uses("items", "steps.read.outputs.data.body.items[1999].id"));
    assert.equal(run.status, "succeeded", JSON.stringify(run).slice(0, 1_000));
  });

  it("a step that reads a member of a stored answer fails with the reason why it is not there", async () => {
    const run = await ended(uses("members", "steps.read.outputs.data.body.items"));
    assert.equal(run.status, "failed");
    assert.match(JSON.stringify(run), /has 700001 values; up to 100000 values.*artifact/);
  });
});
