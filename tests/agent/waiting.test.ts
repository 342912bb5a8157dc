import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { newClient, signInClient } from "../oauth/support.ts";
import { addMember, asOperator, makeOwner, type Member } from "../people/support.ts";
import { at, foundAt, textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { ask, firstOf, listen, modern, ordersAt, TASKS, until } from "./support.ts";

let service: TestService;
let api: ApiServer;
let owner: Member;
let approver: Member;
let agent = "";
let host = "";
let slow = "";
let isClosed = false;

const ORDER = { name: "shop:createOrder", arguments: { body: { item: "tea", quantity: 2 } } };
const URL_MODE = { elicitation: { url: {} } };
const FORM_MODE = { elicitation: { form: {} } };
const made = (): number => api.seen.filter(({ method }) => method !== "GET").length;
const me = { name: "waiting-test", version: "1.0.0" };

async function decide(approvalId: string, verdict = "approved"): Promise<void> {
  const shown = await approver.visitor.ask("GET", `/api/svc/approvals/${approvalId}`);
  const answer = await approver.visitor.ask("POST", `/api/svc/approvals/${approvalId}/decide`, {
    verdict,
    shownDigest: shown.data.approval.shownDigest,
    ...(verdict !== "approved" && { reason: "No." }),
  });
  assert.equal(answer.status, 200, answer.text);
}
/** The approval that a link leads to. */
const approvalIn = (text: string): string => /approvals\?id=([\w-]+)/.exec(text)?.[1] ?? "";
const call = (name: string, args: unknown, capabilities: object = TASKS, key = agent) =>
  modern(service, key, "tools/call", { name, arguments: args }, capabilities);
const task = (taskId: string, key = agent, capabilities: object = TASKS) =>
  modern(service, key, "tasks/get", { taskId }, capabilities);

before(async () => {
  service = await startService();
  api = await startApiServer({
    "GET /openapi.json": ordersAt(() => api.url),
    "GET /orders": json({ orders: [] }),
    "POST /orders": (request, response) =>
      json(isClosed ? { error: "The shop is closed." } : { id: "o1" }, isClosed ? 422 : 201)(
        request,
        response,
      ),
  });
  const url = `${api.url}/openapi.json`;
  const added = await rest(service, "POST", "", {
    name: "shop",
    kind: "openapi",
    url,
    allowPrivateOrigin: true,
  });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  owner = await makeOwner(service);
  approver = await addMember(service, owner, "approver");
  const { data } = await asOperator(service, "POST", "/api/svc/keys", {
    name: "agent",
    scopes: ["run", "write", "read-private"],
  });
  agent = data.token;
  const scopes = ["run", "write", "read-private", "approve"];
  host = (await signInClient(service, owner, await newClient(service), { scopes })).access_token;
  const written = await ask(service, "write_workflow", {
    name: "Wait and ask",
    nodes: [
      { id: "first", type: "transform", value: 1 },
      { id: "pause", type: "wait", wait: { ms: 1_200 } },
      { id: "ask", type: "approval", approval: { title: "Go on?", show: { amount: 3 } } },
      { id: "last", type: "transform", value: { done: true } },
    ],
    edges: [
      { from: "first", to: "pause" },
      { from: "pause", to: "ask" },
      { from: "ask", to: "last", port: "approved" },
    ],
    outputs: { done: { $ref: "steps.last.outputs.done" } },
    publish: true,
  });
  assert.equal(written.data.valid, true, written.text);
  slow = written.data.id;
});
after(async () => {
  await service.close();
  await api.close();
});

describe("tasks", () => {
  it("are declared, and refused to a client that does not declare them", async () => {
    const { result } = await modern(service, agent, "server/discover", {});
    assert.deepEqual(result.capabilities.extensions["io.modelcontextprotocol/tasks"], {});
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { error } = await modern(service, agent, method, { taskId: "run_x", inputResponses: {} }, {});
      assert.equal(error.code, -32021);
      assert.deepEqual(error.data.requiredCapabilities, TASKS);
    }
    assert.equal((await task("run_unknown")).error.code, -32602);
  });

  it("stand for a call that waits for a person; approved, it is made once and its result is the task's", async () => {
    const before = made();
    const { result } = await call("call", ORDER);
    assert.equal(result.resultType, "task", JSON.stringify(result));
    assert.equal(result.status, "working");
    assert.equal(result.ttlMs, null);
    const waiting = (await task(result.taskId)).result;
    assert.equal(waiting.status, "working");
    assert.equal(made(), before);
    await decide(approvalIn(waiting.statusMessage));
    const done = await until(
      async () => (await task(result.taskId)).result,
      ({ status }) => status === "completed",
    );
    assert.equal(done.result.isError, false, JSON.stringify(done));
    assert.equal(at(done.result.structuredContent, "data", "result", "body", "id"), "o1");
    assert.equal(made(), before + 1);
  });

  it("stay one for a call that is repeated with its key: it waits, or it is what became of it", async () => {
    const before = made();
    const keyed = { ...ORDER, idempotencyKey: "order-17" };
    const first = await ask(service, "call", keyed, agent);
    const again = await ask(service, "call", keyed, agent);
    assert.equal(again.data.runId, first.data.runId);
    await decide(first.data.approvalId);
    await ask(service, "get", { kind: "run", id: first.data.runId, waitSeconds: 30 }, agent);
    const late = await ask(service, "call", keyed, agent);
    assert.equal(foundAt(late.data.result, "body", "id"), "o1", late.text);
    assert.equal(made(), before + 1);
  });

  it("are waited for by the approval where the client can do nothing else", async () => {
    const { data } = await ask(service, "call", ORDER, agent);
    const { approvalId, runId } = data;
    const first = await ask(service, "get", { kind: "run", id: runId, waitSeconds: 30 }, agent);
    assert.match(first.text, /get the approval with waitSeconds, then the run/);
    const wait = { kind: "approval", id: approvalId, waitSeconds: 30 };
    const started = Date.now();
    const waiting = ask(service, "get", wait, agent);
    setTimeout(() => void decide(approvalId), 1_000);
    const decided = await waiting;
    assert.ok(Date.now() - started >= 900);
    assert.equal(decided.data.approval.status, "approved", decided.text);
    assert.ok(decided.text.includes(runId), decided.text);
    const ended = await ask(service, "get", { kind: "run", id: runId, waitSeconds: 30 }, agent);
    assert.equal(ended.data.run.status, "succeeded", ended.text);
    const late = await ask(service, "get", { ...wait, waitSeconds: 0 }, agent);
    assert.equal(late.data.approval.status, "approved");
  });

  it("say how a call failed that a person approved, and not that it was approved", async () => {
    const keyed = { ...ORDER, idempotencyKey: "order-of-a-closed-shop" };
    const first = await ask(service, "call", keyed, agent);
    isClosed = true;
    await decide(first.data.approvalId);
    await ask(service, "get", { kind: "run", id: first.data.runId, waitSeconds: 30 }, agent);
    isClosed = false;
    const late = await ask(service, "call", keyed, agent);
    assert.equal(late.isError, true, late.text);
    assert.match(late.text, /422/, late.text);
    assert.doesNotMatch(late.text, /the approval is approved/);
  });

  it("end with an error result when the person rejects, and stop when they are cancelled", async () => {
    const before = made();
    const { result } = await call("call", ORDER);
    await decide(approvalIn((await task(result.taskId)).result.statusMessage), "rejected");
    const rejected = await until(
      async () => (await task(result.taskId)).result,
      ({ status }) => status === "completed",
    );
    assert.equal(rejected.result.isError, true);
    assert.match(JSON.stringify(rejected.result), /rejected/);
    const second = (await call("call", ORDER)).result;
    const cancelled = await modern(service, agent, "tasks/cancel", { taskId: second.taskId });
    assert.deepEqual(Object.keys(cancelled.result).sort(), ["_meta", "resultType"]);
    await until(
      async () => (await task(second.taskId)).result,
      ({ status }) => status === "cancelled",
    );
    assert.equal(
      (await modern(service, agent, "tasks/cancel", { taskId: second.taskId })).result.resultType,
      "complete",
    );
    assert.equal(made(), before);
  });

  it("stand for runs, on /api/mcp too, and nobody else sees them", async () => {
    const own = (await call("run", { workflow: slow, waitSeconds: 0 })).result;
    assert.equal(own.resultType, "task", JSON.stringify(own));
    const { data } = await asOperator(service, "POST", "/api/svc/keys", { name: "other", scopes: ["run"] });
    assert.equal((await task(own.taskId, data.token)).error.code, -32602);
    const fixed = (
      await modern(
        service,
        agent,
        "tools/call",
        { name: "run_workflow", arguments: { id: slow } },
        TASKS,
        "/api/mcp",
      )
    ).result;
    assert.equal(fixed.resultType, "task", JSON.stringify(fixed));
    await until(
      async () => (await task(fixed.taskId)).result,
      ({ statusMessage }) => statusMessage.includes("approval"),
    );
    // A signed-in person who may decide is asked in the client; the answer is the decision.
    const capabilities = { ...TASKS, ...FORM_MODE };
    const asked = (await task(fixed.taskId, host, capabilities)).result;
    assert.equal(asked.status, "input_required", JSON.stringify(asked));
    const [key = ""] = Object.keys(asked.inputRequests);
    assert.match(asked.inputRequests[key]?.params.message ?? "", /"amount": 3/);
    const wrong = { "approval-other": { action: "accept", content: { decision: "approve" } } };
    await modern(
      service,
      host,
      "tasks/update",
      { taskId: fixed.taskId, inputResponses: wrong },
      capabilities,
    );
    assert.equal((await task(fixed.taskId, host, capabilities)).result.status, "input_required");
    // A key is nobody's person.
    assert.equal((await task(fixed.taskId, agent, capabilities)).result.status, "working");
    const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
    const { result } = await modern(
      service,
      host,
      "tasks/update",
      { taskId: fixed.taskId, inputResponses },
      capabilities,
    );
    assert.equal(result.resultType, "complete");
    const done = await until(
      () => modern(service, agent, "tasks/get", { taskId: fixed.taskId }, TASKS, "/api/mcp"),
      (answer) => answer.result.status === "completed",
    );
    const { structuredContent } = done.result.result;
    assert.deepEqual(at(structuredContent, "data", "run", "outputs"), { done: true });
  });

  it("are pushed to who listens for them", async () => {
    const { taskId } = (await call("run", { workflow: slow, waitSeconds: 0 })).result;
    let isDecided = false;
    const notifications = { taskIds: [taskId, "run_unknown"] };
    const text = await listen(service, agent, notifications, async (text) => {
      const approval = approvalIn(text);
      if (approval !== "" && !isDecided) {
        isDecided = true;
        await decide(approval);
      }
      return text.includes('"completed"');
    });
    assert.match(text, /acknowledged[^\n]*"taskIds":\["[^"]+"\]/);
    assert.match(text, /"io.modelcontextprotocol\/subscriptionId":"sub"/);
  });

  it("stand for slow tools: the call is a durable run", async () => {
    const sync = await ask(service, "call", { name: "get_health", waitSeconds: 20 }, agent);
    assert.equal(foundAt(sync.data.result, "status"), "healthy", sync.text);
    const { result } = await call("call", { name: "shop:listOrders", waitSeconds: 0 });
    const done = await until(
      async () =>
        result.resultType === "task" ? (await task(result.taskId)).result : { status: "completed", result },
      ({ status }) => status === "completed",
    );
    assert.deepEqual(at(done.result.structuredContent, "data", "result", "body"), { orders: [] });
  });
});

describe("elicitation", () => {
  it("leads a person to the page; the call goes on with what was decided there (SDK v2)", async () => {
    const client = new ClientV2(me, { capabilities: URL_MODE, versionNegotiation: { mode: "auto" } });
    let asked = 0;
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked += 1;
      await decide(approvalIn("url" in params ? params.url : ""));
      return { action: "accept" };
    });
    await client.connect(
      new TransportV2(new URL(`${service.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${agent}` } },
      }),
    );
    const before = made();
    const result = await client.callTool({ name: "call", arguments: ORDER });
    assert.equal(result.isError, false, JSON.stringify(result));
    assert.match(JSON.stringify(result.structuredContent), /"o1"/);
    assert.equal(asked, 1);
    assert.equal(made(), before + 1);
    await client.close();
  });

  it("does the same on the stream of an older revision (SDK v1)", async () => {
    const client = new ClientV1(me, { capabilities: URL_MODE });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      await decide(approvalIn("url" in params ? params.url : ""));
      return { action: "accept" };
    });
    await client.connect(
      new TransportV1(new URL(`${service.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${agent}` } },
      }),
    );
    const result = await client.callTool({ name: "call", arguments: ORDER });
    assert.equal(result.isError, false, JSON.stringify(result));
    assert.match(JSON.stringify(result.structuredContent), /"o1"/);
    await client.close();
  });

  it("goes on once, for the same caller, tool and arguments only, and decides nothing by itself", async () => {
    const before = made();
    const asked = async () => {
      const { result } = await call("call", { ...ORDER, idempotencyKey: "single use" }, URL_MODE);
      assert.equal(result.resultType, "input_required", JSON.stringify(result));
      const { requestState } = result;
      const [key = ""] = Object.keys(result.inputRequests);
      return (action: string, params: object = {}, caller = agent) =>
        modern(
          service,
          caller,
          "tools/call",
          {
            name: "call",
            arguments: { ...ORDER, idempotencyKey: "single use" },
            requestState,
            inputResponses: { [key]: { action } },
            ...params,
          },
          URL_MODE,
        );
    };
    const first = await asked();
    for (const [params, caller] of [
      [{ requestState: "s1.e30.x" }, agent],
      [{ arguments: { ...ORDER, arguments: { body: { item: "gold" } } } }, agent],
      [{}, host],
    ] as const)
      assert.equal((await first("accept", params, caller)).error.code, -32602);
    const declined = await first("decline");
    const waiting = declined.result.structuredContent;
    assert.equal(at(waiting, "data", "status"), "approval_required");
    assert.match(firstOf(declined.result.content).text, /approvals\?id=/);
    const runId = textAt(waiting, "data", "runId");
    const second = await asked();
    await decide(textAt(waiting, "data", "approvalId"));
    // Of the same state twice at once, one goes on; the other is answered with where the call is.
    const both = await Promise.all([second("accept"), second("accept")]);
    const [went] = both.filter(({ result }) => result !== undefined);
    const [refused, ...more] = both.filter(({ error }) => error !== undefined);
    assert.equal(went?.result.isError, false, JSON.stringify(both));
    assert.equal(more.length, 0);
    assert.ok(refused !== undefined, JSON.stringify(both));
    for (const { error } of [refused, await second("accept"), await first("accept")]) {
      assert.equal(error.data.code, "conflict", JSON.stringify(error));
      assert.equal(error.data.details.runId, runId);
    }
    assert.equal(made(), before + 1);
  });

  it("never takes the word of the client that asks for the call", async () => {
    const { result } = await call("call", ORDER, FORM_MODE, host);
    assert.equal(result.resultType, "complete");
    assert.equal(at(result.structuredContent, "data", "status"), "approval_required");
  });

  it("asks the person for arguments that the model leaves to them", async () => {
    const args = { name: "shop:listOrders", ask: ["query.customer"] };
    const asked = (await call("call", args, FORM_MODE)).result;
    assert.equal(asked.resultType, "input_required", JSON.stringify(asked));
    const schema = asked.inputRequests["arguments"]?.params.requestedSchema;
    assert.deepEqual(at(schema, "required"), ["query.customer"]);
    const inputResponses = { arguments: { action: "accept", content: { "query.customer": "ada" } } };
    const { requestState } = asked;
    const params = { name: "call", arguments: args, requestState, inputResponses };
    const { result } = await modern(service, agent, "tools/call", params, FORM_MODE);
    assert.equal(result.isError, false, JSON.stringify(result));
    assert.match(api.seen.at(-1)?.url ?? "", /customer=ada/);
    const count = api.seen.length;
    const replayed = await modern(service, agent, "tools/call", params, FORM_MODE);
    assert.equal(replayed.error.data.code, "conflict", JSON.stringify(replayed));
    assert.equal(api.seen.length, count);
    const none = await ask(service, "call", args, agent);
    assert.equal(none.data.status, "not_asked");
    assert.match(none.text, /\/connections\/shop\?pick=listOrders/);
    const wrong = await ask(service, "call", { name: "shop:createOrder", ask: ["body"] }, agent);
    assert.equal(wrong.data.error.code, "invalid_input");
  });
});

describe("progress", () => {
  it("of a run is reported step by step", async () => {
    const client = new ClientV1(me);
    await client.connect(
      new TransportV1(new URL(`${service.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${agent}` } },
      }),
    );
    const seen: string[] = [];
    await client.callTool({ name: "run", arguments: { workflow: slow, waitSeconds: 30 } }, undefined, {
      onprogress: ({ message = "" }) => void seen.push(message),
    });
    assert.deepEqual(seen, ["first: succeeded", "pause: succeeded"]);
    const { data } = await ask(service, "run", { workflow: slow, waitSeconds: 0 }, agent);
    const { id } = data.run;
    await until(
      async () => JSON.stringify(await asOperator(service, "GET", `/api/svc/runs/${id}`)),
      (text) => /"id":"pause"[^{}]*"status":"waiting"/.test(text.replaceAll("\\", "")),
    );
    const params = { name: "cancel_workflow_run", arguments: { id } };
    await asOperator(service, "POST", "/api/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    seen.length = 0;
    await client.callTool({ name: "get", arguments: { kind: "run", id, waitSeconds: 10 } }, undefined, {
      onprogress: ({ message = "" }) => void seen.push(message),
    });
    assert.ok(seen.includes("pause: cancelled"), seen.join());
    await client.close();
  });
});
