import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { at, objectsAt } from "../support/json.ts";
import {
  startService,
  startServiceProcess,
  TEST_KEY,
  type ServiceProcess,
  type TestService,
} from "../support/service.ts";
import { json, startApiServer, type ApiServer } from "./api-server.ts";
import { rest } from "./rest.ts";

/* Connected tools as steps: dry runs read and never write, and a write happens once whatever is killed. */

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "1" },
  paths: {
    "/customers/{id}": {
      get: {
        operationId: "getCustomer",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: {
          200: {
            description: "ok",
            content: {
              "application/json": {
                schema: { type: "object", required: ["email"], properties: { email: { type: "string" } } },
              },
            },
          },
        },
      },
    },
    "/mails": {
      post: {
        operationId: "sendMail",
        requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
        responses: {
          200: {
            description: "sent",
            content: {
              "application/json": { schema: { type: "object", properties: { id: { type: "integer" } } } },
            },
          },
        },
      },
    },
    "/orders": {
      post: {
        operationId: "createOrder",
        parameters: [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", required: ["email"], properties: { email: { type: "string" } } },
            },
          },
        },
        responses: {
          201: {
            description: "made",
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["orderId"],
                  properties: { orderId: { type: "string" } },
                },
              },
            },
          },
        },
      },
    },
  },
};

const NODES = [
  {
    id: "customer",
    type: "tool",
    tool: "orders:getCustomer",
    with: { path: { id: { $ref: "$inputs.id" } } },
  },
  {
    id: "order",
    type: "tool",
    tool: "orders:createOrder",
    with: { body: { email: { $ref: "$steps.customer.outputs#/data/body/email" } } },
  },
];
const EDGES = [{ id: "e1", from: "customer", to: "order", port: "success" }];
const INPUTS = { type: "object", required: ["id"], properties: { id: { type: "string" } } };

describe("connected tools in workflows", () => {
  let api: ApiServer;
  let service: TestService;
  const orders = new Map<string, number>();

  before(async () => {
    api = await startApiServer({
      "GET /openapi.json": json(DOCUMENT),
      "GET /customers/c1": json({ email: "a@example.com" }),
      "POST /orders": async (request, response) => {
        const key = String(request.headers["idempotency-key"]);
        // As an API with idempotency keys does: the first request with a key acts, later ones get its answer.
        orders.set(key, (orders.get(key) ?? 0) + 1);
        if (String(request.body).includes("refused later"))
          return json({}, orders.get(key) === 1 ? 504 : 422)(request, response);
        await json({ orderId: `order-${key.length}` }, 201)(request, response);
      },
      "POST /mails": async (request, response) => {
        const { email } = JSON.parse(request.body.toString());
        if (email === "cut") response.destroy();
        else if (email === "half") {
          response.writeHead(200, { "content-length": "100" }).write("{");
          setTimeout(() => response.destroy(), 5);
        } else if (email === "64-bit")
          response.writeHead(200, { "content-type": "application/json" }).end('{"id":9007199254740993}');
        else if (email === "504") await json({}, 504)(request, response);
        else if (email === "429") await json({}, 429, { "retry-after": "7" })(request, response);
        else await json({}, email === "201" ? 201 : 200)(request, response);
      },
    });
    service = await startService();
    await rest(service, "POST", "", {
      name: "orders",
      kind: "openapi",
      url: `${api.url}/openapi.json`,
      allowPrivateOrigin: true,
    });
  });
  after(async () => {
    await service.close();
    await api.close();
  });

  const meta = { "svc/document": { inputs: INPUTS } };

  it("are validated and planned with effect, credential and reachability", async () => {
    const verdict = await service.call(
      "validate_workflow",
      { nodes: NODES, edges: EDGES },
      { key: true, meta },
    );
    assert.equal(verdict.envelope.data.valid, true, verdict.text);
    const wrong = [{ ...NODES[0], with: { path: { nope: 1 } } }];
    const bad = await service.call("validate_workflow", { nodes: wrong, edges: [] }, { key: true });
    assert.ok(
      bad.envelope.data.problems.some(({ code }: { code: string }) => code === "argument_missing"),
      bad.text,
    );
    const stranger = await service.call("validate_workflow", { nodes: NODES, edges: EDGES }, { meta });
    assert.ok(stranger.envelope.data.problems.some(({ code }: { code: string }) => code === "tool_unknown"));
  });

  it("take a key for a retry only where the operation carries it", async () => {
    const step = { id: "order", type: "tool", with: { body: { email: "a@example.com" } } };
    const check = async (tool: string): Promise<readonly string[]> => {
      const nodes = [{ ...step, tool, idempotencyKey: "k", retry: { maxAttempts: 3 } }];
      const verdict = await service.call("validate_workflow", { nodes, edges: [] }, { key: true });
      return verdict.envelope.data.problems.map(({ code }: { code: string }) => code);
    };
    assert.deepEqual(await check("orders:createOrder"), [], "it declares Idempotency-Key");
    assert.deepEqual(await check("orders:sendMail"), ["retry_without_key"], "the key would reach nothing");
    const edit = { idempotencyHeader: "X-Request-Id" };
    assert.equal((await rest(service, "PATCH", "/orders/definitions/sendMail", edit)).status, 200);
    assert.deepEqual(await check("orders:sendMail"), [], "an admin named the header");
    await rest(service, "PATCH", "/orders/definitions/sendMail", { idempotencyHeader: null });
  });

  it("are confirmed by a complete answer, wait as asked, and are not repeated when it is not known", async () => {
    const run = async (way: string, more: object = {}) => {
      const nodes = [
        { id: "mail", type: "tool", tool: "orders:sendMail", with: { body: { email: way } }, ...more },
        { id: "undo", type: "tool", tool: "orders:sendMail", with: { body: { email: "undo" } } },
      ];
      const edges = [{ from: "mail", to: "undo", port: "error" }];
      const created = await service.call("create_workflow", { name: way, nodes, edges }, { key: true });
      const { id } = created.envelope.data.workflow;
      const started = await service.call("run_workflow", { id }, { key: true });
      return started.envelope.data.run;
    };
    const done = await run("done");
    assert.equal(done.resultConfirmed, true, JSON.stringify(done));
    const large = await run("64-bit");
    assert.equal(at(large.steps[0]?.output, "data", "body", "id"), "9007199254740993");
    assert.equal(large.resultConfirmed, true, JSON.stringify(large.steps[0]?.output));
    const created = await run("201");
    assert.deepEqual(
      [
        created.status,
        created.resultConfirmed,
        objectsAt(created.steps[0]?.output, "data", "problems").length,
      ],
      ["succeeded", false, 1],
      "a success that the description does not name cannot be checked",
    );
    const [unconfirmed] = created.unconfirmedSteps;
    assert.deepEqual([unconfirmed?.stepId, unconfirmed?.sent], ["mail", true]);
    assert.match(unconfirmed?.reason ?? "", /not the one that the description names/);
    for (const way of ["cut", "half", "504"]) {
      const before = api.seen.length;
      const unknown = await run(way);
      assert.equal(unknown.steps.find(({ id }) => id === "mail")?.status, "outcome_unknown", way);
      assert.equal(api.seen.length, before + 1, "neither repeated nor compensated");
      const answer = await rest(service, "POST", "/orders/call/sendMail", {
        arguments: { body: { email: way } },
      });
      assert.equal(answer.body.data.error.code, "outcome_unknown", JSON.stringify(answer.body));
      assert.match(answer.body.data.error.nextAction, /Look at the target/);
    }
    const late = await rest(service, "POST", "/orders/call/sendMail", {
      arguments: { body: { email: "429" } },
    });
    assert.equal(late.body.data.error.retryAfterSeconds, 7);
  });

  it("say of a step whose last attempt was refused that an earlier one may have had its effect", async () => {
    const email = "refused later";
    const nodes = [
      {
        id: "order",
        type: "tool",
        tool: "orders:createOrder",
        with: { body: { email } },
        retry: { maxAttempts: 2 },
      },
      { id: "undo", type: "tool", tool: "orders:sendMail", with: { body: { email } } },
    ];
    const edges = [{ from: "order", to: "undo", port: "error" }];
    const policy = { requireApproval: "none" };
    const created = await service.call(
      "create_workflow",
      { name: "Refused", nodes, edges },
      { key: true, meta: { "svc/document": { policy } } },
    );
    const { id } = created.envelope.data.workflow;
    const started = await service.call("run_workflow", { id }, { key: true });
    const runId = started.envelope.data.run.id;
    const { engine, store } = service.app.services;
    await engine.waitFor(runId, 120_000, "waiting");
    const ofOrder = async () => (await store.read.runs.steps(runId)).find(({ stepId }) => stepId === "order");
    for (let n = 0; n < 6_000 && (await ofOrder())?.state !== "outcome_unknown"; n++) await sleep(20);
    const order = await ofOrder();
    const { code, effect, reason, message } = order?.error ?? {};
    assert.deepEqual(
      [order?.state, code, effect, reason],
      ["outcome_unknown", "outcome_unknown", "unknown", "upstream_error"],
    );
    assert.ok(typeof message === "string");
    assert.match(message, /answered 422\. An attempt before this one may have had its effect\./);
  });

  it("are read but never written in a dry run", async () => {
    const created = await service.call(
      "create_workflow",
      { name: "Order", nodes: NODES, edges: EDGES },
      { key: true, meta },
    );
    const id = created.envelope.data.workflow.id;
    assert.equal(typeof id, "string", created.text);
    const before = api.seen.length;
    const dry = await service.call("dry_run_workflow", { id, inputs: { id: "c1" } }, { key: true });
    assert.equal(dry.envelope.ok, true, dry.text);
    const sent = api.seen.slice(before).map(({ method }) => method);
    assert.deepEqual(sent, ["GET"], dry.text);
  });

  it("run with what the step before answered", async () => {
    const created = await service.call(
      "create_workflow",
      { name: "Order", nodes: NODES, edges: EDGES },
      { key: true, meta },
    );
    const id = created.envelope.data.workflow.id;
    const started = await service.call("run_workflow", { id, inputs: { id: "c1" } }, { key: true });
    const runId = started.envelope.data.run.id;
    await service.app.services.engine.waitFor(runId, 120_000);
    const steps = await service.app.services.store.read.runs.steps(runId);
    const order = steps.find(({ stepId }) => stepId === "order");
    assert.equal(order?.state, "succeeded", JSON.stringify(steps));
    assert.deepEqual(JSON.parse(api.seen.at(-1)?.body.toString() ?? ""), { email: "a@example.com" });
    assert.equal(api.seen.at(-1)?.headers["idempotency-key"], `${runId}:order`);
  });

  it("are not called when they changed after the run started: what was approved is what is sent", async () => {
    const created = await service.call(
      "create_workflow",
      {
        name: "Approved order",
        nodes: [
          { id: "ask", type: "approval", approval: { title: "Order it?" } },
          {
            id: "order",
            type: "tool",
            tool: "orders:createOrder",
            with: { body: { email: "a@example.com" } },
          },
        ],
        edges: [{ id: "e1", from: "ask", to: "order", port: "approved" }],
      },
      { key: true },
    );
    const id = created.envelope.data.workflow.id;
    const { engine, store } = service.app.services;
    const runs = ["", ""];
    for (const number of runs.keys()) {
      const started = await service.call("run_workflow", { id }, { key: true });
      runs[number] = started.envelope.data.run.id;
      await engine.waitFor(runs[number] ?? "", 120_000, "waiting");
    }
    const approve = async (runId: string): Promise<void> => {
      const { items } = await store.read.approvals.list({ limit: 1 }, { runId });
      const [approval] = items;
      assert.ok(approval !== undefined);
      assert.match(JSON.stringify(approval.shown["resolved"]), /orders:createOrder":"sha256:/);
      await service.call("approve_step", { id: approval.id }, { key: true });
      await engine.waitFor(runId, 120_000);
    };
    const changed = await rest(service, "PATCH", "/orders", { baseUrl: `${api.url}/elsewhere` });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const before = api.seen.length;
    await approve(runs[0] ?? "");
    const steps = await store.read.runs.steps(runs[0] ?? "");
    const order = steps.find(({ stepId }) => stepId === "order");
    assert.equal(order?.state, "failed");
    assert.equal(order.error?.["code"], "blocked");
    assert.match(JSON.stringify(order.error), /not what it was when the run started.*definition_changed/);
    assert.equal(api.seen.length, before);
    // The change is undone: what was approved can happen.
    await rest(service, "PATCH", "/orders", { baseUrl: null });
    await approve(runs[1] ?? "");
    assert.equal((await store.read.runs.get(runs[1] ?? ""))?.state, "succeeded");
  });
});

describe("kill -9 between a write and its checkpoint", () => {
  let api: ApiServer;
  let folder: string;
  const keys: string[] = [];
  const held: (() => void)[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "connections-kill-"));
    api = await startApiServer({
      "GET /openapi.json": json(DOCUMENT),
      "GET /customers/c1": json({ email: "a@example.com" }),
      "POST /orders": async (request, response) => {
        keys.push(String(request.headers["idempotency-key"]));
        if (keys.length === 1) await new Promise<void>((done) => void held.push(done));
        await json({ orderId: "o1" }, 201)(request, response);
      },
    });
  });
  after(async () => {
    for (const release of held) release();
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("the write is repeated under the same key, and the run ends once", async () => {
    const env = { DATABASE_URL: `sqlite:${join(folder, "kill.db")}` };
    let child: ServiceProcess = await startServiceProcess(env);
    const meta = { "svc/document": { inputs: INPUTS } };
    try {
      const address = `${api.url}/openapi.json`;
      const body = { name: "orders", kind: "openapi", url: address, allowPrivateOrigin: true };
      const added = await rest({ ...child, key: TEST_KEY }, "POST", "", body);
      assert.equal(added.status, 201, JSON.stringify(added.body));
      const graph = { name: "Order", nodes: NODES, edges: EDGES };
      const created = await child.call("create_workflow", graph, { key: true, meta });
      assert.equal(created.envelope?.ok, true, created.text);
      const { id } = created.envelope.data.workflow;
      let started = await child.call("run_workflow", { id, inputs: { id: "c1" } }, { key: true });
      // A machine that is busy starts the validator's threads late.
      for (let again = 0; started.status === 503 && again < 10; again++) {
        await new Promise((done) => setTimeout(done, 1_000));
        started = await child.call("run_workflow", { id, inputs: { id: "c1" } }, { key: true });
      }
      assert.equal(started.envelope?.ok, true, started.text);
      const runId: string = started.envelope.data.run.id;
      for (let waited = 0; keys.length === 0 && waited < 1_200; waited++) await pause();
      assert.equal(keys.length, 1, "the write has begun");
      await child.stop("SIGKILL");
      child = await startServiceProcess(env);
      let state = "";
      for (let waited = 0; state !== "succeeded" && waited < 1_200; waited++) {
        const run = await child.call("get_workflow_run", { id: runId }, { key: true });
        state = run.envelope?.data.run?.status ?? "";
        await pause();
      }
      assert.equal(state, "succeeded");
      assert.deepEqual([...new Set(keys)], [`${runId}:order`], "every attempt had the same key");
    } finally {
      await child.stop("SIGKILL");
    }
  });
});

function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 25));
}
